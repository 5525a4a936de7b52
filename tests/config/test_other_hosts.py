"""Servers out of the settings of other hosts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcp_tasks_tui.config.other_hosts import NoServersError, read_mcp_servers


def table(**servers: Any) -> str:
    return json.dumps({"mcpServers": servers})


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ({"command": "npx", "args": ["x"]}, "stdio"),
        ({"type": "sse", "url": "http://x/sse"}, "older"),
        ({}, "has no url"),
        ({"url": "ws://x/"}, "http"),
        ({"url": "http://me:pw@x/"}, "user name"),
        ("text", "is no object"),
    ],
)
def test_a_server_that_cannot_be_used_is_named_with_the_reason(entry: Any, why: str) -> None:
    found = read_mcp_servers(table(bad=entry, good={"url": "http://g/mcp"}))
    assert [server.name for server in found.servers] == ["good"]
    [(name, reason)] = found.refused
    assert name == "bad"
    assert why in reason


@pytest.mark.parametrize(
    ("header", "value", "kept"),
    [
        ("Authorization", "Bearer abc", "${S_AUTHORIZATION}"),
        ("X-Api-Key", "abc", "${S_X_API_KEY}"),
        ("X-Custom", "Bearer abc", "${S_X_CUSTOM}"),
        ("Authorization", "Bearer ${env:TOKEN}", "Bearer ${TOKEN}"),
        ("Authorization", "Bearer ${input:token}", "${S_AUTHORIZATION}"),
        ("X-Team", "payments", "payments"),
    ],
)
def test_secrets_become_variables_of_the_environment(header: str, value: str, kept: str) -> None:
    found = read_mcp_servers(table(s={"url": "http://s/mcp", "headers": {header: value}}))
    assert dict(found.servers[0].headers) == {header: kept}
    assert bool(found.notes) is kept.startswith("${S_")
    assert not any("abc" in note for note in found.notes)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"mcpServers": []}', "[" * 100_000])
def test_a_file_without_servers_says_so(text: str) -> None:
    with pytest.raises(NoServersError, match=r"mcpServers|not JSON"):
        read_mcp_servers(text)
