"""What is typed or piped in may have been written by anybody: one clean line, and nothing sent."""

from __future__ import annotations

import json

import pytest

from tests.commandline import Cli

SERVER = "http://127.0.0.1:9/mcp"
CONTROLS = "\x1b]0;title\x07\x1b[2J\u202e"


@pytest.mark.parametrize(
    "arguments",
    [
        ("call", SERVER, "tool", "--args", '{"a": NaN}'),
        ("call", SERVER, "tool", "--args", '{"a": 1e999}'),
        ("call", SERVER, "tool", "--args", "[" * 100_000),
        ("call", SERVER, "tool", "--args", "9" * 5_000),
        ("call", "--resume", "-"),
    ],
)
def test_arguments_that_json_cannot_hold_are_wrong_usage(
    cli: Cli, arguments: tuple[str, ...]
) -> None:
    outcome = cli(*arguments, stdin="[" * 100_000)
    assert outcome.code == 2, outcome.err
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        (f"no-such-{CONTROLS}",),
        ("list", f"--{CONTROLS}"),
        ("show", CONTROLS),
        ("add", f"http://h{CONTROLS}/", "t1"),
        ("call", CONTROLS, "tool"),
        ("list", "--filter", f"state:{CONTROLS}"),
        ("import", f"/no/such/{CONTROLS}"),
        ("list", "-q", "--filter", "half \udcff"),
        ("show", "half \udcff"),
        ("add", "http://h\udcff/", "t1"),
    ],
)
def test_complaints_about_what_was_typed_are_clean(cli: Cli, arguments: tuple[str, ...]) -> None:
    outcome = cli(*arguments)
    assert not [c for c in outcome.err + outcome.out if c in "\x1b\x07\u202e\udcff"]


@pytest.mark.parametrize("odd", [7, "text", {"a": 1}, [1, None], True])
def test_a_damaged_question_file_is_never_a_bug(cli: Cli, odd: object) -> None:
    asked = {"server": SERVER, "tool": odd, "arguments": odd, "label": odd, "tags": odd}
    outcome = cli("call", "--resume", "-", stdin=json.dumps({**asked, "inputRequests": {}}))
    assert outcome.code in (2, 6), outcome.err


@pytest.mark.parametrize("place", ["h/\udcff", "h/?q=\udcff", "\udcff@h/", "h:\udcff/", "\udcff/"])
@pytest.mark.parametrize(
    "command",
    [("add", "@", "t1"), ("call", "@", "tool"), ("tools", "@"), ("servers", "test", "@"),
     ("servers", "add", "name", "@"), ("import", "--server", "@")],
)  # fmt: skip
def test_a_url_that_is_no_text_is_wrong_usage(
    cli: Cli, command: tuple[str, ...], place: str
) -> None:
    outcome = cli(*(f"http://{place}" if word == "@" else word for word in command), stdin="")
    assert outcome.code == 2, outcome.err
    assert outcome.err.count("\n") == 1


def test_an_imported_url_that_is_no_text_costs_no_other_entry(cli: Cli) -> None:
    entries = [{"taskId": "t", "serverUrl": url} for url in ("http://h/\ud800", "http://h/")]
    outcome = cli("import", stdin=json.dumps(entries))
    assert (outcome.code, len(outcome.lines)) == (2, 1)
    assert "entry 1" in outcome.err
