"""Settings that are changed while a screen is open."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_tasks_tui.cli.settings import LiveSettings, ServerNames
from mcp_tasks_tui.config.editing import add_server
from mcp_tasks_tui.config.loading import load_config
from mcp_tasks_tui.config.model import Config, ConfigError, ServerEntry

URL = "http://build.example/mcp"


def test_a_server_that_is_named_later_has_its_name_and_headers(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    settings = LiveSettings(load_config(path), path)
    names = ServerNames(settings)
    assert (names.get(URL), len(names)) == (None, 0)
    add_server(path, "build", URL, {"X-Team": "a"})
    assert (names.get(URL), list(names)) == ("build", [URL])
    assert settings.read().servers == (ServerEntry("build", URL, {"X-Team": "a"}),)


def test_while_the_file_is_unusable_what_was_read_before_holds(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    add_server(path, "build", URL, {})
    settings = LiveSettings(load_config(path), path)
    names = ServerNames(settings)
    whole = path.read_text(encoding="utf-8")
    path.write_text("[servers.build\n", encoding="utf-8")
    for _ in range(2):
        with pytest.raises(ConfigError):
            settings.read()
    assert names[URL] == "build"
    path.write_text(whole.replace("build]", "farm]"), encoding="utf-8")
    assert names[URL] == "farm"


def test_settings_without_a_file_stay(tmp_path: Path) -> None:
    config = Config((ServerEntry("demo", URL),))
    for file in (None, tmp_path / "none.toml"):
        assert LiveSettings(config, file).read() is config
