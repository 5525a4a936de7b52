"""One server as the screen and the command line show it."""

from __future__ import annotations

from enum import StrEnum

from mcp_tasks_tui.records import record


class Health(StrEnum):
    """How a server stands; the word is shown."""

    UNKNOWN = "not asked yet"
    OK = "ok"
    DOWN = "down"
    AUTH = "sign-in needed"
    LIMITED = "rate limited"
    BROKEN = "bad replies"
    FORGOT = "forgot its tasks"
    UNUSABLE = "not usable"  # a setting of ours is missing or wrong: nothing can be sent


@record
class ServerView:
    """One server as shown above the list: health, since when, what to do, how it is read."""

    url: str
    name: str
    health: Health
    #: One clean line in words, empty where all is well.
    text: str = ""
    since: float | None = None
    retry_at: float | None = None
    pushed: bool = False
    held: bool = False
    tasks: int = 0
    open_tasks: int = 0
