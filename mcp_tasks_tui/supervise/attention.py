"""Why a task wants a person, and since when.

Nothing here changes a state: only the server's answers do. Times are epoch seconds of our clock;
`clock_offset` (server minus ours) turns the server's into ours. Every wait is measured up to the
last good read, not to now: what nobody looked at is not known to have stood still. Nor does a
task stand still while it waits for a person.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.model import AnswerState, State
from mcp_tasks_tui.protocol.errors import ReplyTooLarge
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.answers import is_answer
from mcp_tasks_tui.supervise.view import Attention, Reason
from mcp_tasks_tui.supervise.words import ago, counted, duration, left, parse_time

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_tasks_tui.handles.model import AnswerRecord, Snapshot
    from mcp_tasks_tui.supervise.settings import EngineSettings

#: A task is called quiet from here on.
_QUIET_FROM = 60.0


def attention(
    snapshot: Snapshot,
    answers: Mapping[str, AnswerRecord],
    settings: EngineSettings,
    *,
    now: float,
    server_at_fault: bool = False,
) -> tuple[Attention, ...]:
    """Return the reasons why the task wants a person, most urgent first.

    With `server_at_fault` failed reads are the server's line, not this task's.
    """
    if snapshot.state.ended:
        return ()
    found = (
        _input_required(snapshot, answers, settings, now),
        _stuck(snapshot, answers, settings, now),
        _expiring(snapshot, settings, now),
        _cancel_unanswered(snapshot, settings, now),
        None if server_at_fault else _read_failing(snapshot, settings, now),
    )
    return tuple(one for one in found if one is not None)


def open_requests(snapshot: Snapshot, answers: Mapping[str, AnswerRecord]) -> tuple[str, ...]:
    """Return the keys of input requests that no answer was sent for, in the snapshot's order.

    A refused answer leaves its request open; one that is only intended may have been sent.
    """
    if snapshot.state is not State.INPUT_REQUIRED:
        return ()
    answered = {key for key, record in answers.items() if is_answer(record)}
    return tuple(key for key in snapshot.input_requests if key not in answered)


def all_answered(snapshot: Snapshot, answers: Mapping[str, AnswerRecord]) -> bool:
    """Tell whether the task asks only what was answered: it is the server's turn."""
    asks = snapshot.state is State.INPUT_REQUIRED and bool(snapshot.input_requests)
    return asks and not open_requests(snapshot, answers)


def its_turn_since(snapshot: Snapshot, answers: Mapping[str, AnswerRecord]) -> float:
    """Return since when the server is no longer waiting for a person, 0 where it never was."""
    if snapshot.state is not State.INPUT_REQUIRED:
        return snapshot.resumed_at or 0.0
    sent = (answers[key].at for key in snapshot.input_requests if key in answers)
    return max(sent, default=snapshot.answer_sent_at or 0.0)


def quiet_for(snapshot: Snapshot, answers: Mapping[str, AnswerRecord]) -> float | None:
    """Return for how many watched seconds nothing changed, None where nobody watched."""
    if snapshot.watched_since is None or snapshot.observed_at is None:
        return None
    since = _quiet_since(snapshot, answers, snapshot.watched_since)
    return max(snapshot.observed_at - since, 0.0)


def stuck_for(
    snapshot: Snapshot, answers: Mapping[str, AnswerRecord], settings: EngineSettings
) -> float | None:
    """Return for how many watched seconds a task that is stuck was quiet, None for any other."""
    quiet = quiet_for(snapshot, answers)
    if quiet is None or snapshot.state.ended or open_requests(snapshot, answers):
        return None
    return quiet if quiet >= _stuck_limit(snapshot, settings) else None


def is_stuck(
    snapshot: Snapshot, answers: Mapping[str, AnswerRecord], settings: EngineSettings
) -> bool:
    """Tell whether the task is stuck, by our watch or by an honest server's own words."""
    seen = snapshot.observed_at
    if seen is None or snapshot.state.ended:
        return False
    return _stuck(snapshot, answers, settings, seen) is not None


