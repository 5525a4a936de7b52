"""A screen to look at something large: tabs, find, save, copy, pager and editor."""

from __future__ import annotations

import weakref
from functools import partial
from typing import TYPE_CHECKING, cast

from rich.cells import cell_len
from textual.containers import Horizontal, Vertical

from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.results import Document
from mcp_tasks_tui.ui.clearing import clear_away_later
from mcp_tasks_tui.ui.commands.keymap import bind_place, keymap_of
from mcp_tasks_tui.ui.commands.model import Place
from mcp_tasks_tui.ui.looks.text import content
from mcp_tasks_tui.ui.looks.theme import opposite
from mcp_tasks_tui.ui.screens.exporting import Exporter
from mcp_tasks_tui.ui.screens.leavable import LeavableScreen
from mcp_tasks_tui.ui.widgets.bar import Bar, Word, key_words, tab_bar
from mcp_tasks_tui.ui.widgets.line import Line as Told
from mcp_tasks_tui.ui.widgets.lines.pieces import Line, Piece, Tone, fit, pad, piece, width_of
from mcp_tasks_tui.ui.widgets.lines.view import Lines
from mcp_tasks_tui.ui.widgets.result.files import FilesView
from mcp_tasks_tui.ui.widgets.result.messages import (
    LinkRequested,
    PartCopyRequested,
    ViewChanged,
    WholeWanted,
)
from mcp_tasks_tui.ui.widgets.result.tabs import Tab, text_tab
from mcp_tasks_tui.ui.widgets.text_line import TextLine

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.widgets import Input

    from mcp_tasks_tui.ui.alerts import Severity
    from mcp_tasks_tui.ui.widgets.lines.view import LineView
    from mcp_tasks_tui.ui.widgets.result.view import Viewed

    #: Takes what is entered in a prompt; what comes of it says what is wrong, "" for nothing.
    Then = Callable[[str], Awaitable[str] | None]

#: From this many columns on the structured content stands beside the text.
_WIDE = 130
_BESIDE = "Structured (tab goes there and back) "
#: Cells that the keys of the last line take at least, where the window has them.
_KEYS_ROOM = 36
#: Seconds after which nothing holds a viewer that was left, not even what it said last.
_FORGOTTEN = 6.0


