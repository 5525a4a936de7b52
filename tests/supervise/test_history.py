"""What the journal's lines say, for the panel and for `show --journal`."""

from __future__ import annotations

import pytest

from mcp_tasks_tui.handles.model import Event, JournalEntry, State
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.history import Teller, entry_to_json, ever_asked, told


@pytest.mark.parametrize(
    ("entry", "who", "line"),
    [
        (JournalEntry(0, Event.SAVED), Teller.US, "saved"),
        (JournalEntry(0, Event.MESSAGE, ServerText("3/10\x1b[2J")), Teller.SERVER, "3/10^[[2J"),
        (JournalEntry(0, Event.STATUS, None, {"to": "completed"}), Teller.SERVER, "completed"),
        (
            JournalEntry(0, Event.LEFT_OUT, None, {"messages": 7}),
            Teller.NOTICED,
            "… 7 messages not kept",
        ),
        (
            JournalEntry(0, Event.LEFT_OUT, None, {"messages": 1, "others": 2}),
            Teller.NOTICED,
            "… 1 message and 2 other lines not kept",
        ),
        (
            JournalEntry(0, Event.LEFT_OUT, None, {"messages": "x", "others": 1}),
            Teller.NOTICED,
            "… 1 line not kept",
        ),
        (
            JournalEntry(0, Event.STATUS, ServerText("done"), {"to": "completed"}),
            Teller.SERVER,
            "completed: done",
        ),
        (JournalEntry(0, Event.STATUS, None, {"to": "rejected"}), Teller.SERVER, "rejected"),
        (JournalEntry(0, Event.STATUS, None, {"to": 7}), Teller.SERVER, "?"),
        (
            JournalEntry(0, Event.INPUT_ASKED, ServerText("Go on?"), {"key": "k1"}),
            Teller.SERVER,
            "asks for input: Go on? (k1)",
        ),
        (
            JournalEntry(0, Event.INPUT_ANSWERED, None, {"key": "k1", "action": "cancel"}),
            Teller.US,
            "dismissed (k1)",
        ),
        (
            JournalEntry(0, Event.INPUT_ANSWERED, None, {"key": "k1", "action": "accept"}),
            Teller.US,
            "answer sent (k1)",
        ),
        (JournalEntry(0, Event.SERVER_LOST, ServerText("refused")), Teller.NOTICED,
         "server lost: refused"),
        (
            JournalEntry(0, Event.CONTRADICTION, None, {"said": "working", "kept": "failed"}),
            Teller.NOTICED,
            "server said working after failed: not believed",
        ),
    ],
)  # fmt: skip
def test_a_line_says_who_and_what(entry: JournalEntry, who: Teller, line: str) -> None:
    assert (told(entry).who, str(told(entry))) == (who, line)


def test_a_reached_state_is_told_apart() -> None:
    reached = told(JournalEntry(0, Event.STATUS, None, {"to": "completed", "tool_error": True}))
    assert (reached.state, reached.what) == (State.TOOL_ERROR, "tool error")


def test_every_event_has_words_of_its_own() -> None:
    lines = [str(told(JournalEntry(0, event, ServerText("x")))) for event in Event]
    assert len(set(lines)) == len(lines)


def test_a_question_has_its_number_for_good() -> None:
    def asked(key: object) -> JournalEntry:
        return JournalEntry(0, Event.INPUT_ASKED, None, {"key": key})

    few = JournalEntry(0, Event.LEFT_OUT, None, {"messages": 5})
    lines = [asked("b"), JournalEntry(0, Event.SAVED), few, asked("a"), asked("b"), asked(7)]
    assert ever_asked(lines, ()) == {"b": 1, "a": 2}
    assert ever_asked(lines, ("a", "new")) == {"b": 1, "a": 2, "new": None}
    gap = JournalEntry(0, Event.LEFT_OUT, None, {"messages": 5, "others": 1})
    assert ever_asked([*lines, gap, asked("c")], ("c",)) == {"b": 1, "a": 2, "c": None}
    assert ever_asked((), ()) == {}


def test_json_keeps_what_the_server_said_raw() -> None:
    entry = JournalEntry(1.5, Event.MESSAGE, ServerText("\x1b[2J"), {"key": "k"})
    assert entry_to_json(entry) == {
        "at": "1970-01-01T00:00:01.500Z",
        "event": "message",
        "text": "\x1b[2J",
        "data": {"key": "k"},
    }
