"""The engine starts cheap: what it does not need at first is not imported."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("pydantic", "httpx", "aiohttp", "textual", "rich", "jsonschema")


@pytest.mark.parametrize(
    "module", ["mcp_tasks_tui.supervise.supervisor", "mcp_tasks_tui.supervise.view"]
)
def test_the_engine_imports_no_machinery(module: str) -> None:
    program = f"import sys, {module}; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
