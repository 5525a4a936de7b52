"""A simulated world for the engine: time that is turned by hand, a disk and servers in memory.

Nothing here sleeps for real, and nothing is random, so that a run can be compared with another::

    world = World()
    build = world.server("http://build.test/mcp")
    build.put("t1", status="working", statusMessage="1/10")
    async with world.supervisor() as supervisor:
        view = await supervisor.save(draft(build.url, "t1"))
        await world.clock.advance(10)
"""

from __future__ import annotations

import asyncio
import heapq
import random
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from mcp_tasks_tui.handles import merge
from mcp_tasks_tui.handles.errors import NoSuchHandle
from mcp_tasks_tui.handles.merge import Kept
from mcp_tasks_tui.handles.model import (
    AnswerRecord,
    AnswerState,
    Event,
    Handle,
    HandleDraft,
    Intent,
    JournalEntry,
    Saved,
    Snapshot,
    SnapshotWrite,
    Texts,
)
from mcp_tasks_tui.handles.normalising import clean
from mcp_tasks_tui.handles.receipts import ARCHIVED, EDITED, RESTORED, SAVED, Receipt
from mcp_tasks_tui.handles.tables import CLAIM_SECONDS
from mcp_tasks_tui.protocol.errors import MethodNotFound, NoSuchTask, NotSent, RequestError
from mcp_tasks_tui.protocol.messages import (
    Acknowledged,
    CallOutcome,
    InputResponse,
    ListenEvent,
    Task,
    TaskPushed,
    TaskReply,
    ToolList,
)
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.settings import EngineSettings
from mcp_tasks_tui.supervise.supervisor import Batch, Supervisor

#: When every simulated world begins (epoch seconds).
EPOCH = 1_788_256_800.0


# --- values ----------------------------------------------------------------------------------


def a_task(task_id: str = "t1", status: str = "working", **fields: Any) -> Task:
    """Return a task as a server would describe it; `fields` have their names on the wire."""
    body = {"pollIntervalMs": 1000, **fields, "taskId": task_id, "status": status}
    body.setdefault("ttl_known", "ttlMs" in body)
    body.setdefault("has_result", "result" in body)
    return Task.model_validate(body)


def a_reply(
    task_id: str = "t1", status: str = "working", *, server_time: float | None = None, **fields: Any
) -> TaskReply:
    return TaskReply(a_task(task_id, status, **fields), server_time)


def draft(url: str, task_id: str = "t1", **fields: Any) -> HandleDraft:
    return HandleDraft(server_url=url, task_id=task_id, **fields)


def no_such_task(task_id: str = "t1") -> NoSuchTask:
    return NoSuchTask(-32602, ServerText(f"Task {task_id} not found"), None, 400)


def a_question(message: str = "Which region?", **params: Any) -> dict[str, Any]:
    """Return an input request with one text field."""
    schema = {"type": "object", "properties": {"region": {"type": "string"}}}
    body = {"mode": "form", "message": message, "requestedSchema": schema, **params}
    return {"method": "elicitation/create", "params": body}


# --- time ------------------------------------------------------------------------------------


class SimClock:
    """Time that stands still until `advance` turns it."""

    def __init__(self, epoch: float = EPOCH) -> None:
        self._epoch = epoch
        self._passed = 0.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._count = 0

    def now(self) -> float:
        return self._epoch + self._passed

    def monotonic(self) -> float:
        return self._passed

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._count += 1
        heapq.heappush(self._sleepers, (self._passed + seconds, self._count, future))
        await future

    async def advance(self, seconds: float) -> None:
        """Let `seconds` pass: everyone who wakes in them runs, in the order of waking."""
        until = self._passed + seconds
        await settle()
        while self._sleepers and self._sleepers[0][0] <= until:
            at, _, future = heapq.heappop(self._sleepers)
            if future.done():
                continue
            self._passed = max(self._passed, at)
            future.set_result(None)
            await settle()
        self._passed = until
        await settle()


async def settle(rounds: int = 1000) -> None:
    """Let everything run that can run without time passing."""
    # The loop's ready queue has no public face; it is empty when nothing but time can help.
    ready = getattr(asyncio.get_running_loop(), "_ready", None)
    for _ in range(rounds):
        await asyncio.sleep(0)
        if ready is not None and not ready:
            return


