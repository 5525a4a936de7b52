"""Small makers of plain values for these tests."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from mcp_tasks_tui import files
from mcp_tasks_tui.handles.model import HandleDraft, JournalEntry, Snapshot, SnapshotWrite
from mcp_tasks_tui.handles.store import HandleStore

URL = "http://build.example/mcp"


def draft(task_id: str = "t1", **fields: object) -> HandleDraft:
    return HandleDraft(**{"server_url": URL, "task_id": task_id, **fields})  # type: ignore[arg-type]


def write(
    key: str, base: int, status: str = "working", *journal: JournalEntry, **fields: object
) -> SnapshotWrite:
    snapshot = Snapshot(status=status)
    return SnapshotWrite(key, base, snapshot, journal, **fields)  # type: ignore[arg-type]


def ids(home: Path) -> set[str]:
    """The task ids that a fresh look at the folder finds."""
    with HandleStore.open(home) as store:
        return {saved.handle.task_id for saved in store.load()}


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def everything_written(home: Path) -> bytes:
    return b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())


def make_read_only(patch: pytest.MonkeyPatch) -> None:
    """Answer as a read-only medium does; permissions do not stop the superuser."""
    opened = os.open

    def refuse(path: Any, flags: int, *rest: Any) -> int:
        if flags & (os.O_RDWR | os.O_WRONLY | os.O_CREAT):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))
        return opened(path, flags, *rest)

    patch.setattr(files, "writable", lambda _: False)
    patch.setattr(os, "open", refuse)
