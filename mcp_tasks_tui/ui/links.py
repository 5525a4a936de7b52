"""Links of servers: shown with their true host, opened only when a person says so."""

from __future__ import annotations

import asyncio
import re
import webbrowser
from typing import TYPE_CHECKING

from mcp_tasks_tui.forms.links import look_at
from mcp_tasks_tui.forms.reading import read_questions
from mcp_tasks_tui.ui.screens.answer_open import OpenScreen

if TYPE_CHECKING:
    from mcp_tasks_tui.supervise.view import TaskView
    from mcp_tasks_tui.ui.services import Services

_URL = re.compile(r"https?://[^\s<>\"')\]]{1,2000}")


def link_of(view: TaskView) -> str | None:
    """Return the link that a task is about: the one it asks to open, else one in its message."""
    for question in read_questions(view.snapshot.input_requests):
        if question.url is not None and question.key in view.open_requests:
            return question.url
    found = _URL.search(view.message.raw[:20_000]) if view.message else None
    return found.group() if found else None


def open_in_browser(url: str) -> bool:
    """Hand `url` to the browser; tell whether there was one. Never waits for it."""
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return False
    if isinstance(browser, webbrowser.GenericBrowser) and not isinstance(
        browser, webbrowser.BackgroundBrowser
    ):
        return False  # one that takes over this terminal
    return browser.open(url)


async def ask_and_open(services: Services, url: str) -> None:
    """Ask, then open `url` in the browser; only http and https are ever opened."""
    link = look_at(url)
    if not link.openable:
        services.say(f"not opened: {link.refusal}", "warning")
        return
    if await services.ask(OpenScreen(link, can_send=False)) is None:
        return
    if await asyncio.to_thread(open_in_browser, url):
        services.say(f"{link.host} handed to the browser")
    else:
        services.copy(url, "no browser here; the link was")
