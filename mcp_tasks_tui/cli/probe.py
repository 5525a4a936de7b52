"""Asking servers who they are: for `servers test` and `doctor`."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.cli.compose import Wiring
from mcp_tasks_tui.cli.exits import Exit
from mcp_tasks_tui.protocol.errors import RequestError
from mcp_tasks_tui.records import record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_tasks_tui.config.model import Config
    from mcp_tasks_tui.sanitize import ServerText


@record
class Probe:
    """What one server answered to `server/discover`; `words` is one clean line."""

    url: str
    name: str
    exit: Exit
    words: str
    server: ServerText | None = None
    tasks: bool | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "url": self.url,
            "name": self.name,
            "ok": self.exit is Exit.DONE,
            "text": self.words,
            "server": self.server.raw if self.server else None,
            "tasks": self.tasks,
        }


async def probe_all(config: Config, urls: Sequence[str]) -> list[Probe]:
    """Ask all servers at once; in the order given."""
    wiring = Wiring(config)
    try:
        return await asyncio.gather(*(_probe(wiring, config.name_of(url), url) for url in urls))
    finally:
        await wiring.close()


async def _probe(wiring: Wiring, name: str, url: str) -> Probe:
    try:
        info = await wiring.connect(url).discover()
    except RequestError as error:
        return Probe(url, name, Exit.UNREACHABLE, str(error))
    known = " ".join(str(part) for part in (info.name, info.version) if part) or "a server"
    if not info.tasks:
        words = f"{known}: does not list the tasks extension; its calls end at once"
        return Probe(url, name, Exit.UNREACHABLE, words, info.name, tasks=False)
    return Probe(url, name, Exit.DONE, f"{known}: ok, hands out tasks", info.name, tasks=True)
