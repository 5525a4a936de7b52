"""What the program around a screen does for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.screen import Screen
    from textual.worker import Worker

    from mcp_tasks_tui.ui.alerts import Severity
    from mcp_tasks_tui.ui.servers import KnownServers


class Services(Protocol):
    def begin(self) -> None:
        """The screen is there: fill it."""

    def now(self) -> float:
        """Seconds since the epoch."""

    def say(self, text: str, severity: Severity = "information", kind: str = "") -> None:
        """Show one line for a while, in place of an earlier one of that kind."""

    async def ask(self, screen: Screen[Any]) -> Any:
        """Show a dialog and return what it was dismissed with; in a worker only."""

    def copy(self, text: str, what: str) -> None:
        """Send `text` to the terminal's clipboard and say so."""

    def known_servers(self) -> KnownServers: ...

    def answer(self, key: str) -> None:
        """Open the answers to what a task asks."""

    def new_call(self) -> None:
        """Open the call of a tool."""

    def open_link(self, url: str) -> None:
        """Ask, then open a server's link in the browser."""

    def toggle_mouse(self) -> None: ...

    def toggle_theme(self) -> None: ...

    def to_the_shell(self) -> None:
        """Stop until the shell brings the program back."""

    def worker_changed(self, event: Worker.StateChanged) -> None:
        """Tell a bug in a worker."""

    @property
    def remembered(self) -> Mapping[str, Any]:
        """What was told to `remember` in an earlier run, as far as it can be read."""

    def remember(self, choice: Mapping[str, Any]) -> None:
        """Keep how the list is arranged for the next run; returns at once."""

    def quit(self) -> None: ...