# --- disk ------------------------------------------------------------------------------------


@dataclass
class _Row:
    kept: Kept
    snapshot: Snapshot = field(default_factory=Snapshot)
    version: int = 0
    answers: dict[str, AnswerRecord] = field(default_factory=dict)
    #: Which process each answer is of.
    claimed_by: dict[str, MemoryStore] = field(default_factory=dict)
    journal: list[JournalEntry] = field(default_factory=list)
    result: Any = None
    has_result: bool = False

    @property
    def handle(self) -> Handle:
        return self.kept.handle

    def saved(self) -> Saved:
        return Saved(self.handle, self.snapshot, self.version, dict(self.answers))


class Disk:
    """What is stored, shared by the stores of several processes."""

    def __init__(self) -> None:
        self.rows: dict[str, _Row] = {}
        self.intents: dict[int, Intent] = {}
        #: Which process waits for the answer to a call; none does for one that was lost.
        self.waiting: dict[int, MemoryStore] = {}
        #: Who changed which task, oldest first.
        self.changes: list[tuple[MemoryStore, str]] = []
        self.last_intent: int = 0


class MemoryStore:
    """One process's store on a `Disk`. Set `fault` to have every writing method fail.

    `tests/supervise/test_store_contract.py` holds it and the real one to the same behaviour.
    """

    def __init__(self, disk: Disk, clock: SimClock) -> None:
        self.disk = disk
        self.clock = clock
        self.fault: Exception | None = None
        self.commits: list[tuple[float, tuple[SnapshotWrite, ...]]] = []
        #: What the store has to say, as of a damaged file that was moved aside.
        self.notices: list[str] = []
        #: Whether its process has ended.
        self.ended = False
        self._own_changes = 0
        self._seen = 0

    async def load(self) -> list[Saved]:
        self._seen = len(self.disk.changes)
        return [row.saved() for row in self.disk.rows.values()]

    async def load_one(self, key: str) -> Saved | None:
        row = self.disk.rows.get(key)
        return None if row is None else row.saved()

    async def save(self, draft: HandleDraft, *, intent_id: int | None = None) -> Saved:
        self._write()
        at = self.clock.now() if draft.saved_at is None else draft.saved_at
        receipt = Receipt(SAVED, at, draft)
        row = self._find(draft.server_url, draft.task_id)
        if row is None:
            key = f"k{len(self.disk.rows) + 1}"
            row = self.disk.rows[key] = _Row(merge.created(key, receipt))
            row.journal.append(JournalEntry(at, Event.SAVED))
        row.kept = merge.applied(row.kept, receipt)
        self._changed(row.handle.key)
        if intent_id is not None:
            self.disk.intents.pop(intent_id, None)
        return row.saved()

    async def commit(self, writes: Sequence[SnapshotWrite]) -> list[int | None]:
        self._write(*(write.key for write in writes))
        self.commits.append((self.clock.now(), tuple(writes)))
        return [self._apply(write) for write in writes]

    async def journal(self, key: str) -> list[JournalEntry]:
        row = self.disk.rows.get(key)
        return [] if row is None else list(row.journal)

    async def result(self, key: str) -> Any:
        row = self.disk.rows.get(key)
        return None if row is None else row.result

    async def edit_all(self, texts: Mapping[str, Texts]) -> dict[str, Handle]:
        cleaned = {key: clean(each) for key, each in texts.items()}
        return self._change(cleaned, EDITED, self.clock.now(), Event.EDITED)

    async def archive_all(self, keys: Collection[str], at: float | None) -> dict[str, Handle]:
        texts = dict.fromkeys(keys, Texts())
        if at is None:
            return self._change(texts, RESTORED, self.clock.now(), Event.RESTORED)
        return self._change(texts, ARCHIVED, at, Event.ARCHIVED)

    async def claim_answer(self, key: str, record: AnswerRecord, *, again: bool) -> bool:
        self._write(key)
        row = self._row(key)
        earlier = row.answers.get(record.request_key)
        if earlier is not None and earlier.request_hash == record.request_hash:
            free = earlier.state is AnswerState.REFUSED
            if not free and (not again or self._on_its_way(row, earlier)):
                return False
        row.answers[record.request_key] = record
        row.claimed_by[record.request_key] = self
        return True

    def _on_its_way(self, row: _Row, record: AnswerRecord) -> bool:
        by = row.claimed_by.get(record.request_key, self)
        recent = self.clock.now() - record.at < CLAIM_SECONDS
        intended = record.state is AnswerState.INTENDED
        return intended and recent and by is not self and not by.ended

    async def set_answer(self, key: str, request_key: str, state: AnswerState) -> None:
        self._write(key)
        answers = self._row(key).answers
        if request_key in answers:
            answers[request_key] = replace(answers[request_key], state=state)

    async def withdraw_answer(
        self, key: str, request_key: str, earlier: AnswerRecord | None
    ) -> None:
        self._write(key)
        row = self._row(key)
        record = row.answers.get(request_key)
        ours = row.claimed_by.get(request_key) is self
        if record is None or not ours or record.state is not AnswerState.INTENDED:
            return
        del row.answers[request_key]
        if earlier is not None:
            row.answers[request_key] = earlier

    async def begin_call(
        self, server_url: str, tool: str, arguments: Any, label: str | None
    ) -> int:
        self._write()
        self.disk.last_intent += 1
        intent_id = self.disk.last_intent
        self.disk.intents[intent_id] = Intent(
            intent_id, server_url, tool, arguments, label, self.clock.now()
        )
        self.disk.waiting[intent_id] = self
        return intent_id

    async def end_call(self, intent_id: int) -> None:
        self._write()
        self.disk.intents.pop(intent_id, None)

    async def lose_call(self, intent_id: int) -> None:
        self._write()
        self.disk.waiting.pop(intent_id, None)

    async def open_intents(self) -> list[Intent]:
        waited_for = {one for one, by in self.disk.waiting.items() if not by.ended}
        return [one for number, one in self.disk.intents.items() if number not in waited_for]

    async def data_version(self) -> int:
        return len(self.disk.changes) - self._own_changes

    async def changed_by_others(self) -> list[Saved] | None:
        new, self._seen = self.disk.changes[self._seen :], len(self.disk.changes)
        keys = {key: None for store, key in new if store is not self}
        return [row.saved() for key in keys if (row := self.disk.rows.get(key)) is not None]

    def end(self) -> None:
        """Let its process end."""
        self.ended = True

    async def take_notices(self) -> list[str]:
        taken, self.notices = self.notices, []
        return taken

    def _write(self, *keys: str) -> None:
        if self.fault is not None:
            raise self.fault
        for key in keys or ("",):
            self._changed(key)

    def _changed(self, key: str) -> None:
        self.disk.changes.append((self, key))
        self._own_changes += 1

    def _change(
        self, texts: Mapping[str, Texts], what: str, at: float, event: Event
    ) -> dict[str, Handle]:
        """Keep what a person changed, with its line in the journal where that is something."""
        rows = {key: self.disk.rows[key] for key in texts if key in self.disk.rows}
        if rows:
            self._write(*rows)
        for key, row in rows.items():
            label, note, tags = texts[key].label, texts[key].note, texts[key].tags
            where = row.handle.server_url, row.handle.task_id
            draft = HandleDraft(*where, label=label, note=note, tags=tags)
            before, row.kept = row.kept, merge.applied(row.kept, Receipt(what, at, draft, key))
            archived = before.handle.archived_at is not None
            if row.kept != before and (what == EDITED or archived != (what == ARCHIVED)):
                row.journal.append(JournalEntry(at, event))
        return {key: row.handle for key, row in rows.items()}

    def _apply(self, write: SnapshotWrite) -> int | None:
        row = self.disk.rows.get(write.key)
        if row is None or row.version != write.base_version:
            return None
        row.version += 1
        row.snapshot = write.snapshot
        row.journal.extend(write.journal)
        if write.has_result and not row.has_result:
            row.result, row.has_result = write.result, True
        return row.version

    def _row(self, key: str) -> _Row:
        try:
            return self.disk.rows[key]
        except KeyError:
            raise NoSuchHandle(key) from None

    def _find(self, url: str, task_id: str) -> _Row | None:
        rows = self.disk.rows.values()
        mine = (row for row in rows if row.handle.server_url == url)
        return next((row for row in mine if row.handle.task_id == task_id), None)


