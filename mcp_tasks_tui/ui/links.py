"""Links of servers: shown with their true host, opened only when a person says so."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from asyncio.subprocess import DEVNULL, PIPE
from typing import TYPE_CHECKING

from mcp_tasks_tui.forms.links import look_at
from mcp_tasks_tui.forms.reading import is_page, read_question
from mcp_tasks_tui.programs import ending_with
from mcp_tasks_tui.ui.screens.answer.open import OpenScreen

if TYPE_CHECKING:
    from mcp_tasks_tui.supervise.view import TaskView
    from mcp_tasks_tui.ui.services import Services

#: Seconds that finding a browser and starting it may take.
_PATIENCE = 30.0
_URL = re.compile(r"https?://[^\s<>\"')\]]{1,2000}")


def link_of(view: TaskView) -> str | None:
    """Return the link that a task is about: the one it asks to open, else one in its message."""
    asked = view.snapshot.input_requests
    for key in view.open_requests:
        if is_page(asked.get(key)) and (url := read_question(key, asked[key]).url) is not None:
            return url
    found = _URL.search(view.message.raw[:20_000]) if view.message else None
    return found.group() if found else None


async def open_in_browser(url: str) -> bool:
    """Hand `url` to the browser; tell whether one was started. Nothing of it reaches the screen."""
    try:
        starter = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "mcp_tasks_tui.ui.terminal.browser"),
            stdin=PIPE,
            stdout=DEVNULL,
            stderr=DEVNULL,
            # Without it, browsers that need a terminal do not offer themselves.
            env={name: value for name, value in os.environ.items() if name != "TERM"},
            start_new_session=True,
        )
    except OSError:
        return False
    async with ending_with(starter):
        try:
            async with asyncio.timeout(_PATIENCE):
                await starter.communicate(url.encode("utf-8", "surrogatepass"))
                return starter.returncode == 0
        except TimeoutError:
            return False


async def ask_and_open(services: Services, url: str) -> None:
    """Ask, then open `url` in the browser; only http and https are ever opened."""
    link = look_at(url)
    if not link.openable:
        services.say(f"not opened: {link.refusal}", "warning")
        return
    if await services.ask(OpenScreen(link, can_send=False)) is None:
        return
    if await open_in_browser(url):
        services.say(f"{link.host} handed to the browser")
    else:
        services.copy(url, "no browser here; the link was")
