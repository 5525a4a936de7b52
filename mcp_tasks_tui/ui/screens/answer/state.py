"""The questions of one task while a person answers them: which there are, and how each stands."""

from __future__ import annotations

from enum import Enum
from itertools import chain
from typing import TYPE_CHECKING, Literal, Protocol

from mcp_tasks_tui.forms.reading import in_order, is_for_a_person, message_of, read_question
from mcp_tasks_tui.handles.model import AnswerState
from mcp_tasks_tui.records import record
from mcp_tasks_tui.supervise.answers import request_hash

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from mcp_tasks_tui.forms.model import Question
    from mcp_tasks_tui.handles.model import Json
    from mcp_tasks_tui.protocol.messages import InputResponse
    from mcp_tasks_tui.sanitize import ServerText
    from mcp_tasks_tui.supervise.supervisor import Batch
    from mcp_tasks_tui.supervise.view import TaskView

Action = Literal["accept", "decline", "cancel"]


class Answering(Protocol):
    """What the answering screens need of the Supervisor."""

    def view(self, key: str) -> TaskView | None: ...

    def subscribe(self, listener: Callable[[Batch], None]) -> Callable[[], None]: ...

    async def answer(
        self,
        key: str,
        responses: Mapping[str, InputResponse],
        *,
        shown: Mapping[str, str],
        again: bool = False,
    ) -> None: ...


@record
class AnswerOutcome:
    """What happened while the screen was open: the protocol action sent for each request key."""

    task: str
    sent: Mapping[str, Action]


class QuestionStanding(Enum):
    """How a question stands; the value is its sign in the strip."""

    OPEN = "?"
    SENDING = "…"
    ANSWERED = "✓"
    WITHDRAWN = "–"


