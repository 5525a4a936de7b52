"""Lines that are shown for a while: one of a kind at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.notifications import Notification

from mcp_tasks_tui.sanitize import one_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.notifications import Notifications

    from mcp_tasks_tui.ui.alerts import Severity


class Toasts:
    """`shown` is what the app shows, `refresh` draws it; a toast stays for `seconds`."""

    def __init__(
        self, shown: Callable[[], Notifications], refresh: Callable[[], None], *, seconds: float
    ) -> None:
        self._shown = shown
        self._refresh = refresh
        self._seconds = seconds
        self._last: dict[str, Notification] = {}

    def show(self, text: str, severity: Severity, kind: str = "") -> None:
        """Show `text` in place of what is shown of its kind; without one: of the same words.

        A key that is held down, or news that come again and again, must not fill the screen.
        """
        line = one_line(text)
        kind = kind or line
        shown = self._shown()
        old = self._last.pop(kind, None)
        if old is not None and old in shown:
            del shown[old]
        new = Notification(line, severity=severity, timeout=self._seconds, markup=False)
        self._last = {its: each for its, each in self._last.items() if each in shown}
        self._last[kind] = new
        shown.add(new)
        self._refresh()
