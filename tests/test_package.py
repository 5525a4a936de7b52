"""What is installed: code and styles, no more, and the program by its name."""

from __future__ import annotations

import ast
import importlib
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

import mcp_tasks_tui
from mcp_tasks_tui import __main__

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


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def test_what_is_imported_is_declared_and_the_other_way_round() -> None:
    #: Imported by another name than that of the package, or with its pinned companion.
    packages = {"markdown_it": "markdown-it-py", "pydantic_core": "pydantic"}
    imported = {name for each in PACKAGE.rglob("*.py") for name in _imported(each)}
    roots = {name.partition(".")[0] for name in imported}
    others = roots - sys.stdlib_module_names - {PACKAGE.name, "_typeshed"}
    wanted = {packages.get(name, name.replace("_", "-")) for name in others}
    assert wanted == {re.split(r"[<>=]", each)[0] for each in PROJECT["dependencies"]}


def test_every_version_is_that_of_the_package() -> None:
    changes = (PACKAGE.parent / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## [{mcp_tasks_tui.__version__}]" in changes


def test_on_windows_one_line_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(__main__, "os", SimpleNamespace(name="nt"))
    with pytest.raises(SystemExit, match="Linux and macOS; on Windows use it in WSL"):
        __main__.main()