class ViewerScreen(LeavableScreen[None]):
    """Ways to look at one thing, one tab each."""

    CSS_PATH = "viewer.tcss"
    AUTO_FOCUS = None

    def __init__(
        self,
        heading: Line,
        tabs: Sequence[Tab] = (),
        stem: str = "result",
    ) -> None:
        super().__init__()
        self._heading = heading
        self._tabs = list(tabs)
        self._stem = stem
        self.exporter = Exporter(self, stem)
        self._tab = -1
        self._widgets: dict[str, LineView] = {}
        self._asking: Then | None = None
        #: What was entered is being tried; until that is over nothing else is.
        self._trying = False
        #: A person has looked for something here.
        self._sought = False

    def compose(self) -> ComposeResult:
        yield Bar(id="viewer-head")
        with Horizontal(id="viewer-body"):
            yield Vertical(id="viewer-main")
            yield Vertical(id="viewer-side")
        with Vertical(id="viewer-prompt"):
            yield Told(id="viewer-refused")
            with Horizontal():
                yield Bar(id="viewer-question")
                yield TextLine(id="viewer-input")
        yield Bar(id="viewer-status")

    async def on_mount(self) -> None:
        bind_place(self, Place.VIEWER)
        if self._tabs:
            await self.show_tab(0)
        self._draw()

    def on_unmount(self) -> None:
        """Let go of what may be large at once, and of the rest when it is nobody's any more."""
        for view in self._widgets.values():
            view.let_go()
        self._tabs, self._widgets = [], {}
        clear_away_later(weakref.ref(self), _FORGOTTEN)

    async def on_resize(self, event: events.Resize) -> None:
        await self._show_beside(event.size.width)
        self._draw()

    async def action_command(self, command_id: str, number: int = 0) -> None:
        """Do what a command of the viewer's part of the vocabulary says.

        What the view under the keyboard does itself comes first; not every view does everything.
        """
        view = self._view
        own = None if view is None else view.does.get(command_id)
        if own is not None:
            own()
        elif command_id == "viewer.number":
            await self.show_tab(number)
        elif command_id in _DOES:
            awaited = _DOES[command_id](self)
            if awaited is not None:
                await awaited

    def _help(self) -> None:
        from mcp_tasks_tui.ui.screens.help import HelpScreen  # noqa: PLC0415 - when it is opened

        self.app.push_screen(HelpScreen(keymap_of(self), Place.VIEWER))

    def _other_theme(self) -> None:
        self.app.theme = opposite(self.app.current_theme)

    # --- tabs ----------------------------------------------------------------------------
    @property
    def shown(self) -> Tab | None:
        return self._tabs[self._tab] if 0 <= self._tab < len(self._tabs) else None

    @property
    def tabs(self) -> Sequence[Tab]:
        return self._tabs

    async def set_tabs(self, tabs: Sequence[Tab], first: str = "") -> None:
        """Show `tabs`, beginning with the one called `first`."""
        self._tabs = list(tabs)
        names = [tab.id for tab in tabs]
        await self.show_tab(names.index(first) if first in names else 0)

    async def show_tab(self, number: int) -> None:
        if not 0 <= number < len(self._tabs):
            return
        self._tab = number
        tab = self._tabs[number]
        await self._put(tab.id, tab.build, "#viewer-main")
        await self._show_beside(self.size.width)
        self._draw()

    async def _next_tab(self, step: int) -> None:
        if self._tabs:
            await self.show_tab((self._tab + step) % len(self._tabs))

    async def _put(self, name: str, build: Callable[[], LineView], where: str) -> None:
        holder = self.query_one(where)
        widget = self._widgets.get(where + name)
        for child in holder.children:
            child.display = child is widget
        if widget is None:
            widget = self._widgets[where + name] = build()
            await holder.mount(widget)
        if where == "#viewer-main" and self._asking is None:
            widget.focus()

    async def _show_beside(self, width: int) -> None:
        tab = self.shown
        beside = tab.beside if tab is not None and width >= _WIDE else None
        self.set_class(beside is not None, "-beside")
        if tab is not None and beside is not None:
            self.query_one("#viewer-main").border_title = content(f" {tab.title} ")
            self.query_one("#viewer-side").border_title = content(_BESIDE)
            await self._put("beside", beside, "#viewer-side")

    def view_of(self, tab: Tab) -> LineView:
        """Return the widget that shows `tab`, which has been shown before."""
        return self._widgets["#viewer-main" + tab.id]

    @property
    def _view(self) -> Viewed | None:
        """The view that the keyboard is on, else the main one."""
        focused = self.focused
        if focused is not None and hasattr(focused, "does"):
            return cast("Viewed", focused)
        tab = self.shown
        return None if tab is None else cast("Viewed", self.view_of(tab))

    # --- drawing -------------------------------------------------------------------------
    def _draw(self) -> None:
        if not self.is_mounted or not self.size.width:
            return
        width = max(self.size.width - 2, 10)
        tab = self.shown
        titles = [each.title for each in self._tabs]
        tabs = tab_bar(titles, self._tab, width, "viewer.number")
        above = [] if tab is None else [[Word(line)] for line in tab.above(width)]
        head = self.query_one("#viewer-head", Bar)
        head.show(
            [Word(fit(self._heading, width))],
            tabs or [Word((Piece("reading …", Tone.MUTED),))],
            *above,
        )
        height = 2 + len(above)
        if head.styles.height is None or head.styles.height.value != height:
            head.styles.height = height
        self._draw_status()

    def _draw_status(self) -> None:
        width = max(self.size.width - 2, 10)
        view = self._view
        status = view.status if view is not None else ""
        # A few keys have their place first, but for what came of a search.
        while not self._sought and " · " in status and cell_len(status) + _KEYS_ROOM > width:
            status = status.rpartition(" · ")[0]
        said = (piece(status, Tone.MUTED),)
        keys = key_words(self._keys(), width - width_of(said) - 1)
        room = width - sum(width_of(each.line) for each in keys)
        self.query_one("#viewer-status", Bar).show([Word(pad(said, max(room, 0))), *keys])

    def _keys(self) -> list[tuple[str, str, str]]:
        """Return the keys that do something to what is shown: command, key, word."""
        keymap = keymap_of(self)
        return [
            (command.id, label, command.short)
            for command in keymap.commands.values()
            if command.place is Place.VIEWER and command.short and self.holds(command.id)
            if (label := keymap.label(command.id))
        ]

    def holds(self, command_id: str) -> bool:
        """Tell whether a command does something to what is shown."""
        tab, view = self.shown, self._view
        if command_id in _ALWAYS:
            return True
        if tab is None or view is None or not tab.holds_something:
            return False
        if command_id == "viewer.next_match":
            return self._sought
        if command_id == "viewer.open_link":
            return any(each.links for each in self._tabs)
        return command_id in _OF_ANY_VIEW or command_id in view.does

    async def on_bar_chosen(self, event: Bar.Chosen) -> None:
        await self.action_command(event.command_id, event.number)

    def on_view_changed(self, _: ViewChanged) -> None:
        self._draw_status()

    def on_descendant_focus(self) -> None:
        self._draw_status()

    # --- the prompt ----------------------------------------------------------------------
    @property
    def asking(self) -> bool:
        """The last line but one asks the person something."""
        return self._asking is not None

    def ask(self, question: str, value: str, then: Then) -> None:
        """Ask for one line in the prompt, beginning with `value`; `then` gets what is entered.

        Where it gives something to wait for, the prompt stays open until that says that nothing is
        wrong: until it gives no words.
        """
        self._answered()
        self._asking = then
        # Not by a class of the screen: everything on it would be styled anew, which is felt.
        self.query_one("#viewer-prompt").display = True
        label = self.query_one("#viewer-question", Lines)
        label.styles.width = len(question) + 2
        label.set_lines(((Piece(question, Tone.STRONG),),))
        box = self.query_one(TextLine)
        box.fill_in(value)
        box.focus()

    def _answered(self) -> None:
        if self._asking is None:
            return
        self._asking, self._trying = None, False
        self._refuse("")
        self.query_one("#viewer-prompt").display = False
        tab = self.shown
        if tab is not None:
            self.view_of(tab).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if self._asking is None or self._trying:
            return
        outcome = self._asking(event.value)
        if outcome is None:
            self._answered()
        else:
            self._trying = True
            self.run_worker(self._try(self._asking, outcome), group="try", exit_on_error=False)

    async def _try(self, then: Then, outcome: Awaitable[str]) -> None:
        wrong = await outcome
        if self._asking is not then:  # the prompt was left in the meantime
            if wrong:
                self.say(wrong, "error")
        elif wrong:
            self._trying = False
            self._refuse(wrong)
        else:
            self._answered()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._refuse("")

    def _refuse(self, why: str) -> None:
        """Say over the prompt what is wrong with what was entered."""
        told = self.query_one("#viewer-refused", Told)
        told.show(content(why))
        told.display = bool(why)

    def _leave(self) -> None:
        if self._asking is not None:
            self._answered()
        else:
            self.dismiss(None)

    # --- find ----------------------------------------------------------------------------
    def _find(self) -> None:
        view = self._view
        if view is not None:

            def find(text: str) -> None:
                self._sought = bool(text)
                view.find(text)
                self._draw_status()

            self.ask("find", "", find)

    def _step(self, by: int) -> None:
        view = self._view
        if view is not None:
            view.step(by)

    # --- links ---------------------------------------------------------------------------
    async def _open_link(self) -> None:
        """Ask for the only link of what is looked at, or go to the list of them."""
        listing = next((tab for tab in self._tabs if tab.links), None)
        if listing is None:
            self.say("there is no link here")
        elif len(listing.links) == 1:
            self.post_message(LinkRequested(listing.links[0]))
        else:
            await self.show_tab(self._tabs.index(listing))
            self.query_one(FilesView).go_to_links()

    def on_whole_wanted(self, message: WholeWanted) -> None:
        heading = (Piece(message.title, Tone.STRONG),)
        tabs = [text_tab("text", "Text", Document(message.text))]
        self.app.push_screen(ViewerScreen(heading, tabs, self._stem))

    def on_part_copy_requested(self, message: PartCopyRequested) -> None:
        self.exporter.copy_part(message.value, message.what)

    def say(self, text: str, severity: Severity = "information") -> None:
        self.notify(one_line(text), severity=severity, markup=False)


#: What holds whatever is shown, and what holds wherever there is something to look at.
_ALWAYS = frozenset({"viewer.leave", "viewer.theme", "viewer.help"})
_OF_ANY_VIEW = frozenset(
    {"viewer.find", "viewer.save", "viewer.copy", "viewer.pager", "viewer.editor"}
)
_DOES: dict[str, Callable[[ViewerScreen], Awaitable[None] | None]] = {
    "viewer.leave": ViewerScreen._leave,
    "viewer.find": ViewerScreen._find,
    "viewer.next_match": partial(ViewerScreen._step, by=1),
    "viewer.previous_match": partial(ViewerScreen._step, by=-1),
    "viewer.next": partial(ViewerScreen._next_tab, step=1),
    "viewer.previous": partial(ViewerScreen._next_tab, step=-1),
    "viewer.open_link": ViewerScreen._open_link,
    "viewer.save": lambda screen: screen.exporter.save(),
    "viewer.copy": lambda screen: screen.exporter.copy(),
    "viewer.pager": lambda screen: screen.exporter.to_pager(),
    "viewer.editor": lambda screen: screen.exporter.to_editor(),
    "viewer.theme": ViewerScreen._other_theme,
    "viewer.help": ViewerScreen._help,
}
