"""The questions of one task while a person answers them: which there are, and how each stands."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Literal, Protocol

from mcp_tasks_tui.forms.reading import ELICITATION, read_questions
from mcp_tasks_tui.handles.model import AnswerState
from mcp_tasks_tui.records import record
from mcp_tasks_tui.supervise.answers import request_hash

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mcp_tasks_tui.forms.model import Question
    from mcp_tasks_tui.handles.model import Json
    from mcp_tasks_tui.protocol.messages import InputResponse
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


class Standing(Enum):
    """How a question stands; the value is its sign in the strip."""

    OPEN = "?"
    SENDING = "…"
    ANSWERED = "✓"
    WITHDRAWN = "–"


class Questions:
    """The questions of one task in an order that stays, compared with each new view of it.

    A question that was once shown stays listed, withdrawn, so that what was typed stays too.
    """

    def __init__(self, view: TaskView | None) -> None:
        self.sent: dict[str, Action] = {}
        self.sending: set[str] = set()
        #: Questions whose request has changed on the server since they were read.
        self.changed: set[str] = set()
        self._view = view
        self._questions: dict[str, Question] = {}
        self._add(view)

    @property
    def all(self) -> tuple[Question, ...]:
        return tuple(self._questions.values())

    def __getitem__(self, key: str) -> Question:
        return self._questions[key]

    def update(self, view: TaskView | None) -> bool:
        """Take in a new view; True where questions were added."""
        self._view = view
        requests = view.snapshot.input_requests if view else {}
        self.changed = {
            key
            for key, question in self._questions.items()
            if key in requests and _differ(requests[key], question.raw)
        }
        before = len(self._questions)
        self._add(view)
        return len(self._questions) > before

    def shown(self, keys: Iterable[str]) -> dict[str, str]:
        """Return the hash of each request as it was when its question was read."""
        return {key: request_hash(self._questions[key].raw) for key in keys}

    def reread(self, key: str) -> Question:
        """Read a changed question anew, in its place."""
        requests = self._view.snapshot.input_requests if self._view else {}
        if key in requests:
            [self._questions[key]] = read_questions({key: requests[key]})
            self.changed.discard(key)
        return self._questions[key]

    def standing(self, key: str) -> Standing:
        if key in self.sending:
            return Standing.SENDING
        if self._view is None or key not in self._view.snapshot.input_requests:
            return Standing.ANSWERED if key in self.sent else Standing.WITHDRAWN
        if key in self.sent or key not in self._view.open_requests:
            return Standing.ANSWERED
        return Standing.OPEN

    def open(self) -> tuple[str, ...]:
        return tuple(key for key in self._questions if self.standing(key) is Standing.OPEN)

    def waiting(self) -> tuple[str, ...]:
        """Return the open questions that a person can answer."""
        return tuple(key for key in self.open() if self.answerable(key))

    def first(self) -> str | None:
        """Return the question to begin with, None where there is none."""
        return next(iter((*self.waiting(), *self.open(), *self._questions)), None)

    def answerable(self, key: str) -> bool:
        """A person's answer to it can be sent: it is asked, and of a kind that has answers."""
        standing = self.standing(key)
        asked = self._view is not None and key in self._view.snapshot.input_requests
        return (
            asked
            and standing in (Standing.OPEN, Standing.ANSWERED)
            and key not in self.changed
            and self._questions[key].method == ELICITATION
        )

    def told(self, key: str, *, show: str) -> str:
        """Return in words what is unusual about how the question stands, else nothing.

        `show` is the key that shows a changed question, as a person reads it; may be empty.
        """
        standing = self.standing(key)
        if standing is Standing.WITHDRAWN:
            return f"No longer asked{self._because()}. What you typed is kept; it cannot be sent."
        if key in self.changed:
            changed = "The server has changed this question."
            return f"{changed} {show} shows the new one, with your text." if show else changed
        if standing is Standing.ANSWERED:
            return self._answered(key)
        return ""

    def why_not(self, key: str, *, show: str) -> str:
        """Return in words why no answer to the question can be sent now, and what to do.

        `show` as for `told`.
        """
        if self.standing(key) is Standing.ANSWERED and key not in self.changed:
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
        if self._questions[key].mode == "url":
            return "Answered. The server waits until the page is finished; it can be opened again."
        return "Answered; the server has not moved on yet. Send again only if it lost the answer."

    def _add(self, view: TaskView | None) -> None:
        if view is None:
            return
        fresh = {
            key: request
            for key, request in view.snapshot.input_requests.items()
            if key not in self._questions
        }
        for question in read_questions(fresh, view.open_requests):
            self._questions[question.key] = question


def _differ(one: Json, other: Json) -> bool:
    """Return whether two raw requests are told apart by what is handed to the engine of them."""
    return one is not other and request_hash(one) != request_hash(other)
