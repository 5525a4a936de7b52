"""What one failed read says of the server, and how sure that is."""

from __future__ import annotations

from typing import Literal

from mcp_tasks_tui.protocol.errors import (
    AuthFailed,
    HttpError,
    NoSuchTask,
    NotSent,
    RateLimited,
    ReplyTooLarge,
    RequestError,
    TimedOut,
    Unreachable,
    UnsupportedVersion,
)
from mcp_tasks_tui.records import record
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.server_view import Health
from mcp_tasks_tui.supervise.words import duration

_SURE: frozenset[str] = frozenset({"refused", "dns", "tls", "network", "not-http", "proxy"})

#: What a failed read is evidence of: the server whatever the task; the server or the task, as far
#: as HTTP goes; or a reply about this task, of which only those about others make a server's fault.
About = Literal["server", "either", "task"]


@record
class Verdict:
    """What one failed read says of the server, and how many in a row it takes to believe it."""

    health: Health
    after: int
    text: str
    about: About = "server"


def judge(error: RequestError) -> Verdict | None:
    """Return what a failed read says of the server; None: nothing, it answered properly."""
    words = str(error)
    if isinstance(error, NoSuchTask | ReplyTooLarge):
        return None
    if isinstance(error, AuthFailed):
        return Verdict(Health.AUTH, 1, _sign_in(error), "either")
    if isinstance(error, RateLimited):
        health = Health.LIMITED if error.status == 429 else Health.DOWN
        return Verdict(health, 1, _asked_to_wait(error))
    if isinstance(error, NotSent):
        return Verdict(Health.UNUSABLE, 2, words)
    if isinstance(error, Unreachable):
        return Verdict(Health.DOWN, 1 if error.cause in _SURE else 2, words)
    if isinstance(error, TimedOut):
        sure = error.phase == "connect"
        return Verdict(Health.DOWN, 1 if sure else 2, words, "server" if sure else "either")
    if isinstance(error, UnsupportedVersion):
        return Verdict(Health.BROKEN, 1, _other_version(error), "either")
    if isinstance(error, HttpError):
        return Verdict(Health.DOWN, 2, words, "either")
    return Verdict(Health.BROKEN, 3, words, "task")


def _sign_in(error: AuthFailed) -> str:
    return f"renew this server's token or header, then retry: {error}"


def _asked_to_wait(error: RateLimited) -> str:
    if error.retry_after is None:
        return str(error)
    return f"{error}; it asks us to wait {duration(error.retry_after)}"


def _other_version(error: UnsupportedVersion) -> str:
    if not error.supported:
        return str(error)
    spoken = ", ".join(one_line(version, 20) for version in error.supported[:5])
    return f"{error}; the server speaks {spoken}"
