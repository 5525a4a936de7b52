"""The first line of the screen: what the counts are, whether the servers are well, the mode.

A click on a count shows the tasks that it counts.
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
from mcp_tasks_tui.ui.looks import STATE_STYLES, STUCK_STYLE, Glyphs, unwell_sign
from mcp_tasks_tui.ui.servers import server_word
from mcp_tasks_tui.ui.text import beside, content

if TYPE_CHECKING:
    from collections.abc import Sequence

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
#: From this rank on nobody misses what is left out.
_DECOR = 70
#: What is left out of a state of which some are counted as stuck: they have a sign of their own.
_BUT_STUCK = " -is:stuck"
#: Reasons that nothing else in the line tells, and the filter that finds them.
_REASONS = {
    Reason.EXPIRING: ("expiring", "expiring"),
    Reason.CANCEL_UNANSWERED: ("not stopping", "attention"),
    Reason.READ_FAILING: ("unreadable", "failing"),
}


class _Bit(NamedTuple):
    text: str
    style: str
    #: Less is kept longer when room is short.
    rank: int
    #: The filter that shows what is counted here, None where nothing is.
    filter: str | None = None

    @property
    def width(self) -> int:
        return cell_len(self.text) + 2


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
        warnings = [_Bit("READ-ONLY", "state-input", 0)] if self._read_only else []
        if database_read_only:
            warnings.append(_Bit("DATABASE READ-ONLY", "state-failed", 0))
        if calls:
            warnings.append(_Bit(f"{counted(calls, 'call')} under way", "state-working", 8))
        if list_state:
            warnings.append(_Bit(list_state, "state-input", 9))
        if arranged:
            warnings.append(_Bit(arranged, "quiet", 25))
        bits = (_Bit(_NAME, "quiet", _DECOR), *warnings, *_bits(counts, servers, self._glyphs))
        if bits != self._bits:
            self._bits = bits
            self.refresh()

    def _fitting(self) -> list[_Bit]:
        """Return the facts that there is room for, and how many others there are."""
        kept = list(self._bits)
        more: list[_Bit] = []
        while kept and sum(bit.width for bit in (*kept, *more)) > self.size.width:
            kept.remove(max(kept, key=lambda bit: bit.rank))
            left_out = sum(bit.rank < _DECOR for bit in set(self._bits) - set(kept))
            more = [_Bit(f"+{left_out}", "quiet", 0)] if left_out else []
        return [*kept, *more]

    def render(self) -> Content:
        return beside(*(content(f" {bit.text} ", f"${bit.style}") for bit in self._fitting()))

    def on_click(self, event: events.Click) -> None:
        x = 0
        for bit in self._fitting():
            if x <= event.x < x + bit.width and bit.filter is not None:
                self.post_message(self.Chosen(bit.filter))
            x += bit.width


def _bits(counts: Counts, servers: Sequence[ServerView], glyphs: Glyphs) -> list[_Bit]:
    bits = [_Bit(counted(counts.total, "task"), "foreground", 10, "")]
    bits += _states(counts, _ORDER[:2], glyphs)
    if stuck := counts.reasons.get(Reason.STUCK):
        sign = STUCK.ascii if glyphs.plain else STUCK.glyph
        bits.append(_Bit(f"{sign} {stuck} {STUCK.word}", STUCK_STYLE, 3, "is:stuck"))
    bits += [
        _Bit(f"! {count} {word}", "state-input", 6, f"is:{found}")
        for reason, (word, found) in _REASONS.items()
        if (count := counts.reasons.get(reason))
    ]
    bits += _states(counts, _ORDER[2:], glyphs)
    if servers:
        bits.append(_servers(servers, glyphs))
    return bits


def _states(counts: Counts, states: Sequence[State], glyphs: Glyphs) -> list[_Bit]:
    return [
        _Bit(
            f"{state_glyph(state, ascii_only=glyphs.plain)} {count} {STATES[state].word}",
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
        sign = unwell_sign(glyphs)
        return _Bit(f"{sign} {ill} of {counted(len(servers), 'server')} ill", "state-failed", 7)
    if not all(server.health is Health.OK for server in servers):
        return _Bit(f"{counted(len(servers), 'server')} not all asked yet", "quiet", _DECOR)
    return _Bit(f"{counted(len(servers), 'server')} ok: {_news(servers)}", "quiet", _DECOR)


def _news(servers: Sequence[ServerView]) -> str:
    """Return how news of each server's tasks comes: by name where they differ."""
    kinds: dict[str, list[str]] = {"pushed": [], "polled": []}
    for server in servers:
        name = one_line(server_word(server.name, server.url), 20)
        kinds["pushed" if server.pushed else "polled"].append(name)
    told = {kind: names for kind, names in kinds.items() if names}
    if len(told) == 1:
        return next(iter(told))
    return ", ".join(f"{' '.join(names)} {kind}" for kind, names in told.items())
