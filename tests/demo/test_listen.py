"""`subscriptions/listen` with task ids."""

from __future__ import annotations

import asyncio
from typing import Any

import aiohttp
import pytest

from mcp_tasks_tui.demo.server import DemoServer, ServerOptions
from tests.demo.conftest import FAST, SPEC, TOOLS
from tests.demo.raw import DEADLINE, META, Raw, connected

SUBSCRIPTION = {f"{META}subscriptionId": "listening"}
ACKNOWLEDGED = "notifications/subscriptions/acknowledged"


async def test_only_known_tasks_are_acknowledged_each_once(raw: Raw) -> None:
    one, two = await raw.start("confirm_delete"), await raw.start("multi_input")
    async with raw.listen({"taskIds": [two, "nobody", one, two]}) as stream:
        first = await anext(stream)
    assert first["method"] == ACKNOWLEDGED
    assert first["params"] == {"notifications": {"taskIds": [two, one]}, "_meta": SUBSCRIPTION}


@pytest.mark.parametrize("wanted", [{}, {"toolsListChanged": True}, {"taskIds": ["nobody"]}])
async def test_what_is_not_offered_is_not_acknowledged(raw: Raw, wanted: Any) -> None:
    async with raw.listen(wanted) as stream:
        assert (await anext(stream))["params"]["notifications"] == {}


async def test_each_notification_is_the_whole_task_as_a_read_would_give_it(raw: Raw) -> None:
    task_id, other = await raw.start("confirm_delete"), await raw.start("multi_input")
    async with asyncio.timeout(DEADLINE), raw.listen({"taskIds": [task_id]}) as stream:
        await anext(stream)
        yes = {"action": "accept", "content": {"confirm": True}}
        await raw.update(other, {"confirm": yes})
        await raw.update(task_id, {"confirm": yes})
        async for message in stream:
            pushed = dict(message["params"])
            assert pushed.pop("_meta") == SUBSCRIPTION
            assert (message["method"], pushed["taskId"]) == ("notifications/tasks", task_id)
            if pushed["status"] == "completed":
                break
    read = await raw.get(task_id)
    del read["_meta"], read["resultType"]
    assert pushed == read


@pytest.mark.parametrize("wanted", [None, {"taskIds": "x"}, {"taskIds": [7]}])
async def test_a_malformed_filter_is_refused(raw: Raw, wanted: Any) -> None:
    reply = await raw.ask("subscriptions/listen", {"notifications": wanted})
    assert (reply.status, reply.code) == (400, -32602)


async def test_task_ids_need_the_capability(raw: Raw) -> None:
    params: dict[str, Any] = {"notifications": {"taskIds": []}}
    reply = await raw.ask("subscriptions/listen", params, capabilities={})
    assert (reply.status, reply.code) == (400, -32021)


async def test_silence_is_kept_alive_by_comments() -> None:
    server = DemoServer(SPEC, TOOLS, ServerOptions(keep_alive=0.02))
    await server.start()
    async with connected(server) as [raw], asyncio.timeout(DEADLINE), raw.listen({}) as stream:
        assert (await anext(stream))["method"] == ACKNOWLEDGED
        assert [await anext(stream) for _ in range(2)] == [": keep-alive"] * 2


async def test_a_server_that_stops_says_that_the_stream_is_over(
    server: DemoServer, raw: Raw
) -> None:
    async with asyncio.timeout(DEADLINE), raw.listen({}) as stream:
        await anext(stream)
        stopping = asyncio.create_task(server.stop())
        [last] = [message async for message in stream]
        await stopping
    assert (last["id"], last["result"]["resultType"]) == ("listening", "complete")
    assert last["result"]["_meta"].items() >= SUBSCRIPTION.items()


async def test_a_server_that_goes_away_cuts_the_stream_and_comes_back_with_its_tasks() -> None:
    server = DemoServer(SPEC, TOOLS, ServerOptions(speed=FAST))
    await server.start()
    async with connected(server) as [raw], asyncio.timeout(DEADLINE):
        task_id = await raw.start("confirm_delete")
        async with raw.listen({"taskIds": [task_id]}) as stream:
            await anext(stream)
            server.go_away(0.1)
            assert [message async for message in stream] == []
        while True:
            try:
                task = await raw.get(task_id)
            except aiohttp.ClientError:
                continue
            break
        assert task["status"] == "input_required"


async def test_a_listener_that_leaves_disturbs_nobody(raw: Raw) -> None:
    task_id = await raw.start("multi_input")
    async with raw.listen({"taskIds": [task_id]}) as stream:
        await anext(stream)
    no = {"action": "decline"}
    assert (await raw.update(task_id, {"name": no, "confirm": no})).status == 200
    assert (await raw.until(task_id, "completed"))["result"]["isError"] is False
