"""A client on a wire of the test, with limits that are calm or hasty."""

from __future__ import annotations

import pytest

from mcp_tasks_tui.protocol.client import TaskClient
from mcp_tasks_tui.protocol.errors import RequestError
from mcp_tasks_tui.protocol.transport.connections import Limits
from mcp_tasks_tui.protocol.wire import Wire
from tests.protocol.servers import Reply, ScriptedServer

#: Far longer than any answer takes, so that a busy machine fails no test.
CALM = Limits(connect=20.0, silence=20.0, total=40.0, reply_bytes=100_000)


async def failing_read(client: TaskClient) -> RequestError:
    with pytest.raises(RequestError) as caught:
        await client.get_task("t1")
    return caught.value


async def failure_after(wire: Wire, *replies: Reply) -> RequestError:
    async with ScriptedServer(*replies) as server:
        return await failing_read(wire.client(server.url))
