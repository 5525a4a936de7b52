"""Where things lie on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_tasks_tui.places import NoHomeError, find_paths


def test_one_variable_moves_everything(tmp_path: Path) -> None:
    paths = find_paths({"MCP_TASKS_TUI_HOME": str(tmp_path)})
    assert paths.config_file == tmp_path / "config.toml"
    assert paths.data == tmp_path
    assert paths.log_file.parent == tmp_path / "log"


def test_without_it_the_platform_decides() -> None:
    paths = find_paths({})
    assert paths.data.is_absolute()
    assert "mcp-tasks-tui" in paths.data.parts


def test_the_home_of_nobody_is_a_mistake_in_the_variable() -> None:
    with pytest.raises(NoHomeError, match="no such user"):
        find_paths({"MCP_TASKS_TUI_HOME": "~nobody-of-this-name/tasks"})
