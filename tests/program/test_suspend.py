"""Back to the shell and on again, as a terminal's own key does it."""

from __future__ import annotations

from pathlib import Path

from tests.program.running import PROGRAM, environment, save, screen
from tests.terminal import ALTERNATE_SCREEN, Terminal

#: A shell that starts the program as a job of its own, tells that it was stopped, and on Enter
#: brings it back.
_SHELL = 'set -m; "$@"; echo "back in the $0"; read -r _; fg >/dev/null; echo "ended with $?"'
_NOWHERE = "http://127.0.0.1:9/mcp"
_STOP = "\x1a"


def test_the_program_stops_for_the_shell_and_comes_back_with_all_of_its_screen(home: Path) -> None:
    save(home, _NOWHERE, "nightly-build")
    argv = ["bash", "-c", _SHELL, "shell", *PROGRAM]
    with Terminal(argv, environment(home)) as terminal:
        terminal.wait_for("nightly-build")
        terminal.send(_STOP)
        terminal.wait_for("back in the shell")
        assert terminal.modes_left() == set()
        assert ALTERNATE_SCREEN in terminal.modes_used()
        assert terminal.settings() == terminal.before
        terminal.forget()
        terminal.send("\n")
        terminal.wait_for("nightly-build")
        terminal.wait_for("help")
        assert ALTERNATE_SCREEN in terminal.modes_left()
        terminal.send("q")
        terminal.wait_for("ended with 0")
        assert terminal.wait_exit() == 0
        assert terminal.modes_left() == set()


def test_without_a_shell_to_bring_it_back_it_does_not_stop(home: Path) -> None:
    save(home, _NOWHERE, "nightly-build")
    with screen(home) as terminal:
        terminal.wait_for("nightly-build")
        terminal.send(_STOP)
        terminal.wait_for("no shell to go back to")
        terminal.send("q")
        assert terminal.wait_exit() == 0
