"""Holding the polls of a server, or of all, at the keyboard."""

from __future__ import annotations

from pathlib import Path

from tests.program.recorder import Recorder
from tests.program.running import QUICK, save, saved, screen


def test_a_server_and_then_everything_is_held_over_a_restart(home: Path, server: Recorder) -> None:
    with Recorder() as other:
        for host, names in ((server, ("one", "two")), (other, ("three",))):
            for name in names:
                host.add(name, statusMessage="step 1 of 4")
            save(home, host.url, *names)
        with screen(home, program=QUICK) as terminal:
            terminal.wait_for("three")
            terminal.wait_for("step 1 of 4")
            terminal.send("H")
            terminal.wait_for("polling held")
            while not (held := _held(home)):  # what the screen says is on its way to the disk
                terminal.read(0.1)
            assert held in ({"one", "two"}, {"three"}), "all of one server and no other"
            terminal.send("E")
            terminal.wait_for("all tasks: no longer read by itself")
            terminal.send("q")
            assert terminal.wait_exit() == 0
        assert _held(home) == {"one", "two", "three"}
        reads = server.sent("tasks/get"), other.sent("tasks/get")
        with screen(home, program=QUICK) as terminal:
            terminal.wait_for(lambda text: text.count("polling held") >= 2)
            terminal.forget()
            server.tasks["one"]["statusMessage"] = "step 2 of 4"
            terminal.quiet(0.5)
            assert (server.sent("tasks/get"), other.sent("tasks/get")) == reads
            terminal.send("E")
            terminal.wait_for("step 2 of 4")
            terminal.send("q")
            assert terminal.wait_exit() == 0
        assert not _held(home)


def _held(home: Path) -> set[str]:
    return {one.handle.task_id for one in saved(home).values() if one.snapshot.held}
