"""The package as an installer leaves it: byte-compiled. Compiling is no part of a start."""

from __future__ import annotations

import compileall
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import mcp_tasks_tui
from mcp_tasks_tui.places import HOME_VARIABLE


def install(folder: Path, home: Path) -> Mapping[str, str]:
    """Copy the package to `folder`; return the environment that runs it, with its files in `home`.

    Run it elsewhere than in a checkout: `python -m` looks in the folder where it is started first.
    """
    source = Path(mcp_tasks_tui.__file__).parent
    target = folder / source.name
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    compileall.compile_dir(target, quiet=2)
    return {**os.environ, HOME_VARIABLE: str(home), "PYTHONPATH": str(folder)}
