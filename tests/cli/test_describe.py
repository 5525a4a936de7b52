"""What `show` says of a task."""

from __future__ import annotations

from mcp_tasks_tui.cli.describe import describe
from mcp_tasks_tui.handles.model import State
from tests.ui.fakes import a_task

ASKS = {"a": {"method": "elicitation/create", "params": {"message": "Deploy?"}}}


def test_a_task_whose_question_was_answered_does_not_wait_for_a_person() -> None:
    asks = a_task("k1", State.INPUT_REQUIRED, requests=ASKS)
    assert "state      needs input" in describe(asks, None)
    answered = a_task("k1", State.INPUT_REQUIRED, requests=ASKS, answered=["a"])
    lines = list(describe(answered, None))
    assert "state      answered, waiting" in lines
    assert not [line for line in lines if line.startswith("asks")]
