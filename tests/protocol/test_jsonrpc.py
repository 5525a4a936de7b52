from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks_tui.protocol.errors import (
    HeaderMismatch,
    MethodNotFound,
    MissingCapability,
    NoSuchTask,
    NotSent,
    RpcError,
    UnsupportedVersion,
    UnusableReply,
)
from mcp_tasks_tui.protocol.jsonrpc import encode_request, parse, reply_in


def _read(message: Any, *, method: str = "tasks/get", status: int = 200) -> Any:
    reply = reply_in(message, request_id=7, method=method, status=status)
    return reply and reply.result


def _error(code: Any, given_id: Any = 7, **more: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": given_id, "error": {"code": code, "message": "m", **more}}


@pytest.mark.parametrize("given_id", [7, "7", 7.0])
def test_the_reply_is_known_by_its_id_however_that_is_spelled(given_id: Any) -> None:
    assert _read({"jsonrpc": "2.0", "id": given_id, "result": {"a": 1}}) == {"a": 1}


def test_an_id_of_another_type_is_noted() -> None:
    reply = reply_in({"id": "7", "result": {}}, request_id=7, method="tasks/get", status=200)
    assert reply is not None
    assert len(reply.notes) == 1


@pytest.mark.parametrize("given_id", [8, "8", None, True, [7]])
def test_a_result_for_another_request_is_refused(given_id: Any) -> None:
    with pytest.raises(UnusableReply, match="another request"):
        _read({"jsonrpc": "2.0", "id": given_id, "result": {}})


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "notifications/progress", "params": {}},
        {"jsonrpc": "2.0", "id": 7, "method": "sampling/createMessage", "params": {}},
        {"error": "invalid_token"},
        {"error": {"message": "no code"}, "id": 7},
        {"error": {"code": True, "message": "m"}, "id": 7},
        {"id": 7},
        {"ping": 1},
        [],
        "text",
        None,
        7,
    ],
)
def test_other_messages_are_no_reply(message: Any) -> None:
    assert _read(message) is None


def test_a_null_error_beside_a_result_is_no_error() -> None:
    assert _read({"id": 7, "result": {"a": 1}, "error": None}) == {"a": 1}


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (-32602, NoSuchTask),
        (-32021, MissingCapability),
        (-32003, MissingCapability),
        (-32020, HeaderMismatch),
        (-32001, HeaderMismatch),
        (-32022, UnsupportedVersion),
        (-32601, MethodNotFound),
        (-32603, RpcError),
        (-32602.0, NoSuchTask),
        (12, RpcError),
    ],
)
def test_codes_old_and_new_become_types(code: Any, kind: type[RpcError]) -> None:
    with pytest.raises(RpcError) as caught:
        _read(_error(code), status=400)
    assert type(caught.value) is kind
    assert caught.value.code == code
    assert caught.value.http_status == 400


@pytest.mark.parametrize("code", [10**4000, -(10**4000), 1e300, -1e300])
@pytest.mark.parametrize("status", [200, 400])
def test_a_code_of_any_length_makes_no_long_line(code: float, status: int) -> None:
    with pytest.raises(RpcError) as caught:
        _read(_error(code), status=status)
    assert caught.value.code == code
    assert len(str(caught.value)) < 40


def test_invalid_params_are_no_missing_task_outside_tasks() -> None:
    with pytest.raises(RpcError) as caught:
        _read(_error(-32602), method="tools/call")
    assert type(caught.value) is RpcError


def test_the_draft_number_of_header_mismatch_means_that_only_with_a_400() -> None:
    with pytest.raises(RpcError) as caught:
        _read(_error(-32001), status=404)
    assert type(caught.value) is RpcError


@pytest.mark.parametrize("given_id", [None, 99, "server-error"])
def test_an_error_that_cannot_name_our_request_is_the_answer_under_an_error_status(
    given_id: Any,
) -> None:
    with pytest.raises(NoSuchTask):
        _read(_error(-32602, given_id), status=400)


def test_an_error_for_another_request_is_refused_under_200() -> None:
    with pytest.raises(UnusableReply):
        _read(_error(-32602, 99), status=200)


@pytest.mark.parametrize("code", [-32000, -32600])
@pytest.mark.parametrize("given_id", [None, "server-error"])
def test_a_server_of_the_session_era_is_named_as_such(code: int, given_id: Any) -> None:
    with pytest.raises(UnsupportedVersion) as caught:
        _read(_error(code, given_id), status=400)
    assert "2025-11-25 sessions; tasks need 2026-07-28" in str(caught.value)
    assert caught.value.message.raw == "m"


def test_the_same_codes_for_our_own_request_mean_nothing_special() -> None:
    with pytest.raises(RpcError) as caught:
        _read(_error(-32000), status=400)
    assert type(caught.value) is RpcError


