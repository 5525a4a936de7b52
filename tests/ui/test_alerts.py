"""Toasts always; a bell and a notification where nobody looks, and bursts as one."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from mcp_tasks_tui.supervise.alerts import Alert, AlertKind
from mcp_tasks_tui.ui.alerts import IDLE, WINDOW, Announcer, Policy, Severity, desktop_sequence


@dataclass
class _Person:
    focused: bool = True
    now: float = 1000.0
    toasts: list[tuple[str, str]] = field(default_factory=list)
    written: list[str] = field(default_factory=list)

    def announcer(self, policy: Policy) -> Announcer:
        return Announcer(
            policy,
            {},
            toast=self.toast,
            write=self.written.append,
            monotonic=lambda: self.now,
            focused=lambda: self.focused,
            last_key=self.now,
        )

    def toast(self, text: str, severity: Severity, kind: str) -> None:
        self.toasts.append((text, severity))


def _news(kind: AlertKind = AlertKind.FINISHED, key: str = "t1") -> Alert:
    return Alert(kind, (key,), f"{key} {kind.value}")


@pytest.mark.parametrize(
    ("policy", "focused", "calls"),
    [
        ("always", True, True),
        ("away", True, False),
        ("away", False, True),
        ("never", False, False),
    ],
)
def test_who_is_called(policy: Policy, focused: bool, calls: bool) -> None:
    person = _Person(focused=focused)
    person.announcer(policy).offer([_news()])
    assert person.toasts == [("t1 finished", "information")]
    assert bool(person.written) is calls


def test_a_terminal_without_a_key_for_long_is_taken_for_left_alone() -> None:
    person = _Person()
    announcer = person.announcer("away")
    person.now += IDLE + 1
    announcer.offer([_news()])
    assert person.written


def test_a_burst_is_told_at_once_and_then_once() -> None:
    person = _Person()
    announcer = person.announcer("always")
    assert announcer.offer([_news()]) is None
    for number in range(14):
        assert announcer.offer([_news(key=f"b{number}")]) is not None
    assert len(person.toasts) == 1
    person.now += WINDOW
    assert announcer.offer([]) is None
    assert [text for text, _ in person.toasts] == ["t1 finished", "14 finished"]
    assert len(person.written) == 2


def test_what_finished_waits_while_a_person_is_at_a_dialog_and_is_told_once() -> None:
    person = _Person()
    announcer = person.announcer("always")
    announcer.busy = lambda: True
    assert announcer.offer([_news(key="a")]) is not None
    announcer.offer([_news(AlertKind.FAILED, "f")])
    person.now += WINDOW
    assert announcer.offer([_news(key="b"), _news(key="a")]) is not None
    assert person.toasts == [("f failed", "error")]
    # A bell rings nevertheless: who does not look has no dialog before the eyes.
    assert len(person.written) == 3
    announcer.busy = lambda: False
    assert announcer.offer([]) is None
    assert person.toasts[1:] == [("2 finished", "information")]


def test_what_comes_while_another_program_has_the_terminal_is_shown_folded_afterwards() -> None:
    person = _Person()
    announcer = person.announcer("never")
    announcer.seen = lambda: False
    for number in range(40):
        kind = AlertKind.FINISHED if number % 2 else AlertKind.FAILED
        assert announcer.offer([_news(kind, f"t{number}")]) is not None
        person.now += WINDOW
    assert person.toasts == []
    announcer.seen = lambda: True
    assert announcer.offer([]) is None
    assert person.toasts == [("20 failed", "error"), ("20 finished", "information")]


def test_failures_look_like_failures() -> None:
    person = _Person()
    person.announcer("never").offer([_news(AlertKind.FAILED), _news(AlertKind.INPUT_NEEDED)])
    assert {severity for _, severity in person.toasts} == {"error", "warning"}


def test_a_notification_carries_no_control_of_a_server() -> None:
    sequence = desktop_sequence("done\x1b]0;x\x07\x9b2J\nnext", {})
    assert sequence == "\x07\x1b]9;mcp-tasks-tui: done^[]0;x^G⟨U+009B⟩2J next\x07"
