"""Servers in the settings file: written beside what a person wrote."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mcp_tasks_tui.config.editing import add_server, remove_server
from mcp_tasks_tui.config.loading import load_config
from mcp_tasks_tui.config.model import ConfigError, ServerEntry
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
