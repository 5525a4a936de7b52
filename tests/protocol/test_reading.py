from __future__ import annotations

from typing import Any

import pytest

from mcp_tasks_tui.protocol.errors import ReplyTooLarge, UnusableReply
from mcp_tasks_tui.protocol.messages import InputNeeded, Task, TaskCreated, ToolResult
from mcp_tasks_tui.protocol.reading import (
    check_ack,
    read_acknowledged,
    read_call,
    read_ended,
    read_server_info,
    read_task,
    read_tools,
)
from mcp_tasks_tui.sanitize import ServerText
from tests.protocol.servers import task


def _read(**more: Any) -> Task:
    return read_task(task(**more), asked="t1")


def test_a_reply_by_the_book_is_read_without_a_note() -> None:
    assert _read(statusMessage="3/10") == Task.model_validate(
        {
            "taskId": "t1",
            "status": "working",
            "statusMessage": "3/10",
            "createdAt": "2026-09-01T10:00:00Z",
            "lastUpdatedAt": "2026-09-01T10:00:00Z",
            "ttlMs": 3_600_000,
            "pollIntervalMs": 1000,
            "ttl_known": True,
        }
    )


def test_task_id_and_status_are_enough() -> None:
    read = read_task({"taskId": "t1", "status": "working"}, asked="t1")
    assert (read.task_id, read.status, read.created_at, read.ttl_known) == (
        "t1",
        "working",
        None,
        False,
    )
    assert read.notes == ("createdAt, lastUpdatedAt, ttlMs missing",)


@pytest.mark.parametrize(
    ("result", "why"),
    [
        (None, "not an object"),
        ([], "not an object"),
        ({"status": "working"}, "no task id"),
        ({"taskId": 7, "status": "working"}, "no task id"),
        (task("t2"), "another task"),
        (task(status=None), "no usable status"),  # type: ignore[arg-type] # what a server may send
        (task(status=7), "no usable status"),  # type: ignore[arg-type] # what a server may send
        ({"taskId": "t1"}, "no usable status"),
        (task(resultType="banana", status="completed", result={}), "banana"),
        (task(resultType="input_required"), "input_required"),
        (task(resultType=["complete"]), "a list"),
        (task(resultType="\x1b[2J"), "kind we do not know"),
    ],
)
def test_a_reply_that_cannot_be_applied_says_why(result: Any, why: str) -> None:
    with pytest.raises(UnusableReply, match=why) as caught:
        read_task(result, asked="t1")
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize("kind", [None, "complete"])
def test_an_absent_result_type_is_complete(kind: str | None) -> None:
    raw = task(resultType=kind)
    assert read_task(raw, asked="t1").notes == ()
    del raw["resultType"]
    assert read_task(raw, asked="t1").notes == ()


def test_the_specification_s_own_slip_is_read_with_a_note() -> None:
    assert len(_read(resultType="task").notes) == 1


@pytest.mark.parametrize("status", ["rejected", "canceled", "COMPLETED", "", "\x1b[31m"])
def test_unknown_statuses_are_kept_as_they_are(status: str) -> None:
    assert _read(status=status).status == status


@pytest.mark.parametrize(
    ("field", "value", "attribute"),
    [
        ("statusMessage", 7, "status_message"),
        ("statusMessage", {"a": 1}, "status_message"),
        ("createdAt", 1788256800000, "created_at"),
        ("lastUpdatedAt", ["x"], "last_updated_at"),
        ("ttlMs", "60000", "ttl_ms"),
        ("ttlMs", 60000.5, "ttl_ms"),
        ("ttlMs", True, "ttl_ms"),
        ("ttlMs", 10**400, "ttl_ms"),
        ("ttlMs", -(2**60), "ttl_ms"),
        ("pollIntervalMs", "fast", "poll_interval_ms"),
        ("pollIntervalMs", 2**53, "poll_interval_ms"),
        ("pollIntervalMs", 1e300, "poll_interval_ms"),
    ],
)
def test_an_odd_field_is_dropped_alone_and_noted(field: str, value: Any, attribute: str) -> None:
    read = _read(**{field: value})
    assert getattr(read, attribute) is None
    assert read.status == "working"
    assert len(read.notes) == 1
    assert read.notes[0].startswith(field)
    assert len(read.notes[0]) < 160


