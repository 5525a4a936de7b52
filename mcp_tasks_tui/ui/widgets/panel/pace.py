"""How fast a task moves, in numbers that people say."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcp_tasks_tui.supervise.view import Progress

#: Seconds of the units that a pace is told in, and their words, shortest first.
_PER = ((1, "s"), (60, "min"), (3_600, "h"), (86_400, "day"))
_UNIT = re.compile(r"/[0-9.,]+ ([A-Za-z]+)$")


def pace(rate: float, progress: Progress) -> str:
    """Return a rate (see :class:`Progress`): ``1,410 per s``, ``2.5 MB per min``, ``12 % per h``.

    It is told per the shortest time in which at least one is done.
    """
    if progress.total is None:
        percent = rate * 100
        seconds, per = _fitting(percent, _PER)
        return f"{amount(percent * seconds)} % per {per}"
    found = _UNIT.search(progress.text)
    unit = f" {found[1]}" if found else ""
    seconds, per = _fitting(rate, _PER)
    return f"{amount(rate * seconds)}{unit} per {per}"


def _fitting(rate: float, units: tuple[tuple[int, str], ...]) -> tuple[int, str]:
    return next((unit for unit in units if rate * unit[0] >= 1), units[-1])


def amount(number: float) -> str:
    """Return a number with thousands apart; what is below ten has one digit, where it has any."""
    return f"{number:,.0f}" if number >= 9.95 else f"{number:.1f}".removesuffix(".0")
