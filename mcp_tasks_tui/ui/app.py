"""The app: starts the engine beside the screen, hands on what it publishes, ends cleanly."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import App
from textual.binding import Binding
from textual.command import CommandPalette
from textual.css.query import NoMatches
from textual.screen import ModalScreen
from textual.widget import MountError
from textual.worker import Worker, WorkerState

from mcp_tasks_tui.config.model import ScreenConfig
from mcp_tasks_tui.locales import wants_ascii
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.ui import lost_calls
from mcp_tasks_tui.ui.actions import FAILURES
from mcp_tasks_tui.ui.alerts import Announcer
from mcp_tasks_tui.ui.bugs import Bugs
from mcp_tasks_tui.ui.commands.keymap import read_keymap, refused_keys
from mcp_tasks_tui.ui.commands.palette import ASKS, TaskCommands
from mcp_tasks_tui.ui.commands.vocabulary import available
from mcp_tasks_tui.ui.looks.theme import (
    THEMES,
    choose_theme,
    opposite,
    variables_for,
    wants_no_color,
)
from mcp_tasks_tui.ui.screens.answer.drafts import Drafts
from mcp_tasks_tui.ui.screens.main import MainScreen
from mcp_tasks_tui.ui.servers import KnownServers
from mcp_tasks_tui.ui.terminal import output as terminal
from mcp_tasks_tui.ui.terminal.ascii_only import AsciiSigns
from mcp_tasks_tui.ui.terminal.copying import Copier
from mcp_tasks_tui.ui.terminal.in_order import InOrder
from mcp_tasks_tui.ui.toasts import Toasts, redraw, room_for_toasts

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from textual import events
    from textual.binding import BindingType
    from textual.filter import LineFilter
    from textual.screen import Screen
    from textual.theme import Theme
    from textual.timer import Timer

    from mcp_tasks_tui.config.model import ServerEntry
    from mcp_tasks_tui.supervise.arrange import SortBy
    from mcp_tasks_tui.supervise.supervisor import Batch, Supervisor
    from mcp_tasks_tui.ui.alerts import Severity
    from mcp_tasks_tui.ui.commands.model import Command
    from mcp_tasks_tui.ui.memory import ScreenMemory
    from mcp_tasks_tui.ui.screens.answer.screen import AnswerScreen
    from mcp_tasks_tui.ui.screens.new_call import CallWanted
    from mcp_tasks_tui.ui.widgets.result.messages import CopyRequested, LinkRequested

#: Our own fault: the exit status of a bug.
OWN_FAULT = 70


class TasksApp(App[None], inherit_bindings=False):
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
        self._environ = dict(os.environ if environ is None else environ)
        config = config or ScreenConfig()
        if wants_ascii(self._environ):
            config = replace(config, ascii=True)
        no_color = wants_no_color(self._environ)
        if not no_color:
            os.environ.pop("NO_COLOR", None)  # set but empty: that means colours
        theme, complaint = choose_theme(config.theme, self._environ, no_color=no_color)
        self.set_reactive(App.theme, theme)  # later than this all styles would be read twice
        super().__init__(ansi_color=True if no_color else None)
        for each in THEMES:
            self.register_theme(each)
        if not config.animations:
            self.animation_level = "none"
        self.supervisor = supervisor
        self.config = config
        self._signs = (AsciiSigns(),) if config.ascii else ()
        self.read_only = read_only
        self.drafts = Drafts()
        self.keymap = read_keymap(config.keys, available(read_only=read_only))
        self.now = now
        self._initial = initial
        self._alone = alone
        self._memory = memory
        self.remembered: Mapping[str, Any] = memory.recall() if memory else {}
        self._entries = tuple(known_servers)
        self._on_shown = on_shown
        self._bugs = Bugs(on_crash)
        self._why_read_only = why_read_only
        #: After a bug ended the program: one clean line that says so, for the freed terminal.
        self.crash_report = ""
        self._complaints = [each for each in (complaint, *self.keymap.problems) if each]
        if wrong_settings is not None:
            of_environment = [complaint] if complaint and config.theme is None else []
            self._complaints = [*wrong_settings, *of_environment]
        self._mouse_on = config.mouse
        self._engine: asyncio.Task[None] | None = None
        self._leaving = False
        self._in_order = InOrder(self)
        self._undo: list[Callable[[], Any]] = []
        self._announce_again: Timer | None = None
        self._toasts = Toasts(
            lambda: self._notifications,
            partial(redraw, self),
            room=lambda: room_for_toasts(self),
            seconds=self.NOTIFICATION_TIMEOUT,
        )
        self._copier = Copier(
            write=lambda sequence: terminal.write(self, sequence),
            say=self.say,
            start=lambda work: self.run_worker(work, exit_on_error=False),
            monotonic=time.monotonic,
            environ=self._environ,
            folder=Path(tempfile.gettempdir()),
        )
        self._announcer = Announcer(
            config.alerts,
            self._environ,
            toast=self.say,
            write=lambda sequence: terminal.write(self, sequence),
            monotonic=time.monotonic,
            focused=lambda: self.app_focus,
            busy=lambda: isinstance(self.screen, ModalScreen),
            last_key=time.monotonic(),
        )

    def get_line_filters(self) -> Sequence[LineFilter]:
        return (*super().get_line_filters(), *self._signs)

    def get_theme(self, theme_name: str) -> Theme | None:
        # Textual asks for it while it is being made: there is nothing to register one with yet.
        return next((ours for ours in THEMES if ours.name == theme_name), None) or (
            super().get_theme(theme_name)
        )

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return variables_for(self.current_theme)

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
        """Start the engine, in a task of its own: what is saved comes with the first frame."""
        self._engine = asyncio.create_task(self._start())

    async def _start(self) -> None:
        """Load what is saved, show it, and only then look at the wire."""
        try:
            await self.supervisor.start()
            why = await self._why_read_only() if self._why_read_only else None
        except FAILURES as error:
            self.main.show_failure(one_line(str(error)))
            return
        except Exception as error:  # noqa: BLE001 - nobody else would hear of it
            self._handle_exception(error)
            return
        self._undo.append(self.supervisor.subscribe(self._take))
        self.main.database_read_only = why is not None
        self._guarded(self._show_saved)

    def _show_saved(self) -> None:
        self.main.show_all()
        if self._initial is not None:
            show = self.main.show_alone if self._alone else self.main.go_to
            show(self._initial)
        self._tell_orphans()
        self.main.call_after_refresh(self._on_shown)

    def _guarded(self, show: Callable[[], None]) -> None:
        """Call what the engine or a task of ours calls: a bug in it must not leave an old screen
        standing as if nothing had happened. What comes while the screen is taken down has
        nowhere to be shown."""
        if self._leaving:
            return
        try:
            show()
        except Exception as error:  # noqa: BLE001 - whatever it is, it ends the program
            self._handle_exception(error)

    async def on_unmount(self) -> None:
        self._in_order.stop()
        if self._engine is not None:
            self._engine.cancel()
        for undo in reversed(self._undo):
            undo()
        await self.supervisor.close()

    def exit(self, *arguments: Any, **named: Any) -> None:
        self._leaving = True
        super().exit(*arguments, **named)

    def told_to_end(self) -> None:
        """Leave because of a signal."""
        self.exit(return_code=terminal.INTERRUPTED)

    def _take(self, batch: Batch) -> None:
        self._guarded(lambda: self._show(batch))

    def _show(self, batch: Batch) -> None:
        self.main.take(batch)
        for notice in batch.notices:
            self.say(notice, "warning")
        self._announce(batch.alerts)

    def _announce(self, alerts: Sequence[Any] = ()) -> None:
        again_in = self._announcer.offer(alerts)
        if self._announce_again is not None:
            self._announce_again.stop()
            self._announce_again = None
        if again_in is not None:
            self._announce_again = self.set_timer(again_in + 0.05, self._announce)

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
        if self._leaving and isinstance(error, (NoMatches, MountError)):
            return  # a screen that was being built while all of them were taken down
        self._return_code = OWN_FAULT
        if not self.crash_report:
            self.crash_report = self._bugs.ended_on(error)
            self._exception = error
            self._exception_event.set()
        self._close_messages_no_wait()

    def on_key(self, _event: events.Key) -> None:
        self._announcer.last_key = time.monotonic()

    async def on_event(self, event: events.Event) -> None:
        if not self._in_order.holds_back(event):
            await super().on_event(event)

    # --- services of the screens -----------------------------------------------------------
    def say(self, text: str, severity: Severity = "information", kind: str = "") -> None:
        self._toasts.show(text, severity, kind)

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
        self.push_screen(NewCallScreen(self.supervisor, self.known_servers(), first), self._call)

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

    def toggle_theme(self) -> None:
        self.theme = opposite(self.current_theme)

    def to_the_shell(self) -> None:
        if not terminal.to_the_shell(self):
            self.say("there is no shell to go back to: nothing could bring this back", "warning")

    def _back_from_the_shell(self, _: App[None]) -> None:
        terminal.set_mouse(self, self._mouse_on)
        self.screen.refresh(layout=True)

    def quit(self) -> None:
        from mcp_tasks_tui.ui.leaving import leave

        leave(self)

    def action_command_palette(self) -> None:
        """Its commands are about the list: what is above that has keys of its own."""
        if self.screen is self.main:
            self.push_screen(CommandPalette(placeholder=ASKS, id="--command-palette"))

    def action_to_the_shell(self) -> None:
        self.to_the_shell()

    def action_copy_or_quit(self) -> None:
        in_field = getattr(self.focused, "selected_text", "")
        selected = in_field or self.screen.get_selected_text()
        if selected:
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
