"""What a line of the journal says: who it is from, and what happened. Pure."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.handles.handle_json import iso
from mcp_tasks_tui.handles.model import Event, State
from mcp_tasks_tui.handles.thinning import left_out
from mcp_tasks_tui.records import record
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.dating import entry_dated
from mcp_tasks_tui.supervise.words import NEVER_KNOWN, STATES, counted, duration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mcp_tasks_tui.handles.model import JournalEntry

#: The protocol's actions of an answer, as they are told: its `cancel` is "dismissed" here.
ACTIONS = {"accept": "sent", "decline": "declined", "cancel": "dismissed"}


class Teller(StrEnum):
    """Whose word a line is: what the server said, what we asked for, what we only noticed."""

    SERVER = "server"
    US = "we"
    NOTICED = "noticed"


@record
class Told:
    """One clean line: `what` happened in our words, `said` in somebody else's, `about` a key.

    `state` is the state that was reached, for lines that tell of one.
    """

    who: Teller
    what: str = ""
    said: str = ""
    about: str = ""
    state: State | None = None

    def __str__(self) -> str:
        line = ": ".join(part for part in (self.what, self.said) if part)
        return f"{line} ({self.about})" if self.about else line


_BY_US = {
    Event.SAVED: "saved",
    Event.CALL_SENT: "call sent",
    Event.CANCEL_REQUESTED: "cancel requested",
    Event.HELD: "polling held",
    Event.RESUMED: "polling resumed",
    Event.ARCHIVED: "archived",
    Event.RESTORED: "restored",
    Event.EDITED: "label, note or tags edited",
}
_KNOWN_NO_MORE = "the server does not know the task any more"
_NOTICED = {
    Event.SERVER_LOST: "server lost",
    Event.SERVER_BACK: "server is back",
    Event.BACK: "the server knows the task again",
    Event.INPUT_WITHDRAWN: "question withdrawn without our answer",
}


def told(entry: JournalEntry) -> Told:
    """Return what the entry says, cleaned for a terminal."""
    if entry.event in _TELLERS:
        return _TELLERS[entry.event](entry)
    said = one_line(entry.text) if entry.text else ""
    if entry.event in _BY_US:
        return Told(Teller.US, _BY_US[entry.event], said)
    what = _NOTICED.get(entry.event, entry.event.value.replace("_", " "))
    return Told(Teller.NOTICED, what, said)


def ever_asked(journal: Iterable[JournalEntry], known: Iterable[str]) -> dict[str, int | None]:
    """Return the keys of all questions that a task asked so far, each with its number for good.

    The journal's order numbers them. Behind a gap none has a number, nor has one of the `known`
    that is not in it: it could be another's tomorrow.
    """
    numbers: dict[str, int | None] = {}
    for entry in journal:
        key = entry.data.get("key")
        if entry.event is Event.LEFT_OUT and left_out(entry)[1]:
            break
        if entry.event is Event.INPUT_ASKED and isinstance(key, str) and key not in numbers:
            numbers[key] = len(numbers) + 1
    return {**numbers, **{key: None for key in known if key not in numbers}}


def entry_to_json(entry: JournalEntry) -> dict[str, Any]:
    """Return the entry as `show --journal --json` prints it, raw."""
    return {
        "at": iso(entry.at),
        "event": entry.event.value,
        "text": entry.text.raw if entry.text else None,
        **({"data": dict(entry.data)} if entry.data else {}),
    }


def _message(entry: JournalEntry) -> Told:
    return Told(Teller.SERVER, said=one_line(entry.text or ""))


def not_kept(messages: int, others: int = 0) -> str:
    """Return what stands where lines are missing."""
    parts = [counted(messages, "message")] if messages or not others else []
    parts += [counted(others, "other line" if parts else "line")] if others else []
    return f"… {' and '.join(parts)} not kept"


def _left_out(entry: JournalEntry) -> Told:
    return Told(Teller.NOTICED, not_kept(*left_out(entry)))


def _status(entry: JournalEntry) -> Told:
    reached = entry.data.get("to")
    word = one_line(reached, 40) if isinstance(reached, str) else "?"
    try:
        state = State.TOOL_ERROR if entry.data.get("tool_error") else State(word)
    except ValueError:
        state = State.UNKNOWN
    shown = word if state is State.UNKNOWN else STATES[state].word
    said = one_line(entry.text) if entry.text else ""
    return Told(Teller.SERVER, shown, said, _how_dated(entry), state)


def _how_dated(entry: JournalEntry) -> str:
    """Return what is known of when it happened, where nobody looked then."""
    when = entry_dated(entry)
    if when.claimed:
        return f"≈ {duration(entry.at - when.at)} before, by the server's clock"
    if when.unseen_for is not None:
        return f"noticed after {duration(when.unseen_for)} without a look"
    return ""


def _asked(entry: JournalEntry) -> Told:
    said = one_line(entry.text, 300) if entry.text else ""
    return Told(Teller.SERVER, "asks for input", said, _key(entry))


def _answered(entry: JournalEntry) -> Told:
    action = entry.data.get("action")
    done = ACTIONS.get(action, "answered") if isinstance(action, str) else "answered"
    return Told(Teller.US, "answer sent" if done == "sent" else done, about=_key(entry))


def _contradiction(entry: JournalEntry) -> Told:
    said, kept = (one_line(str(entry.data.get(name)), 40) for name in ("said", "kept"))
    return Told(Teller.NOTICED, f"server said {said} after {kept}: not believed")


def _gone(entry: JournalEntry) -> Told:
    never = entry.data.get("never_known") is True
    said = one_line(entry.text) if entry.text else ""
    return Told(Teller.NOTICED, NEVER_KNOWN if never else _KNOWN_NO_MORE, said)


def _key(entry: JournalEntry) -> str:
    key = entry.data.get("key")
    return one_line(key, 40) if isinstance(key, str) else ""


_TELLERS: dict[Event, Callable[[JournalEntry], Told]] = {
    Event.MESSAGE: _message,
    Event.LEFT_OUT: _left_out,
    Event.STATUS: _status,
    Event.GONE: _gone,
    Event.INPUT_ASKED: _asked,
    Event.INPUT_ANSWERED: _answered,
    Event.CONTRADICTION: _contradiction,
}