# --- servers ---------------------------------------------------------------------------------

#: Seconds since the world began, task id -> the task's fields on the wire, or an error.
Script = Callable[[float, str], Mapping[str, Any] | RequestError]


@dataclass
class Request:
    """One request as the server saw it; times in seconds since the world began."""

    at: float
    method: str
    task_id: str = ""
    params: Any = None


class SimServer:
    """One server. Its tasks are plain fields, changed with `put`, or follow a `script`."""

    def __init__(self, url: str, clock: SimClock) -> None:
        self.url = url
        self.clock = clock
        self.tasks: dict[str, dict[str, Any]] = {}
        self.script: Script | None = None
        #: Raised instead of answering; may depend on the time.
        self.fault: RequestError | Callable[[float], RequestError | None] | None = None
        #: Seconds that each answer takes.
        self.latency: float = 0.0
        self.requests: list[Request] = []
        self.in_flight = 0
        self.most_in_flight = 0
        #: What `tools/call` answers: an outcome, or an error to raise.
        self.outcome: CallOutcome | RequestError | None = None
        #: Errors for `tasks/update` and `tasks/cancel`.
        self.update_fault: RequestError | None = None
        self.cancel_fault: RequestError | None = None
        #: Which ids `subscriptions/listen` acknowledges; None: the method is not known.
        self.acknowledges: Callable[[Sequence[str]], Sequence[str]] | None = None
        #: It takes streams and says nothing on them, not even an acknowledgement.
        self.silent = False
        #: It ends a stream as soon as another is opened.
        self.one_stream = False
        self.listens: list[list[str]] = []
        self._streams: list[asyncio.Queue[ListenEvent | RequestError | None]] = []

    def put(self, task_id: str, **fields: Any) -> None:
        """Have the server say this of the task from now on (and push it, where listened to)."""
        self.tasks[task_id] = fields

    def push(self, task_id: str, **fields: Any) -> None:
        """As `put`, and tell the open streams."""
        self.put(task_id, **fields)
        for stream in self._streams:
            stream.put_nowait(TaskPushed(self._reply(task_id)))

    def acknowledge(self, *task_ids: str) -> None:
        """Say on the open streams what they cover from now on."""
        for stream in self._streams:
            stream.put_nowait(Acknowledged(frozenset(task_ids)))

    def end_streams(self, error: RequestError | None = None) -> None:
        for stream in self._streams:
            stream.put_nowait(error)

    def reads(self, task_id: str | None = None) -> list[float]:
        """Return when tasks were read (this one, or all)."""
        return [
            one.at
            for one in self.requests
            if one.method == "tasks/get" and task_id in (None, one.task_id)
        ]

    def sent(self, method: str) -> list[Request]:
        return [one for one in self.requests if one.method == method]

    async def answer(self, method: str, task_id: str = "", params: Any = None) -> None:
        """Note a request, let its time pass, and raise what stands in its way."""
        began = self.clock.monotonic()
        self.requests.append(Request(began, method, task_id, params))
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await self.clock.sleep(self.latency)
        finally:
            self.in_flight -= 1
        fault = self.fault(began) if callable(self.fault) else self.fault
        if fault is not None:
            raise fault

    def _reply(self, task_id: str) -> TaskReply:
        fields: Mapping[str, Any] | RequestError | None = self.tasks.get(task_id)
        if self.script is not None:
            fields = self.script(self.clock.monotonic(), task_id)
        if fields is None:
            raise no_such_task(task_id)
        if isinstance(fields, RequestError):
            raise fields
        return TaskReply(a_task(task_id, **fields), self.clock.now())

    def read(self, task_id: str) -> TaskReply:
        return self._reply(task_id)

    def open_stream(self) -> asyncio.Queue[ListenEvent | RequestError | None]:
        stream: asyncio.Queue[ListenEvent | RequestError | None] = asyncio.Queue()
        self._streams.append(stream)
        return stream

    def close_stream(self, stream: asyncio.Queue[ListenEvent | RequestError | None]) -> None:
        self._streams.remove(stream)

    @property
    def open_streams(self) -> int:
        return len(self._streams)


