"""Answers and cancels: sent once, by one process, and never by themselves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from mcp_tasks_tui.handles.errors import DiskFull
from mcp_tasks_tui.handles.model import AnswerRecord, AnswerState, Event, State
from mcp_tasks_tui.protocol.errors import (
    AuthFailed,
    NoSuchTask,
    NotHttp,
    NotSent,
    RequestError,
    RpcError,
    TimedOut,
    Unreachable,
)
from mcp_tasks_tui.protocol.messages import InputResponse
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.answers import request_hash
from mcp_tasks_tui.supervise.problems import (
    AlreadyAnswered,
    AlreadyEnded,
    AnswerUnconfirmed,
    InvalidAnswer,
    NothingToAnswer,
    QuestionChanged,
)
from mcp_tasks_tui.supervise.supervisor import Supervisor
from mcp_tasks_tui.supervise.view import Reason, TaskView
from tests.supervise.answering import answer, shown_by
from tests.supervise.sim import MemoryStore, SimServer, World, a_question, no_such_task

ACCEPT = InputResponse(action="accept", content={"region": "eu"})
DECLINE = InputResponse(action="decline")


@asynccontextmanager
async def asking(*keys: str, **params: Any) -> AsyncIterator[tuple[World, SimServer, Supervisor]]:
    """A running engine on one task that asks the questions `keys`."""
    world = World()
    server = world.server()
    requests = {key: a_question(key, **params) for key in keys}
    server.put("t1", status="input_required", inputRequests=requests)
    await world.saved(server, "t1")
    async with world.supervisor() as supervisor:
        await world.clock.advance(2)
        yield world, server, supervisor


def view_of(supervisor: Supervisor) -> TaskView:
    view = supervisor.view("k1")
    assert view is not None
    return view


async def test_an_answer_is_claimed_sent_once_and_never_again() -> None:
    async with asking("a") as (world, server, supervisor):
        assert view_of(supervisor).open_requests == ("a",)
        await answer(supervisor, {"a": ACCEPT})
        (sent,) = server.sent("tasks/update")
        assert sent.params == {"a": ACCEPT}
        assert view_of(supervisor).answers["a"].state is AnswerState.ACKNOWLEDGED
        await world.clock.advance(60)
        view = view_of(supervisor)
        assert view.state is State.INPUT_REQUIRED
        assert view.open_requests == ()
        assert Reason.INPUT_REQUIRED not in {one.reason for one in view.attention}
        assert view.snapshot.answer_sent_at is not None
        assert len(server.sent("tasks/update")) == 1
        server.put("t1", status="working")
        await world.clock.advance(3)
        assert view_of(supervisor).snapshot.answer_sent_at is None
    answered = [one for one in world.disk.rows["k1"].journal if one.event is Event.INPUT_ANSWERED]
    assert [line.data for line in answered] == [
        {"key": "a", "action": "accept", "state": "acknowledged"}
    ]
    assert "eu" not in str(world.disk.rows["k1"].journal)


async def test_the_screen_sees_the_effect_of_an_answer_soon() -> None:
    async with asking("a") as (world, server, supervisor):
        server.put("t1", status="working", pollIntervalMs=60_000)
        await answer(supervisor, {"a": ACCEPT})
        await world.clock.advance(1.5)
        assert view_of(supervisor).state is State.WORKING


async def test_one_of_two_questions_can_be_answered() -> None:
    async with asking("a", "b") as (_, server, supervisor):
        await answer(supervisor, {"b": DECLINE})
        assert view_of(supervisor).open_requests == ("a",)
        assert server.sent("tasks/update")[0].params == {"b": DECLINE}


async def test_a_second_answer_needs_a_persons_word() -> None:
    async with asking("a") as (_, server, supervisor):
        await answer(supervisor, {"a": ACCEPT})
        with pytest.raises(AlreadyAnswered):
            await answer(supervisor, {"a": ACCEPT})
        assert len(server.sent("tasks/update")) == 1
        await answer(supervisor, {"a": ACCEPT}, again=True)
        assert len(server.sent("tasks/update")) == 2


async def test_of_two_processes_one_sends() -> None:
    async with asking("a") as (world, server, first), world.supervisor() as second:
        await world.clock.advance(0.1)
        await answer(first, {"a": ACCEPT})
        with pytest.raises(AlreadyAnswered):
            await answer(second, {"a": DECLINE})
        assert len(server.sent("tasks/update")) == 1
        await world.clock.advance(2)
        assert view_of(second).open_requests == ()


async def test_of_two_processes_that_saw_a_refusal_one_sends_the_next_answer() -> None:
    async with asking("a") as (world, server, first):
        server.update_fault = RpcError(-32602, ServerText("no"), None, 400)
        with pytest.raises(RpcError):
            await answer(first, {"a": ACCEPT})
        server.update_fault = None
        async with world.supervisor(poll=False) as second:
            await answer(second, {"a": ACCEPT})
            with pytest.raises(AlreadyAnswered):
                await answer(first, {"a": ACCEPT})
        assert len(server.sent("tasks/update")) == 2


class _SlowDisk(MemoryStore):
    async def claim_answer(self, key: str, record: AnswerRecord, *, again: bool) -> bool:
        await self.clock.sleep(1)
        return await super().claim_answer(key, record, again=again)


async def test_what_a_read_shows_while_an_answer_is_claimed_does_not_change_it() -> None:
    async with asking("a", "b") as (world, server, supervisor):
        world.store.__class__ = _SlowDisk
        asked = request_hash(a_question("b"))
        job = asyncio.create_task(answer(supervisor, {"a": ACCEPT, "b": DECLINE}))
        await world.clock.advance(0.1)
        server.put("t1", status="input_required", inputRequests={"a": a_question("a")})
        await supervisor.refresh("k1")
        await world.clock.advance(3)
        await job
        (sent,) = server.sent("tasks/update")
        assert sent.params == {"a": ACCEPT, "b": DECLINE}
        assert world.disk.rows["k1"].answers["b"].request_hash == asked


async def test_where_one_of_two_cannot_be_claimed_none_is_sent_and_both_stay_open() -> None:
    async with asking("a", "b") as (world, server, supervisor):
        world.store.__class__ = _SlowDisk
        job = asyncio.create_task(answer(supervisor, {"a": ACCEPT, "b": DECLINE}))
        await world.clock.advance(1.5)
        world.store.fault = DiskFull("no room")
        await world.clock.advance(1)
        with pytest.raises(DiskFull):
            await job
        assert not server.sent("tasks/update")
        assert view_of(supervisor).open_requests == ("a", "b")
        assert view_of(supervisor).answers == {}


async def test_an_answer_to_another_question_than_the_one_shown_is_not_sent() -> None:
    async with asking("a", "b") as (world, server, supervisor):
        shown = shown_by(supervisor)
        new = {"a": a_question("and now?"), "b": a_question("b")}
        server.put("t1", status="input_required", inputRequests=new)
        await supervisor.refresh("k1")
        with pytest.raises(QuestionChanged, match="question a; look at it again"):
            await supervisor.answer("k1", {"a": ACCEPT, "b": DECLINE}, shown=shown)
        with pytest.raises(QuestionChanged):
            await supervisor.answer("k1", {"a": ACCEPT}, shown={})
        assert server.sent("tasks/update") == []
        assert (view_of(supervisor).answers, world.disk.rows["k1"].answers) == ({}, {})
        await answer(supervisor, {"a": ACCEPT})
        assert len(server.sent("tasks/update")) == 1


async def test_a_question_that_changes_while_its_answer_is_claimed_gets_no_answer() -> None:
    async with asking("a", "b") as (world, server, supervisor):
        world.store.__class__ = _SlowDisk
        job = asyncio.create_task(answer(supervisor, {"a": ACCEPT, "b": DECLINE}))
        await world.clock.advance(0.1)
        new = {"a": a_question("and now?"), "b": a_question("b")}
        server.put("t1", status="input_required", inputRequests=new)
        await supervisor.refresh("k1")
        await world.clock.advance(3)
        with pytest.raises(QuestionChanged):
            await job
        assert server.sent("tasks/update") == []
        assert view_of(supervisor).open_requests == ("a", "b")
        assert world.disk.rows["k1"].answers == {}


async def test_what_is_not_asked_is_not_sent() -> None:
    async with asking("a") as (_, server, supervisor):
        with pytest.raises(NothingToAnswer, match="nope"):
            await answer(supervisor, {"a": ACCEPT, "nope": ACCEPT})
        with pytest.raises(NothingToAnswer):
            await answer(supervisor, {})
        assert server.sent("tasks/update") == []
        assert view_of(supervisor).answers == {}


async def test_an_answer_to_a_page_request_has_no_content() -> None:
    async with asking("a", mode="url", url="https://x.test/") as (_, server, supervisor):
        with pytest.raises(InvalidAnswer):
            await answer(supervisor, {"a": ACCEPT})
        await answer(supervisor, {"a": InputResponse(action="accept")})
        assert len(server.sent("tasks/update")) == 1


REFUSED: list[RequestError] = [
    RpcError(-32602, ServerText("name required"), None, 400),
    AuthFailed(403, "Forbidden", hint=None, challenge=None),
]


@pytest.mark.parametrize("error", REFUSED, ids=str)
async def test_a_refused_answer_keeps_the_question_open_and_says_why(error: RequestError) -> None:
    async with asking("a") as (_, server, supervisor):
        server.update_fault = error
        with pytest.raises(type(error)) as raised:
            await answer(supervisor, {"a": ACCEPT})
        assert raised.value is error
        assert view_of(supervisor).open_requests == ("a",)
        assert view_of(supervisor).answers["a"].state is AnswerState.REFUSED
        server.update_fault = None
        await answer(supervisor, {"a": ACCEPT})
        assert view_of(supervisor).open_requests == ()


UNSENT: list[RequestError] = [
    NotSent("the environment has no TOKEN"),
    TimedOut("connect", 10),
    *(Unreachable(cause) for cause in ("refused", "dns", "tls", "proxy")),
]


@pytest.mark.parametrize("error", UNSENT, ids=str)
async def test_an_answer_that_never_left_is_as_if_it_had_not_been_given(
    error: RequestError,
) -> None:
    async with asking("a") as (world, server, supervisor):
        before = view_of(supervisor).snapshot
        server.update_fault = error
        with pytest.raises(type(error)) as raised:
            await answer(supervisor, {"a": ACCEPT})
        assert raised.value is error
        view = view_of(supervisor)
        assert (view.open_requests, view.answers) == (("a",), {})
        assert view.snapshot.answer_sent_at is before.answer_sent_at is None
        assert world.disk.rows["k1"].answers == {}
        server.update_fault = None
        await answer(supervisor, {"a": ACCEPT})
        assert view_of(supervisor).answers["a"].state is AnswerState.ACKNOWLEDGED
    told = [one for one in world.disk.rows["k1"].journal if one.event is Event.INPUT_ANSWERED]
    assert [line.data["state"] for line in told] == ["acknowledged"]


async def test_where_a_second_answer_never_left_the_first_one_stands() -> None:
    async with asking("a") as (world, server, supervisor):
        await answer(supervisor, {"a": DECLINE})
        first = view_of(supervisor).answers["a"]
        server.update_fault = Unreachable("refused")
        with pytest.raises(Unreachable):
            await answer(supervisor, {"a": ACCEPT}, again=True)
        assert view_of(supervisor).answers == {"a": first}
        assert view_of(supervisor).open_requests == ()
        assert world.disk.rows["k1"].answers == {"a": first}


MAYBE: list[RequestError] = [
    TimedOut("silence", 30),
    *(Unreachable(cause) for cause in ("closed", "reset", "network")),
    NotHttp(),
]


@pytest.mark.parametrize("error", MAYBE, ids=str)
async def test_an_answer_without_an_acknowledgement_may_have_arrived(error: RequestError) -> None:
    async with asking("a") as (world, server, supervisor):
        server.update_fault = error
        with pytest.raises(AnswerUnconfirmed, match="not known whether"):
            await answer(supervisor, {"a": ACCEPT})
        assert view_of(supervisor).answers["a"].state is AnswerState.SENT
        await world.clock.advance(60)
        assert len(server.sent("tasks/update")) == 1


async def test_an_answer_that_cannot_be_claimed_is_not_sent() -> None:
    async with asking("a") as (world, server, supervisor):
        world.store.fault = DiskFull("no room")
        with pytest.raises(DiskFull):
            await answer(supervisor, {"a": ACCEPT})
        assert server.sent("tasks/update") == []
        world.store.fault = None


async def test_a_key_that_asks_something_new_is_open_again() -> None:
    async with asking("a") as (world, server, supervisor):
        await answer(supervisor, {"a": ACCEPT})
        server.put("t1", status="input_required", inputRequests={"a": a_question("and now?")})
        await world.clock.advance(3)
        assert view_of(supervisor).open_requests == ("a",)
        await answer(supervisor, {"a": ACCEPT})
        assert len(server.sent("tasks/update")) == 2


# --- cancelling -------------------------------------------------------------------------------


async def test_a_cancel_is_a_wish_until_the_server_shows_the_end() -> None:
    async with asking("a") as (world, server, supervisor):
        await supervisor.cancel("k1")
        assert len(server.sent("tasks/cancel")) == 1
        await world.clock.advance(40)
        view = view_of(supervisor)
        assert view.state is State.INPUT_REQUIRED
        assert view.snapshot.cancel_requested_at is not None
        assert Reason.CANCEL_UNANSWERED in {one.reason for one in view.attention}
        server.put("t1", status="cancelled")
        await world.clock.advance(3)
        assert view_of(supervisor).state is State.CANCELLED
        with pytest.raises(AlreadyEnded):
            await supervisor.cancel("k1")
    assert Event.CANCEL_REQUESTED in {event for event, _ in world.journal("k1")}


async def test_the_journal_is_in_the_order_of_what_happened() -> None:
    async with asking("a") as (world, server, supervisor):
        await supervisor.cancel("k1")
        await world.clock.advance(0.01)
        server.put("t1", status="cancelled")
        await supervisor.refresh("k1")
        told = [line.event for line in await supervisor.journal("k1")]
        assert told[-2:] == [Event.CANCEL_REQUESTED, Event.STATUS]
    assert [event for event, _ in world.journal("k1")] == told


async def test_a_cancel_that_was_refused_is_no_request() -> None:
    async with asking("a") as (_, server, supervisor):
        server.cancel_fault = RpcError(-32603, ServerText("no"), None, 200)
        with pytest.raises(RpcError):
            await supervisor.cancel("k1")
        assert view_of(supervisor).snapshot.cancel_requested_at is None


async def test_a_cancel_of_a_task_that_has_just_ended_tells_its_end() -> None:
    async with asking("a") as (_, server, supervisor):
        server.put("t1", status="completed", result={})
        server.cancel_fault = no_such_task()
        with pytest.raises(AlreadyEnded, match="completed"):
            await supervisor.cancel("k1")
        assert view_of(supervisor).state is State.COMPLETED
        assert view_of(supervisor).snapshot.cancel_requested_at is None


async def test_a_cancel_of_a_task_that_is_gone_is_asked_and_refused() -> None:
    async with asking("a") as (world, server, supervisor):
        server.tasks.pop("t1")
        server.cancel_fault = no_such_task()
        await world.clock.advance(10)
        assert view_of(supervisor).state is State.GONE
        with pytest.raises(NoSuchTask):
            await supervisor.cancel("k1")
        assert len(server.sent("tasks/cancel")) == 1
        assert view_of(supervisor).snapshot.cancel_requested_at is None
        server.cancel_fault = None  # it knows the task after all
        await supervisor.cancel("k1")
        assert view_of(supervisor).snapshot.cancel_requested_at is not None


async def test_a_cancel_without_an_acknowledgement_is_shown_as_requested() -> None:
    async with asking("a") as (_, server, supervisor):
        server.cancel_fault = TimedOut("total", 60)
        with pytest.raises(TimedOut):
            await supervisor.cancel("k1")
        assert view_of(supervisor).snapshot.cancel_requested_at is not None
