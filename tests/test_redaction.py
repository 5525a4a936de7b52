"""What of our own is hidden in what others say, and what never is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcp_tasks_tui.redaction import MARK, Redaction, carries_secret

TOKEN = "eyJhbGciOi/J9+abc.def-ghi=="


def redacted(headers: dict[str, str], value: Any) -> Any:
    return Redaction(headers).json(value, json.dumps(value).encode())


@pytest.mark.parametrize(
    ("header", "value", "quoted"),
    [
        ("Authorization", f"Bearer {TOKEN}", f"Bearer {TOKEN}"),
        ("Authorization", f"Bearer {TOKEN}", TOKEN),
        ("X-Api-Key", "k-0123456789", "k-0123456789"),
        ("X-Who", f"token {TOKEN}", TOKEN),
        ("Cookie", "theme=dark; session=0123456789", "0123456789"),
        ("Authorization", "Basic Ym9iOmh1bnRlcjJodW50ZXIy", "Ym9iOmh1bnRlcjJodW50ZXIy"),
        ("Authorization", "Basic Ym9iOmh1bnRlcjJodW50ZXIy", "hunter2hunter2"),
        ("Authorization", "Basic not-base64-at-all", "not-base64-at-all"),
    ],
)
def test_a_secret_is_hidden_in_whatever_form_it_is_quoted(
    header: str, value: str, quoted: str
) -> None:
    hidden = Redaction({"Accept": "*/*", header: value})
    assert hidden.text(f"no, {quoted} is old") == f"no, {MARK} is old"
    reply = {"error": {"message": f"<{quoted}>", "data": [{"got": quoted}, 7, None]}}
    assert redacted({header: value}, reply) == {
        "error": {"message": f"<{MARK}>", "data": [{"got": MARK}, 7, None]}
    }


def test_it_is_found_however_json_spells_it() -> None:
    hidden = Redaction({"Authorization": f"Bearer {TOKEN}"})
    spelled = json.dumps(TOKEN).replace("/", "\\/").replace("+", "\\u002B")
    assert TOKEN not in spelled
    assert hidden.json(json.loads(spelled), spelled.encode()) == MARK


def test_a_body_that_is_no_json_is_told_without_it() -> None:
    hidden = Redaction({"Authorization": f"Bearer {TOKEN}"})
    assert hidden.body(f"<p>\xe4 {TOKEN}\x00</p>".encode()) == f"<p>\xe4 {MARK}\x00</p>".encode()
    assert hidden.body(b"\xff\xfe") == b"\xff\xfe"


def test_what_the_server_is_asked_by_stays_exact() -> None:
    reply = {"taskId": f"job-{TOKEN}", "requestState": TOKEN, "inputRequests": {TOKEN: {}}}
    assert redacted({"Authorization": TOKEN}, reply) == reply


@pytest.mark.parametrize(
    "headers",
    [{}, {"X-Team": "production"}, {"X-Api-Key": "prod"}, {"Authorization": "Bearer "}],
)
def test_ordinary_words_stay(headers: dict[str, str]) -> None:
    said = {"statusMessage": "Bearer of news: deployed to production, prod eu"}
    assert redacted(headers, said) == said


def test_a_value_without_the_secret_is_not_walked() -> None:
    value = {"big": ["result"] * 10}
    assert redacted({"Authorization": f"Bearer {TOKEN}"}, value) is value


def test_which_headers_carry_secrets() -> None:
    assert carries_secret("X-Api-KEY", "7")
    assert carries_secret("X-Other", "bearer abc")
    assert not carries_secret("Accept-Language", "en")
