from __future__ import annotations

from typing import Any

import pytest

from mcp_tasks_tui.protocol.errors import (
    AuthFailed,
    HttpError,
    NotServed,
    RateLimited,
    UnusableReply,
)
from mcp_tasks_tui.protocol.http_answers import answer_error, epoch, retry_after

NOW = 1_792_000_000.0


@pytest.mark.parametrize(
    ("value", "date", "seconds"),
    [
        ("30", None, 30.0),
        ("0", None, 0.0),
        ("1.5", None, 1.5),
        ("99999999", None, 99999999.0),
        ("1e300", None, 315_360_000.0),
        ("Wed, 21 Oct 2026 07:28:00 GMT", "Wed, 21 Oct 2026 07:27:00 GMT", 60.0),
        ("Wed, 21 Oct 2026 07:28:00 GMT", None, 1792567680.0 - NOW),
        ("Wed, 21 Oct 2026 07:28:00 GMT", "Wed, 21 Oct 2026 07:29:00 GMT", None),
        ("Wed, 21 Oct 2026 07:28:00 GMT", "gibberish", 1792567680.0 - NOW),
        ("soon", None, None),
        ("-5", None, None),
        ("nan", None, None),
        ("inf", None, None),
        ("9" * 5000, None, None),
        ("", None, None),
        (None, "Wed, 21 Oct 2026 07:27:00 GMT", None),
    ],
)
def test_retry_after_in_all_its_forms(
    value: str | None, date: str | None, seconds: float | None
) -> None:
    assert retry_after(value, date, now=NOW) == seconds


@pytest.mark.parametrize("date", [None, "", "x", "Thu, 99 Foo 2026", "Wed, 21 Oct 99999 07:28:00"])
def test_a_bad_date_is_no_date(date: str | None) -> None:
    assert epoch(date) is None


def _answer(
    status: int,
    body: bytes = b"",
    *,
    value: Any = None,
    headers: dict[str, str] | None = None,
) -> Any:
    return answer_error(status, headers or {}, body, value, now=NOW)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"<html><title>Sign in</title>...", "a web page (Sign in)"),
        (b"  <!DOCTYPE html><html><body>x", "a web page,"),
        (b"", "an empty body"),
        (b" \r\n", "an empty body"),
        (b"hello\nworld", "something else (hello)"),
    ],
)
def test_a_good_status_without_a_reply_is_unusable(body: bytes, said: str) -> None:
    error = _answer(200, body)
    assert isinstance(error, UnusableReply)
    assert said in str(error)
    assert "not an MCP reply" in str(error)


def test_a_gateway_s_page_is_one_clean_line() -> None:
    page = b"<html><head><title>502 \x1b[2J Bad &amp; Gateway</title></head>" + b"x" * 100_000
    error = _answer(502, page)
    assert type(error) is HttpError
    line = str(error)
    assert line.startswith("HTTP 502 Bad Gateway; from a gateway")
    assert "Bad & Gateway" in line
    assert "\x1b" not in line
    assert len(line) < 250


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, HttpError),
        (401, AuthFailed),
        (403, AuthFailed),
        (404, NotServed),
        (405, NotServed),
        (413, HttpError),
        (429, RateLimited),
        (500, HttpError),
        (503, HttpError),
        (799, HttpError),
    ],
)
def test_statuses_become_types(status: int, kind: type[HttpError]) -> None:
    error = _answer(status, b"nope")
    assert type(error) is kind
    assert str(status) in str(error)
    assert "nope" in str(error)


def test_a_503_with_retry_after_is_a_rate_limit() -> None:
    error = _answer(503, headers={"retry-after": "30"})
    assert isinstance(error, RateLimited)
    assert error.retry_after == 30.0
    assert type(_answer(503, headers={"retry-after": "soon"})) is HttpError


def test_the_challenge_is_kept_raw() -> None:
    error = _answer(401, headers={"www-authenticate": 'Bearer realm="\x1b"'})
    assert isinstance(error, AuthFailed)
    assert error.challenge is not None
    assert error.challenge.raw == 'Bearer realm="\x1b"'


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"error": "invalid_token", "error_description": "it expired"}, "it expired"),
        ({"error": "invalid_token"}, "invalid_token"),
        ({"error": {"code": -32001, "message": "who are you"}}, "who are you"),
        ({"detail": "gone fishing"}, "gone fishing"),
        ({"message": 7}, ""),
        ({}, ""),
    ],
)
def test_words_for_people_are_found_in_json_bodies(value: Any, said: str) -> None:
    error = _answer(401, b"{...}", value=value)
    assert (error.hint.raw if error.hint else "") == said


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_names_where_it_leads(status: int) -> None:
    error = _answer(status, headers={"location": "https://other.example/\x1b[2J"})
    assert "https://other.example/" in str(error)
    assert "\x1b" not in str(error)
    assert "not followed" in str(error)
