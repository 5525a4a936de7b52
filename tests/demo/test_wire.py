"""The request checks, as rules about values."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from mcp_tasks_tui.demo import wire
from tests.demo.raw import EVERYTHING, META, meta

METHODS = frozenset({"tasks/get", "tools/call", "tools/list"})
SCHEMA = {
    "type": "object",
    "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "count": {"type": "integer", "x-mcp-header": "Count"},
        "dry": {"type": "boolean", "x-mcp-header": "Dry"},
        "deep": {
            "type": "object",
            "properties": {"zone": {"type": "string", "x-mcp-header": "Zone"}},
        },
        "plain": {"type": "string"},
    },
}


def lookup(*pairs: tuple[str, str]) -> Callable[[str], Sequence[str]]:
    return lambda name: [value for key, value in pairs if key.lower() == name.lower()]


def fault(method: str, params: Any, *pairs: tuple[str, str]) -> wire.RpcFault:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    with pytest.raises(wire.RpcFault) as caught:
        wire.check(message, lookup(*pairs), METHODS)
    return caught.value


VERSION = ("MCP-Protocol-Version", "2026-07-28")
GET = ("Mcp-Method", "tasks/get")


def test_a_proper_request_passes() -> None:
    message = {
        "jsonrpc": "2.0",
        "id": "a",
        "method": "tasks/get",
        "params": {"taskId": "-x", "_meta": meta()},
    }
    request = wire.check(message, lookup(VERSION, GET, ("mcp-name", " -x\t")), METHODS)
    assert (request.id, request.method, request.capabilities.tasks) == ("a", "tasks/get", True)


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        ((GET, ("Mcp-Name", "t")), "MCP-Protocol-Version header is missing"),
        ((VERSION, ("Mcp-Name", "t")), "Mcp-Method header is missing"),
        ((VERSION, GET), "Mcp-Name header is missing"),
        ((VERSION, ("Mcp-Method", "TASKS/GET"), ("Mcp-Name", "t")), "Mcp-Method is 'TASKS/GET'"),
        ((VERSION, GET, ("Mcp-Name", "other")), "Mcp-Name is 'other'"),
        ((VERSION, VERSION, GET, ("Mcp-Name", "t")), "MCP-Protocol-Version header was sent 2"),
        ((VERSION, GET, GET, ("Mcp-Name", "t")), "Mcp-Method header was sent 2 times"),
        ((VERSION, GET, ("Mcp-Name", "t"), ("Mcp-Name", "t")), "Mcp-Name header was sent 2 times"),
        ((VERSION, GET, ("Mcp-Name", "=?base64?dA?=")), "not valid base64"),
        ((VERSION, GET, ("Mcp-Name", "=?base64?!!!!?=")), "not valid base64"),
        ((VERSION, GET, ("Mcp-Name", "=?base64?/w==?=")), "not valid base64"),
        ((VERSION, GET, ("Mcp-Name", "t\u00e4")), "need the base64 form"),
        ((("MCP-Protocol-Version", "2025-11-25"), GET), "the body says '2026-07-28'"),
    ],
)
def test_headers_that_do_not_fit_the_body(pairs: Any, words: str) -> None:
    refused = fault("tasks/get", {"taskId": "t", "_meta": meta()}, *pairs)
    assert (refused.code, refused.status) == (wire.HEADER_MISMATCH, 400)
    assert words in refused.message


@pytest.mark.parametrize(
    ("params", "code", "status"),
    [
        ([], wire.INVALID_PARAMS, 400),
        ({}, wire.INVALID_PARAMS, 400),
        ({"_meta": {f"{META}protocolVersion": "2026-07-28"}}, wire.INVALID_PARAMS, 400),
        ({"_meta": {f"{META}clientCapabilities": {}}}, wire.INVALID_PARAMS, 400),
        ({"_meta": meta()}, wire.INVALID_PARAMS, 400),
        ({"_meta": meta(), "taskId": 7}, wire.INVALID_PARAMS, 400),
    ],
)
def test_params_that_are_not_what_the_specification_says(
    params: Any, code: int, status: int
) -> None:
    refused = fault("tasks/get", params, VERSION, GET)
    assert (refused.code, refused.status) == (code, status)


def test_an_unsupported_version_names_those_that_are_supported() -> None:
    old = ("MCP-Protocol-Version", "1900-01-01")
    refused = fault("tools/list", {"_meta": meta(version="1900-01-01")}, old)
    assert refused.code == wire.UNSUPPORTED_VERSION
    assert refused.data == {"supported": ["2026-07-28"], "requested": "1900-01-01"}


def test_an_unknown_method_is_a_404() -> None:
    refused = fault("tasks/list", {"_meta": meta()}, VERSION, ("Mcp-Method", "tasks/list"))
    assert (refused.code, refused.status) == (wire.METHOD_NOT_FOUND, 404)


@pytest.mark.parametrize(
    ("carried", "value"),
    [
        ("us-west1", "us-west1"),
        ("=?base64?SGVsbG8sIOS4lueVjA==?=", "Hello, 世界"),
        ("=?base64?IHBhZGRlZCA=?=", " padded "),
        ("=?base64?bGluZTEKbGluZTI=?=", "line1\nline2"),
        ("=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=", "=?base64?literal?="),
        ("=?base64?SGVsbG8=", "=?base64?SGVsbG8="),
        ("SGVsbG8=?=", "SGVsbG8=?="),
        ("=?BASE64?SGVsbG8=?=", "=?BASE64?SGVsbG8=?="),
    ],
)
def test_header_values_are_decoded_as_the_specification_shows(carried: str, value: str) -> None:
    assert wire.decode_header(carried) == value


@pytest.mark.parametrize(
    ("arguments", "pairs"),
    [
        ({}, ()),
        ({"region": None}, ()),
        ({"region": "eu"}, (("Mcp-Param-Region", "eu"),)),
        ({"region": "ä"}, (("mcp-param-region", "=?base64?w6Q=?="),)),
        ({"count": 42}, (("Mcp-Param-Count", "42.0"),)),
        ({"dry": False}, (("Mcp-Param-Dry", "false"),)),
        ({"deep": {"zone": "z"}}, (("Mcp-Param-Zone", "z"),)),
        ({"plain": "x"}, (("Mcp-Param-Other", "y"),)),
    ],
)
def test_mirrored_parameters_that_fit(arguments: Any, pairs: Any) -> None:
    wire.check_param_headers(SCHEMA, arguments, lookup(*pairs))


@pytest.mark.parametrize(
    ("arguments", "pairs"),
    [
        ({"region": "eu"}, ()),
        ({}, (("Mcp-Param-Region", "eu"),)),
        ({"region": "eu"}, (("Mcp-Param-Region", "EU"),)),
        ({"region": "eu"}, (("Mcp-Param-Region", "eu"), ("Mcp-Param-Region", "eu"))),
        ({"region": "eu"}, (("Mcp-Param-Region", "=?base64?ZXU?="),)),
        ({"count": 42}, (("Mcp-Param-Count", "many"),)),
        ({"dry": True}, (("Mcp-Param-Dry", "True"),)),
        ({"deep": {"zone": "z"}}, ()),
    ],
)
def test_mirrored_parameters_that_do_not_fit(arguments: Any, pairs: Any) -> None:
    with pytest.raises(wire.RpcFault) as caught:
        wire.check_param_headers(SCHEMA, arguments, lookup(*pairs))
    assert caught.value.code == wire.HEADER_MISMATCH


@pytest.mark.parametrize(
    ("declared", "form", "url"),
    [
        ({}, False, False),
        ({"elicitation": {}}, True, False),
        ({"elicitation": {"form": {}}}, True, False),
        ({"elicitation": {"url": {}}}, False, True),
        (EVERYTHING, True, True),
        ({"elicitation": True}, False, False),
    ],
)
def test_which_questions_a_client_may_be_asked(declared: Any, form: bool, url: bool) -> None:
    capabilities = wire.Capabilities(declared)
    assert (capabilities.elicits("form"), capabilities.elicits("url")) == (form, url)


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1:80", True),
        ("localhost", True),
        ("LOCALHOST:1", True),
        ("[::1]:8000", True),
        ("evil.example.com", False),
        ("127.0.0.1.evil.example", False),
        ("localhost.evil:80", False),
        ("", False),
    ],
)
def test_only_loopback_names_are_local(host: str, local: bool) -> None:
    assert wire.local_host(host) is local
    assert wire.local_origin(f"http://{host}") is local


@pytest.mark.parametrize("body", [b"", b"{", b"[" * 100_000, b"\xff"])
def test_a_body_that_is_not_json(body: bytes) -> None:
    with pytest.raises(wire.RpcFault) as caught:
        wire.parse(body)
    assert caught.value.code == wire.PARSE_ERROR


@pytest.mark.parametrize("message", [[], 7, {}, {"jsonrpc": "2.0"}, {"method": "tools/list"}])
def test_a_body_that_is_not_a_request(message: Any) -> None:
    with pytest.raises(wire.RpcFault) as caught:
        wire.parse(json.dumps(message).encode())
    assert caught.value.code == wire.INVALID_REQUEST
