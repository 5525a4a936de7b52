"""Whether the process that wrote something still lives."""

from __future__ import annotations

import subprocess
import sys

import pytest

from mcp_tasks_tui.handles.process import is_alive, process_token

_PRINT = "from mcp_tasks_tui.handles.process import process_token; print(process_token())"


def _changed(field: int, value: str) -> str:
    parts = process_token().split("|")
    parts[field] = value
    return "|".join(parts)


def test_a_living_process_is_alive_and_an_ended_one_is_not() -> None:
    assert is_alive(process_token())
    ended = subprocess.check_output([sys.executable, "-c", _PRINT], text=True).strip()
    assert is_alive(ended) is False


@pytest.mark.parametrize(
    ("token", "alive"),
    [
        (_changed(0, "another-host"), None),
        (_changed(1, "another-boot"), False),
        (_changed(2, "0x"), False),
        (_changed(3, "12345"), False),  # the number was given to another process
        (_changed(3, ""), True),  # a system that does not tell start times
        ("", False),
        ("made|by|something", False),
    ],
    ids=["other-host", "other-boot", "odd-pid", "reused", "no-start-time", "empty", "foreign"],
)
def test_a_token_is_of_one_process_only(token: str, alive: bool | None) -> None:
    assert is_alive(token) is alive
