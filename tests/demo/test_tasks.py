"""The life of a task on the wire: answers, cancellation, expiry, questions before a task."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from mcp_tasks_tui.demo.clock import FrozenClock, TaskClock
from mcp_tasks_tui.demo.request_state import LIFETIME, Sealer
from mcp_tasks_tui.demo.server import DemoServer, ServerOptions
from mcp_tasks_tui.demo.tasks import Task, TaskStore, Work
from mcp_tasks_tui.demo.tools import Result, Tool, arguments_schema
from mcp_tasks_tui.demo.wire import Capabilities, RpcFault
from tests.demo.conftest import SPEC, TOOLS
from tests.demo.raw import DEADLINE, META, Raw, connected

YES = {"action": "accept", "content": {"confirm": True}}
NAME = {"action": "accept", "content": {"name": "Alice"}}


class MovedClock(FrozenClock):
    """Stands still until it is moved."""

    def move(self, seconds: float) -> None:
        self._now += seconds


async def test_a_created_task_is_flat_and_can_be_read_at_once(raw: Raw) -> None:
    created = (await raw.call("build_image", {"service": "x"})).result
    meta = created.pop("_meta")
    assert meta[f"{META}serverInfo"]["name"] == "mcp-tasks-demo"
    assert created.keys() == {
        "resultType",
        "taskId",
        "status",
        "statusMessage",
        "createdAt",
        "lastUpdatedAt",
        "ttlMs",
        "pollIntervalMs",
    }
    read = await raw.get(created["taskId"])
    assert (read["taskId"], read["resultType"]) == (created["taskId"], "complete")


async def test_a_partial_answer_leaves_the_other_question_open(raw: Raw) -> None:
    task_id = await raw.start("multi_input")
    assert set((await raw.get(task_id))["inputRequests"]) == {"name", "confirm"}
    ack = (await raw.update(task_id, {"name": NAME})).result
    assert ack.keys() == {"resultType", "_meta"}
    left = await raw.get(task_id)
    assert (left["status"], set(left["inputRequests"])) == ("input_required", {"confirm"})
    await raw.update(task_id, {"confirm": YES})
    done = await raw.until(task_id, "completed")
    assert done["result"]["content"][0]["text"] == "2 of 2 accepted."


@pytest.mark.parametrize(
    "responses", [{}, {"never-issued": {"ignored": True}}, {"never-issued": YES}]
)
async def test_answers_to_keys_that_are_not_open_are_acknowledged_and_ignored(
    raw: Raw, responses: dict[str, Any]
) -> None:
    task_id = await raw.start("multi_input")
    assert (await raw.update(task_id, responses)).result["resultType"] == "complete"
    assert len((await raw.get(task_id))["inputRequests"]) == 2


@pytest.mark.parametrize(
    "faulty",
    [
        7,
        None,
        {},
        {"action": "ok"},
        {"action": "accept"},
        {"action": "accept", "content": []},
        {"action": "accept", "content": {}},
        {"action": "accept", "content": {"name": 7}},
        {"action": "accept", "content": {"name": {"nested": "x"}}},
    ],
)
async def test_a_malformed_answer_refuses_the_whole_update(raw: Raw, faulty: Any) -> None:
    task_id = await raw.start("multi_input")
    refused = await raw.update(task_id, {"confirm": YES, "name": faulty})
    assert (refused.status, refused.code) == (400, -32602)
    assert "name" in refused.body["error"]["message"]
    assert len((await raw.get(task_id))["inputRequests"]) == 2


@pytest.mark.parametrize("responses", [None, [], "x"])
async def test_input_responses_must_be_an_object(raw: Raw, responses: Any) -> None:
    task_id = await raw.start("multi_input")
    assert (await raw.update(task_id, responses)).code == -32602


async def test_a_dismissed_question_comes_back_under_another_key(raw: Raw) -> None:
    task_id = await raw.start("plan_release")
    async with asyncio.timeout(DEADLINE):
        keys: list[str] = []
        async for task in raw.watch(task_id):
            for key in task.get("inputRequests", {}):
                if key not in keys:
                    keys.append(key)
                    action = "cancel" if len(keys) == 1 else "decline"
                    await raw.update(task_id, {key: {"action": action}})
            if task["status"] == "completed":
                break
    assert keys == ["release-plan", "release-plan-2"]
    assert "declined" in task["result"]["content"][0]["text"]


async def test_an_answered_key_is_stale_afterwards(raw: Raw) -> None:
    task_id = await raw.start("confirm_delete", {"filename": "a.txt"})
    answers = [raw.update(task_id, {"confirm": YES}) for _ in range(6)]
    acks = await asyncio.gather(*answers)
    assert [ack.status for ack in acks] == [200] * 6
    assert (await raw.until(task_id, "completed"))["result"]["content"][0]["text"].startswith("a.")


async def test_cancel_is_acknowledged_alike_before_and_after_the_end(raw: Raw) -> None:
    task_id = await raw.start("slow_compute", {"seconds": 600})
    first = (await raw.cancel(task_id)).result
    ended = await raw.until(task_id, "cancelled")
    assert not ended.keys() & {"result", "error", "inputRequests"}
    assert (await raw.cancel(task_id)).result == first
    assert (await raw.get(task_id))["status"] == "cancelled"


async def test_a_question_goes_with_its_cancelled_task(raw: Raw) -> None:
    task_id = await raw.start("confirm_delete")
    await raw.cancel(task_id)
    await raw.until(task_id, "cancelled")
    assert (await raw.update(task_id, {"confirm": YES})).status == 200
    assert (await raw.get(task_id))["status"] == "cancelled"


async def test_a_task_is_gone_when_its_time_to_live_is_over() -> None:
    clock = MovedClock(1_800_000_000.0)
    server = DemoServer(SPEC, TOOLS, ServerOptions(clock=clock))
    await server.start()
    async with connected(server) as [raw]:
        task_id = await raw.start("approve_budget")
        ttl = (await raw.get(task_id))["ttlMs"]
        clock.move(ttl / 1000 - 0.1)
        assert (await raw.get(task_id))["status"] == "working"
        clock.move(0.1)
        for method in ("tasks/get", "tasks/cancel"):
            assert (await raw.ask(method, {"taskId": task_id})).code == -32602


@pytest.mark.parametrize("is_read", [True, False])
def test_what_becomes_of_a_task_after_its_time_to_live_is_nobodys_news(is_read: bool) -> None:
    clock, seen = MovedClock(1_800_000_000.0), list[str]()
    store = TaskStore(clock, seed=1)
    store.watch(lambda task: seen.append(task.status))
    task = Task("1", clock.now(), clock.now(), ttl=95.0, poll_interval=1.0)
    own = TaskClock(clock, clock.now())
    nothing = Capabilities()
    work = Work(task, own, capabilities=nothing, changed=store.changed, leave=lambda _: None)
    store.add(work)
    work.say("Estimating")
    clock.move(95.0)
    if is_read:
        with pytest.raises(RpcFault, match="not found"):
            store.find("1")
    work.finish("cancelled", "Cancelled on request")
    assert seen == ["working"]


async def test_times_are_those_of_the_clock() -> None:
    clock = MovedClock(1_800_000_000.0)
    server = DemoServer(SPEC, TOOLS, ServerOptions(clock=clock))
    await server.start()
    async with connected(server) as [raw]:
        task_id = await raw.start("confirm_delete")
        clock.move(60)
        await raw.update(task_id, {"confirm": {"action": "decline"}})
        task = await raw.until(task_id, "completed")
        assert task["createdAt"] == "2027-01-15T08:00:00.000Z"
        assert task["lastUpdatedAt"] == "2027-01-15T08:01:00.000Z"


async def test_the_same_seed_gives_the_same_task_ids_and_never_one_twice() -> None:
    def server() -> DemoServer:
        return DemoServer(SPEC, TOOLS, ServerOptions(seed=3))

    one, two = server(), server()
    await one.start()
    await two.start()
    async with connected(one, two) as clients:
        first, second = [
            [await raw.start("make_thumbnail", {"number": n}) for n in (1, 2, 1)] for raw in clients
        ]
    assert first == second
    assert len(set(first)) == 3


async def ask_first(raw: Raw) -> dict[str, Any]:
    asked = (await raw.call("create_environment")).result
    assert asked["resultType"] == "input_required"
    assert "taskId" not in asked
    return asked


async def test_a_tool_that_asks_first_becomes_a_task_when_answered(raw: Raw) -> None:
    asked = await ask_first(raw)
    answers = {"environment": {"action": "accept", "content": {"name": "review-7"}}}
    again = {"requestState": asked["requestState"], "inputResponses": answers}
    created = (await raw.call("create_environment", params=again)).result
    assert created["resultType"] == "task"
    assert not created.keys() & {"requestState", "inputRequests"}
    done = await raw.until(created["taskId"], "completed")
    assert "review-7" in done["result"]["content"][0]["text"]


async def test_what_is_missing_is_asked_for_again(raw: Raw) -> None:
    asked = await ask_first(raw)
    again = {"requestState": asked["requestState"], "inputResponses": {"other": YES}}
    repeated = (await raw.call("create_environment", params=again)).result
    assert repeated["inputRequests"] == asked["inputRequests"]


@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_nothing_is_started_where_the_first_question_is_not_accepted(
    raw: Raw, action: str
) -> None:
    asked = await ask_first(raw)
    again = {
        "requestState": asked["requestState"],
        "inputResponses": {"environment": {"action": action}},
    }
    outcome = (await raw.call("create_environment", params=again)).result
    assert (outcome["resultType"], "taskId" in outcome) == ("complete", False)


@pytest.mark.parametrize("state", [None, "", "v1", "v1.e30.00", "v1.\u00e4.\u00e4", 7])
async def test_a_request_state_that_was_not_issued_is_refused(raw: Raw, state: Any) -> None:
    answers = {"environment": {"action": "accept", "content": {"name": "review-7"}}}
    again = {"requestState": state, "inputResponses": answers}
    assert (await raw.call("create_environment", params=again)).code == -32602


def test_a_request_state_belongs_to_one_call_and_one_quarter_of_an_hour() -> None:
    clock = MovedClock(1_800_000_000.0)
    sealer = Sealer(b"secret", clock)
    state = sealer.seal("tool", {"a": 1})
    sealer.check(state, "tool", {"a": 1})
    version, body, signature = state.split(".")
    for changed, tool, arguments in (
        (state, "other", {"a": 1}),
        (state, "tool", {"a": 2}),
        (f"{version}.{body}x.{signature}", "tool", {"a": 1}),
        (f"{version}.{body}.{signature[:-1]}", "tool", {"a": 1}),
        (Sealer(b"other", clock).seal("tool", {"a": 1}), "tool", {"a": 1}),
    ):
        with pytest.raises(RpcFault):
            sealer.check(changed, tool, arguments)
    clock.move(LIFETIME + 1)
    with pytest.raises(RpcFault, match="expired"):
        sealer.check(state, "tool", {"a": 1})


async def test_a_broken_story_fails_its_task_and_hangs_nobody(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def story(_work: Work, _arguments: Mapping[str, Any]) -> Result:
        raise KeyError("private detail")

    broken = Tool("broken", "Broken", "Breaks.", arguments_schema(), story)
    server = DemoServer(SPEC, [broken])
    await server.start()
    async with connected(server) as [raw]:
        task = await raw.get(await raw.start("broken"))
    assert (task["status"], task["error"]["code"]) == ("failed", -32603)
    assert "private detail" not in str(task)
    assert "private detail" in caplog.text