def _quiet_since(
    snapshot: Snapshot, answers: Mapping[str, AnswerRecord], watched_since: float
) -> float:
    changed = snapshot.changed_at if snapshot.changed_at is not None else watched_since
    return max(changed, watched_since, its_turn_since(snapshot, answers))


def claimed_update(snapshot: Snapshot) -> float | None:
    """Return when the server says it last updated the task, on our clock.

    None unless its clock was seen to be honest (many servers stamp the time of the read) and
    the difference to ours is known.
    """
    if not snapshot.honest_clock or snapshot.clock_offset is None:
        return None
    claimed = parse_time(snapshot.last_updated_at)
    return None if claimed is None else claimed - snapshot.clock_offset


def quiet_text(snapshot: Snapshot, answers: Mapping[str, AnswerRecord], *, now: float) -> str:
    """Return ``quiet for 4 m``, what an honest server says instead, or nothing to say."""
    if snapshot.state.ended or snapshot.observed_at is None or open_requests(snapshot, answers):
        return ""
    quiet = quiet_for(snapshot, answers) or 0.0
    claimed = claimed_update(snapshot)
    silent = snapshot.observed_at - max(claimed or 0.0, its_turn_since(snapshot, answers))
    if claimed is not None and silent > max(quiet, _QUIET_FROM):
        return f"server says: last update {ago(claimed, now)}"
    return f"quiet for {duration(quiet)}" if quiet >= _QUIET_FROM else ""


def estimated_end(snapshot: Snapshot) -> float | None:
    """Return when the server may drop the task, on our clock; an estimate and nothing more.

    Servers count the TTL from the creation, from the last question or from the end, and some
    renew it with each read. The earliest moment that has not been survived yet is returned, None
    where there is no limit, or none is known.
    """
    if not snapshot.ttl_known or snapshot.ttl_ms is None or snapshot.ttl_ms <= 0:
        return None
    if snapshot.ttl_ms > 1e15:
        return None
    starts = [parse_time(snapshot.created_at)]
    if starts[0] is not None:
        starts[0] -= snapshot.clock_offset or 0.0
    if snapshot.state is State.INPUT_REQUIRED:
        starts.append(snapshot.changed_at)
    seen = snapshot.observed_at or 0.0
    ends = [start + snapshot.ttl_ms / 1000 for start in starts if start is not None]
    return min((end for end in ends if end > seen), default=None)


def next_moment(
    snapshot: Snapshot,
    answers: Mapping[str, AnswerRecord],
    settings: EngineSettings,
    *,
    now: float,
) -> float | None:
    """Return when time alone, without any news, gives the task a new reason; None for never."""
    if snapshot.state.ended:
        return None
    moments = [
        record.at + settings.answer_unsure_after
        for key, record in answers.items()
        if record.state is AnswerState.INTENDED and key in snapshot.input_requests
    ]
    if (end := estimated_end(snapshot)) is not None:
        moments.append(end - _warned_before(snapshot, settings))
    return min((moment for moment in moments if moment > now), default=None)


def calm_until(
    snapshot: Snapshot, answers: Mapping[str, AnswerRecord], settings: EngineSettings
) -> float:
    """Return until when (epoch seconds) good reads that bring no news give no reason.

    For a task that has none now; what time alone brings about, without a read, is left to
    `next_moment`.
    """
    if snapshot.state.ended:
        return math.inf
    if snapshot.watched_since is None:
        return -math.inf
    moments = [math.inf]
    if not open_requests(snapshot, answers):
        quiet_since = _quiet_since(snapshot, answers, snapshot.watched_since)
        claimed = claimed_update(snapshot)
        if claimed is not None:
            claimed = max(claimed, its_turn_since(snapshot, answers))
            quiet_since = min(quiet_since, claimed)
        moments.append(quiet_since + _stuck_limit(snapshot, settings))
    if snapshot.cancel_requested_at is not None:
        moments.append(snapshot.cancel_requested_at + settings.cancel_unanswered_after)
    return min(moments)


# --- one function for each reason -----------------------------------------------------------


