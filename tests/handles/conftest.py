from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_tasks_tui.handles.store import HandleStore


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def store(home: Path) -> Iterator[HandleStore]:
    with HandleStore.open(home) as opened:
        yield opened
