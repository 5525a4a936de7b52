"""What a call asks before it becomes a task: nothing typed for one reaches another."""

from __future__ import annotations

from typing import Any

from mcp_tasks_tui.forms.reading import read_questions
from mcp_tasks_tui.protocol.messages import InputNeeded, Tool
from mcp_tasks_tui.ui.calling import CallQuestions
from mcp_tasks_tui.ui.screens.answer.drafts import Drafts
from mcp_tasks_tui.ui.screens.new_call import CallWanted


def _asked(message: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"name": {"type": "string"}}}
    params = {"message": message, "requestedSchema": schema}
    return {"a": {"method": "elicitation/create", "params": params}}


def _questions(server: str, message: str) -> CallQuestions:
    wanted = CallWanted(server, Tool("open", None, None, {}), {}, None)
    return CallQuestions(wanted, InputNeeded(_asked(message), None), now=0.0)


def test_what_was_typed_for_one_server_is_never_in_the_form_of_another() -> None:
    drafts = Drafts()
    (question,) = read_questions(_asked("Your account?"))
    key = _questions("http://one.test/mcp", "Your account?").key  # it is over, and its memory free
    drafts.put(key, question, "name", "for the first alone")
    later = [_questions("http://two.test/mcp", "Name?").key for _ in range(20)]
    assert not any(drafts.entries(each, question) for each in later)
    assert len({key, *later}) == 21
    drafts.forget_all(key)
    assert not drafts.waiting(key)
    assert drafts.entries(key, question) == {}
