"""Scrolling to a field so that one sees which it is: its name comes along with what is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.records import record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.widget import Widget


@record
class Extent:
    """Lines of a field: where its name begins, the end of what one types at, and its own end."""

    top: int
    typed: int
    bottom: int


def scrolled_to(field: Extent, *, at: int, room: int, starts: Sequence[int]) -> int:
    """Return the first line to show, of a window of `room` lines that begins at line `at` now.

    Help under the field gives way before its name does. `starts` are the first lines of all
    fields, in their order: none above is cut in two, its value without its name.
    """
    if field.typed - field.top > room:
        return field.typed - room
    lowest = min(field.top, max(field.typed, field.bottom) - room)
    first = min(max(at, lowest), field.top)
    return next((start for start in starts if first <= start <= field.top), field.top)


def line_in(widget: Widget, scroller: Widget) -> int:
    """Return at which line of what `scroller` scrolls `widget` begins."""
    line, each = 0, widget
    while each is not scroller:
        line += each.virtual_region.y
        parent = each.parent
        if parent is None:
            break
        each = parent  # type: ignore[assignment]  # all parents below a scroller are widgets
    return line