def test_a_dropped_ttl_is_unknown_not_unlimited() -> None:
    assert not _read(ttlMs="x").ttl_known
    assert _read(ttlMs=None).ttl_known


def test_several_odd_fields_each_get_a_line() -> None:
    read = _read(ttlMs="x", createdAt=5, inputRequests=[1], statusMessage="ok")
    assert len(read.notes) == 3
    assert read.status_message == ServerText("ok")
    assert read.input_requests == {}


@pytest.mark.parametrize("value", [None, 0, -1, -5000])
def test_zero_negative_and_no_limit_stay_as_given(value: int | None) -> None:
    read = _read(ttlMs=value, pollIntervalMs=value)
    assert (read.ttl_ms, read.poll_interval_ms, read.notes) == (value, value, ())


def test_whole_floats_are_read_as_integers_with_a_note() -> None:
    read = _read(ttlMs=60000.0, pollIntervalMs=500.0)
    assert (read.ttl_ms, read.poll_interval_ms, len(read.notes)) == (60000, 500, 2)
    assert read.ttl_known


@pytest.mark.parametrize(
    "stamp", ["2026-09-01 10:00:00", "yesterday", "", "2026-09-01T12:00:00.000000000+02:00"]
)
def test_timestamps_are_kept_as_given(stamp: str) -> None:
    assert _read(createdAt=stamp).created_at == stamp


def test_the_names_of_older_drafts_are_read_with_notes() -> None:
    raw = {"taskId": "t1", "status": "working", "ttl": 60000, "pollInterval": 2000}
    read = read_task({"task": raw}, asked="t1")
    assert (read.ttl_ms, read.ttl_known, read.poll_interval_ms) == (60000, True, 2000)
    assert len(read.notes) == 4


def test_a_hostile_reply_cannot_set_our_own_fields() -> None:
    raw = {"taskId": "t1", "status": "x", "ttl_known": True, "has_result": True, "notes": ["y"]}
    read = read_task(raw, asked="t1")
    assert (read.ttl_known, read.has_result) == (False, False)
    assert "y" not in read.notes


@pytest.mark.parametrize(
    ("more", "has_result", "note"),
    [
        ({"status": "completed", "result": {"content": []}}, True, None),
        ({"status": "completed"}, False, "completed without a result"),
        ({"status": "completed", "result": None}, False, "completed without a result"),
        ({"status": "completed", "result": "text"}, True, "the result is not an object"),
        ({"status": "failed", "error": {"code": 1, "message": "m"}}, False, None),
        ({"status": "failed"}, False, "failed without an error"),
        ({"status": "failed", "error": "boom"}, False, "the error is not an object"),
        ({"status": "failed", "error": {}, "result": {"isError": True}}, True, None),
        ({"status": "cancelled", "result": {"content": []}}, True, None),
        ({"status": "input_required"}, False, "input_required without any input request"),
        ({"status": "input_required", "inputRequests": {"k": {"method": "x"}}}, False, None),
        ({"status": "input_required", "inputRequests": {"k": 7}}, False, None),
    ],
)
def test_what_goes_with_each_status(
    more: dict[str, Any], has_result: bool, note: str | None
) -> None:
    read = _read(**more)
    assert read.has_result is has_result
    assert read.result == more.get("result")
    assert read.error == more.get("error")
    assert read.input_requests == more.get("inputRequests", {})
    assert read.notes == ((note,) if note else ())


def test_a_tool_error_inside_a_result_is_seen() -> None:
    assert _read(status="completed", result={"isError": True}).tool_error
    assert not _read(status="completed", result={"isError": "true"}).tool_error
    assert not _read(status="completed", result="isError").tool_error


def test_server_text_stays_raw_inside() -> None:
    message = _read(statusMessage="ok\x1b[2J").status_message
    assert message is not None
    assert message.raw == "ok\x1b[2J"


# --- tools/call ------------------------------------------------------------------------------


def test_a_call_that_becomes_a_task() -> None:
    outcome = read_call(task("new", resultType="task"), server_time=5.0)
    assert isinstance(outcome, TaskCreated)
    assert (outcome.reply.task.task_id, outcome.reply.server_time) == ("new", 5.0)
    assert outcome.reply.task.notes == ()


