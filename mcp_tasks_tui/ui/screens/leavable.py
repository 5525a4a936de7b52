"""Screens that are left once, however often and however early one asks, also for the shell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events, on
from textual.await_complete import AwaitComplete
from textual.screen import Screen, ScreenResultType

from mcp_tasks_tui.ui.commands.keymap import keymap_of
from mcp_tasks_tui.ui.toasts import leave_to_the_next

if TYPE_CHECKING:
    from textual.worker import Worker


class LeavableScreen(Screen[ScreenResultType]):
    """What the screens above the main one are made of.

    Dismissing takes away the screen on top, whoever asks for it. A key that was typed twice
    reaches a screen that has been left already, and work beside a screen ends when there may be a
    question over it; neither must take away what came since. A key that was typed ahead leaves a
    screen that is not built yet: that waits until it is, because building needs the screen.
    """

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        if not self.is_active:  # `is_current` is also what shows through under a dialog
            return AwaitComplete()
        if not self.is_mounted:
            self.call_later(self._leave_now, result)
            return AwaitComplete()
        return super().dismiss(result)

    @on(events.Mount)
    def _bind_the_way_to_the_shell(self) -> None:
        # Of the app's keys, a screen in front keeps all but those that come before any field's.
        for key in keymap_of(self).of("program.suspend"):
            self._bindings.bind(key, "app.to_the_shell", show=False)

    def on_screen_suspend(self) -> None:
        leave_to_the_next(self)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        self.app.post_message(event)  # which tells a bug in it

    def _leave_now(self, result: ScreenResultType | None) -> None:
        self.dismiss(result)
