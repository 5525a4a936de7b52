"""Several questions at once, and questions that change, go and come while one types."""

from __future__ import annotations

from textual.widgets import Input

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.supervise.supervisor import Batch
from mcp_tasks_tui.ui.screens.answer.state import AnswerOutcome
from tests.ui.screens.answer.answering import (
    COUNT,
    KEY,
    AnswerApp,
    ask,
    form,
    settled,
    type_text,
    waiting,
)


async def test_one_of_several_is_answered_and_the_next_comes() -> None:
    app = AnswerApp({"b": ask(two=COUNT), "a": ask(one=COUNT)})
    async with app.run_test() as pilot:
        await pilot.pause()
        assert "Question 1 of 2" in app.text()
        await type_text(pilot, "1")
        await pilot.press("ctrl+s")
        await settled(pilot)
        [first] = app.sent()
        assert len(first) == 1
        assert app.outcomes == []
        assert "1 more to answer" in app.text()
        await type_text(pilot, "2")
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert len(app.sent()) == 2
        assert app.outcomes == [AnswerOutcome(KEY, {"a": "accept", "b": "accept"})]


async def test_several_ready_ones_go_together() -> None:
    app = AnswerApp({"a": ask(one=COUNT), "b": ask(two=COUNT), "c": ask(three=COUNT)})
    async with app.run_test(size=(60, 15)) as pilot:
        await pilot.pause()
        await type_text(pilot, "1")
        await pilot.press("ctrl+t")
        await settled(pilot)
        assert app.sent() == [], "one alone is not several"
        await pilot.press("ctrl+g")
        await type_text(pilot, "2")
        assert "Send 2 ^t" in app.text()
        await pilot.press("ctrl+t")
        await settled(pilot)
        assert app.sent() == [
            {
                "a": {"action": "accept", "content": {"one": 1}},
                "b": {"action": "accept", "content": {"two": 2}},
            }
        ]
        assert "Question 3 of 3" in app.text()


async def test_what_was_only_looked_at_is_never_sent_along() -> None:
    """A plain yes-or-no, and a form with nothing but defaults, take a Send of their own."""
    flag = {"type": "boolean", "default": True}
    app = AnswerApp(
        {
            "a": ask(one=COUNT),
            "b": form({}, "Delete all?"),
            "c": ask(required=False, on=flag),
            "d": ask(two=COUNT),
        }
    )
    async with app.run_test() as pilot:
        await pilot.pause()
        await type_text(pilot, "1")
        await pilot.press("ctrl+g", "ctrl+g", "ctrl+g")
        await pilot.pause()
        await type_text(pilot, "2")
        await pilot.press("ctrl+t")
        await settled(pilot)
        assert [sorted(each) for each in app.sent()] == [["a", "d"]]


async def test_the_order_stays_whatever_order_the_server_sends() -> None:
    app = AnswerApp({"b": ask(two=COUNT), "a": ask(one=COUNT)})
    async with app.run_test() as pilot:
        await pilot.pause()
        before = app.text()
        app.supervisor.put(waiting({"a": ask(one=COUNT), "b": ask(two=COUNT)}))
        await pilot.pause()
        assert app.text() == before


async def test_a_new_question_never_disturbs_typing() -> None:
    app = AnswerApp({"z": ask(count=COUNT)})
    async with app.run_test() as pilot:
        await pilot.pause()
        await type_text(pilot, "4")
        focused = app.focused
        app.supervisor.put(waiting({"a": ask(other=COUNT), "z": ask(count=COUNT)}))
        await pilot.pause()
        await type_text(pilot, "2")
        assert app.focused is focused
        assert isinstance(focused, Input)
        assert focused.value == "42"
        assert "Question 1 of 2" in app.text()


async def test_a_withdrawn_question_says_so_and_keeps_its_text() -> None:
    app = AnswerApp({"q": ask(count=COUNT)})
    async with app.run_test() as pilot:
        await pilot.pause()
        await type_text(pilot, "4")
        app.supervisor.put(waiting({}, state=State.COMPLETED))
        await pilot.pause()
        assert "No longer asked: the task is completed" in app.text()
        assert [each.value for each in app.answer.query(Input)] == ["4"]
        for key in ("ctrl+s", "ctrl+n", "ctrl+l"):
            app.answer._tell("")
            await pilot.press(key)
            await settled(pilot)
            assert "Not sent. No longer asked: the task is completed" in app.text()
        assert app.sent() == []


async def test_a_changed_question_is_read_again_on_request() -> None:
    app = AnswerApp({"q": ask(count=COUNT)})
    async with app.run_test() as pilot:
        await pilot.pause()
        await type_text(pilot, "40")
        app.supervisor.put(waiting({"q": ask(count=COUNT | {"maximum": 99})}))
        await pilot.pause()
        assert "has changed this question" in app.text()
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert "Not sent. The server has changed this question. ^r shows" in app.text()
        assert app.sent() == []
        await pilot.press("ctrl+r")
        await pilot.pause()
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert app.sent() == [{"q": {"action": "accept", "content": {"count": 40}}}]


async def test_a_question_that_changed_since_the_last_news_gets_no_answer_meant_for_another() -> (
    None
):
    app = AnswerApp({"q": ask(count=COUNT)})
    async with app.run_test() as pilot:
        await pilot.pause()
        await type_text(pilot, "4")
        app.supervisor.tasks[KEY] = waiting({"q": ask(count=COUNT | {"title": "Delete how many"})})
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert "Not sent: the server has changed the question q; look" in app.text()
        assert [each.value for each in app.answer.query(Input)] == ["4"]
        assert app.sent() == []
        app.supervisor.publish(Batch(changed=frozenset({KEY})))
        await pilot.press("ctrl+r")
        await pilot.pause()
        assert "Delete how many" in app.text()
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert app.sent() == [{"q": {"action": "accept", "content": {"count": 4}}}]


async def test_an_answered_question_is_sent_again_only_on_request() -> None:
    app = AnswerApp({"q": ask(count=COUNT)})
    app.supervisor.put(waiting({"q": ask(count=COUNT)}, answered=["q"]))
    async with app.run_test() as pilot:
        await pilot.pause()
        assert "Send again" in app.text()
        await type_text(pilot, "4")
        await pilot.press("ctrl+s")
        await settled(pilot)
        [asked] = app.supervisor.asked_for("answer")
        assert asked.value[1] is True


async def test_the_new_one_is_gone_on_with_in_the_field_that_one_was_in() -> None:
    text = {"type": "string"}
    app = AnswerApp({"q": ask(name=text, city=text)})
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("tab")
        await type_text(pilot, "Ber")
        app.supervisor.put(waiting({"q": ask(name=text, country=text, city=text)}))
        await pilot.pause()
        await pilot.press("ctrl+r")
        await pilot.pause()
        await type_text(pilot, "n")
        assert [each.value for each in app.answer.query(Input)] == ["", "", "Bern"]

        # Where the field is no longer asked for: the first one that wants something.
        app.supervisor.put(waiting({"q": ask(name=text)}))
        await pilot.pause()
        await pilot.press("ctrl+r")
        await pilot.pause()
        await type_text(pilot, "x")
        assert [each.value for each in app.answer.query(Input)] == ["x"]
