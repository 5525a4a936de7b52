"""Requests of all kinds become questions; nothing a server sends raises."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_tasks_tui.forms.answer import compose
from mcp_tasks_tui.forms.hints import limits
from mcp_tasks_tui.forms.model import FieldKind, FormField
from mcp_tasks_tui.forms.reading import read_form, read_question, read_questions
from mcp_tasks_tui.forms.values import Picked, check, initial
from mcp_tasks_tui.sanitize import ServerText


def elicit(**params: Any) -> dict[str, Any]:
    return {"method": "elicitation/create", "params": params}


def only(schema: Any, name: str = "p") -> FormField:
    [field] = read_form({"type": "object", "properties": {name: schema}}).fields
    return field


@pytest.mark.parametrize(
    ("request_", "mode", "note"),
    [
        (elicit(message="m", requestedSchema={}), "form", None),
        (elicit(mode="form", message="m"), "form", None),
        (elicit(mode=None, message="m", requestedSchema=True), "form", None),
        (elicit(mode="url", message="m", url="https://a"), "url", None),
        (elicit(mode="url", message="m"), "other", "no URL"),
        (elicit(mode="url", url=7), "other", "no URL"),
        (elicit(mode="video", message="m"), "other", "unknown mode 'video'"),
        (elicit(requestedSchema="x"), "other", "not a schema"),
        (elicit(requestedSchema=False), "other", "else than an object"),
        (elicit(requestedSchema={"type": "string"}), "other", "else than an object"),
        ({"method": "elicitation/create"}, "other", "no parameters"),
        ({"method": "elicitation/create", "params": []}, "other", "no parameters"),
        ({"method": "sampling/createMessage", "params": {}}, "other", "sampling/createMessage"),
        ({"method": "roots/list"}, "other", "roots/list"),
        ({"params": {}}, "other", "names no method"),
        ("what", "other", "not a request"),
        (None, "other", "not a request"),
    ],
)
def test_kinds_of_requests(request_: Any, mode: str, note: str | None) -> None:
    question = read_question("k", request_)
    assert (question.key, question.mode, question.raw) == ("k", mode, request_)
    assert (question.note is None) is (note is None)
    assert (note or "") in (question.note or "")


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"message": "m"}, "m"),
        ({"message": "", "requestedSchema": {"title": "T", "description": "D"}}, "T"),
        ({"message": "  ", "requestedSchema": {"description": "D"}}, "D"),
        ({"requestedSchema": {"title": "T"}}, "T"),
        ({"message": 7}, ""),
    ],
)
def test_an_empty_message_falls_back_to_the_schema(params: Any, message: str) -> None:
    assert read_question("k", elicit(**params)).message == ServerText(message)


def test_questions_keep_an_order_of_their_own() -> None:
    requests = {key: elicit(message=key) for key in ("c", "a", "b")}
    assert [each.key for each in read_questions(requests)] == ["a", "b", "c"]
    assert [each.key for each in read_questions(requests, ["b", "gone", "b"])] == ["b", "a", "c"]


def test_titles_descriptions_and_names() -> None:
    field = only({"type": "string", "title": "T", "description": "D"})
    assert (field.title, field.description) == (ServerText("T"), ServerText("D"))
    assert only({"type": "string", "title": " "}).title == ServerText("p")
    assert only({"type": "string", "title": 7}).description is None


def test_enum_names_count_only_where_they_match() -> None:
    titles = [c.title.raw for c in only({"enum": ["a", "b"], "enumNames": ["A", "B"]}).choices]
    assert titles == ["A", "B"]
    titles = [c.title.raw for c in only({"enum": ["a", "b"], "enumNames": ["A"]}).choices]
    assert titles == ["a", "b"]
    assert [c.value for c in only({"enum": ["a", 1, None]}).choices] == ["a", 1, None]


def test_required_names_that_are_not_described_do_not_block() -> None:
    form = read_form({"type": "object", "properties": {}, "required": ["ghost"]})
    assert form.fields == ()
    assert "ghost" in form.notes[0]
    assert compose(form, {}).content == {}


def test_nullable_union_keeps_title_and_limits() -> None:
    field = only({"anyOf": [{"type": "string", "maxLength": 3}, {"type": "null"}], "title": "T"})
    assert (field.kind, field.nullable, field.max_length) == (FieldKind.STRING, True, 3)
    assert field.title == ServerText("T")
    choice = only({"anyOf": [{"enum": ["a"]}, {"enum": ["b"]}, {"type": "null"}]})
    assert (choice.kind, choice.nullable, len(choice.choices)) == (FieldKind.CHOICE, True, 2)


@pytest.mark.parametrize(
    ("name", "schema", "secret"),
    [
        ("apiKey", {"type": "string", "title": "API secret"}, True),
        ("password", {"type": "string"}, True),
        ("db_passwd", {"type": "string"}, True),
        ("x", {"type": "string", "format": "password"}, True),
        ("x", {"type": "string", "title": "Access token"}, True),
        ("x", {"type": "string", "description": "Your GitHub API key"}, True),
        ("token", {"type": "string"}, True),
        ("key", {"type": "string"}, True),
        ("SSHKey", {"type": "string"}, True),
        ("pin", {"type": "integer"}, True),
        ("max_tokens", {"type": "integer"}, False),
        ("keyboard", {"type": "string"}, False),
        ("monkey", {"type": "string"}, False),
        ("name", {"type": "string"}, False),
        ("secretary", {"type": "string"}, False),
        ("token", {"enum": ["a", "b"]}, False),
    ],
)
def test_what_looks_like_a_secret(name: str, schema: Any, secret: bool) -> None:
    assert only(schema, name).secret is secret


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "string", "minLength": 3, "maxLength": 5}, "optional · 3 to 5 characters"),
        ({"type": "string", "minLength": 2}, "optional · at least 2 characters"),
        ({"type": "string", "format": "date"}, "optional · date, like 2026-09-01"),
        ({"type": "string", "format": "ipv4"}, "optional · format ipv4 (not checked here)"),
        ({"type": "integer", "minimum": 0}, "optional · whole number · at least 0"),
        ({"type": "number", "minimum": 1, "maximum": 1}, "optional · number · exactly 1"),
        ({"type": "boolean"}, "optional · yes or no"),
        ({"type": "array", "items": {"enum": ["a"]}}, "optional · pick any number"),
        (
            {"type": "array", "minItems": 1, "maxItems": 2, "items": {"enum": ["a"]}},
            "optional · pick 1 to 2",
        ),
        ({"type": "number", "minimum": 5.0, "maximum": 7.5}, "optional · number · 5 to 7.5"),
        ({"type": "integer", "minimum": 10**9000}, "optional · whole number"),
        ({"enum": list(range(5000))}, "optional · pick one or none · 5,000 choices"),
    ],
)
def test_limits_are_said(schema: Any, words: str) -> None:
    assert limits(only(schema)) == words


@pytest.mark.parametrize("limit", [10**800, -(10**800), 1e300, -1e300])
@pytest.mark.parametrize(
    ("schema", "names"),
    [
        ({"type": "integer"}, ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")),
        ({"type": "number"}, ("minimum", "maximum")),
        ({"type": "string"}, ("minLength", "maxLength")),
        ({"type": "array", "items": {"enum": ["a"]}}, ("minItems", "maxItems")),
    ],
)
def test_limits_of_hundreds_of_digits_are_said_in_short(
    schema: dict[str, Any], names: tuple[str, ...], limit: float
) -> None:
    for name in names:
        field = only({**schema, name: limit})
        assert len(limits(field)) < 80
        entry = Picked((0,)) if field.kind is FieldKind.MULTI_CHOICE else "5"
        checked = check(field, entry)
        assert len(checked.error or "") < 80


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "integer", "default": True},
        {"type": "string", "default": 7},
        {"type": "boolean", "default": "yes"},
        {"type": "integer", "default": [1]},
        {"enum": ["a"], "default": "b"},
        {"type": "string", "default": None},
        {"type": "integer", "default": 10**9000},
    ],
)
def test_unusable_defaults_are_left_out(schema: Any) -> None:
    assert initial(only(schema)) is None


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"type": "object", "properties": {f"p{n}": {} for n in range(5000)}}, "5,000 fields"),
        ({"type": "object", "properties": ["a"]}, "not written as an object"),
        ({"type": "object", "additionalProperties": {"type": "string"}}, "names of its fields"),
        ({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, "only rules"),
        ({"$ref": "https://evil.example/schema"}, "never fetched"),
        ({"$ref": "#"}, "not there"),
    ],
)
def test_what_makes_no_fields_is_answered_as_one_object(schema: Any, why: str) -> None:
    form = read_form(schema)
    assert form.whole
    assert why in form.fields[0].notes[0]
    assert compose(form, {"": "[]"}).errors == {
        "": 'an answer is a JSON object, like {"name": "value"}'
    }


def test_a_huge_enum_is_read_whole() -> None:
    assert len(only({"enum": [f"v{n}" for n in range(100_000)]}).choices) == 100_000


def test_a_tools_arguments_make_a_form_too() -> None:
    form = read_form(
        {
            "type": "object",
            "properties": {
                "target": {"type": "string", "x-mcp-header": "Target"},
                "options": {"type": "object", "properties": {"fast": {"type": "boolean"}}},
            },
            "required": ["target"],
            "additionalProperties": False,
        }
    )
    answer = compose(form, {"target": "x", "options": '{"fast": true}'})
    assert answer.content == {"target": "x", "options": {"fast": True}}


# --- whatever a server sends --------------------------------------------------------------

_KEYWORDS = [
    "type", "properties", "required", "enum", "enumNames", "const", "oneOf", "anyOf", "allOf",
    "items", "$ref", "$defs", "$schema", "title", "description", "default", "format", "pattern",
    "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "multipleOf", "minItems",
    "maxItems", "not", "if", "patternProperties", "additionalProperties", "uniqueItems",
    "dependentRequired", "unevaluatedProperties", "contains", "p",
]  # fmt: skip
_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 10**20)
    | st.floats()
    | st.sampled_from(
        ["string", "number", "integer", "boolean", "array", "object", "null", "#/$defs/p", "#",
         "https://x.example/s", "email", "date-time", "^(a+)+$", "(", ""]
    ),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(_KEYWORDS), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=150)
@given(_VALUES, _VALUES)
def test_nothing_a_server_sends_raises(schema: Any, other: Any) -> None:
    request = elicit(requestedSchema={"type": "object", "properties": {"p": schema, "q": other}})
    for value in (request, elicit(requestedSchema=schema), schema, elicit(mode=other)):
        question = read_question("k", value)
        if question.form is None:
            continue
        for field in question.form.fields:
            assert "\n" not in limits(field)
        answer = compose(question.form, {})
        assert (answer.content is None) is bool(answer.errors)
        if answer.content is not None:
            json.dumps(answer.content)


def test_depth_is_no_danger() -> None:
    schema: Any = {"type": "string"}
    for _ in range(5_000):
        schema = {"type": "object", "properties": {"p": schema}, "allOf": [schema]}
    form = read_form({"type": "object", "properties": {"p": schema}, "required": ["p"]})
    answer = compose(form, {"p": '{"p": 1}'})
    assert answer.content == {"p": {"p": 1}}
    assert "too deep" in answer.notes[0]
