"""A wire that is closed after the test."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from mcp_tasks_tui.protocol.wire import Wire
from tests.protocol.wires import CALM


@pytest.fixture
async def wire() -> AsyncIterator[Wire]:
    wire = Wire(CALM, environ={})
    yield wire
    await wire.close()
