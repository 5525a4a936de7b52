"""The log on the disk: private, bounded, and shared by the processes that write it."""

from __future__ import annotations

import logging
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_tasks_tui.cli import logs
from mcp_tasks_tui.cli.logs import open_log
from mcp_tasks_tui.files import lock

LOGGER = logging.getLogger("mcp_tasks_tui")


@pytest.fixture(autouse=True)
def logging_ends() -> Iterator[None]:
    yield
    LOGGER.setLevel(logging.NOTSET)
    for handler in LOGGER.handlers[:]:
        LOGGER.removeHandler(handler)
        handler.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log" / "mcp-tasks-tui.log"


def second(path: Path) -> Path:
    return path.with_name(f"{path.name}.1")


def handler_on(path: Path) -> logging.Handler:
    """Return what another process would write with."""
    kept = LOGGER.handlers[:]
    LOGGER.handlers.clear()
    open_log(path)
    [other] = LOGGER.handlers
    LOGGER.handlers[:] = kept
    return other


def tell(handler: logging.Handler, text: str) -> None:
    handler.emit(logging.LogRecord("mcp_tasks_tui.x", logging.INFO, "", 0, text, None, None))


def told(path: Path) -> list[str]:
    return [line.split(": ", 1)[1] for line in path.read_text(encoding="utf-8").splitlines()]


def test_it_is_two_private_files_of_a_megabyte_at_most(path: Path) -> None:
    before = os.umask(0)
    try:
        open_log(path)
        for number in range(300):
            LOGGER.info("%d %s", number, "x" * 10_000)
    finally:
        os.umask(before)
    files = sorted(path.parent.iterdir())
    assert [file.name for file in files] == ["mcp-tasks-tui.log", "mcp-tasks-tui.log.1"]
    assert all(file.stat().st_size <= 1_000_000 for file in files)
    assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in files)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_who_writes_when_another_has_rotated_follows_and_rotates_nothing_itself(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "_LIMIT", 300)
    one, other = handler_on(path), handler_on(path)
    try:
        tell(one, "first " + "x" * 100)
        tell(other, "second")
        tell(one, "third " + "x" * 100)
        tell(other, "fourth")
    finally:
        one.close()
        other.close()
    assert [line.split()[0] for line in told(second(path))] == ["first", "second"]
    assert [line.split()[0] for line in told(path)] == ["third", "fourth"]


def test_who_cannot_rotate_since_another_is_about_to_writes_on(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "_LIMIT", 100)
    handler = handler_on(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        tell(handler, "first")
        with lock(folder, 0) as ours:
            assert ours
            tell(handler, "second " + "x" * 100)
        assert not second(path).exists()
        tell(handler, "third")
    finally:
        os.close(folder)
        handler.close()
    assert [line.split()[0] for line in told(second(path))] == ["first", "second"]
    assert told(path) == ["third"]


_WRITER = """
import logging, sys
from pathlib import Path
from mcp_tasks_tui.cli import logs
logs._LIMIT = 40_000
logs.open_log(Path(sys.argv[1]))
for number in range(400):
    logging.getLogger("mcp_tasks_tui").info("%s %d.", sys.argv[2], number)
"""


def test_of_processes_that_write_at_once_no_line_is_lost_or_broken(path: Path) -> None:
    names = ["a", "b", "c"]
    running = [subprocess.Popen([sys.executable, "-c", _WRITER, str(path), n]) for n in names]
    assert [process.wait(60) for process in running] == [0, 0, 0]
    lines = [*told(second(path)), *told(path)]
    for name in names:
        assert [line for line in lines if line.startswith(name)] == [
            f"{name} {number}." for number in range(400)
        ]
    assert len(lines) == 400 * len(names)
    assert second(path).stat().st_size <= 40_500, "it was rotated when it was full, not later"


@pytest.mark.parametrize(
    "content", [b"[section]\nvalue = 1\n", b"\0" * 10, b"2026 was a good year\n"]
)
@pytest.mark.parametrize("name", ["mcp-tasks-tui.log", "mcp-tasks-tui.log.1"])
def test_a_file_of_somebody_else_is_left_alone(path: Path, name: str, content: bytes) -> None:
    path.parent.mkdir()
    other = path.parent / "other"
    other.write_bytes(content)
    other.chmod(0o644)
    (path.parent / name).symlink_to(other)
    with pytest.raises(OSError, match=f"{name} is no log of ours: move it away"):
        open_log(path)
    assert (other.read_bytes(), stat.S_IMODE(other.stat().st_mode)) == (content, 0o644)


def test_a_second_file_that_is_not_ours_is_never_replaced(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "_LIMIT", 100)
    handler = handler_on(path)
    second(path).write_text("kept by hand")
    try:
        for number in range(5):
            tell(handler, f"{number} {'x' * 30}")
    finally:
        handler.close()
    assert second(path).read_text() == "kept by hand"
    assert [line.split()[0] for line in told(path)] == ["0", "1", "2", "3", "4"]
