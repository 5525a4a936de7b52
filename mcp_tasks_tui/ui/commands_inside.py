"""The part of the vocabulary that holds inside one thing only: panel, wall, viewer, dialogs."""

from __future__ import annotations

from mcp_tasks_tui.ui.command import Command, Section

_PANEL: tuple[Command, ...] = (
    Command("panel.open", "Open whole", "This section in the viewer", ("enter",), Section.PANEL),
    Command(
        "panel.next",
        "Next section",
        "To the next heading",
        ("right_square_bracket",),
        Section.PANEL,
    ),
    Command(
        "panel.previous",
        "Previous section",
        "To the heading before",
        ("left_square_bracket",),
        Section.PANEL,
    ),
    Command("panel.fold", "Fold", "Fold this section", ("left", "h"), Section.PANEL),
    Command("panel.unfold", "Unfold", "Unfold this section", ("right", "l"), Section.PANEL),
    Command("panel.times", "Times", "Ages or clock times", ("t",), Section.PANEL, "times"),
    Command(
        "panel.order",
        "Newest first",
        "The journal upside down, or again the newest last",
        ("S",),
        Section.PANEL,
    ),
    Command("panel.raw", "Raw values", "The server's own values", ("J",), Section.PANEL, "raw"),
    Command("panel.pin", "Pin", "Keep this task in view", ("P",), Section.PANEL, "pin"),
    Command(
        "panel.freeze",
        "Freeze",
        "Hold this task still while you read; the list goes on. Once more, or another task: "
        "live again",
        ("f",),
        Section.PANEL,
        "freeze",
    ),
    Command(
        "panel.zoom",
        "Zoom",
        "The panel alone, or beside the list",
        ("plus",),
        Section.PANEL,
        "zoom",
    ),
    Command(
        "panel.copy",
        "Copy section",
        "The section under the keyboard, or all, to the terminal's clipboard",
        ("Y",),
        Section.PANEL,
    ),
    Command("panel.find", "Find", "Find a text in the panel", ("slash",), Section.PANEL, "find"),
    Command("panel.next_match", "Next match", "To the next match", ("n",), Section.PANEL),
    Command("panel.previous_match", "Previous match", "To the match before", ("N",), Section.PANEL),
)

_WALL: tuple[Command, ...] = (
    Command("wall.left", "Left", "To the panel on the left", ("left", "h"), Section.WALL),
    Command("wall.right", "Right", "To the panel on the right", ("right", "l"), Section.WALL),
    Command("wall.up", "Up", "To the panel above", ("up", "k"), Section.WALL),
    Command("wall.down", "Down", "To the panel below", ("down", "j"), Section.WALL),
    Command(
        "wall.next",
        "Next page",
        "More panels than fit are on pages",
        ("pagedown", "right_square_bracket"),
        Section.WALL,
    ),
    Command(
        "wall.previous",
        "Previous page",
        "To the page before",
        ("pageup", "left_square_bracket"),
        Section.WALL,
    ),
    Command("wall.open", "Open", "The task in list and panel", ("enter",), Section.WALL),
)

