"""A Supervisor without an engine: filled by hand, it records what it was asked to do."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.handles.model import (
    AnswerRecord,
    AnswerState,
    Event,
    Handle,
    HandleDraft,
    Intent,
    JournalEntry,
    ReadState,
    Snapshot,
    State,
)
from mcp_tasks_tui.protocol.messages import InputNeeded, InputResponse, Tool, ToolList, ToolResult
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.answers import request_hash
from mcp_tasks_tui.supervise.problems import QuestionChanged, UnknownKey
from mcp_tasks_tui.supervise.sendings import Outcome, Sending
from mcp_tasks_tui.supervise.server_view import Health, ServerView
from mcp_tasks_tui.supervise.supervisor import Batch, Supervisor
from mcp_tasks_tui.supervise.unsaved import UnsavedHandle
from mcp_tasks_tui.supervise.view import Attention, Coverage, Progress, Reason, TaskView
from mcp_tasks_tui.urls import short_url

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from mcp_tasks_tui.supervise.keeping import Failures

#: The screen's "now" in tests: 2027-01-15 08:00 UTC.
NOW = 1_800_000_000.0
SERVER = "http://127.0.0.1:8900/mcp"


def a_task(
    key: str = "t1",
    state: State = State.WORKING,
    *,
    server_url: str = SERVER,
    server: str = "builds",
    label: str | None = None,
    tool: str | None = "build",
    task_id: str | None = None,
    arguments: Any = None,
    message: str | None = None,
    message_is_old: bool = False,
    fraction: float | None = None,
    attention: Sequence[Reason | Attention] = (),
    requests: Mapping[str, Any] | None = None,
    answered: Sequence[str] = (),
    failures: int = 0,
    error: str | None = None,
    saved_at: float = NOW - 600,
    changed_at: float | None = NOW - 30,
    read_at: float | None = NOW - 2,
    archived_at: float | None = None,
    cancel_requested_at: float | None = None,
    note: str | None = None,
    tags: Sequence[str] = (),
    coverage: Coverage | None = None,
    next_read_at: float | None = NOW + 3,
    live: bool = True,
    held: bool = False,
) -> TaskView:
    """Return the view of one task, everything not named being usual."""
    asked = dict(requests or {})
    return TaskView(
        handle=Handle(
            key=key,
            server_url=server_url,
            task_id=task_id or f"task-{key}",
            saved_at=saved_at,
            tool=tool,
            arguments=arguments,
            label=label,
            note=note,
            tags=tuple(tags),
            archived_at=archived_at,
        ),
        snapshot=Snapshot(
            status=_status_word(state),
            status_message=ServerText(message) if message and not message_is_old else None,
            last_message=ServerText(message) if message else None,
            poll_interval_ms=5000,
            input_requests=asked,
            has_result=state in (State.COMPLETED, State.TOOL_ERROR),
            tool_error=state is State.TOOL_ERROR,
            observed_at=read_at,
            changed_at=changed_at,
            read=ReadState(at=read_at, ok=failures == 0, error=error, failures=failures),
            cancel_requested_at=cancel_requested_at,
            gone_at=changed_at if state is State.GONE else None,
            held=held,
        ),
        state=state,
        server=server,
        message=ServerText(message) if message else None,
        message_is_old=message_is_old,
        progress=None if fraction is None else Progress(fraction, f"{fraction:.0%}"),
        attention=tuple(_attention(each) for each in attention),
        answers={key: _sent(key) for key in answered},
        open_requests=tuple(each for each in asked if each not in answered),
        live=live,
        coverage=coverage or _coverage(state, held=held),
        next_read_at=None if state.ended else next_read_at,
    )


def a_server(
    url: str = SERVER,
    name: str | None = None,
    health: Health = Health.OK,
    text: str = "",
    *,
    tasks: int = 1,
    open_tasks: int = 1,
    since: float | None = NOW - 40,
    retry_at: float | None = None,
    pushed: bool = False,
    held: bool = False,
) -> ServerView:
    return ServerView(
        url=url,
        name=name or short_url(url),
        health=health,
        text=text,
        since=since,
        retry_at=retry_at,
        pushed=pushed,
        held=held,
        tasks=tasks,
        open_tasks=open_tasks,
    )


def a_tool(name: str, description: str = "", **properties: Any) -> Tool:
    """Return a tool whose arguments are `properties` (name -> schema), all optional."""
    return Tool(
        name=name,
        title=None,
        description=ServerText(description) if description else None,
        input_schema={"type": "object", "properties": properties},
    )


@dataclass(frozen=True)
class Asked:
    """One thing the screen asked the supervisor to do."""

    what: str
    key: str = ""
    keys: tuple[str, ...] = ()
    value: Any = None


@dataclass
class FakeSupervisor(Supervisor):
    """Holds views; `asked` lists every action in order; `failures` maps action -> exception."""

    tasks: dict[str, TaskView] = field(default_factory=dict)
    server_views: list[ServerView] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    failures: dict[str, Exception] = field(default_factory=dict)
    journals: dict[str, list[JournalEntry]] = field(default_factory=dict)
    results: dict[str, Any] = field(default_factory=dict)
    tool_lists: dict[str, ToolList] = field(default_factory=dict)
    intents: list[Intent] = field(default_factory=list)
    under_way: list[Intent] = field(default_factory=list)
    unsaved: list[UnsavedHandle] = field(default_factory=list)
    sendings: list[Sending] = field(default_factory=list)
    outcome: ToolResult | InputNeeded | None = None
    listeners: list[Callable[[Batch], None]] = field(default_factory=list)
    started: bool = False
    closed: bool = False
    #: Set to an unset event to hold every action until it is set.
    gate: asyncio.Event | None = None

    @classmethod
    def of(cls, *views: TaskView, servers: Sequence[ServerView] | None = None) -> FakeSupervisor:
        fake = cls(tasks={view.key: view for view in views})
        urls = {view.handle.server_url: view.server for view in views}
        if servers is None:
            servers = [a_server(url, name) for url, name in urls.items()]
        fake.server_views = list(servers)
        return fake

    # --- turned by tests -----------------------------------------------------------------
    def put(self, *views: TaskView) -> None:
        """Set views and tell the listeners, as the engine does after a batch of polls."""
        added = frozenset(view.key for view in views if view.key not in self.tasks)
        self.tasks.update({view.key: view for view in views})
        self.publish(Batch(added=added, changed=frozenset(view.key for view in views) - added))

    def publish(self, batch: Batch) -> None:
        for listener in list(self.listeners):
            listener(batch)

    def asked_for(self, what: str) -> list[Asked]:
        return [each for each in self.asked if each.what == what]

    async def _ask(self, asked: Asked) -> None:
        self.asked.append(asked)
        if self.gate is not None:
            await self.gate.wait()
        failure = self.failures.get(asked.what)
        if failure is not None:
            raise failure

    # --- the Supervisor's methods --------------------------------------------------------
    async def start(self, *, poll: bool = True, keys: Collection[str] | None = None) -> None:
        await self._ask(Asked("start", value=poll))
        self.started = True

    async def close(self) -> None:
        self.closed = True

    def views(self) -> Sequence[TaskView]:
        return list(self.tasks.values())

    def view(self, key: str) -> TaskView | None:
        return self.tasks.get(key)

    def servers(self) -> Sequence[ServerView]:
        return self.server_views

    def subscribe(self, listener: Callable[[Batch], None]) -> Callable[[], None]:
        self.listeners.append(listener)
        return lambda: self.listeners.remove(listener)

    async def journal(self, key: str) -> list[JournalEntry]:
        return self.journals.get(key, [JournalEntry(self.tasks[key].handle.saved_at, Event.SAVED)])

    async def result(self, key: str) -> Any:
        return self.results.get(key)

    def orphan_intents(self) -> Sequence[Intent]:
        return self.intents

    async def find_orphan_intents(self) -> Sequence[Intent]:
        return self.intents

    def calls_under_way(self) -> Sequence[Intent]:
        return self.under_way

    def calls_broken_off(self) -> Sequence[Intent]:
        return self.under_way

    def sendings_under_way(self) -> Sequence[Sending]:
        return list(self.sendings)

    def send_no_more(self) -> Sequence[Sending]:
        return self.sendings_under_way()

    def sendings_ended(self) -> Sequence[Outcome]:
        return []

    async def sendings_settled(self) -> Sequence[Sending]:
        if not self.sendings or self.gate is None:
            return []
        sent = self.sendings_under_way()
        await self.gate.wait()
        return [each for each in sent if each.what in self.failures]

    def unsaved_handles(self) -> Sequence[UnsavedHandle]:
        return self.unsaved

    async def dismiss_intent(self, intent_id: int) -> None:
        await self._ask(Asked("dismiss", str(intent_id)))
        self.intents = [one for one in self.intents if one.intent_id != intent_id]

    async def refresh(self, key: str) -> TaskView:
        await self._ask(Asked("refresh", key))
        return self.tasks[key]

    def poll_now(self, keys: Sequence[str]) -> None:
        self.asked.append(Asked("poll_now", keys=tuple(keys)))

    async def save(self, draft: HandleDraft) -> TaskView:
        await self._ask(Asked("save", value=draft))
        view = a_task(
            f"s{len(self.tasks)}",
            State.UNKNOWN,
            server_url=draft.server_url,
            server=short_url(draft.server_url),
            task_id=draft.task_id,
            tool=draft.tool,
            label=draft.label,
        )
        self.put(view)
        return view

    async def call(
        self,
        server_url: str,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        label: str | None = None,
        tags: Sequence[str] = (),
        saved_by: str | None = None,
        input_responses: Mapping[str, InputResponse] | None = None,
        request_state: str | None = None,
        timeout: float | None = None,
    ) -> TaskView | ToolResult | InputNeeded:
        intent = Intent(len(self.asked), server_url, tool, dict(arguments), label, NOW)
        self.under_way.append(intent)
        try:
            await self._ask(Asked("call", server_url, value=(tool, dict(arguments), label)))
        finally:
            self.under_way.remove(intent)
        return self.outcome or ToolResult({"content": []})

    async def tools(self, server_url: str) -> ToolList:
        await self._ask(Asked("tools", server_url))
        return self.tool_lists.get(server_url, ToolList(()))

    async def answer(
        self,
        key: str,
        responses: Mapping[str, InputResponse],
        *,
        shown: Mapping[str, str],
        again: bool = False,
    ) -> None:
        asked = self.tasks[key].snapshot.input_requests
        changed = [
            each for each in responses if each in asked and shown[each] != request_hash(asked[each])
        ]
        if changed:
            raise QuestionChanged(changed)
        await self._ask(Asked("answer", key, value=(dict(responses), again)))

    async def cancel(self, key: str) -> None:
        self.sendings.append(Sending("cancel", key))
        try:
            await self._ask(Asked("cancel", key))
        finally:
            self.sendings.remove(Sending("cancel", key))
        view = self.tasks[key]
        self.put(replace(view, snapshot=replace(view.snapshot, cancel_requested_at=NOW)))

    async def archive(self, keys: Sequence[str]) -> Failures:
        await self._ask(Asked("archive", keys=tuple(keys)))
        return self._change(keys, archived_at=NOW)

    async def restore(self, keys: Sequence[str]) -> Failures:
        await self._ask(Asked("restore", keys=tuple(keys)))
        return self._change(keys, archived_at=None)

    async def tag(self, keys: Sequence[str], tags: Sequence[str]) -> Failures:
        await self._ask(Asked("tag", keys=tuple(keys), value=tuple(tags)))
        failures: Failures = {}
        for key in keys:
            had = self.tasks[key].handle.tags if key in self.tasks else ()
            failures |= self._change([key], tags=tuple(dict.fromkeys((*had, *tags))))
        return failures

    def _change(self, keys: Sequence[str], **fields: Any) -> Failures:
        found = [self.tasks[key] for key in keys if key in self.tasks]
        self.put(*(replace(view, handle=replace(view.handle, **fields)) for view in found))
        return {key: UnknownKey(key) for key in keys if key not in self.tasks}

    async def edit(
        self, key: str, *, label: str | None, note: str | None, tags: Sequence[str]
    ) -> None:
        await self._ask(Asked("edit", key, value=(label, note, tuple(tags))))
        view = self.tasks[key]
        handle = replace(view.handle, label=label, note=note, tags=tuple(tags))
        self.put(replace(view, handle=handle))

    async def hold(self, keys: Sequence[str], held: bool) -> Failures:
        await self._ask(Asked("hold", keys=tuple(keys), value=held))
        for key in keys:
            view = self.tasks[key]
            self.put(replace(view, snapshot=replace(view.snapshot, held=held)))
        return {}

    async def retry_server(self, url: str) -> None:
        await self._ask(Asked("retry_server", url))


def _status_word(state: State) -> str | None:
    words = {State.TOOL_ERROR: "completed", State.GONE: "working", State.UNKNOWN: None}
    return words.get(state, state.value)


def _attention(each: Reason | Attention) -> Attention:
    if isinstance(each, Attention):
        return each
    return Attention(each, NOW - 60, each.value.replace("_", " "))


def _sent(key: str) -> AnswerRecord:
    return AnswerRecord(key, "hash", AnswerState.SENT, "accept", NOW - 1)


def _coverage(state: State, *, held: bool) -> Coverage:
    if held:
        return Coverage.HELD
    return Coverage.ENDED if state.ended else Coverage.POLLED
