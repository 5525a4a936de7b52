"""An app in a test is waited for exactly as long as it has something to do."""

from __future__ import annotations

import asyncio
import gc
from typing import TYPE_CHECKING, Any

import pytest
import textual.app
import textual.pilot
from textual._styles_cache import StylesCache
from textual.css.stylesheet import Stylesheet

from mcp_tasks_tui.ui.screens import read_first
from mcp_tasks_tui.ui.terminal import along
from tests.ui.idle import Idleness
from tests.ui.sheets import parse_once

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def exact_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a pilot wait for the app's last step instead of for a quiet processor."""
    idleness = Idleness()
    loop = asyncio.BaseEventLoop
    run: Any = loop.run_in_executor

    def run_in_executor(*arguments: Any) -> asyncio.Future[Any]:
        job: asyncio.Future[Any] = run(*arguments)
        idleness.watch(job)
        return job

    monkeypatch.setattr(loop, "run_in_executor", run_in_executor)
    monkeypatch.setattr(textual.app, "wait_for_idle", idleness.reached)
    monkeypatch.setattr(textual.pilot, "wait_for_idle", idleness.reached)
    monkeypatch.setattr(textual.pilot.Pilot, "_wait_for_screen", idleness.reached)


@pytest.fixture(autouse=True)
def questions_are_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what is pressed once a question is drawn count: nobody here needs time to read it."""
    monkeypatch.setattr(read_first, "TIME_TO_READ", 0.0)


@pytest.fixture(autouse=True)
def nobody_here_has_hands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let keys count that come faster than hands can type them."""
    monkeypatch.setattr(along, "TOGETHER", 0.0)


@pytest.fixture(autouse=True)
def sheets_are_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stylesheet, "_parse_rules", parse_once)


@pytest.fixture(autouse=True)
def nothing_drawn_is_kept() -> Iterator[None]:
    """Forget what Textual keeps of a thousand widgets that are gone, all their lines with it: the
    garbage collector would go through them again and again."""
    yield
    StylesCache.get_inner_outer.cache_clear()


@pytest.fixture(scope="module", autouse=True)
def modules_stay_out_of_collections() -> Iterator[None]:
    """Screens that freeze what there is let it go when they end: do it again after them."""
    yield
    if gc.get_freeze_count() == 0:
        gc.collect()
        gc.freeze()