@pytest.mark.parametrize(
    ("data", "supported"),
    [
        ({"supported": ["2025-11-25", 7, "2099-01-01"]}, ("2025-11-25", "2099-01-01")),
        ({"supported": "2025-11-25"}, ()),
        (None, ()),
        ("x", ()),
    ],
)
def test_supported_versions_are_read_from_the_error(data: Any, supported: tuple[str, ...]) -> None:
    with pytest.raises(UnsupportedVersion) as caught:
        _read(_error(-32022, data=data), status=400)
    assert caught.value.supported == supported
    for version in supported:
        assert version in str(caught.value)


def test_an_error_message_of_any_type_gives_a_clean_line() -> None:
    for said in (None, 7, "a\x1b[2J\nb", {"x": 1}):
        with pytest.raises(RpcError) as caught:
            _read({"id": 7, "error": {"code": 1, "message": said}})
        assert "\x1b" not in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b'{"a":1',
        b'{"a": nan}',
        b'{"a": 1e999',
        b'{"a": 1e999} trailing',
        b"[" * 500 + b"]" * 499,
        b"[" * 100_000,
        b"-" * 100_000,
        b'"' + b'\\"' * 100_000,
        b'{"a":"\xff"}',
        b"{'a': 1}",
        b'{"a":1} trailing',
    ],
)
def test_bad_or_boundless_json_is_said_in_words(body: bytes) -> None:
    with pytest.raises(UnusableReply) as caught:
        parse(body)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b'\xef\xbb\xbf{"a":1}', {"a": 1}),
        (b'"\\ud83d\\ude00"', "😀"),
        (b'"cut \\ud83d here"', "cut \ufffd here"),
        (b'"\\ude00\\ud83d\\ude00"', "\ufffd😀"),
        (b'"\\ud83d\\\\ud83d"', "\ufffd\\ud83d"),
        (b'{"k\\uDFFF":1}', {"k\ufffd": 1}),
        (b"123456789012345678901234567890", 123456789012345678901234567890),
        (b"[" * 150 + b"]" * 150, None),
    ],
)
def test_unusual_but_sound_json_is_read(body: bytes, value: Any) -> None:
    parsed = parse(body)
    assert value is None or parsed == value


_DIGITS = "9" * 100_000
_TOO_DEEP = '{"a":' * 400 + "1" + "}" * 400


@pytest.mark.parametrize(
    ("part", "kept"),
    [
        ("NaN", "NaN"),
        ("-Infinity", "-Infinity"),
        ("1e999", "1e999"),
        ("-" + _DIGITS, "-" + _DIGITS),
        (_DIGITS, _DIGITS),
        ("[1,1e400]", [1, "1e400"]),
        ('"\\ud800"', "\ufffd"),
    ],
    ids=["nan", "infinity", "float", "negative", "digits", "in a list", "with half a character"],
)
def test_what_no_number_can_hold_is_kept_as_text_with_a_note(part: str, kept: Any) -> None:
    body = f'{{"id":7,"result":{{"status":"completed","n":{part},"x":1e999}}}}'.encode()
    reply = reply_in(parse(body), request_id=7, method="tasks/get", status=200)
    assert reply is not None
    assert reply.result == {"status": "completed", "n": kept, "x": "1e999"}
    assert reply.notes == ("a number that is out of range is kept as text",)


@pytest.mark.parametrize("deep", [_TOO_DEEP, "[" * 900 + "]" * 900], ids=["objects", "lists"])
def test_what_is_nested_too_deeply_is_kept_as_text_with_a_note(deep: str) -> None:
    body = f'{{"id":7,"result":{{"deep":{deep},"status":"completed"}}}}'.encode()
    reply = reply_in(parse(body), request_id=7, method="tasks/get", status=200)
    assert reply is not None
    assert reply.result["status"] == "completed"
    assert reply.notes == ("what is nested deeper than 190 levels is kept as text",)
    inner, levels = reply.result["deep"], 2
    while not isinstance(inner, str):
        inner, levels = (inner["a"] if isinstance(inner, dict) else inner[0]), levels + 1
    assert levels == 190
    assert json.loads(inner) is not None
    assert inner in deep


def test_a_request_is_one_line_of_ascii() -> None:
    body = encode_request(3, "tasks/get", {"taskId": "ä\n\ud800"})
    assert body.isascii()
    assert parse(body)["id"] == 3
    assert b"\n" not in body


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), {1, 2}])
def test_what_json_cannot_say_is_not_sent(value: Any) -> None:
    with pytest.raises(NotSent):
        encode_request(1, "tools/call", {"arguments": {"x": value}})


def test_endless_nesting_is_not_sent() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(NotSent):
        encode_request(1, "tools/call", {"arguments": loop})


@pytest.mark.parametrize("number", ["1e999", "1E+400", "-1.5e310", f"{'9' * 230}e90", "0.1e0999"])
@pytest.mark.parametrize("place", ['{{"n": {}}}', "[[{}]]"])
def test_no_number_that_overflows_is_missed(number: str, place: str) -> None:
    assert json.dumps(parse(place.format(number).encode()), allow_nan=False).count(number) == 1


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 300))
def test_numbers_in_range_are_what_they_are(number: float, digits: int) -> None:
    assert parse(json.dumps([number, float(10**digits)]).encode()) == [number, float(10**digits)]