class Questions:
    """The questions of one task in an order that stays, compared with each new view of it.

    A question that was once shown stays listed, withdrawn, so that what was typed stays too.
    There may be very many: each is read when it is asked for, and none is looked at for another.
    """

    def __init__(
        self, view: TaskView | None, sending: Callable[[], Collection[str]] = frozenset
    ) -> None:
        """`sending` returns the questions whose answers are on their way."""
        self.sent: dict[str, Action] = {}
        self._sending = sending
        #: The keys in their order.
        self.keys: list[str] = []
        self._places: dict[str, int] = {}
        #: The requests as they were when their questions were listed, or read anew.
        self._asked: dict[str, Json] = {}
        self._read: dict[str, Question] = {}
        self._take(view)

    def __len__(self) -> int:
        return len(self.keys)

    def __getitem__(self, key: str) -> Question:
        if key not in self._read:
            self._read[key] = read_question(key, self._asked[key])
        return self._read[key]

    @property
    def sending(self) -> Collection[str]:
        """The questions whose answers are on their way."""
        return self._sending()

    def place(self, key: str) -> int:
        """Return at which place the question is, from 0."""
        return self._places[key]

    def message(self, key: str) -> ServerText:
        """Return what is asked, without reading the question whole."""
        return message_of(self._asked[key])

    def update(self, view: TaskView | None) -> None:
        """Take in a new view; questions that are new in it come last."""
        if view is not self._view:
            self._take(view)

    def shown(self, keys: Iterable[str]) -> dict[str, str]:
        """Return the hash of each request as it was when its question was read."""
        return {key: request_hash(self._asked[key]) for key in keys}

    def changed(self, key: str) -> bool:
        """Return whether the server asks something else now than what was read."""
        if key not in self._changed:
            now = self._requests.get(key, self._asked[key])
            self._changed[key] = _differ(now, self._asked[key])
        return self._changed[key]

    def reread(self, key: str) -> None:
        """Read a changed question anew, in its place."""
        if key in self._requests:
            self._asked[key] = self._requests[key]
            self._read.pop(key, None)
            self._changed[key] = False

    def standing(self, key: str) -> QuestionStanding:
        if key in self.sending:
            return QuestionStanding.SENDING
        if key not in self._requests:
            return QuestionStanding.ANSWERED if key in self.sent else QuestionStanding.WITHDRAWN
        if key in self.sent or key not in self._open:
            return QuestionStanding.ANSWERED
        return QuestionStanding.OPEN

    def sign(self, place: int) -> str:
        """Return how the question at `place` stands, as one sign."""
        return self.standing(self.keys[place]).value

    def waiting(self) -> Iterator[str]:
        """Return, in their order, the open questions that are for a person."""
        return (key for key in self.keys if self._is_waiting(key))

    def first(self) -> str | None:
        """Return the question to begin with, None where there is none."""
        is_open = (key for key in self.keys if self.standing(key) is QuestionStanding.OPEN)
        return next(chain(self.waiting(), is_open, self.keys), None)

    def passed_over(self) -> str:
        """Say why a person does not begin with the first one, nothing where they do."""
        first = self.first()
        passed = 0 if first is None else self.place(first)
        if not passed:
            return ""
        which = "Question 1" if passed == 1 else f"Questions 1 to {passed:,}"
        return f"{which} cannot be answered here; this is the first that can."

    def answerable(self, key: str) -> bool:
        """A person's answer to it can be sent: it is asked, and of a kind that has answers."""
        return (
            key in self._requests
            and self.standing(key) in (QuestionStanding.OPEN, QuestionStanding.ANSWERED)
            and is_for_a_person(self._asked[key])
            and not self.changed(key)
        )

    def _is_waiting(self, key: str) -> bool:
        return self.standing(key) is QuestionStanding.OPEN and is_for_a_person(self._asked[key])

    def told(self, key: str, *, show: str) -> str:
        """Return in words what is unusual about how the question stands, else nothing.

        `show` is the key that shows a changed question, as a person reads it; may be empty.
        """
        standing = self.standing(key)
        if standing is QuestionStanding.WITHDRAWN:
            return f"No longer asked{self._because()}. What you typed is kept; it cannot be sent."
        if self.changed(key):
            changed = "The server has changed this question."
            return f"{changed} {show} shows the new one, with your text." if show else changed
        if standing is QuestionStanding.ANSWERED:
            return self._answered(key)
        return ""

    def why_not(self, key: str, *, show: str) -> str:
        """Return in words why no answer to the question can be sent now, and what to do.

        `show` as for `told`.
        """
        if self.standing(key) is QuestionStanding.ANSWERED and not self.changed(key):
            return "It was answered, and the server has taken that; close this form."
        if told := self.told(key, show=show):
            return told
        return "This kind of request has no answer to send; the task can be cancelled."

    def _because(self) -> str:
        if self._view is None:
            return ": the task is not saved here"
        if self._view.state.ended:
            return f": the task is {self._view.state.value.replace('_', ' ')}"
        return ": it was answered elsewhere or taken back"

    def _answered(self, key: str) -> str:
        record = self._view.answers.get(key) if self._view else None
        if record is not None and record.state is AnswerState.INTENDED and key not in self.sent:
            return "An answer may have been sent before. Send again only if the server has none."
        if self[key].mode == "url":
            return "Answered. The server waits until the page is finished; it can be opened again."
        return "Answered; the server has not moved on yet. Send again only if it lost the answer."

    def _take(self, view: TaskView | None) -> None:
        self._view = view
        self._requests: Mapping[str, Json] = view.snapshot.input_requests if view else {}
        self._open = frozenset(view.open_requests if view else ())
        self._changed: dict[str, bool] = {}
        fresh = {key: raw for key, raw in self._requests.items() if key not in self._places}
        for key in in_order(fresh, view.open_requests if view else ()):
            self._places[key] = len(self.keys)
            self.keys.append(key)
            self._asked[key] = fresh[key]


def _differ(one: Json, other: Json) -> bool:
    """Return whether two raw requests are told apart by what is handed to the engine of them."""
    return one is not other and request_hash(one) != request_hash(other)
