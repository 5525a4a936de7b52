"""The task panel: everything about one task, for minutes of looking."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.message import Message

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.supervise import words
from mcp_tasks_tui.ui.commands.keymap import bind_place, keymap_of
from mcp_tasks_tui.ui.commands.model import Place
from mcp_tasks_tui.ui.widgets.lines.pieces import BLANK, plain
from mcp_tasks_tui.ui.widgets.panel.facts import PanelFacts
from mcp_tasks_tui.ui.widgets.panel.find import Finder
from mcp_tasks_tui.ui.widgets.panel.frozen import Frozen
from mcp_tasks_tui.ui.widgets.panel.history import JournalProgress, ProgressHistory
from mcp_tasks_tui.ui.widgets.panel.layout import Layout, laid_out
from mcp_tasks_tui.ui.widgets.panel.loader import PanelLoader
from mcp_tasks_tui.ui.widgets.panel.reading import Reading
from mcp_tasks_tui.ui.widgets.panel.resting import rests_until
from mcp_tasks_tui.ui.widgets.panel.result import has_outcome
from mcp_tasks_tui.ui.widgets.panel.sections import Sections
from mcp_tasks_tui.ui.widgets.panel.status import title_line
from mcp_tasks_tui.ui.widgets.panel.titled import TitledLines
from mcp_tasks_tui.ui.widgets.result.messages import CopyRequested

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual import events

    from mcp_tasks_tui.supervise.results import ResultDoc
    from mcp_tasks_tui.supervise.supervisor import Supervisor
    from mcp_tasks_tui.supervise.view import TaskView
    from mcp_tasks_tui.ui.widgets.lines.pieces import Line

#: Rows under which the panel does without blank lines.
_SHORT = 18


class TaskPanel(TitledLines):
    """One task: where it stands, what it asks, how it went, what it is.

    `show` may be called as often as anything changes; only lines that differ are drawn again.
    `leave` gives the keyboard back to the list.
    """

    DEFAULT_CSS = """
    TaskPanel { padding: 0 1; overflow-x: hidden; }
    """
    place: ClassVar = Place.PANEL

    class Opened(Message):
        """A section (by its id: ``result``, ``journal``, ...) is to be seen whole."""

        def __init__(self, view: TaskView, section: str) -> None:
            self.view = view
            self.section = section
            super().__init__()

    class StandingChanged(Message):
        """What others say of the panel is different: what is found in it, that it is frozen."""

    class ReadingChosen(Message):
        """The person reads otherwise from now on: see `TaskPanel.reading`."""

    def __init__(
        self,
        supervisor: Supervisor,
        *,
        reading: Reading | None = None,
        history: ProgressHistory | None = None,
        ask_what_to_find: Callable[[], None] = lambda: None,
        leave: Callable[[], None] = lambda: None,
        now: Callable[[], float] = time.time,
        id: str | None = None,  # noqa: A002 - Textual's name for it
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self._supervisor = supervisor
        self._history = history or ProgressHistory()
        # Both at once: a message would be behind what is typed next.
        self._ask_what_to_find = ask_what_to_find
        self._leave = leave
        self._told = JournalProgress()
        self._now = now
        self._loader = PanelLoader(self, supervisor, self._draw)
        self._view: TaskView | None = None
        self._reading = reading or Reading()
        self._pinned = False
        self._frozen: Frozen | None = None
        self._folded: set[str] = {"raw"}
        self._current = ""
        self._layout = Layout()
        self._finder = Finder()
        self._sections = Sections()
        #: When this was drawn, and until when time alone changes nothing that is told.
        self._drawn_at, self._rests_until = 0.0, 0.0

    # --- what is shown -------------------------------------------------------------------
    @property
    def view(self) -> TaskView | None:
        return self._view

    @property
    def pinned(self) -> bool:
        return self._pinned

    @property
    def frozen(self) -> Frozen | None:
        """What is shown while the panel holds still, None while it moves."""
        return self._frozen

    @property
    def found(self) -> str:
        """What came of looking for a text: see :class:`Finder`."""
        return self._finder.said

    @property
    def result(self) -> ResultDoc | None:
        """The result of the task that is shown, once it is read."""
        return self._loader.result

    @property
    def reading(self) -> Reading:
        return self._reading

    def read_as(self, reading: Reading) -> None:
        """Show times and journal as the person wants it, from now on."""
        if reading != self._reading:
            self._reading = reading
            self._draw()
            self.post_message(self.ReadingChosen())
            self.post_message(self.StandingChanged())

    def show(self, view: TaskView | None) -> None:
        """Show a task (None: nothing); a pinned panel stays with its own task.

        A frozen one stays as it is until another task is to be shown.
        """
        if self._view is not None and self._stays(view):
            view = self._supervisor.view(self._view.key) or self._view
        if view is self._view:
            return
        if view is None or self._view is None or view.key != self._view.key:
            self._sections.clear()
            self._current = ""
            self._frozen = None
            self.scroll_home(animate=False, immediate=True)
        self._view = view
        if view is not None:
            self._history.note(view)
            if self._frozen is not None:
                self._frozen.note(view)
        self._loader.follow(view)
        self._draw()

    def open(self, view: TaskView | None) -> None:
        """Show a task that a person asks for: a panel that is pinned to another lets go of it."""
        self._pinned = self._pinned and not self._stays(view)
        self.show(view)

    def _stays(self, view: TaskView | None) -> bool:
        """Return whether the panel is pinned to another task than `view`."""
        shown = self._view
        return self._pinned and shown is not None and (view is None or view.key != shown.key)

    def on_mount(self) -> None:
        bind_place(self, self.place)
        self.set_interval(1, self._tick)

    def on_resize(self, _: events.Resize) -> None:
        self._draw()

    def _tick(self) -> None:
        """Ages move on; a pinned task is looked up, as the list tells of the selected one only."""
        if self._view is None or not self.is_on_screen:
            return
        if self._pinned:
            self.show(self._supervisor.view(self._view.key))
        if not self._drawn_at <= self._now() < self._rests_until:
            self._draw()

    # --- drawing -------------------------------------------------------------------------
    def _facts(self, view: TaskView) -> PanelFacts:
        """Return what is to be shown: of now, or of when it was frozen."""
        frozen, keys = self._frozen, keymap_of(self)
        width, key = max(self.scrollable_content_region.width, 16), keys.label("panel.freeze")
        return replace(
            self._known(view) if frozen is None else frozen.facts,
            width=width,
            height=self.size.height,
            absolute=self._reading.absolute,
            utc=self._reading.utc,
            newest_first=self._reading.newest_first,
            kind=self._reading.kind,
            pinned=self._pinned,
            frozen=() if frozen is None else frozen.line(self._now(), width, key),
            answer_key=keys.label("task.answer"),
            open_key=keys.label("panel.open"),
            poll_key=keys.label("task.poll"),
            kinds_key=keys.label("panel.kinds"),
        )

    def _known(self, view: TaskView) -> PanelFacts:
        return PanelFacts(
            view,
            self._now(),
            width=0,
            height=0,
            journal=self._loader.journal,
            result=self._loader.result,
            result_loaded=self._loader.result_loaded,
            trouble=self._loader.trouble,
            history=self._told.before(self._history.of(view.key), self._loader.journal),
        )

    def _draw(self) -> None:
        if not self.is_mounted or not self.size:
            return
        if self._view is None:
            self._layout = Layout()
            self.set_lines(())
            return
        facts = self._facts(self._view)
        sections = self._sections.of(facts, raw="raw" not in self._folded)
        focused = self._current if self.has_focus else ""
        self._layout = laid_out(
            sections,
            facts.width,
            folded=frozenset(self._folded),
            current=focused,
            airy=self.size.height >= _SHORT,
        )
        self.title_differs()
        self.set_lines(self._finder.marked(self._layout.lines))
        self._drawn_at = self._now()
        self._rests_until = self._unchanged_until(facts)

    def _unchanged_until(self, facts: PanelFacts) -> float:
        if self._frozen is not None:
            return words.moves_on(self._frozen.facts.now, self._now())
        return rests_until(facts, self._sections.room)

    def title(self) -> Line:
        return BLANK if self._view is None else title_line(self._facts(self._view))

    # --- find ----------------------------------------------------------------------------
    def find(self, text: str) -> int:
        """Mark the lines that have `text` and go to the first; return how many there are."""
        self._finder.look_for(text)
        self._found_other()
        return len(self._finder)

    def action_step(self, by: int) -> None:
        """Go to the next or previous match, round and round."""
        self._finder.step(by)
        self._found_other()

    def _found_other(self) -> None:
        self._draw()
        self.post_message(self.StandingChanged())
        at = self._finder.here
        if at is not None and not self.sees(at):
            self.scroll_to(y=max(0, at - max(1, self.size.height // 3)), animate=False)

    # --- keys ----------------------------------------------------------------------------
    def action_command(self, command_id: str) -> None:
        """Do what a command of the panel's part of the vocabulary says."""
        _DOES[command_id](self)

    def on_focus(self) -> None:
        self._draw()

    def on_blur(self) -> None:
        self._draw()

    def action_times(self) -> None:
        self.read_as(self._reading.other_times())

    def action_order(self) -> None:
        self.read_as(self._reading.other_order())

    def action_kinds(self) -> None:
        self.read_as(self._reading.other_kind())

    def action_freeze(self) -> None:
        """Hold still what is shown, or go on with what is known by now."""
        if self._frozen is None and self._view is not None:
            self._frozen = Frozen(self._known(self._view))
        else:
            self._frozen = None
        self.post_message(self.StandingChanged())
        self._draw()

    def action_raw(self) -> None:
        self._folded ^= {"raw"}
        self._draw()
        if "raw" not in self._folded:
            self._go_to("raw")

    def action_pin(self) -> None:
        self._pinned = not self._pinned and self._view is not None
        self._draw()

    def action_copy(self) -> None:
        """Copy the section that the keyboard is on, without one everything, as it is shown."""
        lines = self._layout.section(self._current) if self._current else self._layout.lines
        text = "\n".join(plain(line).rstrip() for line in lines)
        self.post_message(CopyRequested(f"{text}\n", self._current or "panel"))

    def action_section(self, step: int) -> None:
        """Go to the next or previous heading."""
        names = [name for name in self._layout.headings if name]
        if not names:
            return
        if self._current in names:
            index = max(0, min(names.index(self._current) + step, len(names) - 1))
        else:
            index = 0 if step > 0 else len(names) - 1
        self._go_to(names[index])

    def _go_to(self, name: str) -> None:
        self._current = name
        self._draw()
        at = self._layout.headings.get(name)
        if at is not None and not self.sees(at, self.size.height * 2 // 3):
            self.call_after_refresh(self.scroll_to, y=max(0, at - 1), animate=False)

    def action_fold(self, folded: bool) -> None:
        if not self._current:
            return
        if folded:
            self._folded.add(self._current)
        else:
            self._folded.discard(self._current)
        self._draw()

    def action_open(self) -> None:
        """Open the section the keyboard is on; without one, the outcome or else the journal."""
        if self._view is None:
            return
        outcome = "result" if has_outcome(self._view) else "journal"
        if self._view.state is State.FAILED and not self._view.snapshot.has_result:
            outcome = "error"
        self.post_message(self.Opened(self._view, self._current or outcome))

    def on_click(self, event: events.Click) -> None:
        """A click on a heading folds it, one on the title leads to it; clicks on a server's text
        do nothing."""
        at = event.get_content_offset(self)
        if at is None:
            return
        if at.y < self.title_rows:
            self.to_end(last=False)
            return
        name = self._layout.heading_at(at.y + self.scroll_offset.y)
        if name:
            self._current = name
            self._folded ^= {name}
            self._draw()

    @property
    def shown_text(self) -> str:
        """All lines as plain text."""
        return "\n".join(map(plain, self.lines))


_DOES: dict[str, Callable[[TaskPanel], None]] = {
    "panel.leave": lambda panel: panel._leave(),
    "panel.down": partial(TaskPanel.move, lines=1),
    "panel.up": partial(TaskPanel.move, lines=-1),
    "panel.page_down": partial(TaskPanel.move, pages=1),
    "panel.page_up": partial(TaskPanel.move, pages=-1),
    "panel.first": partial(TaskPanel.to_end, last=False),
    "panel.last": partial(TaskPanel.to_end, last=True),
    "panel.open": TaskPanel.action_open,
    "panel.next": partial(TaskPanel.action_section, step=1),
    "panel.previous": partial(TaskPanel.action_section, step=-1),
    "panel.fold": partial(TaskPanel.action_fold, folded=True),
    "panel.unfold": partial(TaskPanel.action_fold, folded=False),
    "panel.times": TaskPanel.action_times,
    "panel.order": TaskPanel.action_order,
    "panel.kinds": TaskPanel.action_kinds,
    "panel.freeze": TaskPanel.action_freeze,
    "panel.raw": TaskPanel.action_raw,
    "panel.pin": TaskPanel.action_pin,
    "panel.copy": TaskPanel.action_copy,
    "panel.find": lambda panel: panel._ask_what_to_find(),
    "panel.next_match": partial(TaskPanel.action_step, by=1),
    "panel.previous_match": partial(TaskPanel.action_step, by=-1),
}
