"""Which changes deserve an alert, and how bursts become one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mcp_tasks_tui.handles.model import AnswerRecord, AnswerState, State
from mcp_tasks_tui.supervise.alerts import Alert, AlertKind, Bursts, decide, fold
from mcp_tasks_tui.supervise.view import Reason, TaskView
from tests.supervise.samples import NOON, a_view

WORKS = a_view(label="Docs")


def ended(state: State, message: str | None = None, **more: float) -> TaskView:
    return a_view(label="Docs", state=state, message=message, **more)  # type: ignore[arg-type]  # times only


ASKS = a_view(label="Docs", state=State.INPUT_REQUIRED, open_requests=("a",))
STUCK = a_view(label="Docs", attention=(Reason.STUCK,))
GONE = ended(State.GONE)


@pytest.mark.parametrize(
    ("before", "now", "kind", "text"),
    [
        (WORKS, ended(State.COMPLETED), AlertKind.FINISHED, "Docs finished"),
        (STUCK, ended(State.COMPLETED), AlertKind.FINISHED, "Docs finished"),
        (GONE, ended(State.COMPLETED), AlertKind.FINISHED, "Docs finished"),
        (WORKS, ended(State.CANCELLED), AlertKind.FINISHED, "Docs was cancelled"),
        (WORKS, ended(State.FAILED), AlertKind.FAILED, "Docs failed"),
        (
            WORKS,
            ended(State.FAILED, "disk\nfull\x1b[2J"),
            AlertKind.FAILED,
            "Docs failed: disk full^[[2J",
        ),
        (WORKS, ended(State.TOOL_ERROR), AlertKind.FAILED, "Docs ended with a tool error"),
        (WORKS, ASKS, AlertKind.INPUT_NEEDED, "Docs needs input"),
        (GONE, ASKS, AlertKind.INPUT_NEEDED, "Docs needs input"),
        (ASKS, replace(ASKS, open_requests=("a", "b")), AlertKind.INPUT_NEEDED, "Docs needs input"),
        (
            WORKS,
            replace(ASKS, handle=replace(ASKS.handle, archived_at=NOON)),
            AlertKind.INPUT_NEEDED,
            "Docs needs input",
        ),
        (WORKS, STUCK, AlertKind.STUCK, "Docs is stuck"),
        (GONE, WORKS, AlertKind.BACK, "Docs is back"),
    ],
)
def test_news(before: TaskView, now: TaskView, kind: AlertKind, text: str) -> None:
    assert decide([(before, now)]) == (Alert(kind, ("k1",), text, "Docs"),)


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (None, ended(State.COMPLETED)),
        (None, ASKS),
        (None, STUCK),
        (WORKS, WORKS),
        (WORKS, replace(WORKS, live=True)),
        (WORKS, GONE),
        (STUCK, STUCK),
        (STUCK, WORKS),
        (ASKS, ASKS),
        (ASKS, WORKS),
        (replace(ASKS, open_requests=("a", "b")), ASKS),
        (ended(State.COMPLETED), ended(State.FAILED)),
        (GONE, GONE),
        (WORKS, ended(State.CANCELLED, cancel_requested_at=NOON)),
        (WORKS, ended(State.COMPLETED, archived_at=NOON)),
        (WORKS, replace(STUCK, handle=replace(STUCK.handle, archived_at=NOON))),
    ],
)
def test_no_news(before: TaskView | None, now: TaskView) -> None:
    assert decide([(before, now)]) == ()


def test_a_refused_answer_opens_its_question_again_without_an_alert() -> None:
    sent = AnswerRecord("a", "hash", AnswerState.SENT, "accept", NOON)
    refused = replace(sent, state=AnswerState.REFUSED)
    answered = replace(ASKS, open_requests=(), answers={"a": sent})
    assert decide([(answered, replace(ASKS, answers={"a": refused}))]) == ()


def test_an_answered_key_that_asks_something_else_is_news() -> None:
    sent = AnswerRecord("a", "hash", AnswerState.SENT, "accept", NOON)
    answered = replace(WORKS, answers={"a": sent})
    assert [alert.kind for alert in decide([(answered, ASKS)])] == [AlertKind.INPUT_NEEDED]


def test_a_name_is_one_clean_line_of_bounded_length() -> None:
    wild = a_view(label="x\x1b[2J\n" * 100)
    done = a_view(label="x\x1b[2J\n" * 100, state=State.COMPLETED)
    (alert,) = decide([(wild, done)])
    assert len(alert.text) < 80
    assert "\x1b" not in alert.text
    assert "\n" not in alert.text


def test_a_burst_of_one_kind_is_one_alert_and_kinds_come_most_urgent_first() -> None:
    done = [
        (a_view(f"d{number}"), a_view(f"d{number}", state=State.COMPLETED)) for number in range(14)
    ]
    asks = (
        a_view("q"),
        a_view("q", state=State.INPUT_REQUIRED, open_requests=("a",), label="Site"),
    )
    finished, needed = decide([*done, asks])[::-1]
    keys = tuple(f"d{number}" for number in range(14))
    assert finished == Alert(AlertKind.FINISHED, keys, "14 finished · last: build", "build")
    assert needed.text == "Site needs input"


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (AlertKind.INPUT_NEEDED, "2 need input · last: docs"),
        (AlertKind.FAILED, "2 failed · last: docs"),
        (AlertKind.STUCK, "2 are stuck · last: docs"),
        (AlertKind.FINISHED, "2 finished · last: docs"),
        (AlertKind.BACK, "2 are back · last: docs"),
    ],
)
def test_how_several_read(kind: AlertKind, text: str) -> None:
    assert fold([Alert(kind, ("a",), "A"), Alert(kind, ("b",), "B", "docs")]) == (
        Alert(kind, ("a", "b"), text, "docs"),
    )


def test_one_task_told_twice_is_one_task() -> None:
    again = Alert(AlertKind.STUCK, ("a",), "A is stuck")
    assert fold([again, again]) == (again,)
    assert fold([]) == ()


class TestBursts:
    finished = staticmethod(lambda key: Alert(AlertKind.FINISHED, (key,), f"{key} finished"))

    def test_the_first_is_told_at_once_and_what_follows_together(self) -> None:
        bursts = Bursts(window=5.0)
        assert bursts.offer([self.finished("a")], 0.0) == (self.finished("a"),)
        assert bursts.offer([self.finished("b")], 1.0) == ()
        assert bursts.offer([self.finished("c")], 2.0) == ()
        assert bursts.next_due() == 5.0
        (together,) = bursts.offer([], 5.0)
        assert (together.keys, together.text) == (("b", "c"), "2 finished")
        assert bursts.next_due() is None

    def test_a_burst_that_goes_on_is_told_once_a_window(self) -> None:
        bursts = Bursts(window=5.0)
        told = [
            alert
            for second in range(61)
            for alert in bursts.offer([self.finished(f"k{second}")], float(second))
        ]
        assert len(told) == 13
        assert len({key for alert in told for key in alert.keys}) == 61

    def test_another_kind_does_not_wait(self) -> None:
        bursts = Bursts(window=5.0)
        failed = Alert(AlertKind.FAILED, ("b",), "b failed")
        bursts.offer([self.finished("a")], 0.0)
        assert bursts.offer([failed], 1.0) == (failed,)
        assert bursts.next_due() is None

    def test_after_a_pause_the_next_is_told_at_once(self) -> None:
        bursts = Bursts(window=5.0)
        bursts.offer([self.finished("a")], 0.0)
        assert bursts.offer([self.finished("b")], 5.0) == (self.finished("b"),)
