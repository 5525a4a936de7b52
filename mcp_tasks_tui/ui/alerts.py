"""How news reaches a person: a toast, and where nobody looks, a bell and a notification."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.alerts import Alert, AlertKind, Bursts, fold
from mcp_tasks_tui.ui.terminal.clipboard import through_multiplexer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

Policy = Literal["always", "away", "never"]
Severity = Literal["information", "warning", "error"]

#: Seconds in which further news of one kind is folded into one.
WINDOW = 5.0
#: Without a key for so long nobody is taken to be here: not every terminal tells its focus.
IDLE = 180.0
#: Seconds after which it is looked at again whether what is held can be shown.
_LOOK_AGAIN = 1.0
#: What can wait until a person has done with a dialog.
_CAN_WAIT = frozenset({AlertKind.FINISHED, AlertKind.BACK})
_SEVERITY: dict[AlertKind, Severity] = {
    AlertKind.INPUT_NEEDED: "warning",
    AlertKind.FAILED: "error",
    AlertKind.STUCK: "warning",
}


def desktop_sequence(text: str, environ: Mapping[str, str]) -> str:
    """Return a bell and an OSC 9 notification; the name before `text` keeps it from being
    taken for one of the numbered subcommands that some terminals have there."""
    line = one_line(text, 200)
    return "\x07" + through_multiplexer(f"\x1b]9;mcp-tasks-tui: {line}\x07", environ)


@dataclass(slots=True, eq=False, repr=False)
class Announcer:
    """Tells alerts. `toast` (text, severity, kind), `write`, `monotonic`, `busy` (a person is at a
    dialog) and `seen` (no other program has the terminal) are the screen's; nothing here blocks.
    """

    policy: Policy
    environ: Mapping[str, str]
    toast: Callable[[str, Severity, str], None]
    write: Callable[[str], None]
    monotonic: Callable[[], float]
    focused: Callable[[], bool]
    busy: Callable[[], bool] = lambda: False
    seen: Callable[[], bool] = lambda: True
    last_key: float = 0.0
    _held: list[Alert] = field(default_factory=list)
    _bursts: Bursts = field(default_factory=lambda: Bursts(WINDOW))

    def offer(self, alerts: Iterable[Alert]) -> float | None:
        """Tell what is to be told now; return in how many seconds to call again, if at all."""
        now = self.monotonic()
        news = self._bursts.offer(alerts, now)
        for alert in news:
            if self._calls(now):
                self.write(desktop_sequence(alert.text, self.environ))
        self._toast(news)
        due = self._bursts.next_due()
        again = [] if due is None else [max(0.0, due - now)]
        return min([*again, *([_LOOK_AGAIN] if self._held else [])], default=None)

    def _toast(self, news: Iterable[Alert]) -> None:
        """Show the news; what cannot be seen is shown when it can, and what can wait while a
        person is at a dialog afterwards."""
        busy, seen = self.busy(), self.seen()
        pending, self._held = fold([*self._held, *news]), []
        for alert in pending:
            if not seen or (busy and alert.kind in _CAN_WAIT):
                self._held.append(alert)
            else:
                severity = _SEVERITY.get(alert.kind, "information")
                self.toast(alert.text, severity, alert.kind.value)

    def _calls(self, now: float) -> bool:
        if self.policy == "away":
            return not self.focused() or now - self.last_key > IDLE
        return self.policy == "always"
