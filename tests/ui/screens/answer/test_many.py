"""A task with very many questions: only what is shown is looked at, and each can be gone to."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_tasks_tui.forms.reading import read_question
from mcp_tasks_tui.ui.screens.answer import state as answer_state
from mcp_tasks_tui.ui.screens.answer.state import Questions
from tests.ui.bare import until
from tests.ui.screens.answer.answering import COUNT, SAMPLING, AnswerApp, ask, form, waiting

MANY = 2_000


class Key(str):
    """A key that counts how often it is compared with another."""

    __slots__ = ()
    compared = 0

    def __eq__(self, other: object) -> bool:
        Key.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def test_to_take_in_and_look_through_all_of_them_takes_as_many_steps_as_there_are() -> None:
    view = waiting({Key(f"q{number:05}"): ask(a=COUNT) for number in range(MANY)})
    Key.compared = 0
    questions = Questions(view)
    first = questions.first()
    questions.update(waiting(dict(view.snapshot.input_requests)))
    assert first == "q00000"
    assert sum(1 for _ in questions.waiting()) == MANY
    assert Key.compared < 20 * MANY


async def test_of_many_only_those_looked_at_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def counted(key: str, request: Any) -> Any:
        read.append(key)
        return read_question(key, request)

    monkeypatch.setattr(answer_state, "read_question", counted)
    app = AnswerApp({f"q{n:04}": form({}, f"Take part {n}?") for n in range(1, MANY + 1)})
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "Question 1 of 2,000" in app.text()
        assert "^g next  ^o any" in app.text()
        await pilot.press("ctrl+g")
        assert "Question 2 of 2,000" in app.text()
        await pilot.press("ctrl+o", *"12", "enter")  # not 112, nor the first one with a 12 in it
        await until(pilot, lambda: "Question 12 of 2,000" in app.text())
        assert "Take part 12?" in app.text()
        await pilot.press("ctrl+o", *"1999?", "enter")
        await until(pilot, lambda: "Question 1,999 of 2,000" in app.text())
        app.supervisor.put(waiting(dict(app.supervisor.tasks["k7"].snapshot.input_requests)))
        await pilot.pause()
        await pilot.press("ctrl+o", "escape")
        await pilot.pause()
        assert "Question 1,999 of 2,000" in app.text()
    assert read == ["q0001", "q0002", "q0012", "q1999"]


async def test_a_single_question_has_nowhere_else_to_go() -> None:
    app = AnswerApp({"a": ask(one=COUNT)})
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.press("ctrl+o")
        await pilot.pause()
        assert app.screen is app.answer


async def test_the_form_says_why_it_opens_on_a_later_question() -> None:
    app = AnswerApp({"a": SAMPLING, "b": SAMPLING, "c": ask(two=COUNT)})
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "Question 3 of 3" in app.text()
        why = "Questions 1 to 2 cannot be answered here; this is the first that can."
        assert why in app.text()
        await pilot.press("ctrl+g")
        assert why not in app.text()


def test_where_the_first_question_can_be_answered_nothing_is_said_of_others() -> None:
    assert Questions(waiting({"a": ask(one=COUNT), "b": SAMPLING})).passed_over() == ""
    assert Questions(waiting({"a": SAMPLING, "b": SAMPLING})).passed_over() == ""
    said = Questions(waiting({"a": SAMPLING, "b": ask(one=COUNT)})).passed_over()
    assert said.startswith("Question 1 cannot be answered here")