class SimClient:
    """The engine's client for a `SimServer`."""

    def __init__(self, server: SimServer) -> None:
        self.server = server

    async def get_task(self, task_id: str) -> TaskReply:
        await self.server.answer("tasks/get", task_id)
        return self.server.read(task_id)

    async def update_task(self, task_id: str, responses: Mapping[str, InputResponse]) -> None:
        await self.server.answer("tasks/update", task_id, dict(responses))
        if self.server.update_fault is not None:
            raise self.server.update_fault

    async def cancel_task(self, task_id: str) -> None:
        await self.server.answer("tasks/cancel", task_id)
        if self.server.cancel_fault is not None:
            raise self.server.cancel_fault

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        input_responses: Mapping[str, InputResponse] | None = None,
        request_state: str | None = None,
        timeout: float | None = None,
    ) -> CallOutcome:
        await self.server.answer("tools/call", "", (name, dict(arguments), request_state))
        if isinstance(self.server.outcome, RequestError):
            raise self.server.outcome
        assert self.server.outcome is not None, "the test gave no outcome for tools/call"
        return self.server.outcome

    async def list_tools(self) -> ToolList:
        await self.server.answer("tools/list")
        return ToolList(())

    async def listen(self, task_ids: Sequence[str]) -> AsyncIterator[ListenEvent]:
        server = self.server
        server.listens.append(list(task_ids))
        if server.acknowledges is None:
            raise MethodNotFound(-32601, ServerText("Method not found"), None, 404)
        if server.one_stream:
            server.end_streams()
        stream = server.open_stream()
        try:
            if not server.silent:
                yield Acknowledged(frozenset(server.acknowledges(task_ids)))
            while (event := await stream.get()) is not None:
                if isinstance(event, RequestError):
                    raise event
                yield event
        finally:
            server.close_stream(stream)


