"""Which lines of a journal give way where it has room for so many only. Pure.

Messages go first, the oldest of them: what happened between them is worth more. Where lines are
missing one line says how many.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.model import Event, JournalEntry
from mcp_tasks_tui.records import record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

#: What a line that stands for others counts: messages of the server, and lines of any other kind.
MESSAGES, OTHERS = "messages", "others"
_MESSAGES = frozenset({Event.MESSAGE, Event.LEFT_OUT})


@record
class Gap:
    """Lines from `begin` up to `end`, in the place of which one stands with `data`."""

    begin: int
    end: int
    data: Mapping[str, int]


def left_out(entry: JournalEntry) -> tuple[int, int]:
    """Return how many messages and how many other lines an entry says are not kept."""
    messages, others = (entry.data.get(name, 0) for name in (MESSAGES, OTHERS))
    return _counted(messages), _counted(others)


def thinned(
    lines: Sequence[JournalEntry], *, most: int, first: int, last: int
) -> list[JournalEntry]:
    """Return at most `most` of the lines, with lines that say how many are missing."""
    kept = list(lines)
    for gap in reversed(gaps(lines, most=most, first=first, last=last)):
        stands = JournalEntry(lines[gap.end - 1].at, Event.LEFT_OUT, None, gap.data)
        kept[gap.begin : gap.end] = [stands]
    return kept


def gaps(lines: Sequence[JournalEntry | None], *, most: int, first: int, last: int) -> list[Gap]:
    """Return what has to go so that `most` lines are left, in their order.

    The `first` stay, and of the messages the `last` lines. None is a line of an unknown kind.
    """
    surplus = len(lines) - most
    found: list[Gap] = []
    for begin, end in _runs_of_messages(lines, first, len(lines) - last):
        if surplus <= 0:
            break
        upto = min(end, begin + surplus + 1)  # one line takes the place of these
        if upto - begin > 1:
            found.append(_gap(lines, begin, upto))
            surplus -= upto - begin - 1
    if surplus > 0:
        return [_gap(lines, first, first + len(lines) - most + 1)]
    return found


def _runs_of_messages(
    lines: Sequence[JournalEntry | None], begin: int, end: int
) -> Iterator[tuple[int, int]]:
    start = begin
    for index in range(begin, end):
        line = lines[index]
        if line is None or line.event not in _MESSAGES:
            yield start, index
            start = index + 1
    yield start, max(start, end)


def _gap(lines: Sequence[JournalEntry | None], begin: int, end: int) -> Gap:
    messages = others = 0
    for line in lines[begin:end]:
        if line is not None and line.event is Event.LEFT_OUT:
            more = left_out(line)
        else:
            more = (1, 0) if line is not None and line.event is Event.MESSAGE else (0, 1)
        messages, others = messages + more[0], others + more[1]
    counts = {MESSAGES: messages, OTHERS: others}
    return Gap(begin, end, {name: count for name, count in counts.items() if count})


def _counted(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
