from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from mcp_tasks_tui.demo.scenes import ServerSpec
from mcp_tasks_tui.demo.server import DemoServer, ServerOptions
from mcp_tasks_tui.demo.stage import STORIES
from tests.demo import conformance_tools
from tests.demo.raw import Raw, connected

FAST = 200.0
SPEC = ServerSpec("demo", "Demo server")
TOOLS = (*conformance_tools.TOOLS, *STORIES)


@pytest.fixture
async def server() -> DemoServer:
    server = DemoServer(SPEC, TOOLS, ServerOptions(speed=FAST, seed=7))
    await server.start()
    return server


@pytest.fixture
async def raw(server: DemoServer) -> AsyncIterator[Raw]:
    async with connected(server) as [client]:
        yield client