# --- the whole -------------------------------------------------------------------------------


class World:
    """A clock, a disk and some servers, and as many supervisors (processes) on them as needed."""

    def __init__(self, settings: EngineSettings | None = None) -> None:
        self.clock = SimClock()
        self.disk = Disk()
        self.servers: dict[str, SimServer] = {}
        self.settings = settings or EngineSettings()
        #: The store of the supervisor started last.
        self.store_class: type[MemoryStore] = MemoryStore
        self.store = MemoryStore(self.disk, self.clock)
        self.batches: list[Batch] = []

    def server(self, url: str = "http://one.test/mcp") -> SimServer:
        server = self.servers[url] = SimServer(url, self.clock)
        return server

    def connect(self, url: str) -> SimClient:
        if url not in self.servers:
            raise NotSent(f"no settings for {url}")
        return SimClient(self.servers[url])

    async def saved(
        self, server: SimServer, *task_ids: str, snapshot: Snapshot | None = None
    ) -> None:
        """Put handles on the disk as if they had been saved before the start."""
        for task_id in task_ids:
            one = await self.store.save(draft(server.url, task_id))
            if snapshot is not None:
                row = self.disk.rows[one.handle.key]
                row.snapshot, row.version = snapshot, 1

    @asynccontextmanager
    async def supervisor(self, *, seed: int = 7, **start: Any) -> AsyncIterator[Supervisor]:
        """Run one process's supervisor; `start` goes to `Supervisor.start`."""
        store = self.store = self.store_class(self.disk, self.clock)
        supervisor = Supervisor(
            store=store,
            connect=self.connect,
            clock=self.clock,
            settings=self.settings,
            fraction=random.Random(seed).random,
        )
        supervisor.subscribe(self.batches.append)
        await supervisor.start(**start)
        try:
            yield supervisor
        finally:
            await supervisor.close()
            store.end()

    def notices(self) -> list[str]:
        return [line for batch in self.batches for line in batch.notices]

    def journal(self, key: str) -> list[tuple[Event, str]]:
        """Return what the disk has of a task's history, in short."""
        return [
            (entry.event, entry.text.raw if entry.text else "")
            for entry in self.disk.rows[key].journal
        ]


async def one_server(*task_ids: str, **fields: Any) -> tuple[World, SimServer]:
    """A world with one server and, saved there and on the disk, its tasks: each has `fields`."""
    world = World()
    server = world.server()
    for task_id in task_ids:
        server.put(task_id, **fields)
    await world.saved(server, *task_ids)
    return world, server
