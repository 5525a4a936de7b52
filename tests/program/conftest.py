"""What tests of the whole program need: a server that records, and the test's home."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.program.recorder import Recorder


@pytest.fixture
def home(neutral_environment: Path) -> Path:
    return neutral_environment


@pytest.fixture
def server() -> Iterator[Recorder]:
    with Recorder() as recorder:
        yield recorder
