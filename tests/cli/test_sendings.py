"""What is told of answers and cancels that were on their way at the end."""

from __future__ import annotations

import pytest

from mcp_tasks_tui.cli.sendings import told_of, waiting_for
from mcp_tasks_tui.supervise.sendings import Outcome, Sending
from tests.ui.fakes import a_task

VIEWS = {
    "k1": a_task("k1", label="nightly"),
    "k2": a_task("k2", label="weekly"),
}
ANSWER, CANCEL = Sending("answer", "k1"), Sending("cancel", "k2")
SEE = "see `mcp-tasks-tui show k1 --refresh`"


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        (Outcome(ANSWER, "taken"), f"the answer to nightly was taken; {SEE}"),
        (
            Outcome(ANSWER, "unknown", "no answer in 30 s"),
            f"the answer to nightly was on its way: it may have arrived; {SEE}",
        ),
        (Outcome(ANSWER, "not sent"), "the answer to nightly was not sent"),
        (Outcome(CANCEL, "not taken", "refused"), "the cancel of weekly was not taken: refused"),
        (
            Outcome(Sending("cancel", "none"), "not taken", "no saved task"),
            "the cancel of none was not taken: no saved task",
        ),
    ],
)
def test_what_became_of_one(outcome: Outcome, told: str) -> None:
    assert list(told_of([outcome], VIEWS.get)) == [told]


def test_what_ended_alike_is_told_in_one_line() -> None:
    cancels = [Sending("cancel", f"k{number}") for number in range(3)]
    outcomes = [
        *(Outcome(each, "unknown") for each in cancels),
        Outcome(ANSWER, "not sent"),
        *(Outcome(each, "not taken", "refused") for each in cancels[:2]),
    ]
    assert list(told_of(outcomes, VIEWS.get)) == [
        "3 cancels on the way: they may have arrived",
        "the answer to nightly was not sent",
        "2 cancels on the way: they were not taken: refused",
    ]


def test_a_name_is_clean_when_it_is_told() -> None:
    view = a_task("k1", label="a\x1b[2J\nb")
    (told,) = told_of([Outcome(ANSWER, "not sent")], {"k1": view}.get)
    assert told.isprintable()


def test_what_is_waited_for() -> None:
    one = waiting_for([ANSWER], VIEWS.get)
    assert one == "the answer to nightly is on its way: waiting a moment for it"
    several = waiting_for([ANSWER, CANCEL, CANCEL], VIEWS.get)
    assert several == "1 answer and 2 cancels are on their way: waiting a moment for them"