@pytest.mark.parametrize(
    ("result", "task_id", "status"),
    [
        (task("new"), "new", "working"),
        ({"taskId": "new", "status": "working"}, "new", "working"),
        ({"task": {"taskId": "new", "status": "working"}}, "new", "working"),
        ({"resultType": "task", "task": {"taskId": "new", "status": "working"}}, "new", "working"),
        ({"resultType": "task", "taskId": "new"}, "new", "unknown"),
        ({"resultType": "task", "taskId": "new", "status": 7, "ttlMs": "x"}, "new", "unknown"),
        ({"taskId": "new"}, "new", "unknown"),
    ],
)
def test_no_handle_is_overlooked_whatever_shape_it_comes_in(
    result: Any, task_id: str, status: str
) -> None:
    outcome = read_call(result, server_time=None)
    assert isinstance(outcome, TaskCreated)
    assert (outcome.reply.task.task_id, outcome.reply.task.status) == (task_id, status)
    assert outcome.reply.task.notes


@pytest.mark.parametrize(
    "result",
    [
        {"content": []},
        {"content": [], "resultType": "complete", "isError": True},
        {"content": [], "taskId": "a field of the tool's own", "status": "x"},
        {"structuredContent": {"taskId": "t"}},
        {},
    ],
)
def test_a_plain_result_is_given_raw(result: Any) -> None:
    outcome = read_call(result, server_time=None)
    assert outcome == ToolResult(result)
    assert isinstance(outcome, ToolResult)
    assert outcome.tool_error is bool(result.get("isError"))


@pytest.mark.parametrize(
    ("result", "outcome"),
    [
        ({"inputRequests": {"k": {}}, "requestState": "s"}, InputNeeded({"k": {}}, "s")),
        ({"inputRequests": {"k": {}}}, InputNeeded({"k": {}}, None)),
        ({"requestState": ""}, InputNeeded({}, "")),
    ],
)
def test_a_call_that_asks_first(result: dict[str, Any], outcome: InputNeeded) -> None:
    assert read_call({**result, "resultType": "input_required"}, server_time=None) == outcome


@pytest.mark.parametrize(
    "result",
    [
        None,
        "text",
        {"resultType": "task"},
        {"resultType": "task", "taskId": "", "status": "working"},
        {"resultType": "task", "taskId": 7, "status": "working"},
        {"resultType": "banana"},
        {"resultType": "input_required"},
        {"resultType": "input_required", "inputRequests": []},
        {"resultType": "input_required", "inputRequests": {"k": {}}, "requestState": {"a": 1}},
    ],
)
def test_an_answer_to_a_call_that_is_none_of_the_three(result: Any) -> None:
    with pytest.raises(UnusableReply):
        read_call(result, server_time=None)


def test_a_task_id_in_an_answer_of_an_unknown_kind_is_told() -> None:
    with pytest.raises(UnusableReply, match="as6JNp-x"):
        read_call({"resultType": "banana", "taskId": "as6JNp-x"}, server_time=None)


@pytest.mark.parametrize("result", [{}, {"resultType": "complete"}, None, "ok"])
def test_acknowledgements_are_taken_as_they_come(result: Any) -> None:
    check_ack(result)


def test_an_acknowledgement_of_another_kind_is_none() -> None:
    with pytest.raises(UnusableReply):
        check_ack({"resultType": "input_required"})


# --- discover, tools, subscriptions ----------------------------------------------------------


def test_what_a_server_says_of_itself() -> None:
    info = read_server_info(
        {
            "supportedVersions": ["2026-07-28", 7],
            "capabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}},
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "S\x1b", "version": "1"}},
            "instructions": "be kind",
        }
    )
    assert (info.name, info.version) == (ServerText("S\x1b"), ServerText("1"))
    assert (info.supported_versions, info.tasks) == (("2026-07-28",), True)
    assert info.instructions == ServerText("be kind")


@pytest.mark.parametrize(
    "odd",
    [
        {},
        {"capabilities": None, "_meta": [], "supportedVersions": "x"},
        {"capabilities": {"extensions": [], "tasks": {}}, "serverInfo": "x", "instructions": 7},
    ],
)
def test_an_odd_self_description_is_read_as_far_as_it_goes(odd: dict[str, Any]) -> None:
    info = read_server_info(odd)
    assert (info.name, info.supported_versions, info.tasks) == (None, (), False)


