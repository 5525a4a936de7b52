"""The part of the vocabulary that holds inside one thing only: panel, wall, viewer, dialogs."""

from __future__ import annotations

from mcp_tasks_tui.ui.commands.model import Command, Section

_PANEL: tuple[Command, ...] = (
    Command("panel.leave", "Back", "to the list", ("escape", "q"), Section.PANEL, "back"),
    Command("panel.open", "Open whole", "this section, in the viewer", ("enter",), Section.PANEL),
    Command("panel.down", "Down", "one line", ("down", "j"), Section.PANEL, steps=True),
    Command("panel.up", "Up", "one line", ("up", "k"), Section.PANEL, steps=True),
    Command(
        "panel.page_down", "Page down", "one page", ("pagedown", "space"), Section.PANEL, steps=True
    ),
    Command("panel.page_up", "Page up", "one page", ("pageup",), Section.PANEL, steps=True),
    Command("panel.first", "First", "to the beginning", ("home",), Section.PANEL, steps=True),
    Command("panel.last", "Last", "to the end", ("end", "G"), Section.PANEL, steps=True),
    Command(
        "panel.next",
        "Next section",
        "by headings",
        ("right_square_bracket",),
        Section.PANEL,
    ),
    Command(
        "panel.previous",
        "Previous section",
        "by headings",
        ("left_square_bracket",),
        Section.PANEL,
    ),
    Command("panel.fold", "Fold", "this section", ("left", "h"), Section.PANEL),
    Command("panel.unfold", "Unfold", "this section", ("right", "l"), Section.PANEL),
    Command("panel.times", "Times", "ages, local times, UTC", ("t",), Section.PANEL, "times"),
    Command(
        "panel.order",
        "Newest first",
        "the journal, or newest last",
        ("S",),
        Section.PANEL,
    ),
    Command(
        "panel.kinds", "Kinds", "one kind of journal lines, or all", ("K",), Section.PANEL, "kinds"
    ),
    Command("panel.raw", "Raw values", "as the server sent them", ("J",), Section.PANEL, "raw"),
    Command(
        "panel.pin",
        "Pin",
        "this task stays in view",
        ("P",),
        Section.PANEL,
        "pin",
    ),
    Command(
        "panel.freeze",
        "Freeze",
        "while you read, or live again",
        ("f",),
        Section.PANEL,
        "freeze",
    ),
    Command(
        "panel.copy",
        "Copy section",
        "or all, to the clipboard",
        ("Y",),
        Section.PANEL,
    ),
    Command("panel.find", "Find", "a text in the panel", ("slash",), Section.PANEL, "find"),
    Command("panel.next_match", "Next match", "of what you look for", ("n",), Section.PANEL),
    Command(
        "panel.previous_match", "Previous match", "of what you look for", ("N",), Section.PANEL
    ),
)

_WALL: tuple[Command, ...] = (
    Command(
        "wall.left", "Left", "one card", ("left", "h", "less_than_sign"), Section.WALL, steps=True
    ),
    Command(
        "wall.right",
        "Right",
        "one card",
        ("right", "l", "greater_than_sign"),
        Section.WALL,
        steps=True,
    ),
    Command("wall.up", "Up", "one card", ("up", "k"), Section.WALL, steps=True),
    Command("wall.down", "Down", "one card", ("down", "j"), Section.WALL, steps=True),
    Command(
        "wall.next",
        "Next page",
        "where there are more cards than fit",
        ("pagedown", "right_square_bracket"),
        Section.WALL,
    ),
    Command(
        "wall.previous",
        "Previous page",
        "back again",
        ("pageup", "left_square_bracket"),
        Section.WALL,
    ),
    Command("wall.first", "First", "the most urgent card", ("home",), Section.WALL, steps=True),
    Command("wall.last", "Last", "the last card", ("end", "G"), Section.WALL, steps=True),
    Command("wall.open", "Open", "the task, in list and panel", ("enter",), Section.WALL),
    Command("wall.leave", "Back", "to the list", ("escape", "q"), Section.WALL, "back"),
)

