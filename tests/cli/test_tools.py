"""What `tools` says of a server's tools and of the arguments of one."""

from __future__ import annotations

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
