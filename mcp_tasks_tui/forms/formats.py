"""The formats of the specification: email, uri, date, date-time. Others are only hints."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING

from mcp_tasks_tui.sanitize import one_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import tzinfo

_EMAIL = re.compile(r"(?P<local>[^\s@<>()\[\],;:\\\"]+|\"[^\"\r\n]+\")@(?P<domain>[^\s@]+)")
_LABEL = re.compile(r"[^\W_](?:[\w-]{0,61}[^\W_])?")
_ADDRESS_LITERAL = re.compile(r"\[[0-9A-Za-z:.]+\]")
_URI = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+"
)
_WEB = re.compile(r"(?i:https?):(?!//[^/?#])")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DATE_TIME = re.compile(
    r"(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]"
    r"(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?P<part>\.[0-9]+)?)?"
    r"(?P<offset>[Zz]|[+-][0-9]{2}:[0-9]{2})?"
)

#: How a value of each format is written, for people.
EXAMPLES = {
    "email": "name@example.com",
    "uri": "https://example.com/path",
    "date": "2026-09-01",
    "date-time": "2026-09-01T10:00:00+02:00",
}

_DIGITS_SHOWN = 20


def number_text(value: float | int) -> str:
    """Return a limit for people: a server's may have hundreds of digits."""
    return one_line(str(value), _DIGITS_SHOWN)


@dataclass(frozen=True, slots=True)
class Formatted:
    """The text as it would be sent (perhaps completed), or an error in words."""

    text: str
    error: str | None = None


def check_format(name: str | None, text: str, zone: tzinfo | None = None) -> Formatted:
    """Check `text`; a date-time without seconds or offset is completed, with `zone`'s offset."""
    checker = _CHECKS.get(name or "")
    return checker(text, zone) if checker else Formatted(text)


def _like(name: str, text: str, why: str = "") -> Formatted:
    because = f" ({why})" if why else ""
    return Formatted(text, f"not {_NAMES[name]}{because}; write it like {EXAMPLES[name]}")


def _email(text: str, _zone: tzinfo | None) -> Formatted:
    match = _EMAIL.fullmatch(text)
    if match is None or len(text) > 254 or len(match["local"]) > 64:
        return _like("email", text)
    local, domain = match["local"], match["domain"]
    dots = not local.startswith('"') and (
        local.startswith(".") or local.endswith(".") or ".." in local
    )
    labels = all(_LABEL.fullmatch(label) for label in domain.split("."))
    if dots or not (labels or _ADDRESS_LITERAL.fullmatch(domain)):
        return _like("email", text)
    return Formatted(text)


def _uri(text: str, _zone: tzinfo | None) -> Formatted:
    if not _URI.fullmatch(text):
        blank = any(char.isspace() for char in text)
        return _like("uri", text, "it has blanks in it" if blank else "")
    return _like("uri", text, "no host in it") if _WEB.match(text) else Formatted(text)


def _date(text: str, _zone: tzinfo | None) -> Formatted:
    if not _DATE.fullmatch(text):
        return _like("date", text)
    try:
        date.fromisoformat(text)
    except ValueError:
        return _like("date", text, "there is no such day")
    return Formatted(text)


def _date_time(text: str, zone: tzinfo | None) -> Formatted:
    match = _DATE_TIME.fullmatch(text)
    if match is None:
        why = "the time is missing" if _DATE.fullmatch(text) else ""
        return _like("date-time", text, why)
    second = match["second"] or "00"
    leap = second == "60" and match["minute"] == "59"
    clock = f"{match['hour']}:{match['minute']}"
    try:
        local = datetime.fromisoformat(f"{match['date']}T{clock}:{'59' if leap else second}")
        offset = (match["offset"] or _offset_of(local, zone)).upper()
    except (ValueError, OverflowError):
        return _like("date-time", text, "there is no such time")
    if offset != "Z" and not (offset[1:3] < "24" and offset[4:6] < "60"):
        return _like("date-time", text, "there is no such offset")
    return Formatted(f"{match['date']}T{clock}:{second}{match['part'] or ''}{offset}")


def _offset_of(local: datetime, zone: tzinfo | None) -> str:
    """Return the offset that is in force at that local time, as ``+02:00``."""
    aware = local.astimezone() if zone is None else local.replace(tzinfo=zone)
    return aware.isoformat()[len(local.isoformat()) :][:6]


_NAMES = {"email": "an email address", "uri": "a URI", "date": "a date", "date-time": "a date-time"}
_CHECKS: dict[str, Callable[[str, tzinfo | None], Formatted]] = {
    "email": _email,
    "uri": _uri,
    "date": _date,
    "date-time": _date_time,
}
