"""Kinds of journal lines, to read those of one kind alone (pure)."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.model import Event, State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_tasks_tui.handles.model import JournalEntry


class Kind(StrEnum):
    """What a person may want to see alone; the value is shown."""

    STATES = "states"
    MESSAGES = "messages"
    BY_YOU = "by you"
    TROUBLE = "trouble"


_KINDS: dict[Event, tuple[Kind, ...]] = {
    Event.SAVED: (Kind.BY_YOU,),
    Event.CALL_SENT: (Kind.BY_YOU,),
    Event.STATUS: (Kind.STATES,),
    Event.MESSAGE: (Kind.MESSAGES,),
    Event.LEFT_OUT: (Kind.MESSAGES,),
    Event.INPUT_ASKED: (Kind.STATES,),
    Event.INPUT_ANSWERED: (Kind.BY_YOU,),
    Event.INPUT_WITHDRAWN: (Kind.STATES,),
    Event.CANCEL_REQUESTED: (Kind.BY_YOU,),
    Event.SERVER_LOST: (Kind.TROUBLE,),
    Event.SERVER_BACK: (Kind.TROUBLE,),
    Event.GONE: (Kind.STATES, Kind.TROUBLE),
    Event.BACK: (Kind.STATES, Kind.TROUBLE),
    Event.CONTRADICTION: (Kind.TROUBLE,),
    Event.HELD: (Kind.BY_YOU,),
    Event.RESUMED: (Kind.BY_YOU,),
    Event.ARCHIVED: (Kind.BY_YOU,),
    Event.RESTORED: (Kind.BY_YOU,),
    Event.EDITED: (Kind.BY_YOU,),
}


def kinds_of(entry: JournalEntry) -> tuple[Kind, ...]:
    """Return what an entry is; an end in an error is trouble, too."""
    kinds = _KINDS[entry.event]
    data = entry.data
    failed = data.get("to") == State.FAILED.value or data.get("tool_error") is True
    return (*kinds, Kind.TROUBLE) if entry.event is Event.STATUS and failed else kinds


def of_kind(journal: Sequence[JournalEntry], kind: Kind | None) -> Sequence[JournalEntry]:
    """Return the entries of one kind, without one all of them."""
    return journal if kind is None else [each for each in journal if kind in kinds_of(each)]


def next_kind(kind: Kind | None) -> Kind | None:
    """Return the next choice; after the last kind come all."""
    choices: tuple[Kind | None, ...] = (None, *Kind)
    return choices[(choices.index(kind) + 1) % len(choices)]


def nothing_of(kind: Kind, key: str) -> str:
    """Say that there is nothing of this kind, and how often the key that chooses shows all."""
    presses = len(Kind) - list(Kind).index(kind)
    again = f": {key}{f' {presses} times' if presses > 1 else ''} shows all" if key else ""
    return f"nothing of this kind{again}"


def how_many(shown: int, total: int) -> str:
    return f"{shown:,} of {total:,} lines"
