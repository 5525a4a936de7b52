"""How the program is put together."""

from __future__ import annotations

import asyncio
import importlib
from pathlib import Path

from mcp_tasks_tui.cli.compose import Wiring
from mcp_tasks_tui.config.model import Config, WireConfig
from tests.commandline import Cli
from tests.program.recorder import Recorder


async def test_http_waits_until_it_may_begin() -> None:
    importlib.import_module("mcp_tasks_tui.protocol.wire")  # from here on nothing else takes time
    may_begin = asyncio.Event()
    waiting = asyncio.create_task(Wiring(Config(), may_begin=may_begin).prepare())
    at_once = asyncio.create_task(Wiring(Config()).prepare())
    await at_once
    assert not waiting.done()
    may_begin.set()
    await waiting


async def test_the_largest_reply_is_that_of_the_settings() -> None:
    result = {"content": [{"type": "text", "text": "x" * 1_200_000}]}
    with Recorder() as server:
        server.add("t1", "completed", result=result)
        seen = []
        for mib in (1, 2):
            wiring = Wiring(Config(wire=WireConfig(max_reply_mib=mib)))
            await wiring.prepare()
            read = (await wiring.connect(server.url).get_task("t1")).task
            await wiring.close()
            seen.append((read.status, read.has_result))
    assert seen == [("completed", False), ("completed", True)]


def test_a_result_that_is_too_large_is_had_with_another_limit(
    cli: Cli, neutral_environment: Path
) -> None:
    result = {"content": [{"type": "text", "text": "x" * 1_200_000}]}
    neutral_environment.mkdir()
    settings = neutral_environment / "config.toml"
    settings.write_text("[wire]\nmax_reply_mib = 1\n")
    with Recorder() as server:
        server.add("t1", "completed", result=result)
        (key,) = cli("add", server.url, "t1").lines
        told = cli("result", key)
        assert told.code == 6
        assert "larger than 1 MiB: its result was not read; raise max_reply_mib" in told.err
        settings.write_text("[wire]\nmax_reply_mib = 2\n")
        assert cli("show", key, "--refresh", "--json").json["notes"] == []
        assert len(cli("result", key).out) > 1_200_000
