"""What the engine itself refuses or cannot finish, beside the wire's own errors.

`str(error)` is one clean line that says what to do.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.errors import StoreError
from mcp_tasks_tui.protocol.errors import (
    AuthFailed,
    HttpError,
    NotSent,
    RateLimited,
    RequestError,
    TimedOut,
    Unreachable,
    UnusableReply,
)
from mcp_tasks_tui.sanitize import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcp_tasks_tui.handles.model import HandleDraft


_BEFORE_SENDING = frozenset({"refused", "dns", "tls", "proxy"})


class EngineError(Exception):
    """A request to the engine that it does not carry out; nothing was sent."""


class UnknownKey(EngineError):
    def __init__(self, key: str) -> None:
        self.key = key
        super().__init__(f"no saved task {one_line(key, 80)!r}")


class NothingToAnswer(EngineError):
    """The task does not ask (or no longer asks) for what was to be answered."""

    def __init__(self, keys: Iterable[str] = ()) -> None:
        self.keys = tuple(keys)
        named = ", ".join(one_line(key, 60) for key in self.keys)
        super().__init__(
            f"the task does not ask for {named} any more; look at it again before answering"
            if named
            else "the task does not ask for anything"
        )


class QuestionChanged(EngineError):
    """A key asks something else than what the answer was given to; none of the answers was sent."""

    def __init__(self, keys: Iterable[str]) -> None:
        self.keys = tuple(keys)
        named = ", ".join(one_line(key, 60) for key in self.keys)
        super().__init__(
            f"the server has changed the question {named}; look at it again before answering"
        )


class AlreadyAnswered(EngineError):
    """An answer was sent before, here or by another process; a person may send one again."""

    def __init__(self, keys: Iterable[str]) -> None:
        self.keys = tuple(keys)
        named = ", ".join(one_line(key, 60) for key in self.keys)
        super().__init__(f"already answered: {named}; send it again only if the server lost it")


class AlreadyEnded(EngineError):
    """There is nothing left to cancel."""

    def __init__(self, state: str) -> None:
        self.state = state
        super().__init__(f"nothing to cancel: the task has ended ({state})")


class InvalidAnswer(EngineError):
    """The answer has a shape that the protocol does not allow for this request."""


class InternalFault(RequestError):
    """A bug of ours met while one task was read: it marks that task alone."""

    kind = "internal"


class CallUnanswered(RequestError):
    """The call was sent and no usable answer came: work may have started, without a handle."""

    kind = "call-unanswered"

    def __init__(self, error: RequestError) -> None:
        self.error = error
        super().__init__(f"{error}; the call may have started work, but no handle was received")


class AnswerUnconfirmed(RequestError):
    """The answer was sent and not acknowledged: it is unknown whether it arrived."""

    kind = "answer-unconfirmed"

    def __init__(self, error: RequestError) -> None:
        self.error = error
        super().__init__(
            f"{error}; it is not known whether the answer arrived: see what the task does next"
        )


def never_sent(error: RequestError) -> bool:
    """Whether a request that ended in `error` surely did not get as far as the server."""
    if isinstance(error, TimedOut):
        return error.phase == "connect"
    if isinstance(error, Unreachable):
        return error.cause in _BEFORE_SENDING
    return isinstance(error, NotSent)


def may_have_arrived(error: RequestError) -> bool:
    """Whether a request that ended in `error` may have been carried out all the same."""
    if isinstance(error, TimedOut | Unreachable):
        return not never_sent(error)
    if isinstance(error, AuthFailed | RateLimited):
        return False
    if isinstance(error, HttpError):
        return error.status >= 500
    return isinstance(error, UnusableReply)


class HandleNotSaved(StoreError):
    """A handle was received and could not be saved; the message has it whole, to copy by hand."""

    def __init__(self, draft: HandleDraft, error: StoreError) -> None:
        self.draft = draft
        self.unsaved = (draft,)
        whole = {"serverUrl": draft.server_url, "taskId": draft.task_id, "tool": draft.tool}
        said = {name: value for name, value in whole.items() if value is not None}
        super().__init__(f"{error}; copy this handle: {json.dumps(said)}")
