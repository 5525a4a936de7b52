"""How long a panel may rest: until a time that it tells reads otherwise (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.supervise import words
from mcp_tasks_tui.ui.widgets.panel.facts import stands_still_at, state_since, time_left
from mcp_tasks_tui.ui.widgets.panel.fresh import end_of_life
from mcp_tasks_tui.ui.widgets.panel.journal import ROOMY, Skipped, condensed
from mcp_tasks_tui.ui.widgets.panel.kinds import of_kind
from mcp_tasks_tui.ui.widgets.panel.times import going_on, stretches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_tasks_tui.ui.widgets.panel.facts import PanelFacts


def rests_until(facts: PanelFacts, room: int) -> float:
    """Return the moment from which on `facts` would be told otherwise; `room`: lines of journal.

    Not later than in ten seconds: by then also what is drawn of times has moved.
    """
    now, short = facts.now, facts.width < ROOMY
    moments = [now + words.STEP]
    moments += (words.moves_on(at, now) for at in _told(facts) if at is not None)
    moments += (words.moves_on(at, now, short=short) for at in _journal(facts, room))
    if facts.view.progress is not None and (still := stands_still_at(facts.view.snapshot)) > now:
        moments.append(still)
    return min(moments)


def _told(facts: PanelFacts) -> Iterator[float | None]:
    """Give every moment that something is told of, past and to come."""
    view, known = facts.view, facts.view.snapshot
    yield from (known.observed_at, known.last_message_at, known.gone_at, known.read.at)
    yield from (known.cancel_requested_at, known.answer_sent_at, end_of_life(known))
    yield from (view.next_read_at, view.handle.saved_at, view.handle.archived_at)
    yield from map(words.parse_time, (known.created_at, known.last_updated_at))
    yield from (each.since for each in view.attention)
    yield from (record.at for record in view.answers.values())
    if (since := state_since(facts.journal)) is not None:
        yield since.at
    if (left := time_left(view, facts.now)) is not None:
        yield facts.now + left
    if facts.history:
        yield facts.history[0][0]
    seen = () if view.state.ended else stretches(facts.journal, facts.now, ended=False)
    if seen:
        yield from (facts.now - seconds for seconds in going_on(seen))


def _journal(facts: PanelFacts, room: int) -> Iterator[float]:
    for each in condensed(of_kind(facts.journal, facts.kind), room)[-room:]:
        if not isinstance(each, Skipped):
            yield each.at
