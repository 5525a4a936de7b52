"""The first line of the screen: what the counts are, whether the servers are well, the modes.

A click on a count shows the tasks that it counts. So counts have their place on the left whatever
else is so, and what is not as usual is said on the right. Where room is short words go before
counts: a sign and a number still tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len
from textual.message import Message
from textual.widget import Widget

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.server_view import Health, ServerView
from mcp_tasks_tui.supervise.view import Reason
from mcp_tasks_tui.supervise.words import STATES, STUCK, counted, state_glyph
from mcp_tasks_tui.ui.looks.signs import STATE_STYLES, STUCK_STYLE, Glyphs, unwell_sign
from mcp_tasks_tui.ui.looks.text import beside, content
from mcp_tasks_tui.ui.servers import server_word

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual import events
    from textual.content import Content

    from mcp_tasks_tui.supervise.tally import Counts

_NAME = "mcp-tasks-tui"
_ORDER = (
    State.INPUT_REQUIRED,
    State.WORKING,
    State.FAILED,
    State.TOOL_ERROR,
    State.GONE,
    State.UNKNOWN,
    State.COMPLETED,
    State.CANCELLED,
)
#: What a person steers by goes last where room is short: what waits, is stuck, or went wrong.
_RANKS = {
    State.INPUT_REQUIRED: 2,
    State.WORKING: 3,
    State.FAILED: 4,
    State.TOOL_ERROR: 5,
    State.GONE: 11,
    State.UNKNOWN: 12,
    State.COMPLETED: 30,
    State.CANCELLED: 31,
}
#: From this rank on nobody misses what is left out: how the list is sorted (the headings say so
#: too), the sum of the counts, the servers that are well, the name of the program.
_DECOR, _ARRANGED, _SUM, _WELL, _NAMED = 70, 70, 71, 72, 73
#: What is left out of a state of which some are counted as stuck: they have a sign of their own.
_BUT_STUCK = " -is:stuck"
#: Reasons that nothing else in the line tells: word, looks, rank, and the filter that finds them.
_REASONS = {
    Reason.EXPIRING: ("expiring", "state-failed", 1, "expiring"),
    Reason.CANCEL_UNANSWERED: ("not stopping", "state-input", 6, "attention"),
    Reason.READ_FAILING: ("unreadable", "state-failed", 6, "failing"),
}


_URGENT_STYLES = ("state-input", "state-failed", "state-gone")


class _Bit(NamedTuple):
    text: str
    style: str
    #: Less is kept longer when room is short.
    rank: int
    #: The filter that shows what is counted here, None where nothing is.
    filter: str | None = None
    #: What it says with fewer words, empty where it cannot.
    short: str = ""
    #: It stands on the right.
    mode: bool = False

    @property
    def width(self) -> int:
        return cell_len(self.text) + 2

    @property
    def urgent(self) -> bool:
        """It is a count of what waits for a person or went wrong."""
        return bool(self.short) and self.rank < _DECOR and self.style in _URGENT_STYLES

    def shortened(self) -> _Bit:
        return self._replace(text=self.short, short="")


class Header(Widget):
    DEFAULT_CSS = """
    Header { height: 1; background: $panel; color: $foreground; }
    """

    class Chosen(Message):
        """A count was clicked: `filter` shows what it counts."""

        def __init__(self, filter: str) -> None:  # noqa: A002 - it is one
            self.filter = filter
            super().__init__()

    def __init__(self, glyphs: Glyphs, *, read_only: bool) -> None:
        super().__init__(id="header")
        self._glyphs = glyphs
        self._read_only = read_only
        self._bits: tuple[_Bit, ...] = ()

    def show(
        self,
        counts: Counts,
        servers: Sequence[ServerView],
        *,
        list_state: str = "",
        arranged: str = "",
        database_read_only: bool = False,
        calls: int = 0,
    ) -> None:
        """Show the counts; `list_state` says what is special about the list (frozen, marked),
        `arranged` how it is sorted and grouped, `calls` how many are waited for."""
        modes = [
            _Bit(text, style, rank, mode=True)
            for text, style, rank in (
                (counted(calls, "call") + " under way" if calls else "", "state-working", 8),
                (arranged, "quiet", _ARRANGED),
                (list_state, "state-input", 9),
                ("DATABASE READ-ONLY" if database_read_only else "", "state-failed", 0),
                ("READ-ONLY" if self._read_only else "", "state-input", 0),
            )
            if text
        ]
        name = _Bit(_NAME, "quiet", _NAMED)
        bits = (name, *_bits(counts, servers, self._glyphs), *modes)
        if bits != self._bits:
            self._bits = bits
            self.refresh()

    def line(self, width: int) -> str:
        """Return what is said in a window of `width` cells."""
        return self._content(width).plain

    def trouble(self) -> Content:
        """Return what waits for a person or went wrong, in the fewest cells."""
        told = (bit for bit in self._bits if bit.urgent)
        return beside(*(content(f"{bit.short}  ", f"${bit.style}") for bit in told))

    def _placed(self, width: int) -> Iterator[tuple[int, _Bit]]:
        """Return what there is room for, each with its first cell, left to right."""
        fitting = fitted(self._bits, width, self._glyphs.ellipsis)
        x = 0
        right = width - sum(bit.width for bit in fitting if bit.mode)
        for bit in fitting:
            x = max(x, right) if bit.mode else x
            yield x, bit
            x += bit.width

    def render(self) -> Content:
        return self._content(self.size.width)

    def _content(self, width: int) -> Content:
        parts: list[Content] = []
        end = 0
        for x, bit in self._placed(width):
            parts += [content(" " * (x - end)), content(f" {bit.text} ", f"${bit.style}")]
            end = x + bit.width
        return beside(*parts)

    def on_click(self, event: events.Click) -> None:
        for x, bit in self._placed(self.size.width):
            if x <= event.x < x + bit.width and bit.filter is not None:
                self.post_message(self.Chosen(bit.filter))


def fitted(bits: Sequence[_Bit], width: int, ellipsis: str) -> list[_Bit]:
    """Return the bits that fit: without decoration first, then in fewer words, then without those
    that a person misses least; that something is missing is said too."""
    kept = list(bits)
    for least, drops in ((_DECOR, True), (0, False), (0, True)):
        while _width(kept) > width:
            ranked = [bit for bit in kept if bit.rank >= least and (drops or bit.short)]
            if not ranked or len(kept) == 1:
                break
            last = max(ranked, key=lambda bit: bit.rank)
            place = kept.index(last)
            kept[place : place + 1] = [last.shortened()] if last.short else []
    wanted = sum(bit.rank < _DECOR for bit in bits)
    if sum(bit.rank < _DECOR for bit in kept) == wanted:
        return kept
    more = _Bit(ellipsis, "quiet", 0)
    while len(kept) > 1 and _width([*kept, more]) > width:
        kept.remove(max(kept, key=lambda bit: bit.rank))
    counts = [bit for bit in kept if not bit.mode]
    return [*counts, more, *(bit for bit in kept if bit.mode)]


def _width(bits: Sequence[_Bit]) -> int:
    return sum(bit.width for bit in bits)


def _bits(counts: Counts, servers: Sequence[ServerView], glyphs: Glyphs) -> list[_Bit]:
    bits = [_Bit(counted(counts.total, "task"), "foreground", _SUM, "")]
    bits += _states(counts, _ORDER[:2], glyphs)
    if stuck := counts.reasons.get(Reason.STUCK):
        sign = STUCK.ascii if glyphs.plain else STUCK.glyph
        bits.append(_count(sign, stuck, STUCK.word, STUCK_STYLE, 3, "is:stuck"))
    bits += [
        _count("!", count, word, style, rank, f"is:{found}")
        for reason, (word, style, rank, found) in _REASONS.items()
        if (count := counts.reasons.get(reason))
    ]
    bits += _states(counts, _ORDER[2:], glyphs)
    if servers:
        bits.append(_servers(servers, glyphs))
    return bits


def _count(sign: str, count: int, word: str, style: str, rank: int, shows: str) -> _Bit:  # noqa: PLR0917 - told apart by their kinds
    return _Bit(f"{sign} {count} {word}", style, rank, shows, f"{sign}{count}")


def _states(counts: Counts, states: Sequence[State], glyphs: Glyphs) -> list[_Bit]:
    return [
        _count(
            state_glyph(state, ascii_only=glyphs.plain),
            count,
            STATES[state].of(count),
            STATE_STYLES[state],
            _RANKS[state],
            f"state:{state.value}{_BUT_STUCK if state in counts.stuck else ''}",
        )
        for state in states
        if (count := counts.states.get(state, 0) - counts.stuck.get(state, 0))
    ]


def _servers(servers: Sequence[ServerView], glyphs: Glyphs) -> _Bit:
    ill = sum(server.health not in (Health.OK, Health.UNKNOWN) for server in servers)
    if ill:
        told = f"{unwell_sign(glyphs)} {ill} of {counted(len(servers), 'server')} ill"
        return _Bit(told, "state-failed", 7, short=f"{unwell_sign(glyphs)} {ill} ill")
    if not all(server.health is Health.OK for server in servers):
        return _Bit(f"{counted(len(servers), 'server')} not all asked yet", "quiet", _WELL)
    well = f"{counted(len(servers), 'server')} ok"
    return _Bit(f"{well}: {_news(servers)}", "quiet", _WELL, short=well)


def _news(servers: Sequence[ServerView]) -> str:
    """Return how news of each server's tasks comes: by name where they differ."""
    kinds: dict[str, list[str]] = {"pushed": [], "polled": [], "held": []}
    for server in servers:
        name = one_line(server_word(server.name, server.url), 20)
        how = "held" if server.held else "pushed" if server.pushed else "polled"
        kinds[how].append(name)
    told = {kind: names for kind, names in kinds.items() if names}
    if len(told) == 1:
        return next(iter(told))
    return ", ".join(f"{' '.join(names)} {kind}" for kind, names in told.items())
