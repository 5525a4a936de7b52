"""A handle that Ctrl-C caught on its way to a disk that refuses it is printed all the same."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from mcp_tasks_tui.cli.session import Session
from mcp_tasks_tui.handles.errors import StoreError
from mcp_tasks_tui.handles.interchange import parse
from mcp_tasks_tui.handles.model import HandleDraft

DRAFT = HandleDraft("http://one.test/mcp", "made", tool="build", arguments={"n": 1})


async def test_what_is_not_on_disk_when_work_is_broken_off_is_printed(
    neutral_environment: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def work() -> None:
        async with Session().supervisor() as supervisor:
            (neutral_environment / "receipts.jsonl").mkdir()  # nothing can be kept any more
            with pytest.raises(StoreError):
                await supervisor.save(DRAFT)
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await work()
    out, err = capsys.readouterr()
    said, whole = err.splitlines()
    assert out == ""
    assert "give it to `mcp-tasks-tui import` later" in said
    assert parse(whole).drafts == (DRAFT,)