def _input_required(
    snapshot: Snapshot, answers: Mapping[str, AnswerRecord], settings: EngineSettings, now: float
) -> Attention | None:
    if snapshot.state is not State.INPUT_REQUIRED:
        return None
    since = snapshot.changed_at if snapshot.changed_at is not None else now
    if keys := open_requests(snapshot, answers):
        text = "asks a question" if len(keys) == 1 else f"asks {counted(len(keys), 'question')}"
        return Attention(Reason.INPUT_REQUIRED, since, text)
    if not snapshot.input_requests:
        text = "says it needs input, but does not say which"
        return Attention(Reason.INPUT_REQUIRED, since, text)
    unsure = [
        answers[key].at
        for key in snapshot.input_requests
        if answers[key].state is AnswerState.INTENDED
        and now - answers[key].at >= settings.answer_unsure_after
    ]
    if not unsure:
        return None
    text = "an answer may not have been sent: look, and answer again"
    return Attention(Reason.INPUT_REQUIRED, min(unsure), text)


def _stuck(
    snapshot: Snapshot, answers: Mapping[str, AnswerRecord], settings: EngineSettings, now: float
) -> Attention | None:
    if snapshot.observed_at is None or open_requests(snapshot, answers):
        return None
    limit = _stuck_limit(snapshot, settings)
    claimed = claimed_update(snapshot)
    since = max(claimed or 0.0, its_turn_since(snapshot, answers))
    if claimed is not None and snapshot.observed_at - since >= limit:
        brief = f"server says: last update {ago(claimed, now)}"
        return Attention(Reason.STUCK, since, f"stuck, {brief}", brief, claimed=True)
    quiet = quiet_for(snapshot, answers)
    if quiet is None or quiet < limit:
        return None
    what = "answered, but nothing" if all_answered(snapshot, answers) else "nothing"
    brief = f"{what} has changed"
    text = f"stuck: {brief} for {duration(quiet)}"
    return Attention(Reason.STUCK, snapshot.observed_at - quiet, text, brief)


def _stuck_limit(snapshot: Snapshot, settings: EngineSettings) -> float:
    if snapshot.message_changes < 2:
        return settings.quiet_after
    interval_ms = snapshot.poll_interval_ms
    usable = interval_ms is not None and 0 < interval_ms <= settings.absurd_interval * 1000
    interval = interval_ms / 1000 if usable and interval_ms else settings.default_poll
    return max(
        settings.stuck_after,
        settings.stuck_intervals * interval,
        settings.stuck_gaps * (snapshot.usual_gap or 0.0),
    )


def _expiring(snapshot: Snapshot, settings: EngineSettings, now: float) -> Attention | None:
    end = estimated_end(snapshot)
    if end is None or now < (since := end - _warned_before(snapshot, settings)):
        return None
    when = f"in {left(end - now)}" if end > now else "any moment"
    life = duration((snapshot.ttl_ms or 0) / 1000)
    text = f"may expire {when} (its time to live is {life})"
    return Attention(Reason.EXPIRING, since, text)


def _warned_before(snapshot: Snapshot, settings: EngineSettings) -> float:
    """A task with a short life is not expiring all its life."""
    return min(settings.expiring_within, (snapshot.ttl_ms or 0) / 4000)


def _cancel_unanswered(
    snapshot: Snapshot, settings: EngineSettings, now: float
) -> Attention | None:
    asked, seen = snapshot.cancel_requested_at, snapshot.observed_at
    if asked is None or seen is None or seen - asked < settings.cancel_unanswered_after:
        return None
    brief = f"cancel requested {ago(asked, now)}"
    return Attention(Reason.CANCEL_UNANSWERED, asked, f"not stopping: {brief}", brief)


def _read_failing(snapshot: Snapshot, settings: EngineSettings, now: float) -> Attention | None:
    read = snapshot.read
    too_large = read.error_kind == ReplyTooLarge.kind
    if read.ok or (read.failures < settings.failing_after and not too_large):
        return None
    since = snapshot.observed_at if snapshot.observed_at is not None else read.at
    why = one_line(read.error or "no reason known", 240)
    brief = f"{counted(read.failures, 'failure')} in a row: {why}"
    if too_large:
        brief = f"it may have ended: {why}"
    since = now if since is None else since
    return Attention(Reason.READ_FAILING, since, f"cannot be read, {brief}", brief)
