"""What `tools` says of a server's tools and of the arguments of one."""

from __future__ import annotations

import re
from typing import Any

import pytest

from mcp_tasks_tui.cli.commands.tools import type_words
from tests.commandline import Cli
from tests.program.recorder import Recorder


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "integer"}, "integer"),
        ({"type": ["string", "null"]}, "string or null"),
        ({"enum": ["a", 1, True, None]}, "one of a, 1, true, null"),
        ({"enum": list("abcdefgh")}, "one of a, b, c, d, e, f, g, h"),
        ({"enum": list("abcdefghi")}, "one of a, b, c, d, e, f, g, h, …"),
        ({}, "any"),
        (True, "any"),
    ],
)
def test_the_kind_of_an_argument_in_words(schema: Any, words: str) -> None:
    assert type_words(schema) == words


class Empty(Recorder):
    """A server without any tool."""

    def _answer(self, message: dict[str, Any]) -> dict[str, Any]:
        if message["method"] == "tools/list":
            return {"result": {"resultType": "complete", "tools": []}}
        return super()._answer(message)


def test_a_server_without_tools_says_so(cli: Cli) -> None:
    with Empty() as server:
        listed = cli("tools", server.url)
        assert (listed.code, listed.out, listed.err) == (0, "", "this server lists no tools\n")
        assert cli("tools", server.url, "--json").json == []


class Wordy(Recorder):
    """A server one of whose tools has a very long name."""

    def _answer(self, message: dict[str, Any]) -> dict[str, Any]:
        if message["method"] == "tools/list":
            tools = [{"name": name, "description": "what it does"} for name in ("a", "n" * 300)]
            return {"result": {"resultType": "complete", "tools": tools}}
        return super()._answer(message)


def test_one_long_name_does_not_move_the_other_tools(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Wordy() as server:
        piped = cli("tools", server.url).lines
        monkeypatch.setenv("COLUMNS", "200")
        monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
        shown = cli("tools", server.url).lines
    assert [line.find("what it does") for line in shown[1:]] == [42, 42]
    assert piped[1].find("what it does") == 42
    assert piped[2].startswith("n" * 300), "a script needs all of it"


class Refusing(Wordy):
    def _answer(self, message: dict[str, Any]) -> dict[str, Any]:
        if message["method"] == "tools/call":
            return {"error": {"code": -32602, "message": "no such tool"}}
        return super()._answer(message)


def test_where_a_tool_is_not_known_the_server_is_called_by_its_name(cli: Cli) -> None:
    with Refusing() as server:
        cli("servers", "add", "build", server.url)
        told = cli("call", "build", "a", "--no-check")
    assert "mcp-tasks-tui tools build\n" in told.err
    assert server.url not in told.err


def test_a_tool_that_is_not_listed_is_not_called_unless_it_is_wanted_all_the_same(
    cli: Cli,
) -> None:
    with Recorder() as server:
        told = cli("call", server.url, "biuld")
        assert (told.code, told.out) == (2, "")
        assert "no tool 'biuld' on this server; did you mean build? (nothing was sent; " in told.err
        assert server.sent("tools/call") == 0
        assert cli("call", server.url, "biuld", "--no-check").code == 0
        assert server.sent("tools/call") == 1


class Partly(Recorder):
    """A server whose list of tools leaves some out, or does not come at all."""

    tools: list[dict[str, Any]] | None = None

    def _answer(self, message: dict[str, Any]) -> dict[str, Any]:
        if message["method"] != "tools/list":
            return super()._answer(message)
        if self.tools is None:
            return {"error": {"code": -32603, "message": "the registry is away"}}
        return {"result": {"resultType": "complete", "tools": self.tools}}


_BAD_HEADER = {
    "name": "other",
    "inputSchema": {"type": "object", "properties": {"a": {"x-mcp-header": "not a name"}}},
}


@pytest.mark.parametrize(
    ("tools", "words"),
    [
        (None, r"not checked: this server does not list its tools \(.*the registry is away"),
        ([_BAD_HEADER], "not checked: 'build' is not listed; .*other"),
    ],
    ids=["failed", "left out"],
)
def test_a_list_that_is_not_whole_keeps_no_call_back_and_that_is_said(
    cli: Cli, tools: list[dict[str, Any]] | None, words: str
) -> None:
    with Partly() as server:
        server.tools = tools
        told = cli("call", server.url, "build")
        assert (told.code, server.sent("tools/call")) == (0, 1)
        assert len(told.err.splitlines()) == 1
        assert re.search(words, told.err)
        assert cli("call", server.url, "build", "--no-check").err == ""
