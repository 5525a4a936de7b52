"""The app: what the screens ask of the program around them, from the first moment to the last."""

from __future__ import annotations

import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.binding import Binding
from textual.command import CommandPalette
from textual.css.query import NoMatches
from textual.screen import ModalScreen
from textual.widget import MountError
from textual.worker import Worker, WorkerState

from mcp_tasks_tui.ui import lost_calls
from mcp_tasks_tui.ui.alerts import Announcer
from mcp_tasks_tui.ui.bugs import Bugs
from mcp_tasks_tui.ui.commands.keymap import action_of, read_keymap, refused_keys, shown
from mcp_tasks_tui.ui.commands.palette import ASKS, TaskCommands
from mcp_tasks_tui.ui.commands.vocabulary import available
from mcp_tasks_tui.ui.engine import EngineRunner
from mcp_tasks_tui.ui.looks.themed_app import ThemedApp
from mcp_tasks_tui.ui.screens.answer.drafts import Drafts
from mcp_tasks_tui.ui.screens.call_draft import CallDraft
from mcp_tasks_tui.ui.screens.main import MainScreen
from mcp_tasks_tui.ui.servers import KnownServers
from mcp_tasks_tui.ui.terminal import output as terminal
from mcp_tasks_tui.ui.terminal.along import AlongWithText
from mcp_tasks_tui.ui.terminal.copying import Copier
from mcp_tasks_tui.ui.terminal.in_order import InOrder
from mcp_tasks_tui.ui.toasts import Toasts, redraw, room_for_toasts

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from textual.app import App
    from textual.binding import BindingType
    from textual.screen import Screen

    from mcp_tasks_tui.config.model import ScreenConfig, ServerEntry
    from mcp_tasks_tui.supervise.arrange import SortBy
    from mcp_tasks_tui.supervise.supervisor import Supervisor
    from mcp_tasks_tui.ui.alerts import Severity
    from mcp_tasks_tui.ui.commands.model import Command
    from mcp_tasks_tui.ui.memory import ScreenMemory
    from mcp_tasks_tui.ui.screens.answer.screen import AnswerScreen
    from mcp_tasks_tui.ui.screens.new_call import CallWanted
    from mcp_tasks_tui.ui.widgets.result.messages import CopyRequested, LinkRequested

#: Our own fault: the exit status of a bug.
OWN_FAULT = 70


