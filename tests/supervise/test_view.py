"""Views and the JSON of a task."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from mcp_tasks_tui.handles.handle_json import iso
from mcp_tasks_tui.handles.model import (
    AnswerRecord,
    AnswerState,
    Handle,
    ReadState,
    Snapshot,
    State,
)
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.answers import request_hash
from mcp_tasks_tui.supervise.building import build_view
from mcp_tasks_tui.supervise.settings import EngineSettings
from mcp_tasks_tui.supervise.view import Coverage, Progress, TaskView, to_json
from tests.supervise.sim import EPOCH, a_question

HANDLE = Handle(
    key="ab12",
    server_url="http://build.test/mcp",
    task_id="-raw\x1b[2J",
    saved_at=EPOCH,
    tool="build",
    arguments={"n": 1},
    label="nightly",
    tags=("ci",),
)
SNAPSHOT = Snapshot(
    status="input_required",
    last_message=ServerText("3/10 \x1b[31m"),
    last_message_at=EPOCH,
    ttl_ms=None,
    ttl_known=True,
    poll_interval_ms=1000,
    created_at="2026-09-01T10:00:00Z",
    input_requests={"b": a_question(), "a": a_question()},
    observed_at=EPOCH + 1,
    changed_at=EPOCH + 1,
    cancel_requested_at=EPOCH + 2,
    read=ReadState(at=EPOCH + 3, ok=False, error="HTTP 502", error_kind="http", failures=1),
)
ANSWERS = {
    "b": AnswerRecord("b", request_hash(a_question()), AnswerState.SENT, "accept", EPOCH),
    "gone": AnswerRecord("gone", "x", AnswerState.REFUSED, "accept", EPOCH),
}


def build(snapshot: Snapshot = SNAPSHOT, **more: Any) -> TaskView:
    return build_view(
        HANDLE, snapshot, ANSWERS, EngineSettings(), now=EPOCH + 10, server="build", **more
    )


def test_an_old_message_is_marked_as_old() -> None:
    view = build()
    assert view.message == ServerText("3/10 \x1b[31m")
    assert view.message_is_old
    now = build(replace(SNAPSHOT, status_message=ServerText("asking")))
    assert str(now.message) == "asking"
    assert not now.message_is_old


@pytest.mark.parametrize("tool_error", [True, False])
def test_what_completed_has_no_progress_and_is_told_by_its_result(tool_error: bool) -> None:
    done = replace(SNAPSHOT, status="completed", tool_error=tool_error, input_requests={})
    done = replace(done, result_text=ServerText("Pushed"))
    view = build(done, progress=Progress(0.011, "1 of 90"))
    assert view.outcome == ServerText("Pushed")
    assert to_json(view)["progress"] is None
    failed = build(replace(done, status="failed"), progress=Progress(0.011, "1 of 90"))
    assert failed.outcome is None
    assert failed.progress is not None


def test_open_requests_are_those_without_an_answer() -> None:
    assert build().open_requests == ("a",)


def test_how_news_reaches_us() -> None:
    held = replace(SNAPSHOT, held=True)
    ended = Snapshot(status="completed")
    assert build().coverage is Coverage.POLLED
    assert build(covered=True).coverage is Coverage.PUSHED
    assert build(covered=True, paused=True).coverage is Coverage.PAUSED
    assert build(held, covered=True, paused=True).coverage is Coverage.HELD
    assert build(ended, covered=True, paused=True).coverage is Coverage.ENDED


def test_the_json_has_the_servers_exact_values_and_our_times_in_utc() -> None:
    view = build(progress=Progress(0.3, "3/10", 3, 10))
    body = json.loads(json.dumps(to_json(view)))
    assert list(body) == [
        "key",
        "server",
        "serverUrl",
        "taskId",
        "tool",
        "arguments",
        "label",
        "note",
        "tags",
        "savedAt",
        "archivedAt",
        "state",
        "status",
        "statusMessage",
        "createdAt",
        "lastUpdatedAt",
        "ttlMs",
        "pollIntervalMs",
        "inputRequests",
        "error",
        "lastMessage",
        "observedAt",
        "read",
        "requested",
        "answeredKeys",
        "progress",
        "attention",
        "notes",
    ]
    assert body["taskId"] == "-raw\x1b[2J"
    assert body["lastMessage"] == "3/10 \x1b[31m"
    assert body["state"] == "input_required"
    assert body["savedAt"] == "2026-09-01T10:00:00.000Z"
    assert body["read"] == {
        "ok": False,
        "at": "2026-09-01T10:00:03.000Z",
        "error": "HTTP 502",
        "failures": 1,
    }
    assert body["requested"] == {"cancel": "2026-09-01T10:00:02.000Z"}
    assert body["answeredKeys"] == ["b"]
    assert body["progress"] == {"fraction": 0.3, "done": 3, "total": 10, "text": "3/10"}
    assert body["attention"][0]["reason"] == "input_required"
    assert "result" not in body


def test_the_result_is_there_where_it_is_handed_in() -> None:
    view = build(Snapshot(status="completed", has_result=True))
    assert to_json(view, result=None)["result"] is None
    assert to_json(view, result={"n": 1})["result"] == {"n": 1}
    assert view.state is State.COMPLETED


def test_a_task_never_read_says_so_in_every_field() -> None:
    body = to_json(build(Snapshot()))
    assert body["state"] == "unknown"
    assert body["status"] is None
    assert body["observedAt"] is None
    assert body["requested"] is None
    assert body["read"] == {"ok": True, "at": None, "error": None, "failures": 0}


def test_a_time_that_is_none_is_null() -> None:
    assert iso(None) is None
    assert iso(float("inf")) is None
    assert iso(1e20) is None
    assert iso(0.5) == "1970-01-01T00:00:00.500Z"


def test_an_answer_to_another_question_under_the_same_key_does_not_count() -> None:
    first, second = {"method": "elicitation/create"}, {"method": "elicitation/create", "n": 2}
    sent = AnswerRecord("a", request_hash(first), AnswerState.ACKNOWLEDGED, "accept", EPOCH)

    def asking(request: Any) -> TaskView:
        snapshot = Snapshot(status="input_required", input_requests={"a": request})
        return build_view(
            HANDLE, snapshot, {"a": sent}, EngineSettings(), now=EPOCH, server="build"
        )

    assert (asking(first).open_requests, asking(first).all_answered) == ((), True)
    assert (asking(second).open_requests, asking(second).all_answered) == (("a",), False)


def test_a_task_that_asks_nothing_in_particular_is_not_answered() -> None:
    view = build_view(
        HANDLE, Snapshot(status="input_required"), {}, EngineSettings(), now=EPOCH, server="build"
    )
    assert not view.all_answered


def test_a_task_that_was_watched_standing_still_is_quiet() -> None:
    seen = Snapshot(status="working", observed_at=EPOCH + 240, changed_at=EPOCH)
    assert build(replace(seen, watched_since=EPOCH)).quiet == "quiet for 4 m"
    assert build(seen).quiet == ""


MOVING = Snapshot(status="working", observed_at=EPOCH + 9, changed_at=EPOCH + 9)
PACED = Progress(0.62, "62/100", 62, 100, rate=0.5, eta=76)


@pytest.mark.parametrize("covered", [False, True], ids=["polled", "pushed"])
def test_a_task_that_moves_has_its_time_left(covered: bool) -> None:
    assert build(MOVING, progress=PACED, covered=covered).progress == PACED


@pytest.mark.parametrize(
    ("snapshot", "how"),
    [
        (replace(MOVING, changed_at=EPOCH - 3600, watched_since=EPOCH - 3600), {}),
        (replace(MOVING, status="input_required"), {}),
        (replace(MOVING, status="failed"), {}),
        (replace(MOVING, status="cancelled"), {}),
        (replace(MOVING, gone_at=EPOCH + 9), {}),
        (replace(MOVING, held=True), {}),
        (MOVING, {"paused": True}),
        (replace(MOVING, read=ReadState(at=EPOCH + 9, ok=False, failures=3)), {}),
    ],
    ids=["stuck", "asks", "failed", "cancelled", "gone", "held", "server down", "unreadable"],
)
def test_what_does_not_move_or_is_not_heard_of_has_no_time_left(
    snapshot: Snapshot, how: dict[str, Any]
) -> None:
    assert build(snapshot, progress=PACED, **how).progress == Progress(0.62, "62/100", 62, 100)
