"""What a task asks, and how far the answers got."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mcp_tasks_tui.handles.model import AnswerRecord, AnswerState, State
from mcp_tasks_tui.supervise.view import Attention, Reason
from mcp_tasks_tui.ui.widgets.panel.about import raw_section
from mcp_tasks_tui.ui.widgets.panel.input import input_section
from mcp_tasks_tui.ui.widgets.panel.status import status_section
from tests.ui.fakes import NOW, a_task
from tests.ui.widgets.panel.sheet import FORM, facts, text

URL = {"method": "elicitation/create", "params": {"mode": "url", "message": "Sign in", "url": "x"}}


def test_what_a_task_asks_comes_first_with_its_kind_and_the_key_that_answers() -> None:
    asks = [Attention(Reason.INPUT_REQUIRED, NOW - 40, "asks a question")]
    view = a_task(
        state=State.INPUT_REQUIRED, requests={"a": FORM}, attention=asks, message="Waiting for you"
    )
    head, *lines = text(status_section(facts(view))).splitlines()
    assert head.startswith("◆ needs input")
    assert head.endswith(" waits 40 s")
    fresh = replace(view, attention=(Attention(Reason.INPUT_REQUIRED, NOW - 4, "asks"),))
    assert text(status_section(facts(fresh))).splitlines()[0].endswith(" asked just now")
    assert lines[:2] == ["Deploy?", "1 field · u answers"]
    assert lines[2].startswith("read ")
    assert "Waiting" not in "".join(lines)
    assert input_section(facts(view)) is None  # all of it is above


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("Waiting for approval", False),
        ("awaiting input…", False),
        ("Input required", False),
        ("deploy?", False),
        ("Waiting for 3 of 9 shards", True),
        ("Copied 12 tables", True),
    ],
)
def test_a_message_that_only_says_that_it_waits_is_left_out(message: str, told: bool) -> None:
    view = a_task(state=State.INPUT_REQUIRED, requests={"a": FORM}, message=message)
    assert (message in text(status_section(facts(view)))) is told
    assert message in text(status_section(facts(a_task(message=message))))


def test_several_questions_say_what_kind_they_are_three_of_them_on_top() -> None:
    odd = {"a": FORM, "b": URL, "c": {"method": "sampling/createMessage"}, "d": 7, "e": None}
    view = a_task(state=State.INPUT_REQUIRED, requests=odd)
    top, section = text(status_section(facts(view))), input_section(facts(view))
    assert section is not None
    assert section.aside == "5 questions open"
    assert "1 Deploy?\n  1 field · a" in top
    assert "2 Sign in\n  opens a page · b" in top
    assert "sampling/createMessage: cannot be answered here · c" in top
    assert "2 more below · u answers" in top
    assert "4 asks without a message" in text(section)
    assert "· e" in text(section)


def test_keys_that_do_nothing_are_not_named() -> None:
    view = a_task(state=State.INPUT_REQUIRED, requests={"a": FORM})
    assert "x answers" in text(status_section(facts(view, answer_key="x")))
    silent = text(status_section(facts(view, answer_key="")))
    assert "Deploy?" in silent
    assert "answers" not in silent
    assert raw_section(facts(view)).aside == "enter opens"
    assert raw_section(facts(view, open_key="")).aside == ""


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (AnswerState.INTENDED, "may have been sent; nobody saw whether it arrived"),
        (AnswerState.SENT, "sent, not acknowledged yet"),
        (AnswerState.ACKNOWLEDGED, "sent and acknowledged"),
        (AnswerState.REFUSED, "refused by the server"),
    ],
)
def test_answers_say_how_far_they_got(state: AnswerState, words: str) -> None:
    view = a_task(state=State.INPUT_REQUIRED, requests={"a": FORM}, answered=["a"])
    view = replace(view, answers={"a": AnswerRecord("a", "h", state, "accept", NOW - 60)})
    shown = text(input_section(facts(view, width=120)))
    assert words in shown
    assert ("the server still asks" in shown) == (state is not AnswerState.REFUSED)


def test_a_task_that_never_asked_has_no_such_section() -> None:
    assert input_section(facts(a_task())) is None
