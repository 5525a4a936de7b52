"""Picking from choices: a few are shown in place, many open a searchable list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.ui.looks.text import cell, content
from mcp_tasks_tui.ui.screens.answer.pick import PickScreen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events
    from textual.geometry import Size

    from mcp_tasks_tui.sanitize import ServerText

_GAP = 2
#: Marks take four cells: ``(•) `` and ``[x] ``.
_MARK = 4


class ChoicePicker(Widget, can_focus=True):
    """Shared by both: labels, what is picked, and the message about it."""

    @dataclass
    class Changed(Message):
        """Places of what is picked now."""

        picker: ChoicePicker
        places: tuple[int, ...]

        @property
        def control(self) -> ChoicePicker:
            return self.picker

    def __init__(
        self,
        labels: Sequence[ServerText | str],
        places: tuple[int, ...],
        *,
        several: bool,
        optional: bool = False,
    ) -> None:
        super().__init__()
        self.labels = labels
        self.places = places
        self.several = several
        self.optional = optional

    def take(self, places: tuple[int, ...]) -> None:
        """Set what is picked and tell."""
        if places != self.places:
            self.places = places
            self.refresh(layout=True)
            self.post_message(self.Changed(self, places))


class InlineChoices(ChoicePicker):
    """A few choices, each with its mark; on one line where they fit.

    Of several choices the arrows only move the cursor. Where one is picked they pick it, as radio
    buttons do: what is highlighted is never something else than what is sent.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,left", "move(-1)", "Choice before", show=False),
        Binding("down,right", "move(1)", "Next choice", show=False),
        Binding("space,enter", "pick", "Pick", show=False),
        Binding("backspace,delete", "clear", "Pick nothing", show=False),
    ]

    def __init__(
        self,
        labels: Sequence[ServerText | str],
        places: tuple[int, ...],
        *,
        several: bool,
        optional: bool = False,
    ) -> None:
        super().__init__(labels, places, several=several, optional=optional)
        self._lines = [one_line(label, 200) or "(empty)" for label in labels]
        self._at = places[0] if places else 0

    @property
    def cursor_row(self) -> int:
        """The line that the cursor is at."""
        return 0 if self._on_one_line(self.size.width) else self._at

    def get_content_width(self, container: Size, viewport: Size) -> int:
        return container.width

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return 1 if self._on_one_line(width) else len(self._lines)

    def render(self) -> Content:
        width = self.size.width
        flat = self._on_one_line(width)
        parts = [self._part(place, width) for place in range(len(self._lines))]
        return Content(" " * _GAP if flat else "\n").join(parts)

    def action_move(self, by: int) -> None:
        self._at = (self._at + by) % len(self._lines)
        if not self.several:
            self.take((self._at,))
        self.refresh()

    def action_pick(self) -> None:
        self._pick(self._at)

    def action_clear(self) -> None:
        self.take(())

    def on_click(self, event: events.Click) -> None:
        place = self._place_at(event.get_content_offset_capture(self).x, event.y)
        if place is None:
            return
        self._at = place
        if self.optional and not self.several and self.places == (place,):
            self.take(())
        else:
            self._pick(place)

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def _pick(self, place: int) -> None:
        if not self.several:
            self.take((place,))
        elif place in self.places:
            self.take(tuple(each for each in self.places if each != place))
        else:
            self.take(tuple(sorted((*self.places, place))))
        self.refresh()

    def _part(self, place: int, width: int) -> Content:
        picked = place in self.places
        mark = ("[x] " if picked else "[ ] ") if self.several else ("(•) " if picked else "( ) ")
        under_cursor = self.has_focus and place == self._at
        style = "reverse" if under_cursor else "bold" if picked else ""
        return content(mark + cell(self._lines[place], max(8, width - _MARK)), style)

    def _on_one_line(self, width: int) -> bool:
        return sum(map(self._width, self._lines)) + _GAP * (len(self._lines) - 1) <= width

    def _width(self, line: str) -> int:
        return cell_len(line) + _MARK

    def _place_at(self, x: int, y: int) -> int | None:
        if not self._on_one_line(self.size.width):
            return y if 0 <= y < len(self._lines) else None
        left = 0
        for place, line in enumerate(self._lines):
            left += self._width(line) + _GAP
            if x < left:
                return place
        return None


class ManyChoices(ChoicePicker):
    """One line that says what is picked; Enter opens the list to search in."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space,enter,down", "choose", "Choose", show=False),
        Binding("backspace,delete", "clear", "Pick nothing", show=False),
    ]

    def __init__(
        self,
        labels: Sequence[ServerText | str],
        places: tuple[int, ...],
        *,
        several: bool,
        title: ServerText,
        optional: bool = False,
    ) -> None:
        super().__init__(labels, places, several=several, optional=optional)
        self._title = title

    def get_content_width(self, container: Size, viewport: Size) -> int:
        return container.width

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return 1

    def render(self) -> Content:
        shown = ", ".join(one_line(self.labels[place], 80) for place in self.places[:20])
        if not shown:
            text = f"▾ choose from {len(self.labels):,} (enter)"
        else:
            clears = " (backspace clears)" if self.has_focus and self.optional else ""
            picked = f"{len(self.places)} picked: " if self.several else ""
            text = f"▾ {picked}{shown}{clears}"
        style = "reverse" if self.has_focus else "bold" if self.places else ""
        return content(cell(text, self.size.width), style)

    def action_choose(self) -> None:
        screen = PickScreen(self._title, self.labels, self.places, several=self.several)
        self.app.push_screen(screen, self._chosen)

    def action_clear(self) -> None:
        self.take(())

    def on_click(self) -> None:
        self.action_choose()

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def _chosen(self, places: tuple[int, ...] | None) -> None:
        if places is not None:
            self.take(places)
