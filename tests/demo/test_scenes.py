"""Scenes: a stage full of tasks, in a time of its own."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from datetime import datetime
from typing import Any

import aiohttp
import pytest

from mcp_tasks_tui.demo.lifecycles import DemoCall
from mcp_tasks_tui.demo.scenes import SCENES, Stage, command, only
from mcp_tasks_tui.demo.stage import Staging, raise_stage
from tests.demo.raw import DEADLINE, Raw, connected

NOON = 1_800_000_000.0
STATES = {
    "running": "working",
    "stuck": "working",
    "waiting": "input_required",
    "done": "completed",
    "tool-error": "completed",
    "failed": "failed",
    "cancelled": "cancelled",
}


def key(call: DemoCall) -> str:
    return json.dumps([call.server, call.tool, call.arguments])


async def fill(staging: Staging) -> tuple[dict[str, dict[str, Any]], dict[str, int]]:
    """Send all calls of a scene; the tasks as created, and how each server answers afterwards."""
    servers = await raise_stage(staging)
    created: dict[str, dict[str, Any]] = {}
    async with connected(*servers) as clients:
        raws = {server.spec.name: raw for server, raw in zip(servers, clients, strict=True)}
        for call in staging.scene.calls:
            task = (await raws[call.server].call(call.tool, call.arguments)).result
            created[key(call)] = task
        return created, {name: await status(raw) for name, raw in raws.items()}


async def status(raw: Raw) -> int:
    """The HTTP status that a server answers with, 0 where it cannot be reached."""
    try:
        return (await raw.ask("server/discover")).status
    except aiohttp.ClientError:
        return 0


async def test_triage_is_two_hundred_tasks_on_five_servers_each_as_the_scene_says() -> None:
    staging = Staging.of(scene="triage", seed=1, freeze=0, now=NOON)
    created, answers = await fill(staging)
    assert len(created) == 200
    assert answers == {"builds": 200, "exports": 200, "training": 200, "media": 0, "ledger": 401}
    for call in staging.scene.calls:
        task = created[key(call)]
        assert task["status"] == STATES[str(call.fate)], call
    fates = Counter(call.fate for call in staging.scene.calls)
    assert (fates["stuck"], fates["waiting"]) == (10, 4)


async def test_the_stuck_ones_have_been_silent_for_long_and_the_running_ones_have_not() -> None:
    staging = Staging.of(scene="triage", seed=1, freeze=0, now=NOON)
    created, _ = await fill(staging)
    silent: dict[str | None, list[str]] = {"stuck": [], "running": []}
    for call in staging.scene.calls:
        if call.fate in silent:
            task = created[key(call)]
            silent[call.fate].append(task["lastUpdatedAt"])
    assert max(silent["stuck"]) < "2027-01-15T07:40"
    assert min(silent["running"]) > "2027-01-15T07:59:40"


async def test_a_frozen_scene_is_the_same_each_time() -> None:
    async def tour() -> dict[str, dict[str, Any]]:
        scene = Staging.of(scene="tour", seed=5, freeze=40, now=NOON)
        created, _ = await fill(scene)
        return created

    first, second = await tour(), await tour()
    assert first == second
    states = Counter(task["status"] for task in first.values())
    assert states["input_required"] >= 2
    assert states["completed"] >= 2
    assert states["working"] >= 4


@pytest.mark.parametrize(("second", "expected"), [(40, 200), (60, 0), (100, 200)])
async def test_the_edge_server_is_away_only_while_the_frozen_story_says_so(
    second: float, expected: int
) -> None:
    staging = Staging.of(scene="tour", seed=5, freeze=second, now=NOON)
    [call] = [call for call in staging.scene.calls if call.server == "edge"]
    async with connected(*await raise_stage(staging)) as [_, edge], asyncio.timeout(DEADLINE):
        assert (await edge.call(call.tool, call.arguments)).result["status"] == "working"
        while await status(edge) != expected:
            pass


def test_the_tour_is_told_in_the_order_of_its_calls() -> None:
    delays = [call.delay for call in SCENES["tour"].calls]
    assert delays == sorted(delays)
    assert delays[0] == 0


def test_an_unknown_scene_names_those_there_are() -> None:
    with pytest.raises(ValueError, match="there are: tour, triage"):
        Staging.of(scene="nope")


def test_the_command_line_carries_what_was_chosen() -> None:
    words = command(only(["form", "stuck"]), speed=50, parent=7, seed=0, freeze=1.5)
    assert words[1:3] == ["-m", "mcp_tasks_tui.demo"]
    assert " ".join(words[3:]) == "--speed 50 --only form stuck --parent 7 --seed 0 --freeze 1.5"


def test_the_line_that_says_ready_is_read() -> None:
    stage = Stage.read('{"ready": true, "pid": 7, "url": "u", "servers": {"demo": "u"}}')
    assert (stage.pid, stage.urls) == (7, {"demo": "u"})


@pytest.mark.parametrize("line", ["", "[]", "7", '{"ready": true}', '{"ready": 0}', "Traceback"])
def test_any_other_line_is_not(line: str) -> None:
    with pytest.raises(ValueError, match="did not say that it is ready"):
        Stage.read(line)


async def test_a_task_begins_with_its_call_where_time_passes() -> None:
    staging = Staging.of(scene="tour", seed=5)
    async with connected(*await raise_stage(staging)) as [demo, _]:
        before = staging.clock.now()
        task = (await demo.call("migrate_users")).result
    created = datetime.fromisoformat(task["createdAt"]).timestamp()
    assert before - 0.001 <= created <= staging.clock.now()
