"""Tasks as the server keeps them: states, questions, answers, cancellation, expiry.

Source: ext-tasks specification/draft/tasks.md.
"""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from mcp_tasks_tui.demo import wire

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mcp_tasks_tui.demo.clock import Clock, TaskClock

Status = Literal["working", "input_required", "completed", "failed", "cancelled"]
TERMINAL: frozenset[Status] = frozenset({"completed", "failed", "cancelled"})


class CancelRequested(Exception):
    """Raised inside a story, once, where it may stop; it can still tidy up."""


class ProtocolFailure(Exception):
    """The work ended in a JSON-RPC error: the task fails."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.error: dict[str, Any] = {"code": code, "message": message}
        if data is not None:
            self.error["data"] = data


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """What came back for a question: accept, decline or cancel, and the content of an accept."""

    action: str
    content: Mapping[str, Any] = field(default_factory=dict)

    @property
    def accepted(self) -> bool:
        return self.action == "accept"


@dataclass(slots=True)
class Task:
    """One task and everything that `tasks/get` says about it. Times are seconds since the epoch."""

    id: str
    created_at: float
    updated_at: float
    ttl: float | None
    poll_interval: float
    status: Status = "working"
    message: str | None = None
    requests: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    result: Mapping[str, Any] | None = None
    error: Mapping[str, Any] | None = None

    @property
    def terminal(self) -> bool:
        return self.status in TERMINAL

    def summary(self) -> dict[str, Any]:
        """The flat `Task` of a CreateTaskResult."""
        said = {"statusMessage": self.message} if self.message is not None else {}
        return {
            "taskId": self.id,
            "status": self.status,
            **said,
            "createdAt": _timestamp(self.created_at),
            "lastUpdatedAt": _timestamp(self.updated_at),
            "ttlMs": None if self.ttl is None else round(self.ttl * 1000),
            "pollIntervalMs": round(self.poll_interval * 1000),
        }

    def detail(self) -> dict[str, Any]:
        """The `DetailedTask` of tasks/get and notifications/tasks."""
        detail = self.summary()
        if self.status == "input_required":
            detail["inputRequests"] = dict(self.requests)
        elif self.status == "completed":
            detail["result"] = self.result
        elif self.status == "failed":
            detail["error"] = self.error
        return detail


class Work:
    """What a story does with its task: says how far it is, waits, asks, and notices a cancel."""

    def __init__(
        self,
        task: Task,
        clock: TaskClock,
        *,
        capabilities: wire.Capabilities,
        obeys_cancel: bool = True,
        changed: Callable[[Task], None],
        leave: Callable[[float], None],
        first_answers: Mapping[str, GivenAnswer] | None = None,
        fate: str | None = None,
    ) -> None:
        self.task = task
        self.clock = clock
        #: What was answered before the task existed, by the name of the question.
        self.first_answers = dict(first_answers or {})
        #: What a scene wants to become of a batch job.
        self.fate = fate
        self._capabilities = capabilities
        self._obeys_cancel = obeys_cancel
        self._changed = changed
        self._leave = leave
        self._answers: dict[str, GivenAnswer] = {}
        self._issued: set[str] = set()
        self._nudge = asyncio.Event()
        self._cancel = False

    def say(self, message: str | None) -> None:
        self._update("working", message)

    async def sleep(self, seconds: float) -> None:
        """Let that many seconds of the story pass (`--speed` makes them shorter)."""
        self._nudge.clear()
        self._stop_if_asked()
        await self.clock.wait(self._nudge, seconds)
        self._stop_if_asked()

    def server_goes_away(self, seconds: float) -> None:
        """The whole server closes its socket for that many seconds of the story."""
        left = self.clock.left(seconds)
        if left > 0:
            self._leave(left)

    async def ask(
        self, questions: Mapping[str, Mapping[str, Any]], message: str
    ) -> dict[str, GivenAnswer]:
        """Put questions to the client at once, wait until all are answered, return the answers.

        Questions (`elicitation/create` requests) and answers are by the names of the questions.

        Raises:
            ProtocolFailure: the client did not declare that it can be asked.
        """
        for question in questions.values():
            self._need_elicitation(question)
        keys = {self._new_key(name): name for name in questions}
        self.task.requests = {key: questions[name] for key, name in keys.items()}
        self._update("input_required", message)
        while self.task.requests:
            self._stop_if_asked()
            self._nudge.clear()
            await self.clock.wait_for(self._nudge)
        self._stop_if_asked()
        return {name: self._answers[key] for key, name in keys.items()}

    async def ask_one(self, name: str, question: Mapping[str, Any], message: str) -> GivenAnswer:
        return (await self.ask({name: question}, message))[name]

    def answer(self, responses: Mapping[str, Any]) -> None:
        """Take the answers to open questions; all other keys are ignored.

        Raises:
            RpcFault: an answer to an open question is malformed; then none is taken.
        """
        taken = {
            key: check_answer(key, response, self.task.requests[key])
            for key, response in responses.items()
            if key in self.task.requests
        }
        if not taken:
            return
        self._answers.update(taken)
        self.clock.catch_up()
        for key in taken:
            del self.task.requests[key]
        if self.task.requests:
            self._update("input_required", self.task.message)
            return
        self._update("working", None)
        self._nudge.set()

    def cancel(self) -> None:
        if self._obeys_cancel and not self.task.terminal:
            self._cancel = True
            self._nudge.set()

    def finish(self, status: Status, message: str | None = None, **outcome: Any) -> None:
        self.task.requests = {}
        self.task.result = outcome.get("result")
        self.task.error = outcome.get("error")
        self._update(status, message)
        self.clock.caught_up.set()

    def _need_elicitation(self, question: Mapping[str, Any]) -> None:
        mode = question["params"].get("mode", "form")
        if not self._capabilities.elicits(mode):
            raise ProtocolFailure(
                wire.MISSING_CAPABILITY,
                "Missing required client capability",
                {"requiredCapabilities": {"elicitation": {mode: {}}}},
            )

    def _new_key(self, name: str) -> str:
        """Keys are never used twice in the life of a task."""
        key, count = name, 1
        while key in self._issued:
            count += 1
            key = f"{name}-{count}"
        self._issued.add(key)
        return key

    def _stop_if_asked(self) -> None:
        if self._cancel:
            self._cancel = False
            self._nudge.clear()
            self.task.requests = {}
            raise CancelRequested

    def _update(self, status: Status, message: str | None) -> None:
        self.task.status = status
        self.task.message = message
        self.task.updated_at = self.clock.now()
        self._changed(self.task)


def check_answer(key: str, response: Any, request: Mapping[str, Any]) -> GivenAnswer:
    """An answer as a client sent it, held against the question it belongs to."""
    action = response.get("action") if isinstance(response, dict) else None
    if action not in {"accept", "decline", "cancel"}:
        raise wire.invalid_params(f"{key}: action must be accept, decline or cancel")
    schema = request["params"].get("requestedSchema")
    if action != "accept" or schema is None:
        return GivenAnswer(action)
    content = response.get("content")
    if not isinstance(content, dict):
        raise wire.invalid_params(f"{key}: an accepted form needs content")
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - 100 ms that a start need not pay

    for fault in Draft202012Validator(schema).iter_errors(content):
        raise wire.invalid_params(f"{key}: {fault.message}")
    return GivenAnswer(action, content)


class TaskStore:
    """The server's tasks by id, and who wants to hear of their changes."""

    def __init__(self, clock: Clock, seed: int) -> None:
        self._clock = clock
        self._seed = seed
        self._works: dict[str, Work] = {}
        self._calls: dict[str, int] = {}
        self._watchers: set[Callable[[Task], None]] = set()

    def new_id(self, call: str) -> str:
        """An id that depends on the seed and the call alone: the same run gives the same ids."""
        count = self._calls[call] = self._calls.get(call, 0) + 1
        digest = hashlib.sha256(f"{self._seed}/{call}/{count}".encode()).hexdigest()
        return f"{digest[:8]}-{digest[8:12]}-4{digest[13:16]}-8{digest[17:20]}-{digest[20:32]}"

    def add(self, work: Work) -> None:
        self._works[work.task.id] = work

    def find(self, task_id: str) -> Work:
        """Return the work on a task.

        Raises:
            RpcFault: no such task, or its time to live is over.
        """
        work = self._works.get(task_id)
        if work is not None and self._expired(work.task):
            del self._works[task_id]  # first: what still becomes of it is nobody's news
            work.cancel()
            work = None
        if work is None:
            raise wire.invalid_params(f"Task {task_id} not found")
        return work

    def known(self, task_id: str) -> bool:
        work = self._works.get(task_id)
        return work is not None and not self._expired(work.task)

    def watch(self, watcher: Callable[[Task], None]) -> None:
        self._watchers.add(watcher)

    def unwatch(self, watcher: Callable[[Task], None]) -> None:
        self._watchers.discard(watcher)

    def changed(self, task: Task) -> None:
        """Tell the watchers, unless its time to live is over: then there is no such task."""
        if not self.known(task.id):
            return
        for watcher in tuple(self._watchers):
            watcher(task)

    def _expired(self, task: Task) -> bool:
        return task.ttl is not None and self._clock.now() >= task.created_at + task.ttl


def _timestamp(seconds: float) -> str:
    moment = datetime.fromtimestamp(seconds, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