_VIEWER: tuple[Command, ...] = (
    Command("viewer.leave", "Back", "to the task", ("escape", "q"), Section.VIEWER, "back"),
    Command("viewer.find", "Find", "a text", ("slash",), Section.VIEWER, "find"),
    Command(
        "viewer.next_match", "Next match", "of what you look for", ("n",), Section.VIEWER, "next"
    ),
    Command(
        "viewer.previous_match", "Previous match", "of what you look for", ("N",), Section.VIEWER
    ),
    Command(
        "viewer.next",
        "Next view",
        "text, tree, table, files, ...",
        ("right_square_bracket",),
        Section.VIEWER,
    ),
    Command(
        "viewer.previous",
        "Previous view",
        "back again",
        ("left_square_bracket",),
        Section.VIEWER,
    ),
    Command(
        "viewer.number",
        "View by number",
        "the first key: the first view",
        tuple("123456789"),
        Section.VIEWER,
        numbered=True,
    ),
    Command("viewer.down", "Down", "one line", ("down", "j"), Section.VIEWER, steps=True),
    Command("viewer.up", "Up", "one line", ("up", "k"), Section.VIEWER, steps=True),
    Command(
        "viewer.page_down",
        "Page down",
        "one page",
        ("pagedown", "space"),
        Section.VIEWER,
        steps=True,
    ),
    Command("viewer.page_up", "Page up", "one page", ("pageup",), Section.VIEWER, steps=True),
    Command("viewer.first", "First", "to the beginning", ("home",), Section.VIEWER, steps=True),
    Command("viewer.last", "Last", "to the end", ("end", "G"), Section.VIEWER, steps=True),
    Command(
        "viewer.right",
        "Right / open",
        "in a tree; or a wide text",
        ("right", "l"),
        Section.VIEWER,
        steps=True,
    ),
    Command(
        "viewer.left",
        "Left / close",
        "in a tree; or a wide text",
        ("left", "h"),
        Section.VIEWER,
        steps=True,
    ),
    Command(
        "viewer.enter",
        "Open",
        "or close in a tree; a value whole",
        ("enter",),
        Section.VIEWER,
        "open",
    ),
    Command(
        "viewer.wrap",
        "Wrap",
        "long lines of a text, or not",
        ("W",),
        Section.VIEWER,
        "wrap",
    ),
    Command(
        "viewer.open_link",
        "Open link",
        "asks first; of several, their list",
        ("o",),
        Section.VIEWER,
        "link",
    ),
    Command(
        "viewer.order",
        "Newest first",
        "the journal, or newest last",
        ("S",),
        Section.VIEWER,
        "order",
    ),
    Command(
        "viewer.kinds",
        "Kinds",
        "one kind of journal lines, or all",
        ("K",),
        Section.VIEWER,
        "kinds",
    ),
    Command(
        "viewer.times",
        "Local / UTC",
        "times of the journal",
        ("t",),
        Section.VIEWER,
        "times",
    ),
    Command(
        "viewer.freeze",
        "Freeze",
        "while you read, or live again",
        ("f",),
        Section.VIEWER,
        "freeze",
    ),
    Command("viewer.save", "Save", "to a new file that you name", ("w",), Section.VIEWER, "save"),
    Command(
        "viewer.copy",
        "Copy",
        "to the terminal's clipboard; in a tree, the value the cursor is on",
        ("y",),
        Section.VIEWER,
        "copy",
    ),
    Command("viewer.pager", "Pager", "in $PAGER", ("vertical_line",), Section.VIEWER, "pager"),
    Command("viewer.editor", "Editor", "in $EDITOR", ("E",), Section.VIEWER, "editor"),
    Command("viewer.theme", "Dark / light", "the other theme", ("T",), Section.VIEWER),
    Command(
        "viewer.help", "Help", "this list of keys", ("question_mark", "f1"), Section.VIEWER, "help"
    ),
)

_ANSWER: tuple[Command, ...] = (
    Command("answer.send", "Send", "this answer", ("ctrl+s",), Section.ANSWER, sends=True),
    Command(
        "answer.decline",
        "Decline",
        "you do not want to answer this",
        ("ctrl+n",),
        Section.ANSWER,
        sends=True,
    ),
    Command(
        "answer.dismiss",
        "Dismiss",
        "you made no choice",
        ("ctrl+l",),
        Section.ANSWER,
        sends=True,
    ),
    Command(
        "answer.together",
        "Send together",
        "all answers that are filled in",
        ("ctrl+t",),
        Section.ANSWER,
        sends=True,
    ),
    Command(
        "answer.next",
        "Next question",
        "where a task asks several",
        ("ctrl+g", "ctrl+pagedown"),
        Section.ANSWER,
    ),
    Command(
        "answer.previous",
        "Previous question",
        "where a task asks several",
        ("ctrl+pageup",),
        Section.ANSWER,
    ),
    Command(
        "answer.jump",
        "Go to a question",
        "by its number or a word of it",
        ("ctrl+o",),
        Section.ANSWER,
    ),
    Command(
        "answer.show",
        "Show secret / new question",
        "what is masked; or the question as it is asked now",
        ("ctrl+r",),
        Section.ANSWER,
    ),
    Command("answer.open", "Open the page", "asks first", ("o",), Section.ANSWER),
    Command("answer.copy", "Copy its URL", "to the terminal's clipboard", ("y",), Section.ANSWER),
    Command("answer.help", "Help", "this list of keys", ("f1",), Section.ANSWER),
    Command(
        "answer.close",
        "Close",
        "nothing is sent, what is typed is kept",
        ("escape",),
        Section.ANSWER,
    ),
)

_FORM: tuple[Command, ...] = (
    Command(
        "form.done", "Done", "saves, calls or takes what is filled in", ("ctrl+s",), Section.FORM
    ),
    Command("form.leave", "Back", "nothing is done", ("escape",), Section.FORM),
)

INSIDE: tuple[Command, ...] = (*_PANEL, *_WALL, *_VIEWER, *_ANSWER, *_FORM)
