"""Servers in the settings file: written beside what a person wrote, read from other hosts."""

from __future__ import annotations

import json
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from mcp_tasks_tui.config import ConfigError, ServerEntry, load_config
from mcp_tasks_tui.config_edit import add_server, remove_server
from mcp_tasks_tui.config_import import NoServersError, is_plain_secret, read_mcp_servers
from mcp_tasks_tui.urls import UrlError

MINE = """\
# my servers

[servers.build]   # the fast one
url = "http://build/mcp"

[engine]
min_poll = 2      # be polite
"""


def test_what_a_person_wrote_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(MINE, encoding="utf-8")
    add_server(path, "deploy.eu", "http://DEPLOY:80/mcp", {"Authorization": "Bearer ${T}"})
    written = path.read_text(encoding="utf-8")
    assert all(line in written.splitlines() for line in MINE.splitlines())
    assert load_config(path).server("deploy.eu") == ServerEntry(
        "deploy.eu", "http://deploy/mcp", {"Authorization": "Bearer ${T}"}
    )
    remove_server(path, "deploy.eu")
    left = path.read_text(encoding="utf-8")
    assert [line for line in left.splitlines() if line] == [x for x in MINE.splitlines() if x]
    remove_server(path, "build")
    assert "# my servers" in path.read_text(encoding="utf-8")
    assert load_config(path).engine.min_poll == 2


def test_the_file_is_made_private_and_stays_so(tmp_path: Path) -> None:
    path = tmp_path / "new" / "config.toml"
    for name in ("a", "b"):
        add_server(path, name, f"http://{name}/mcp", {})
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert sorted(one.name for one in path.parent.iterdir()) == ["config.toml"]


@pytest.mark.parametrize(
    ("name", "url", "words"),
    [
        ("build", "http://else/mcp", "build"),
        ("other", "HTTP://build:80/mcp", "build"),
        ("a b", "http://x/", "a server name is letters"),
        ("a", "ftp://x/", "http"),
    ],
)
def test_what_cannot_be_added_changes_nothing(
    tmp_path: Path, name: str, url: str, words: str
) -> None:
    path = tmp_path / "config.toml"
    path.write_text(MINE, encoding="utf-8")
    with pytest.raises((ConfigError, UrlError), match=words):
        add_server(path, name, url, {})
    assert path.read_text(encoding="utf-8") == MINE


def test_a_broken_file_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("[servers\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="not valid TOML"):
        add_server(path, "a", "http://a/", {})
    assert path.read_text(encoding="utf-8") == "[servers\n"


def test_a_link_into_other_folders_stays_a_link(tmp_path: Path) -> None:
    real, path = tmp_path / "dotfiles" / "tasks.toml", tmp_path / "config.toml"
    real.parent.mkdir()
    real.write_text(MINE, encoding="utf-8")
    path.symlink_to(real)
    add_server(path, "other", "http://other/", {})
    assert path.is_symlink()
    assert "other" in real.read_text(encoding="utf-8")


def test_servers_added_at_once_are_all_there(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    names = [f"s{number}" for number in range(16)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: add_server(path, name, f"http://{name}/", {}), names))
    assert sorted(server.name for server in load_config(path).servers) == sorted(names)


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


def test_a_reference_is_no_secret() -> None:
    assert is_plain_secret("Authorization", "Bearer x")
    assert not is_plain_secret("Authorization", "Bearer ${TOKEN}")
    assert not is_plain_secret("Accept-Language", "en")
