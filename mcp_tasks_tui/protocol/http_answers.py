"""What an HTTP answer means when its body is no JSON-RPC reply. Pure."""

from __future__ import annotations

import html
import math
import re
from email.utils import parsedate_to_datetime
from functools import lru_cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.protocol.errors import (
    AuthFailed,
    HttpError,
    NotServed,
    RateLimited,
    RequestError,
    UnusableReply,
)
from mcp_tasks_tui.sanitize import ServerText, one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

_TITLE = re.compile(rb"<title[^>]*>(.{0,400}?)</title", re.IGNORECASE | re.DOTALL)
_HTML_START = re.compile(rb"\s*(?:<!doctype html|<html|<head|<body|<\?xml|<!--)", re.IGNORECASE)
_LOOKED_AT = 16 * 1024
#: A wait that a server asks for counts as no longer than ten years: it is told to people.
_LONGEST_WAIT = 10 * 365 * 86_400.0
#: Where servers that are not MCP put words for people into a JSON body.
_WORDY_KEYS = ("error_description", "message", "detail", "error", "title")

#: Not the address of an MCP server of ours: the next request gets the same answer.
_NOT_SERVED = frozenset({404, 405, 406, 410, 411, 415, 421, 426, 501})
#: What a person can do about it, where the status alone says that.
_ADVICE = {
    404: "is the path of the URL right?",
    405: "this URL does not take MCP requests, or only those of the older HTTP+SSE kind",
    413: "the request is larger than the server takes",
    502: "from a gateway: the server behind it did not answer",
    503: "the server or a gateway before it is overloaded or down",
    504: "from a gateway: the server behind it did not answer in time",
}


def answer_error(
    status: int, headers: Mapping[str, str], body: bytes, value: Any, *, now: float
) -> RequestError:
    """Return the typed error for an answer without a JSON-RPC reply to us.

    Args:
        status: the HTTP status.
        headers: the answer's headers, names in lower case.
        body: the answer's body, as far as it was read.
        value: the body as JSON, None where it is none.
        now: seconds since the epoch, for a Retry-After date without a Date beside it.
    """
    said = _hint(body, value)
    hint = ServerText(said) if said else None
    if status < 300:
        return UnusableReply(_not_mcp(status, body, said))
    words = _words(status, headers)
    if status in (401, 403):
        challenge = headers.get("www-authenticate")
        return AuthFailed(
            status, words, hint=hint, challenge=ServerText(challenge) if challenge else None
        )
    wait = retry_after(headers.get("retry-after"), headers.get("date"), now=now)
    if status == 429 or (status == 503 and wait is not None):
        return RateLimited(status, words, hint=hint, retry_after=wait)
    kind = NotServed if status in _NOT_SERVED else HttpError
    return kind(status, words, hint=hint)


def retry_after(value: str | None, date: str | None, *, now: float) -> float | None:
    """Return how many seconds a server asks us to wait; None where it says nothing usable.

    A date counts from the answer's own `date` where it has one, so that a wrong clock on either
    side does no harm. Dates in the past say nothing.
    """
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        at = epoch(value)
        if at is None:
            return None
        seconds = at - (epoch(date) or now)
        return seconds if seconds > 0 else None
    return min(seconds, _LONGEST_WAIT) if math.isfinite(seconds) and seconds >= 0 else None


@lru_cache(maxsize=64)
def epoch(date: str | None) -> float | None:
    """Return an HTTP date as seconds since the epoch, None where it is none."""
    if not date:
        return None
    try:
        return parsedate_to_datetime(date).timestamp()
    except (ValueError, TypeError, OverflowError, OSError, IndexError):
        return None


def _words(status: int, headers: Mapping[str, str]) -> str:
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = "(no such status)"
    if 300 <= status < 400:
        to = one_line(headers.get("location", ""), 120)
        return f"{phrase}, which is not followed to {to or 'nowhere'}; use that URL if you trust it"
    advice = _ADVICE.get(status)
    return f"{phrase}; {advice}" if advice else phrase


def _not_mcp(status: int, body: bytes, said: str) -> str:
    quoted = f" ({one_line(said, 80)})" if said else ""
    if not body.strip():
        return f"HTTP {status} with an empty body, not an MCP reply"
    if _HTML_START.match(body):
        return f"HTTP {status} with a web page{quoted}, not an MCP reply; is the URL right?"
    return f"HTTP {status} with something else{quoted}, not an MCP reply; is the URL right?"


def _hint(body: bytes, value: Any) -> str:
    if isinstance(value, dict):
        return _json_hint(value)
    head = body[:_LOOKED_AT]
    title = _TITLE.search(head)
    if title:
        return html.unescape(title[1].decode(errors="replace")).strip()
    if _HTML_START.match(head):
        return ""
    lines = head.decode(errors="replace").strip().splitlines()
    return lines[0] if lines else ""


def _json_hint(value: dict[str, Any]) -> str:
    inner = value.get("error")
    if isinstance(inner, dict):
        value = inner
    for key in _WORDY_KEYS:
        said = value.get(key)
        if isinstance(said, str) and said:
            return said
    return ""
