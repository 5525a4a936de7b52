"""What is installed: code and styles, no more, and the program by its name."""

from __future__ import annotations

import importlib
import tomllib
from pathlib import Path

import mcp_tasks_tui

PACKAGE = Path(mcp_tasks_tui.__file__).parent
PROJECT = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_nothing_lies_in_the_package_but_code_and_styles_in_use() -> None:
    files = [path for path in PACKAGE.rglob("*") if path.is_file()]
    shipped = [path for path in files if "__pycache__" not in path.parts]
    others = [path for path in shipped if path.suffix != ".py"]
    code = "\n".join(path.read_text(encoding="utf-8") for path in shipped if path.suffix == ".py")
    styles = [path.name for path in others if path.suffix == ".tcss"]
    assert styles
    assert [name for name in styles if name not in code] == []
    assert {path.name for path in others} - {*styles} == {"py.typed"}


def test_the_program_is_where_its_script_looks_for_it() -> None:
    module, _, name = PROJECT["scripts"]["mcp-tasks-tui"].partition(":")
    assert callable(getattr(importlib.import_module(module), name))


def test_every_version_is_that_of_the_package() -> None:
    changes = (PACKAGE.parent / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## [{mcp_tasks_tui.__version__}]" in changes
