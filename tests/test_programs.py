"""No program that we start outlives the work that started it."""

from __future__ import annotations

import asyncio
import os
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from pathlib import Path

import pytest

from mcp_tasks_tui import programs
from mcp_tasks_tui.cli.credentials import ConfiguredCredentials
from mcp_tasks_tui.config.model import ServerEntry
from mcp_tasks_tui.programs import ending_with
from mcp_tasks_tui.protocol.errors import NotSent

#: Prints its pid and that of a child that holds its output open, then stays.
_FAMILY = "sleep 600 & echo $$ $!; wait"
_STUBBORN = "trap '' TERM; echo $$; while :; do sleep 0.05; done"


async def cancelled_at_work(command: Sequence[str], *, group: bool) -> tuple[Process, list[int]]:
    """Run `command`, cancel the work once it has printed a line; the process and those pids."""
    process = await asyncio.create_subprocess_exec(
        *command, stdout=PIPE, process_group=0 if group else None
    )
    assert process.stdout
    pids = [int(word) for word in (await process.stdout.readline()).split()]

    async def work() -> None:
        async with ending_with(process, group=group):
            await process.wait()

    running = asyncio.create_task(work())
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    return process, pids


async def gone(pid: int) -> bool:
    """An orphan is reaped by the system, in its own time."""
    for _ in range(500):
        try:
            os.kill(pid, 0)
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        await asyncio.sleep(0.01)
    return False


async def test_cancelled_work_ends_its_program() -> None:
    process, _ = await cancelled_at_work(("sh", "-c", "echo $$; exec sleep 600"), group=False)
    assert process.returncode == -15


async def test_a_group_goes_as_a_whole() -> None:
    process, (leader, child) = await cancelled_at_work(("sh", "-c", _FAMILY), group=True)
    assert process.returncode is not None
    assert await gone(leader)
    assert await gone(child)


async def test_one_that_does_not_listen_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "_GRACE", 0.2)
    process, _ = await cancelled_at_work(("sh", "-c", _STUBBORN), group=True)
    assert process.returncode == -9


async def test_one_that_ended_is_left_alone() -> None:
    process = await asyncio.create_subprocess_exec("true")
    async with ending_with(process):
        await process.wait()
    assert process.returncode == 0


async def test_a_token_command_that_takes_too_long_is_ended_with_its_children(
    tmp_path: Path,
) -> None:
    pids = tmp_path / "pids"
    command = ("sh", "-c", f"sleep 600 & echo $$ $! > '{pids}'; wait")
    entry = ServerEntry("s", "http://127.0.0.1/", token_command=command)
    with pytest.raises(NotSent, match=r"token_command sh took over 0\.5 s"):
        await ConfiguredCredentials(entry, command_seconds=0.5).headers()
    for pid in map(int, pids.read_text().split()):
        assert await gone(pid)


async def test_a_token_command_ends_with_the_request_that_wanted_it(tmp_path: Path) -> None:
    started = tmp_path / "started"
    os.mkfifo(started)
    command = ("sh", "-c", f"echo $$ > '{started}'; exec sleep 600")
    entry = ServerEntry("s", "http://127.0.0.1/", token_command=command)
    request = asyncio.create_task(ConfiguredCredentials(entry).headers())
    pid = int(await asyncio.to_thread(started.read_text))
    request.cancel()
    with pytest.raises(asyncio.CancelledError):
        await request
    assert await gone(pid)
