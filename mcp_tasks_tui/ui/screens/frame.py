"""What is around the list of the main screen, and what stands in its place where it is empty."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.ui.commands.footer_keys import FooterKey, footer_commands, footer_keys
from mcp_tasks_tui.ui.commands.model import Place
from mcp_tasks_tui.ui.looks.text import content, lines
from mcp_tasks_tui.ui.widgets import blank
from mcp_tasks_tui.ui.widgets.blank import Blank
from mcp_tasks_tui.ui.widgets.footer import Footer
from mcp_tasks_tui.ui.widgets.header import Header
from mcp_tasks_tui.ui.widgets.line import Line
from mcp_tasks_tui.ui.widgets.server_lines import ServerLines, is_unwell

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.content import Content

    from mcp_tasks_tui.supervise.server_view import ServerView
    from mcp_tasks_tui.supervise.tally import Counts
    from mcp_tasks_tui.supervise.view import TaskView
    from mcp_tasks_tui.ui.commands.keymap import Keymap
    from mcp_tasks_tui.ui.commands.model import Command
    from mcp_tasks_tui.ui.looks.signs import Glyphs
    from mcp_tasks_tui.ui.screens.parts import Parts


class Frame:
    """Header, ill servers, footer and the words of an empty list. `now` gives epoch seconds."""

    def __init__(
        self,
        parts: Parts,
        keymap: Keymap,
        glyphs: Glyphs,
        now: Callable[[], float],
        *,
        read_only: bool,
    ) -> None:
        self._parts = parts
        self._keymap = keymap
        self._now = now
        self.header = Header(glyphs, read_only=read_only)
        self.servers = ServerLines(glyphs)
        self.blank = Blank(id="blank")
        self.too_small = Line(id="too-small")
        self.footer = Footer(keymap, plain=glyphs.plain)
        self._known: Sequence[ServerView] = ()

    def show(
        self,
        counts: Counts,
        servers: Sequence[ServerView],
        *,
        list_state: str,
        arranged: str,
        database_read_only: bool,
        calls: int,
        filtered: bool,
        archived_too: bool,
        place: Place,
        current: TaskView | None,
    ) -> None:
        """Show counts, servers, matches and keys; cheap where nothing changed.

        `current` is the task that keys act on at `place`.
        """
        screen, tasks = self._parts.screen, self._parts.tasks
        model = tasks.model
        self._known = servers
        self.header.show(
            counts,
            servers,
            list_state=list_state,
            arranged=arranged,
            database_read_only=database_read_only,
            calls=calls,
        )
        told = content("The window is too small: 40 x 10 at least")
        trouble = self.header.trouble()
        self.too_small.show(lines(trouble, told) if trouble else told)
        self.servers.show_servers(servers, now=self._now(), width=screen.size.width)
        tasks.mark_ill({server.name for server in servers if is_unwell(server)})
        self._parts.filter_bar.say_matches(model.shown, model.total)
        empty = not model.shown
        self.say(self._why_empty(filtered=filtered, archived_too=archived_too) if empty else None)
        self.show_keys(counts, place, current)

    def show_keys(self, counts: Counts, place: Place, current: TaskView | None) -> None:
        marked = len(self._marked(place))
        about = f" {marked:,} marked:" if marked else ""
        self.footer.show(self._keys(counts, place, current), about)

    def keys(self, counts: Counts, place: Place, current: TaskView | None) -> list[Command]:
        """Return what the footer offers, what matters now first."""
        return footer_commands(self._keys(counts, place, current))

    def _keys(self, counts: Counts, place: Place, current: TaskView | None) -> list[FooterKey]:
        marked = self._marked(place)
        return footer_keys(self._keymap, current, place, counts, self._known, marked=marked)

    def _marked(self, place: Place) -> Sequence[TaskView]:
        """Return the tasks that keys act on in place of the one under the cursor."""
        return self._parts.tasks.model.marked() if place is Place.MAIN else ()

    def say(self, text: Content | None) -> None:
        """Show `text` in place of the list, or the list."""
        screen = self._parts.screen
        if text is not None:
            self.blank.show(text)
        screen.set_class(text is not None, "-blank")
        if text is None and screen.focused is None:
            self._parts.tasks.focus()

    def _why_empty(self, *, filtered: bool, archived_too: bool) -> Content:
        model = self._parts.tasks.model
        if model.arriving and self._parts.screen.is_active:  # not merely under a dialog
            return blank.held_still(self._keymap, model.arriving)
        hidden = 0 if archived_too else sum(view.archived for view in model.views.values())
        if len(model.views) > hidden or (filtered and model.total > hidden):
            return blank.no_matches(self._keymap, model.total - hidden, archived=hidden)
        return blank.no_tasks(self._keymap, archived=hidden)
