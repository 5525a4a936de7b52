"""A scrolling view of lines, drawn with the line API: only what is seen is ever drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from mcp_tasks_tui.ui.looks.inks import Ink, Inks
from mcp_tasks_tui.ui.widgets.lines.pieces import BLANK, Line, Piece, Tone, plain, width_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual.selection import Selection

#: Drawn lines that are kept at most: a drawn line takes five times the place of its text.
_KEPT = 256
#: No more lines than this are put together when the mouse selects across them.
_SELECTABLE = 20_000


#: Look of each tone. Filled ones are reversed, so that they stand out without colours too.
TONES: Mapping[str, Ink] = {
    Tone.PLAIN: Ink(),
    Tone.STRONG: Ink(form="bold"),
    Tone.MUTED: Ink("quiet"),
    Tone.SERVER: Ink("voice"),
    Tone.ASKED: Ink(form="bold"),
    Tone.ASSUMED: Ink("quiet", form="italic"),
    Tone.HEADING: Ink("quiet", form="bold"),
    Tone.CURRENT: Ink("cursor", "foreground", form="bold reverse"),
    Tone.WORKING: Ink("state-working"),
    Tone.NEED: Ink("state-input", form="bold"),
    Tone.GOOD: Ink("state-completed"),
    Tone.BAD: Ink("state-failed", form="bold"),
    Tone.WARN: Ink("state-input"),
    Tone.GONE: Ink("state-gone"),
    Tone.QUIET: Ink("state-cancelled"),
    Tone.BAR: Ink("state-working"),
    Tone.TRACK: Ink("track"),
    Tone.CODE: Ink("code"),
    Tone.EMPHASIS: Ink(form="italic"),
    Tone.LINK: Ink("voice", form="underline"),
    Tone.RULE: Ink("track"),
    Tone.NAME: Ink("voice"),
    Tone.STRING: Ink("state-completed"),
    Tone.NUMBER: Ink("state-gone"),
    Tone.KEY: Ink("accent", form="bold"),
    Tone.FOUND: Ink("state-input", form="bold underline"),
    Tone.FOUND_HERE: Ink(form="bold reverse"),
    Tone.BAND_WORKING: Ink("state-working", form="bold reverse"),
    Tone.BAND_NEED: Ink("state-input", form="bold reverse"),
    Tone.BAND_GOOD: Ink("state-completed", form="bold reverse"),
    Tone.BAND_BAD: Ink("state-failed", form="bold reverse"),
    Tone.BAND_GONE: Ink("state-gone", form="bold reverse"),
    Tone.BAND_QUIET: Ink("state-cancelled", form="bold reverse"),
}


def drawn(line: Line, inks: Inks) -> Strip:
    """Return a line in the inks of the widget that it is drawn in."""
    base = inks.base
    segments = [Segment(each.text, base + inks.style(each.tone)) for each in line if each.text]
    return Strip(segments, width_of(line))


class LineView(ScrollView, can_focus=True):
    """Lines that scroll. Subclasses say how many there are and what each is."""

    DEFAULT_CSS = """
    LineView {
        scrollbar-size-vertical: 1;
        scrollbar-gutter: stable;
        scrollbar-size-horizontal: 1;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", "Down", show=False, id="lines.down"),
        Binding("k", "scroll_up", "Up", show=False, id="lines.up"),
    ]

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, classes=classes)
        self._strips: LRUCache[Line, Strip] = LRUCache(_KEPT)
        self._inks = Inks(self, TONES)

    # --- for subclasses ------------------------------------------------------------------
    @property
    def line_count(self) -> int:
        return 0

    def line(self, number: int) -> Line:
        """Return line `number`, which exists."""
        raise NotImplementedError

    def let_go(self) -> None:
        """It is gone from the screen: keep nothing that may be large."""
        self._strips.clear()

    # --- drawing -------------------------------------------------------------------------
    def notify_style_update(self) -> None:
        self._strips.clear()
        self._inks.restyle()
        super().notify_style_update()

    def render_line(self, y: int) -> Strip:
        scroll_x, scroll_y = self.scroll_offset
        number = scroll_y + y
        width = self.size.width
        if not 0 <= number < self.line_count:
            return Strip.blank(width, self._inks.base)
        strip = self._strip(number)
        shown = strip.crop_extend(scroll_x, scroll_x + width, self._inks.base)
        return shown.apply_offsets(scroll_x, number)

    def _strip(self, number: int) -> Strip:
        line = self.line(number)
        selection = self.text_selection
        span = None if selection is None else selection.get_span(number)
        if span is not None:
            return self._drawn(line, span)
        strip = self._strips.get(line)
        if strip is None:
            strip = self._drawn(line, None)
            self._strips[line] = strip
        return strip

    def _drawn(self, line: Line, span: tuple[int, int] | None) -> Strip:
        strip = drawn(line, self._inks)
        if span is None:
            return strip
        start, end = span
        text = plain(line)
        first = width_of((Piece(text[:start]),))
        last = strip.cell_length if end < 0 else width_of((Piece(text[:end]),))
        before, chosen, after = (
            strip.crop(0, first),
            strip.crop(first, last),
            strip.crop(last, strip.cell_length),
        )
        style = self.screen.get_component_rich_style("screen--selection")
        marked = Strip(
            [Segment(text, (was or self._inks.base) + style) for text, was, _ in chosen],
            chosen.cell_length,
        )
        return Strip.join([before, marked, after])

    # --- mouse selection -----------------------------------------------------------------
    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        count = self.line_count
        if not count:
            return None
        first = 0 if selection.start is None else min(selection.start.y, count - 1)
        last = count - 1 if selection.end is None else min(selection.end.y, count - 1)
        last = min(last, first + _SELECTABLE)
        rows = [plain(self.line(number)) for number in range(first, last + 1)]
        if selection.end is not None and selection.end.y <= last:
            rows[-1] = rows[-1][: selection.end.x]
        if selection.start is not None:
            rows[0] = rows[0][selection.start.x :]
        return "\n".join(row.rstrip() for row in rows), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()


class Lines(LineView):
    """A list of lines. Setting it again draws only those that differ."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, classes=classes)
        self._lines: Sequence[Line] = ()

    def let_go(self) -> None:
        super().let_go()
        self._lines = ()

    @property
    def lines(self) -> Sequence[Line]:
        return self._lines

    @property
    def line_count(self) -> int:
        return len(self._lines)

    def line(self, number: int) -> Line:
        return self._lines[number]

    def set_lines(self, lines: Sequence[Line]) -> int:
        """Show `lines`; return how many of them differ from what was shown."""
        old, self._lines = self._lines, lines
        longer = max(len(old), len(lines))
        changed = [
            number
            for number in range(longer)
            if _at(old, number) != _at(lines, number) or number >= min(len(old), len(lines))
        ]
        if len(old) != len(lines):
            self.virtual_size = Size(self.scrollable_content_region.width, len(lines))
        for number in changed:
            self._draw_again(number)
        return len(changed)

    def _draw_again(self, number: int) -> None:
        top = self.scroll_offset.y
        if top <= number < top + self.size.height:
            self.refresh_line(number)


def _at(lines: Sequence[Line], number: int) -> Line:
    return lines[number] if number < len(lines) else BLANK