_VIEWER: tuple[Command, ...] = (
    Command("viewer.leave", "Back", "Close the viewer", ("escape", "q"), Section.VIEWER, "back"),
    Command("viewer.find", "Find", "Find a text", ("slash",), Section.VIEWER, "find"),
    Command("viewer.next_match", "Next match", "To the next match", ("n",), Section.VIEWER, "next"),
    Command(
        "viewer.previous_match", "Previous match", "To the match before", ("N",), Section.VIEWER
    ),
    Command(
        "viewer.next",
        "Next view",
        "Text, tree, table, files, journal, ...",
        ("right_square_bracket",),
        Section.VIEWER,
    ),
    Command(
        "viewer.previous",
        "Previous view",
        "To the view before",
        ("left_square_bracket",),
        Section.VIEWER,
    ),
    Command(
        "viewer.number",
        "View by number",
        "The first of these keys goes to the first view, and so on",
        tuple("123456789"),
        Section.VIEWER,
        numbered=True,
    ),
    Command("viewer.down", "Down", "One line down", ("down", "j"), Section.VIEWER),
    Command("viewer.up", "Up", "One line up", ("up", "k"), Section.VIEWER),
    Command(
        "viewer.page_down", "Page down", "One page down", ("pagedown", "space"), Section.VIEWER
    ),
    Command("viewer.page_up", "Page up", "One page up", ("pageup",), Section.VIEWER),
    Command("viewer.first", "First", "To the beginning", ("home",), Section.VIEWER),
    Command("viewer.last", "Last", "To the end", ("end", "G"), Section.VIEWER),
    Command(
        "viewer.right",
        "Right / open",
        "Open what is closed in a tree; the right part of a wide text",
        ("right", "l"),
        Section.VIEWER,
    ),
    Command(
        "viewer.left",
        "Left / close",
        "Close what is open in a tree; the left part of a wide text",
        ("left", "h"),
        Section.VIEWER,
    ),
    Command(
        "viewer.enter",
        "Open",
        "Open or close in a tree; a value or an embedded text whole",
        ("enter",),
        Section.VIEWER,
        "open",
    ),
    Command(
        "viewer.wrap",
        "Wrap",
        "Wrap the long lines of a text, or not",
        ("W",),
        Section.VIEWER,
        "wrap",
    ),
    Command(
        "viewer.open_link",
        "Open link",
        "Asks first; where there are several, goes to the list of them",
        ("o",),
        Section.VIEWER,
        "link",
    ),
    Command(
        "viewer.order",
        "Newest first",
        "The journal upside down, or again the newest last",
        ("S",),
        Section.VIEWER,
        "order",
    ),
    Command(
        "viewer.freeze",
        "Freeze",
        "Hold a live task still while you read; once more: live again",
        ("f",),
        Section.VIEWER,
        "freeze",
    ),
    Command("viewer.save", "Save", "To a new file that you name", ("w",), Section.VIEWER, "save"),
    Command("viewer.copy", "Copy", "To the terminal's clipboard", ("y",), Section.VIEWER, "copy"),
    Command("viewer.pager", "Pager", "Open in $PAGER", ("vertical_line",), Section.VIEWER, "pager"),
    Command("viewer.editor", "Editor", "Open in $EDITOR", ("E",), Section.VIEWER, "editor"),
    Command("viewer.help", "Help", "All keys", ("question_mark", "f1"), Section.VIEWER, "help"),
)

_ANSWER: tuple[Command, ...] = (
    Command("answer.send", "Send", "Send this answer", ("ctrl+s",), Section.ANSWER, sends=True),
    Command(
        "answer.decline",
        "Decline",
        "Tell the server that you do not want to answer this",
        ("ctrl+n",),
        Section.ANSWER,
        sends=True,
    ),
    Command(
        "answer.dismiss",
        "Dismiss",
        "Tell the server that you made no choice",
        ("ctrl+l",),
        Section.ANSWER,
        sends=True,
    ),
    Command(
        "answer.together",
        "Send together",
        "Send all answers that are filled in",
        ("ctrl+t",),
        Section.ANSWER,
        sends=True,
    ),
    Command(
        "answer.next",
        "Next question",
        "Where a task asks several",
        ("ctrl+g", "ctrl+pagedown"),
        Section.ANSWER,
    ),
    Command(
        "answer.previous", "Previous question", "The one before", ("ctrl+pageup",), Section.ANSWER
    ),
    Command(
        "answer.jump",
        "Go to a question",
        "To any question, by its number or a word of it",
        ("ctrl+o",),
        Section.ANSWER,
    ),
    Command(
        "answer.show",
        "Show secret / new question",
        "Show what is masked; or the question as the server asks it now",
        ("ctrl+r",),
        Section.ANSWER,
    ),
    Command("answer.open", "Open the page", "Asks first", ("o",), Section.ANSWER),
    Command("answer.copy", "Copy its URL", "To the terminal's clipboard", ("y",), Section.ANSWER),
    Command("answer.help", "Help", "All keys", ("f1",), Section.ANSWER),
    Command(
        "answer.close", "Close", "Send nothing, keep what is typed", ("escape",), Section.ANSWER
    ),
)

_FORM: tuple[Command, ...] = (
    Command("form.done", "Done", "Save, call or take what is filled in", ("ctrl+s",), Section.FORM),
    Command("form.leave", "Back", "Leave; nothing is done", ("escape",), Section.FORM),
)

INSIDE: tuple[Command, ...] = (*_PANEL, *_WALL, *_VIEWER, *_ANSWER, *_FORM)
