"""How the program is put together."""

from __future__ import annotations

import asyncio
import importlib

from mcp_tasks_tui.cli.compose import Wiring
from mcp_tasks_tui.config.model import Config


async def test_http_waits_until_it_may_begin() -> None:
    importlib.import_module("mcp_tasks_tui.protocol.wire")  # from here on nothing else takes time
    may_begin = asyncio.Event()
    waiting = asyncio.create_task(Wiring(Config(), may_begin=may_begin).prepare())
    at_once = asyncio.create_task(Wiring(Config()).prepare())
    await at_once
    assert not waiting.done()
    may_begin.set()
    await waiting
