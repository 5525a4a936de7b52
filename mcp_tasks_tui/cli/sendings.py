"""What became of answers and cancels that were on their way when a command or the screen ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.words import counted, title

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mcp_tasks_tui.supervise.sendings import Outcome, Sending
    from mcp_tasks_tui.supervise.view import TaskView

    View = Callable[[str], TaskView | None]

_MANY = {
    "taken": "they were taken",
    "not taken": "they were not taken",
    "unknown": "they may have arrived",
    "not sent": "they were not sent",
}


def waiting_for(sendings: Sequence[Sending], view_of: View) -> str:
    """Return the line that says that the end waits for them; each is on the wire."""
    if len(sendings) == 1:
        (one,) = sendings
        return f"{_called(one, view_of)} is on its way: waiting a moment for it"
    return f"{_counted(sendings)} are on their way: waiting a moment for them"


def told_of(outcomes: Iterable[Outcome], view_of: View) -> Iterator[str]:
    """Yield what to tell of them, one clean line each; of many that ended alike, in one."""
    alike: dict[tuple[str, str, str], list[Sending]] = {}
    for each in outcomes:
        alike.setdefault((each.what, each.sending.what, each.why), []).append(each.sending)
    for (what, _, why), sendings in alike.items():
        because = f": {why}" if why and what == "not taken" else ""
        if len(sendings) > 1:
            yield f"{_counted(sendings)} on the way: {_MANY[what]}{because}"
            continue
        name, see = _called(sendings[0], view_of), _see(sendings[0].key)
        if what == "unknown":
            yield f"{name} was on its way: it may have arrived; {see}"
        elif what == "taken":
            yield f"{name} was taken; {see}"
        else:
            yield f"{name} was {what}{because}"


def _called(sending: Sending, view_of: View) -> str:
    view = view_of(sending.key)
    name = sending.key if view is None else one_line(title(view.handle), 60)
    of = "to" if sending.what == "answer" else "of"
    return f"the {sending.what} {of} {name}"


def _counted(sendings: Sequence[Sending]) -> str:
    words = {each.what: sum(one.what == each.what for one in sendings) for each in sendings}
    return " and ".join(counted(number, what) for what, number in words.items())


def _see(key: str) -> str:
    return f"see `mcp-tasks-tui show {key} --refresh`"