def test_the_older_place_of_the_server_s_name() -> None:
    assert read_server_info({"serverInfo": {"name": "old"}}).name == ServerText("old")


def test_tools_with_bad_annotations_are_left_out_with_a_warning() -> None:
    bad = {"type": "object", "properties": {"p": {"type": "number", "x-mcp-header": "P"}}}
    page = read_tools(
        {
            "tools": [
                {"name": "ok", "title": "OK", "description": "d", "inputSchema": {"a": 1}},
                {"name": "bad\x1b", "inputSchema": bad},
                {"name": "annotated", "annotations": {"title": "A"}},
                {"name": 7},
                "text",
            ],
            "nextCursor": "c2",
        }
    )
    assert [tool.name for tool in page.tools] == ["ok", "annotated"]
    assert page.tools[0].title == ServerText("OK")
    assert page.tools[1].title == ServerText("A")
    assert page.tools[1].input_schema == {"type": "object"}
    assert [name for name, _ in page.left_out] == ["bad\x1b", "", ""]
    assert all("\x1b" not in why for _, why in page.left_out)
    assert page.cursor == "c2"


@pytest.mark.parametrize("result", [None, {}, {"tools": {}}])
def test_a_list_of_tools_that_is_none(result: Any) -> None:
    with pytest.raises(UnusableReply):
        read_tools(result)


@pytest.mark.parametrize(
    ("params", "covered"),
    [
        ({"notifications": {"taskIds": ["a", "c", 7]}}, {"a"}),
        ({"notifications": {"taskIds": []}}, set()),
        ({"notifications": {}}, set()),
        ({"notifications": {"taskIds": "ab"}}, set()),
        (None, set()),
    ],
)
def test_only_acknowledged_and_asked_ids_are_covered(params: Any, covered: set[str]) -> None:
    assert read_acknowledged(params, frozenset({"a", "b"})).task_ids == covered


@pytest.mark.parametrize(("given", "told"), [(7031, "7031"), (True, "True"), (["x"], "a list")])
def test_a_task_id_that_is_no_text_is_told_of(given: Any, told: str) -> None:
    with pytest.raises(UnusableReply, match=f"no task id that is text: {told}"):
        read_call({"resultType": "task", "taskId": given}, server_time=None)


_START = '{"jsonrpc":"2.0","id":1,"result":{"taskId":"t1","status":"completed","ttlMs":60000,'


@pytest.mark.parametrize(
    "beginning",
    [
        _START + '"result":{"content":[{"type":"text","text":"' + "x" * 1000,
        _START + '"result":[[[1,2',
        _START.replace('{"taskId"', '{"task":{"taskId"') + '"result":{"content":[',
        _START + '"pollIntervalMs":5,"statusMessage":"' + "x" * 1000,
    ],
    ids=["text", "list", "nested", "message"],
)
def test_the_end_of_a_task_is_read_from_the_beginning_of_a_reply_that_is_too_large(
    beginning: str,
) -> None:
    read = read_ended(ReplyTooLarge(2**25, beginning.encode()), asked="t1")
    assert (read.status, read.ttl_ms, read.has_result) == ("completed", 60_000, False)
    assert read.status_message is None
    assert read.notes[-1] == "the reply is larger than 32 MiB: its result was not read"


@pytest.mark.parametrize(
    "beginning",
    [
        "",
        "<html>",
        "[" * 1000,
        _START.replace("completed", "input_required") + '"inputRequests":{"a":',
        _START.replace("t1", "t2") + '"result":{',
        '{"id":1,"result":{"taskId":"t1","result":{"content":[',
        '{"id":1,"result":{"taskId":"t1","status":"comple',
        '{"id":1,"error":{"code":-32602,"message":"xx',
    ],
)
def test_nothing_else_is_read_from_a_reply_that_is_too_large(beginning: str) -> None:
    with pytest.raises(ReplyTooLarge, match=r"larger than 500 bytes; `max_reply_mib`"):
        read_ended(ReplyTooLarge(500, beginning.encode()), asked="t1")
