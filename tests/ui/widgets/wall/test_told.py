"""What a card tells in small letters: why it failed, what was said, since when."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.supervise.view import Coverage, Progress
from mcp_tasks_tui.ui.widgets.lines.pieces import Tone
from mcp_tasks_tui.ui.widgets.wall.card import card
from tests.ui.fakes import NOW, a_task
from tests.ui.widgets.wall.cards import shown

if TYPE_CHECKING:
    from mcp_tasks_tui.supervise.view import TaskView


def red(view: TaskView) -> str:
    lines = card(view, 60, 20, NOW)
    return " ".join(each.text for line in lines for each in line if each.tone is Tone.BAD)


def test_a_failure_says_why_in_red() -> None:
    view = a_task(state=State.FAILED, label="Sync")
    told = replace(view, snapshot=replace(view.snapshot, error={"message": "No space left"}))
    assert "No space left" in red(told)
    silent = a_task(state=State.FAILED, message="Worker lost: no heartbeat for 30 s")
    assert "Worker lost: no heartbeat for 30 s" in red(silent)
    assert "no error detail" not in shown(silent)
    assert "the server gave no error detail" in shown(view)


def test_a_working_panel_keeps_its_letters_while_messages_of_any_length_come() -> None:
    long = "Scanning for known vulnerabilities in every layer of the image"
    for size in ((40, 9), (40, 12)):
        rows = {
            sum(
                bool(set(line) & set("█▀▄"))
                for line in shown(a_task(message=m, fraction=0.5), *size).splitlines()
            )
            for m in ("", "short", long)
        }
        assert len(rows) == 1


@pytest.mark.parametrize("message", ["No space left", " No space left\n", "space left"])
def test_a_failure_is_told_once(message: str) -> None:
    view = a_task(state=State.FAILED, message=message)
    view = replace(view, snapshot=replace(view.snapshot, error={"message": "No space left"}))
    assert shown(view).count("space left") == 1


def test_a_failure_has_the_lines_that_nothing_else_needs() -> None:
    error = "Connection to db-replica-2.internal:5432 was reset"
    view = a_task(state=State.FAILED, message=error)
    view = replace(view, snapshot=replace(view.snapshot, error={"code": 1, "message": error}))
    lines = [line.strip() for line in shown(view, 40, 9).splitlines()]
    assert "Connection to" in lines
    assert "db-replica-2.internal:5432 was reset" in lines


def test_a_message_that_says_more_than_the_error_stays() -> None:
    view = a_task(state=State.FAILED, message="disk 9 of node 4")
    view = replace(view, snapshot=replace(view.snapshot, error={"message": "No space left"}))
    assert "No space left" in shown(view)
    assert "disk 9 of node 4" in shown(view)


def test_a_message_from_before_the_state_says_so() -> None:
    view = replace(a_task(state=State.COMPLETED, message="62/100"), message_is_old=True)
    assert "last said: 62/100" in shown(view)
    assert "last said" not in shown(replace(view, message_is_old=False))


def test_the_estimate_is_not_cut() -> None:
    view = replace(
        a_task(message="9/10", coverage=Coverage.PUSHED),
        progress=Progress(0.9, "9/10", eta=59),
    )
    for cells in (34, 60):
        assert shown(view, cells).splitlines()[0].rstrip().endswith("≈ 1 m left")


def test_a_long_message_hangs_under_itself_and_not_under_the_mark() -> None:
    lines = shown(a_task(message="word " * 30), 34).splitlines()
    said = [line[1:] for line in lines if "word" in line]
    assert len(said) > 2
    assert said[0].startswith("⠋ word")
    assert all(line.startswith("  word") for line in said[1:])
