"""An app in a test is waited for exactly as long as it has something to do."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import textual.app
import textual.pilot

from tests.ui.idle import Idleness


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
