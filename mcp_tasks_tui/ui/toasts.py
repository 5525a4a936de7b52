"""Lines that are shown for a while: one of a kind at a time.

In a wide window they stand where the list is empty, or above the last line. In a small one, and
over dialogs and viewers, there is one at a time, at the right above the last line, which has keys,
and never on the row that a person is on.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from textual.app import ScreenStackError
from textual.notifications import Notification
from textual.widgets._toast import ToastHolder, ToastRack

from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.ui.layout import WIDE

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import App
    from textual.notifications import Notifications
    from textual.screen import Screen

    from mcp_tasks_tui.ui.alerts import Severity


#: Lines of the window for each toast that may stand in it at once.
_LINES = 8
#: Lines that a toast in a small window has at most.
_TALLEST = 4
#: Empty lines of the list from which on toasts stand there.
_LEFT_FROM = 2


class Toasts:
    """`shown` is what the app shows, `refresh` draws it; a toast stays for `seconds`.

    `room` tells how many may stand at once: where it is 1 the newest stands alone.
    """

    def __init__(
        self,
        shown: Callable[[], Notifications],
        refresh: Callable[[], None],
        *,
        room: Callable[[], int],
        seconds: float,
    ) -> None:
        self._shown = shown
        self._refresh = refresh
        self._room = room
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
        self._make_room(shown)
        self._refresh()

    def _make_room(self, shown: Notifications) -> None:
        """Take the oldest away where they would cover what a person looks at; errors last."""
        too_many = len(shown) - self._room()
        if too_many > 0:
            oldest = sorted(list(shown)[:-1], key=lambda each: each.severity == "error")
            for each in oldest[:too_many]:
                del shown[each]


def room_for_toasts(app: App[Any]) -> int:
    """Return how many toasts may stand in the window at once."""
    if len(app.screen_stack) > 1 or not app.screen.has_class(WIDE):
        return 1
    most = max(1, app.size.height // _LINES)
    empty = _empty_lines(app)
    return min(most, empty) if empty >= _LEFT_FROM else most


def _empty_lines(app: App[Any]) -> int:
    """Return how many lines of the list are empty."""
    lines = getattr(app.screen, "lines_for_toasts", 0)
    return lines if isinstance(lines, int) else 0


def leave_to_the_next(screen: Screen[Any]) -> None:
    """Another screen comes above this one: it shows the newest toast, and no second copy of any
    stands behind it."""
    notifications = screen.app._notifications
    for older in list(notifications)[:-1]:
        del notifications[older]
    screen.query(ToastHolder).remove()
    # What was told just before is drawn only after that.
    screen.app.call_later(_take_down, screen)


def _take_down(screen: Screen[Any]) -> None:
    """Nothing is told on a screen that is below another one."""
    if screen.is_attached and not screen.is_active:
        screen.query(ToastHolder).remove()


def redraw(app: App[Any]) -> None:
    """Draw the toasts as they are by now. Of one taken away Textual leaves its holder behind."""
    known = {ToastRack._toast_id(each) for each in app._notifications}
    with suppress(ScreenStackError):
        for holder in app.screen.query(ToastHolder):
            if holder.id not in known:
                holder.remove()
    app._refresh_notifications()
    with suppress(ScreenStackError):
        app.screen.query(ToastRack).set_class(_empty_lines(app) >= _LEFT_FROM, "-left")
        keep_off(app.screen)


def keep_off(screen: Screen[Any]) -> None:
    """Let the toasts stand above the row that a person is on, where that is as low as they are."""
    if not screen.app._notifications:
        return
    line = getattr(screen, "line_in_hand", None)
    height = screen.size.height
    lifted = None
    if line is not None and line >= height - 2 - _TALLEST and not screen.has_class(WIDE):
        lifted = (0, 0, height - line, 0)
    for rack in screen.query(ToastRack):
        rack.styles.margin = lifted
