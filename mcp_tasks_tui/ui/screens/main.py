"""The main screen: header, ill servers, filter, list and panel (or wall), footer.

It puts the parts together, passes them what the engine publishes, and turns commands into what
the parts do: :mod:`.commanding`. What commands about tasks do is in :mod:`..actions`, what those
about looking do in :mod:`.looking`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual import on
from textual.containers import Container
from textual.screen import Screen

from mcp_tasks_tui.ui.commands.footer_keys import commands_here
from mcp_tasks_tui.ui.commands.keymap import bind
from mcp_tasks_tui.ui.commands.model import Place, Target
from mcp_tasks_tui.ui.layout import WIDE, arrange_for
from mcp_tasks_tui.ui.listing.arrangement import Choice
from mcp_tasks_tui.ui.looks.signs import glyphs
from mcp_tasks_tui.ui.screens.commanding import Commanding
from mcp_tasks_tui.ui.screens.frame import Frame
from mcp_tasks_tui.ui.screens.looking import Looking
from mcp_tasks_tui.ui.screens.parts import Parts
from mcp_tasks_tui.ui.screens.showing import Showing
from mcp_tasks_tui.ui.toasts import keep_off, leave_to_the_next
from mcp_tasks_tui.ui.widgets import blank
from mcp_tasks_tui.ui.widgets.filter_bar import FilterBar
from mcp_tasks_tui.ui.widgets.find_bar import FindBar
from mcp_tasks_tui.ui.widgets.footer import Footer
from mcp_tasks_tui.ui.widgets.header import Header
from mcp_tasks_tui.ui.widgets.panel.history import ProgressHistory
from mcp_tasks_tui.ui.widgets.panel.panel import TaskPanel
from mcp_tasks_tui.ui.widgets.panel.reading import Reading
from mcp_tasks_tui.ui.widgets.server_lines import ServerLines
from mcp_tasks_tui.ui.widgets.tasks.list import MOVES, TaskList
from mcp_tasks_tui.ui.widgets.unsaved_line import UnsavedLine
from mcp_tasks_tui.ui.widgets.wall.wall import Wall

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterable

    from textual import events
    from textual.app import ComposeResult
    from textual.worker import Worker

    from mcp_tasks_tui.config.model import ScreenConfig
    from mcp_tasks_tui.supervise.arrange import SortBy
    from mcp_tasks_tui.supervise.supervisor import Batch, Supervisor
    from mcp_tasks_tui.supervise.view import TaskView
    from mcp_tasks_tui.ui.alerts import Severity
    from mcp_tasks_tui.ui.commands.keymap import Keymap
    from mcp_tasks_tui.ui.commands.model import Command
    from mcp_tasks_tui.ui.services import Services


#: Seconds that reading the saved tasks may take before it is worth a word.
_LONG = 0.5


class MainScreen(Screen[None]):
    """`services` is what the program around the screen does for it: clipboard, servers, time.

    `refused` are keys that would send something, were this not read-only.
    """

    AUTO_FOCUS = None

    def __init__(
        self,
        supervisor: Supervisor,
        services: Services,
        keymap: Keymap,
        config: ScreenConfig,
        *,
        read_only: bool,
        refused: Iterable[str] = (),
    ) -> None:
        super().__init__(classes=WIDE)  # most windows are: they need no second styling
        self._supervisor = supervisor
        self._services = services
        self._keymap = keymap
        self._glyphs = glyphs(ascii_only=config.ascii)
        choice = Choice.recalled(services.remembered)
        self.filter_bar = FilterBar(id="filter")
        self.tasks = TaskList(choice, now=services.now, glyphs=self._glyphs, id="tasks")
        self._find_bar = FindBar(id="find")
        history = ProgressHistory()
        self.panel = TaskPanel(
            supervisor,
            reading=Reading.recalled(services.remembered),
            history=history,
            ask_what_to_find=self._find_bar.open,
            leave=lambda: self.run_command("list.clear"),
            now=services.now,
            id="panel",
        )
        self._unsaved = UnsavedLine(self._glyphs)
        self.wall = Wall(
            history=history,
            leave=lambda: self.run_command("list.clear"),
            now=services.now,
            id="wall",
        )
        parts = Parts(self, self.tasks, self.panel, self.wall, self.filter_bar)
        self._frame = Frame(parts, keymap, self._glyphs, services.now, read_only=read_only)
        self._looking = Looking(parts, supervisor, services, choice)
        self._showing = Showing(
            parts,
            supervisor,
            services,
            frame=self._frame,
            unsaved=self._unsaved,
            looking=self._looking,
            dot=self._glyphs.dot,
        )
        self._commanding = Commanding(
            self,
            parts,
            supervisor,
            services,
            self._looking,
            keymap=keymap,
            plain=self._glyphs.plain,
        )
        main = [each.id for each in keymap.commands.values() if each.place is Place.MAIN]
        bind(self.tasks, keymap, (each for each in main if each in MOVES))
        bind(self, keymap, main)
        for key in refused:
            self._bindings.bind(key, "refuse", show=False)

    def compose(self) -> ComposeResult:
        # Few containers: each costs its share of every frame. The wall comes when it is wanted.
        with Container(id="top"):
            yield self._frame.header
            yield self._unsaved
            yield self._frame.servers
            yield self.filter_bar
            yield self._find_bar
        yield self.tasks
        yield self._frame.blank
        yield self.panel
        yield self._frame.footer
        yield self._frame.too_small

    def on_mount(self) -> None:
        self.tasks.focus()
        self.set_timer(_LONG, self._showing.say_loading)
        self.set_interval(1.0, self._showing.every_second)
        self.watch(self.tasks, "scroll_y", self._showing.freshen, init=False)
        self._services.begin()

    # --- what the engine publishes -------------------------------------------------------
    def show_all(self) -> None:
        """Show everything that the engine knows; the first time the saved tasks."""
        self._showing.show_all()

    def take(self, batch: Batch) -> None:
        """Show what changed."""
        self._showing.take(batch)

    def show_failure(self, why: str) -> None:
        """Say that the saved tasks cannot be read."""
        self._frame.say(blank.failed(why))

    def say_read_only(self, database_read_only: bool) -> None:
        """Say, for as long as it is so, that what a person does is not kept."""
        self._showing.database_read_only = database_read_only

    # --- commands ------------------------------------------------------------------------
    def action_command(self, command_id: str) -> None:
        self.run_command(command_id)

    def action_refuse(self) -> None:
        self.say("read-only: nothing is sent", "warning")

    def run_command(self, command_id: str) -> None:
        """Do what a command of the vocabulary says; the keys, the palette and clicks come here."""
        self.tasks.model.pin()
        if self._acts_on_current(command_id):
            self.tasks.model.choose_current()
        self._commanding.run(command_id)
        self._showing.show_frame()

    def _acts_on_current(self, command_id: str) -> bool:
        """Tell whether the command is about the task under the cursor, and not the marked ones."""
        command = self._keymap.commands.get(command_id)
        if command is None or self._looking.here != self.tasks.model.cursor:
            return False
        target = command.target
        return target is Target.ONE or (target is Target.MANY and not self.tasks.model.marks)

    def run_command_on(self, command_id: str, key: str) -> None:
        """Do it for one task, wherever the cursor and the marks are."""
        self._commanding.run_on(command_id, key)

    def commands_here(self) -> list[Command]:
        """Return every command that holds where the keyboard is, what matters now first."""
        place = self._looking.place
        footer = self._frame.keys(self._showing.counts(), place, self._looking.view)
        return commands_here(self._keymap, place, footer)

    def show_alone(self, key: str) -> None:
        """Fill the window with one task: a wall of its own, until a person goes back."""
        self._looking.show_alone(key)

    # --- the stage of the actions ----------------------------------------------------------
    def say(self, text: str, severity: Severity = "information") -> None:
        """Say how a command went; what went wrong stands beside it, all else takes its place."""
        self._services.say(text, severity, "" if severity == "error" else "outcome")

    def start(self, work: Coroutine[Any, Any, object]) -> None:
        self.run_worker(work, exit_on_error=False)

    async def ask(self, screen: Screen[Any]) -> Any:
        return await self._services.ask(screen)

    def aimed_at(self, target: Target) -> list[TaskView]:
        on_list = target is Target.MANY and not self.has_class("-wall")
        marked = self.tasks.model.marked() if on_list else []
        here = self._looking.here
        keys = [view.key for view in marked] or ([here] if here else [])
        return [view for key in keys if (view := self._supervisor.view(key)) is not None]

    def unmark(self) -> None:
        if self.tasks.model.marks:
            self.tasks.set_marks(())

    def go_to(self, key: str) -> None:
        self._looking.go_to(key)

    @property
    def lines_for_toasts(self) -> int:
        """How many empty lines the list on the left has; the panel beside it may have none."""
        return self.tasks.free_lines if self.has_class(WIDE) and self.tasks.is_on_screen else 0

    @property
    def line_in_hand(self) -> int | None:
        """The row of the list that a person acts on: no toast may be on it."""
        return None if self.filter_bar.has_focus_within else self.tasks.cursor_line

    def show_only(self, text: str) -> None:
        """Filter by `text`; the same once more shows all again."""
        self._looking.show_only(text)

    def sort_by(self, order: SortBy) -> None:
        """Sort the list so; the same once more turns it upside down."""
        self._looking.sort(order)

    def filter_by(self, words: str) -> None:
        """Show only tasks with exactly this text somewhere."""
        escaped = words.strip().replace("\\", "\\\\").replace('"', '\\"')
        self.filter_bar.fill(f'"{escaped}"')
        self._looking.to_list()

    def copy(self, text: str, what: str) -> None:
        self._services.copy(text, what)

    def answer(self, key: str) -> None:
        self._services.answer(key)

    # --- messages of the parts -------------------------------------------------------------
    @on(TaskList.Moved)
    def _cursor_moved(self) -> None:
        keep_off(self)
        self._showing.show_panel()
        self._showing.show_keys()

    @on(TaskList.Opened)
    def _task_opened(self) -> None:
        self._looking.open()

    @on(TaskList.HeadingChosen)
    def _heading_chosen(self, event: TaskList.HeadingChosen) -> None:
        self._looking.sort_by(event.column)
        self._showing.show_frame()

    @on(TaskList.MarksChanged)
    def _marks_changed(self) -> None:
        self._showing.show_frame()

    @on(Wall.Moved)
    def _card_chosen(self) -> None:
        self._showing.show_keys()

    @on(Wall.Opened)
    def _card_opened(self) -> None:
        self._looking.open()

    @on(TaskPanel.Opened)
    def _section_opened(self, event: TaskPanel.Opened) -> None:
        self._looking.view_whole(event.view, event.section)

    @on(TaskPanel.StandingChanged)
    def _panel_stands_otherwise(self) -> None:
        self._showing.show_frame()

    @on(TaskPanel.ReadingChosen)
    def _reading_chosen(self) -> None:
        self._looking.remember()

    @on(FindBar.Changed)
    def _find(self, event: FindBar.Changed) -> None:
        self.panel.find(event.text)

    @on(FindBar.Done)
    def _found(self) -> None:
        self.panel.focus()

    @on(ServerLines.Chosen)
    def _server_chosen(self, event: ServerLines.Chosen) -> None:
        self._looking.to_list()
        self._looking.ways.to_server(event.url)

    @on(Header.Chosen)
    def _count_chosen(self, event: Header.Chosen) -> None:
        self._looking.show_only(event.filter)

    @on(FilterBar.Changed)
    def _filter_changed(self, event: FilterBar.Changed) -> None:
        self._looking.filter(event.chosen)
        self._showing.show_frame()

    @on(FilterBar.Done)
    def _filter_done(self) -> None:
        self._looking.to_list()

    @on(Footer.Chosen)
    def _key_clicked(self, event: Footer.Chosen) -> None:
        self.run_command(event.command_id)

    def on_screen_suspend(self) -> None:
        """Nothing moves under an open dialog; what the rows say goes on."""
        self.tasks.hold(True)
        leave_to_the_next(self)

    def on_screen_resume(self) -> None:
        self.tasks.hold(False)

    def on_descendant_focus(self) -> None:
        if self.focused is not self.tasks:
            self.tasks.model.pin()
        keep_off(self)
        self._showing.show_keys()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        self._services.worker_changed(event)

    def on_resize(self, event: events.Resize) -> None:
        arrange_for(self, event.size)
        self._showing.show_frame()
