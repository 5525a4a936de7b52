"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path

import pytest

from mcp_tasks_tui import files


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_new_file_is_private_and_one_that_was_there_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "out"
    files.replace(path, b"one")
    assert (path.read_bytes(), mode(path)) == (b"one", 0o600)
    path.chmod(0o644)
    files.replace(path, b"two")
    assert (path.read_bytes(), mode(path)) == (b"two", 0o644)
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_one(tmp_path: Path) -> None:
    path, link = tmp_path / "out", tmp_path / "link"
    link.symlink_to(path)
    files.replace(link, b"one")
    assert link.is_symlink()
    assert path.read_bytes() == b"one"


@pytest.mark.parametrize("step", ["write", "fsync", "replace"])
def test_what_was_there_outlives_a_write_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"old")

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, step, full)
    with pytest.raises(OSError, match="No space left"):
        files.replace(path, b"new and longer")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as reader:
        files.replace(path, b"one")
        assert reader.read() == b"one"
    assert path.is_fifo()


def test_a_pipe_that_nobody_reads_from_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(OSError, match="nobody reads from that pipe"):
        files.replace(path, b"for nobody")
    assert path.is_fifo()


def test_a_pipe_without_a_name_of_its_own_is_written_to(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    files.replace(Path(f"/dev/fd/{writer}"), b"through the shell")
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        assert pipe.read() == b"through the shell"


def test_a_lock_tells_one_that_another_keeps_from_none_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (os.open(tmp_path, os.O_RDONLY) for _ in range(2))
    try:
        with files.lock(first, 0) as alone, files.lock(second, 0.05) as also_alone:
            assert (alone, also_alone) == (True, False)
        with files.lock(second, 0) as alone:
            assert alone

        def none_here(*_: object) -> None:
            raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

        monkeypatch.setattr(fcntl, "flock", none_here)
        with files.lock(second, 0) as alone:
            assert alone
    finally:
        os.close(first)
        os.close(second)
