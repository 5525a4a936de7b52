"""How the header tells the servers: whether they are well, and how their news come."""

from __future__ import annotations

import pytest

from mcp_tasks_tui.supervise.view import Health, ServerView
from mcp_tasks_tui.ui.looks import glyphs
from mcp_tasks_tui.ui.widgets.header import _servers


def a_server(name: str, *, pushed: bool = False, health: Health = Health.OK) -> ServerView:
    url = f"http://{name}.example/mcp"
    return ServerView(url=url, name=name or url, health=health, pushed=pushed)


@pytest.mark.parametrize(
    ("servers", "told"),
    [
        ([a_server("a")], "1 server ok: polled"),
        ([a_server("a", pushed=True), a_server("b", pushed=True)], "2 servers ok: pushed"),
        ([a_server("a", pushed=True), a_server("b")], "2 servers ok: a pushed, b polled"),
        (
            [*(a_server(name, pushed=True) for name in "abc"), a_server("d")],
            "4 servers ok: a b c pushed, d polled",
        ),
        ([a_server("a"), a_server("b", health=Health.UNKNOWN)], "2 servers not all asked yet"),
        ([a_server("a"), a_server("b", health=Health.DOWN)], "✗ 1 of 2 servers ill"),
    ],
)
def test_each_server_says_whether_it_is_pushed_or_polled(
    servers: list[ServerView], told: str
) -> None:
    assert _servers(servers, glyphs(ascii_only=False)).text == told
