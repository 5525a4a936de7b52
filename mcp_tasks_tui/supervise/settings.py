"""Numbers the engine's rules go by; seconds unless a name says otherwise."""

from __future__ import annotations

from mcp_tasks_tui.config.model import EngineConfig
from mcp_tasks_tui.records import record

_USERS = EngineConfig()


@record
class EngineSettings:
    """The first group is what a user may set, with the names and defaults of the settings file."""

    #: A user can only slow polling down; nothing goes under `poll_floor`.
    min_poll: float = _USERS.min_poll
    #: Where the server gives no usable interval.
    default_poll: float = _USERS.default_poll
    #: A task that never showed progress is stuck after this long without a change.
    quiet_after: float = _USERS.quiet_after
    #: A task is expiring when its estimated end is this near (or a quarter of its TTL).
    expiring_within: float = _USERS.expiring_within
    #: A cancel is unanswered when the task still runs this long after it.
    cancel_unanswered_after: float = _USERS.cancel_unanswered_after

    #: The fastest a task is ever polled, whatever server or user say.
    poll_floor: float = 0.5
    #: An interval above this is taken for a mistake, not for a wish.
    absurd_interval: float = 30 * 86_400.0
    #: Without a usable interval, polling slows down to this while nothing changes.
    unhinted_cap: float = 30.0
    #: Jitter is only ever added: this share of the wait, at most `jitter_cap`.
    jitter: float = 0.05
    jitter_cap: float = 5.0
    #: A pushed task is still read every max(`pushed_poll`, `pushed_intervals` x interval).
    pushed_poll: float = 60.0
    pushed_intervals: float = 4.0
    #: A task in a status that we do not know.
    unknown_poll: float = 30.0
    #: A task that the server no longer knows is looked for this often.
    gone_poll: float = 300.0
    #: Exponential backoff with full jitter: uniform in 0..min(cap, base x 2^(failures - 1)).
    backoff_base: float = 5.0
    backoff_cap: float = 60.0
    #: The longest time a server's Retry-After can hold polling.
    retry_after_cap: float = 900.0
    #: First reads after a start: one per `first_spacing`, but done within one interval.
    first_spacing: float = 0.2
    #: While a task's interval is not known, no denser than this (seconds).
    first_unhinted_spacing: float = 0.01
    #: "Poll now": one task at most this often; one server a burst, then a steady spacing.
    poll_now_gap: float = 1.0
    poll_now_burst: int = 10
    poll_now_spacing: float = 0.05
    #: Reads under way per server that are due by themselves. Of the eight requests that one server
    #: gets at once, the seventh is for a read that a person asks for, and the wire keeps the
    #: eighth for an answer or a cancel, so that none of them waits for slow reads to end.
    max_reads: int = 6
    max_asked_reads: int = 7

    #: Not-founds in a row that make a task gone.
    gone_after: int = 3
    #: Failed reads in a row that are worth a person's attention.
    failing_after: int = 2
    #: Stuck, on a task that has shown progress: no change for the largest of these three.
    stuck_after: float = 60.0
    stuck_intervals: float = 10.0
    stuck_gaps: float = 4.0
    #: An answer still only intended after this long may not have been sent.
    answer_unsure_after: float = 60.0
    #: Alerts of one kind within this time of each other become one.
    alert_window: float = 5.0