class TasksApp(ThemedApp, inherit_bindings=False):
    """The screen on a Supervisor that is not started yet; it is closed when the screen ends.

    `initial` is the key of the task to start on; `alone`: it fills the window. `memory` keeps the
    order of the list over restarts. `on_shown` is called once the saved tasks are on the screen.
    `on_crash` keeps what is known of a bug and returns where (a path, in words). `why_read_only`
    tells why the database cannot be written, None where it can. `wrong_settings` are the lines
    that say what `config` asks for in vain, and where; None: it comes from no file. `now` gives
    epoch seconds.
    """

    ENABLE_COMMAND_PALETTE = True
    COMMANDS: ClassVar[set[Any]] = {TaskCommands}
    COMMAND_PALETTE_BINDING = "ctrl+p"
    #: Before the fields of a form, which would keep it to themselves: it always leads out.
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "copy_or_quit", "Quit", priority=True)
    ]
    TITLE = "mcp-tasks-tui"
    CSS_PATH = "screens/main.tcss"

    def __init__(
        self,
        supervisor: Supervisor,
        *,
        config: ScreenConfig | None = None,
        read_only: bool = False,
        initial: str | None = None,
        alone: bool = False,
        memory: ScreenMemory | None = None,
        known_servers: Sequence[ServerEntry] = (),
        on_shown: Callable[[], None] = lambda: None,
        on_crash: Callable[[BaseException], str] | None = None,
        why_read_only: Callable[[], Awaitable[str | None]] | None = None,
        wrong_settings: Sequence[str] | None = None,
        now: Callable[[], float] = time.time,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(config, environ)
        self.supervisor = supervisor
        self.read_only = read_only
        self.drafts = Drafts()
        self.call_draft = CallDraft()
        self.keymap = read_keymap(self.config.keys, available(read_only=read_only))
        self.now = now
        self._initial = initial
        self._alone = alone
        self._memory = memory
        self.remembered: Mapping[str, Any] = memory.recall() if memory else {}
        self._entries = tuple(known_servers)
        self._on_shown = on_shown
        self._bugs = Bugs(on_crash)
        #: After a bug ended the program: one clean line that says so, for the freed terminal.
        self.crash_report = ""
        complaint = self.theme_complaint
        self._complaints = [each for each in (complaint, *self.keymap.problems) if each]
        if wrong_settings is not None:
            of_environment = [complaint] if complaint and self.config.theme is None else []
            self._complaints = [*wrong_settings, *of_environment]
        self._mouse_on = self.config.mouse
        #: The screen is being taken down: nothing can be shown any more.
        self.leaving = False
        self._in_order = InOrder(
            self,
            leaves=self._leaves,
            dropped=lambda words: self.say(words, "warning"),
        )
        self._along_with_text = AlongWithText()
        self._toasts = Toasts(
            lambda: self._notifications,
            partial(redraw, self),
            room=lambda: room_for_toasts(self),
            seconds=self.NOTIFICATION_TIMEOUT,
        )
        self._beside = terminal.Beside(self)
        self._copier = Copier(
            write=partial(self._beside.write, kind="clipboard"),
            say=self.say,
            start=lambda work: self.run_worker(work, exit_on_error=False),
            monotonic=time.monotonic,
            environ=self.environ,
            folder=Path(tempfile.gettempdir()),
        )
        self._announcer = Announcer(
            self.config.alerts,
            self.environ,
            toast=self.say,
            write=partial(self._beside.write, kind="call"),
            seen=lambda: self._beside.can_write,
            monotonic=time.monotonic,
            focused=lambda: self.app_focus,
            busy=lambda: isinstance(self.screen, ModalScreen),
            last_key=time.monotonic(),
        )
        self.engine = EngineRunner(
            self,
            self._announcer,
            why_read_only=why_read_only,
            show_saved=self._show_saved,
            end_on=self._handle_exception,
        )

    # --- from the first to the last moment -------------------------------------------------
    def get_default_screen(self) -> MainScreen:
        refused = refused_keys(self.keymap, self.config.keys)
        return MainScreen(
            self.supervisor,
            self,
            self.keymap,
            self.config,
            read_only=self.read_only,
            refused=refused,
        )

    @property
    def main(self) -> MainScreen:
        screen = self.screen_stack[0]
        assert isinstance(screen, MainScreen)
        return screen

    def on_mount(self) -> None:
        self.app_resume_signal.subscribe(self, self._back_from_the_shell)
        for key in self.keymap.of("program.suspend"):
            self.bind(key, "to_the_shell", show=False)
        for complaint in self._complaints:
            self.say(complaint, "warning")

    def begin(self) -> None:
        self.engine.start()

    def _show_saved(self) -> None:
        self.main.show_all()
        if self._initial is not None:
            show = self.main.show_alone if self._alone else self.main.go_to
            show(self._initial)
        self._tell_orphans()
        self.main.call_after_refresh(self._on_shown)

    async def on_unmount(self) -> None:
        self._in_order.stop()
        await self.engine.stop()

    def exit(self, *arguments: Any, **named: Any) -> None:
        self.leaving = True
        super().exit(*arguments, **named)

    def told_to_end(self) -> None:
        """Leave because of a signal."""
        self.exit(return_code=terminal.INTERRUPTED)

    def _tell_orphans(self) -> None:
        """Calls that may have started work which nobody holds a handle of."""
        key = self.keymap.label(lost_calls.FORGET)
        told = lost_calls.reminder(self.supervisor, self.known_servers(), self.now(), key)
        if told:
            self.say(told, "warning")

    def _handle_exception(self, error: Exception) -> None:
        """End on a bug: a clean terminal, one line, and where the details are.

        Textual would print the values of local variables, and with them what servers sent.
        """
        if self.leaving and isinstance(error, (NoMatches, MountError)):
            return  # a screen that was being built while all of them were taken down
        self._return_code = OWN_FAULT
        if not self.crash_report:
            self.crash_report = self._bugs.ended_on(error)
            self._exception = error
            self._exception_event.set()
        self._close_messages_no_wait()

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.InputEvent | events.Paste) and not event.is_forwarded:
            self._announcer.last_key = event.time  # here: a field keeps its keys to itself
        if not self._in_order.holds_back(event) and not self._is_sent_by_a_text(event):
            await super().on_event(event)

    def _is_sent_by_a_text(self, event: events.Event) -> bool:
        if not isinstance(event, events.Key) or event.is_forwarded:
            return False
        sends = self._along_with_text.sends(event, self.screen)
        if sends:
            self.say(
                f"{shown(event.key)} came along with a text: once more if it is meant", "warning"
            )
        return sends

    # --- services of the screens -----------------------------------------------------------
    def say(self, text: str, severity: Severity = "information", kind: str = "") -> None:
        self._toasts.show(text, severity, kind)

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: Severity = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """Whatever tells something with Textual's own words tells it as the program does."""
        self.say(f"{title}: {message}" if title else message, severity)

    def bug(self, error: BaseException) -> None:
        """A worker failed on something that nobody foresaw: say so and go on."""
        self.say(self._bugs.went_on_after(error), "error")

    async def ask(self, screen: Screen[Any]) -> Any:
        return await self.push_screen_wait(screen)

    def commands_here(self) -> list[Command]:
        return self.main.commands_here()

    def filter_by(self, words: str) -> None:
        self.main.filter_by(words)

    def show_only(self, text: str) -> None:
        self.main.show_only(text)

    def sort_by(self, order: SortBy) -> None:
        self.main.sort_by(order)

    def run_command(self, command_id: str) -> None:
        self.main.run_command(command_id)

    def go_to(self, key: str) -> None:
        self.main.go_to(key)

    def copy(self, text: str, what: str) -> None:
        self._copier.copy(text, what)

    def known_servers(self) -> KnownServers:
        return KnownServers.of(self._entries, self.supervisor.servers())

    def answer(self, key: str) -> None:
        from mcp_tasks_tui.ui.links import open_in_browser
        from mcp_tasks_tui.ui.screens.answer.screen import AnswerScreen

        self.push_screen(
            AnswerScreen(
                self.supervisor,
                key,
                self.drafts,
                opener=open_in_browser,
                read_only=self.read_only,
            )
        )

    def new_call(self) -> None:
        from mcp_tasks_tui.ui.screens.new_call import NewCallScreen

        current = self.main.tasks.current
        first = current.server if current is not None else ""
        screen = NewCallScreen(self.supervisor, self.known_servers(), first, self.call_draft)
        self.push_screen(screen, self._call)

    def _call(self, wanted: CallWanted | None) -> None:
        """Call beside the screen: closing it would cancel the request."""
        from mcp_tasks_tui.ui.calling import call_tool

        if wanted is not None:
            self.run_worker(call_tool(self, wanted), exit_on_error=False)

    def open_link(self, url: str) -> None:
        from mcp_tasks_tui.ui.links import ask_and_open

        self.run_worker(ask_and_open(self, url), exit_on_error=False)

    def remember(self, choice: Mapping[str, Any]) -> None:
        if self._memory is not None:
            keep = partial(self._memory.keep, choice)
            self.run_worker(keep, group="memory", thread=True, exit_on_error=False)

    def toggle_mouse(self) -> None:
        self._mouse_on = not self._mouse_on
        terminal.set_mouse(self, self._mouse_on)
        self.say("the mouse is ours" if self._mouse_on else "the mouse is the terminal's")

    def to_the_shell(self) -> None:
        if not terminal.to_the_shell(self):
            self.say("there is no shell to go back to: nothing could bring this back", "warning")

    def _back_from_the_shell(self, _: App[None]) -> None:
        terminal.set_mouse(self, self._mouse_on)
        self._beside.write_kept()
        self.screen.refresh(layout=True)

    def quit(self) -> None:
        from mcp_tasks_tui.ui.quitting import leave

        leave(self)

    def action_command_palette(self) -> None:
        """Its commands are about the list: what is above that has keys of its own."""
        if self.screen is self.main:
            self.push_screen(CommandPalette(placeholder=ASKS, id="--command-palette"))

    def action_to_the_shell(self) -> None:
        self.to_the_shell()

    def _leaves(self, key: events.Key) -> bool:
        """Tell whether a key that is no letter leads out from where the keyboard is just now."""
        if key.key == "ctrl+c":
            return not self._selected()
        bound = self.screen.active_bindings.get(key.key) if "+" in key.key else None
        return bound is not None and bound.binding.action == action_of("program.quit")

    def _selected(self) -> str:
        in_field: str = getattr(self.focused, "selected_text", "")
        return in_field or self.screen.get_selected_text() or ""

    def action_copy_or_quit(self) -> None:
        if selected := self._selected():
            self.copy(selected, "selection")
        else:
            self.quit()

    def on_answer_screen_cancel_task_wanted(self, message: AnswerScreen.CancelTaskWanted) -> None:
        self.main.run_command_on("task.cancel", message.key)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        self.worker_changed(event)

    def worker_changed(self, event: Worker.StateChanged) -> None:
        """Tell a bug in a worker; nothing that a worker does ends the program."""
        error = event.worker.error
        if event.state is WorkerState.ERROR and error is not None:
            self.bug(error)

    def on_copy_requested(self, message: CopyRequested) -> None:
        self.copy(message.text, message.what)

    def on_link_requested(self, message: LinkRequested) -> None:
        self.open_link(message.url)
