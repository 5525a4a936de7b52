from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks_tui.protocol.headers import (
    AnnotationError,
    HeaderError,
    ParamHeader,
    check_extra,
    encode_value,
    mirrored,
    param_headers,
    request_headers,
)


@pytest.mark.parametrize(
    ("text", "encoded"),
    [
        ("us-west1", "us-west1"),
        ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
        (" padded ", "=?base64?IHBhZGRlZCA=?="),
        ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
        ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ("=?base64?no end", "=?base64?no end"),
        ("a\tb c", "a\tb c"),
        ("\t", "=?base64?CQ==?="),
        ("", ""),
        ("-starts", "-starts"),
        ("x\x7f", "=?base64?eH8=?="),
    ],
)
def test_values_are_plain_where_safe_and_encoded_where_not(text: str, encoded: str) -> None:
    assert encode_value(text) == encoded


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_every_text_comes_back_and_fits_a_header(text: str) -> None:
    value = encode_value(text)
    assert value.isascii()
    assert value == value.strip()
    assert not any(char in value for char in "\r\n\x00")
    if value.startswith("=?base64?") and value.endswith("?="):
        value = base64.b64decode(value[9:-2]).decode()
    assert value == text


def test_half_a_surrogate_pair_is_refused_in_words() -> None:
    with pytest.raises(HeaderError, match="broken Unicode"):
        encode_value("a\ud800")


@pytest.mark.parametrize(
    ("method", "params", "name"),
    [
        ("tasks/get", {"taskId": "täsk"}, "=?base64?dMOkc2s=?="),
        ("tasks/update", {"taskId": "t1"}, "t1"),
        ("tasks/cancel", {"taskId": "t1"}, "t1"),
        ("tools/call", {"name": "build"}, "build"),
        ("tools/list", {}, None),
        ("server/discover", {}, None),
        ("subscriptions/listen", {}, None),
    ],
)
def test_each_request_names_its_method_and_target(
    method: str, params: dict[str, Any], name: str | None
) -> None:
    headers = request_headers("2026-07-28", method, params)
    assert headers["Mcp-Method"] == method
    assert headers.get("Mcp-Name") == name
    assert headers["MCP-Protocol-Version"] == "2026-07-28"
    assert headers["Accept"] == "application/json, text/event-stream"
    assert headers["Content-Type"] == "application/json"


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "Bearer s3cr3t\n"},
        {"Authorization": "Bearer s3cr3t\r\nX-Evil: 1"},
        {"X-Name": "täsk-s3cr3t"},
        {"X Y": "s3cr3t"},
        {"": "s3cr3t"},
        {"MCP-Name": "s3cr3t"},
        {"content-length": "3"},
        {"mcp-param-region": "s3cr3t"},
    ],
)
def test_extra_headers_that_cannot_be_sent_are_refused_without_their_value(
    headers: dict[str, str],
) -> None:
    with pytest.raises(HeaderError) as caught:
        check_extra(headers)
    assert "s3cr3t" not in str(caught.value)


def test_usual_extra_headers_pass() -> None:
    check_extra({"Authorization": "Bearer abc.def", "X-Tenant": "a b"})


NESTED = {
    "type": "object",
    "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "where": {
            "type": "object",
            "properties": {"zone": {"type": ["integer", "null"], "x-mcp-header": "Zone"}},
        },
        "dry": {"type": "boolean", "x-mcp-header": "Dry"},
        "x-mcp-header": {"type": "string"},
        "other": {"type": "string", "default": {"x-mcp-header": "data, not an annotation"}},
    },
}


def test_mirrored_parameters_are_found_at_any_depth_of_properties() -> None:
    assert param_headers(NESTED) == (
        ParamHeader("Mcp-Param-Region", ("region",)),
        ParamHeader("Mcp-Param-Zone", ("where", "zone")),
        ParamHeader("Mcp-Param-Dry", ("dry",)),
    )


@pytest.mark.parametrize("schema", [None, True, {}, {"type": "object"}, "text", {"properties": []}])
def test_a_schema_without_annotations_mirrors_nothing(schema: Any) -> None:
    assert param_headers(schema) == ()


def _one(prop: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"p": prop}}


_MARK = {"type": "string", "x-mcp-header": "P"}


@pytest.mark.parametrize(
    "schema",
    [
        _one({"type": "string", "x-mcp-header": ""}),
        _one({"type": "string", "x-mcp-header": "a b"}),
        _one({"type": "string", "x-mcp-header": "a:b"}),
        _one({"type": "string", "x-mcp-header": "a\r\nb"}),
        _one({"type": "string", "x-mcp-header": "ä"}),
        _one({"type": "string", "x-mcp-header": 7}),
        _one({"type": "string", "x-mcp-header": None}),
        _one({"type": "number", "x-mcp-header": "P"}),
        _one({"type": "object", "x-mcp-header": "P"}),
        _one({"type": "array", "x-mcp-header": "P"}),
        _one({"type": ["string", "number"], "x-mcp-header": "P"}),
        _one({"type": ["null"], "x-mcp-header": "P"}),
        _one({"x-mcp-header": "P"}),
        _one({"$ref": "#/$defs/x", "type": "string", "x-mcp-header": "P"}),
        _one({"type": "array", "items": _MARK}),
        _one({"type": "array", "prefixItems": [_MARK]}),
        _one({"oneOf": [_MARK]}),
        _one({"anyOf": [{"type": "object", "properties": {"q": _MARK}}]}),
        _one({"not": _MARK}),
        {"allOf": [_one(_MARK)]},
        {"if": _one(_MARK)},
        {"then": _one(_MARK)},
        {"$defs": {"x": _MARK}},
        {"additionalProperties": _MARK},
        {"patternProperties": {"^x": _MARK}},
        {"x-mcp-header": "Root", "type": "string"},
        {
            "properties": {
                "a": {"type": "string", "x-mcp-header": "Same"},
                "b": {"type": "string", "x-mcp-header": "SAME"},
            }
        },
    ],
)
def test_every_broken_annotation_makes_the_tool_unusable(schema: Any) -> None:
    with pytest.raises(AnnotationError):
        param_headers(schema)


@pytest.mark.parametrize(
    ("arguments", "headers"),
    [
        (
            {"region": "eu", "where": {"zone": 7}, "dry": False},
            {"Mcp-Param-Region": "eu", "Mcp-Param-Zone": "7", "Mcp-Param-Dry": "false"},
        ),
        ({"region": None, "where": None}, {}),
        ({}, {}),
        ({"where": "not an object"}, {}),
        (
            {"where": {"zone": -42.0}, "dry": True},
            {"Mcp-Param-Zone": "-42", "Mcp-Param-Dry": "true"},
        ),
        ({"region": {"a": 1}, "where": {"zone": 1.5}}, {}),
        ({"region": "Zürich"}, {"Mcp-Param-Region": "=?base64?WsO8cmljaA==?="}),
    ],
)
def test_argument_values_become_headers(arguments: dict[str, Any], headers: dict[str, str]) -> None:
    assert mirrored(param_headers(NESTED), arguments) == headers


@pytest.mark.parametrize("zone", [2**53, -(2**53), 10**400])
def test_integers_that_not_every_peer_can_hold_are_refused(zone: int) -> None:
    with pytest.raises(HeaderError, match=r"where\.zone"):
        mirrored(param_headers(NESTED), {"where": {"zone": zone}})
