"""Answers written as JSON, the last check, and which request is meant."""

from __future__ import annotations

import urllib.request
from typing import Any

import pytest

from mcp_tasks_tui.forms.answer import (
    NoSuchRequest,
    compose,
    from_json,
    match_request,
    split_assignment,
)
from mcp_tasks_tui.forms.reading import read_form
from mcp_tasks_tui.forms.validation import Validated, validate

FORM = read_form(
    {
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 2},
            "count": {"type": "integer", "minimum": 1, "maximum": 10},
            "when": {"type": "string", "format": "date-time"},
            "level": {"oneOf": [{"const": "lo", "title": "Low"}]},
        },
        "required": ["name", "count"],
    }
)


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ('{"name": "ab", "count": 3}', {"name": "ab", "count": 3}),
        ('{"name": "ab", "count": 3, "level": "lo"}', {"name": "ab", "count": 3, "level": "lo"}),
        (
            '{"name": "ab", "count": 3, "when": "2026-09-01T10:00:00Z"}',
            {"name": "ab", "count": 3, "when": "2026-09-01T10:00:00Z"},
        ),
    ],
)
def test_json_that_fits(text: str, content: dict[str, Any]) -> None:
    answer = from_json(FORM, text)
    assert (answer.content, answer.errors, answer.notes) == (content, {}, ())


@pytest.mark.parametrize(
    ("text", "errors"),
    [
        ("{", {"": "not JSON: expecting property name enclosed in double quotes (line 1,"}),
        ("7", {"": 'an answer is a JSON object, like {"name": "value"}'}),
        ("{}", {"name": "needed", "count": "needed"}),
        ('{"name": "a", "count": 11}', {"name": "at least 2 characters", "count": "at most 10"}),
        ('{"name": 7, "count": "3"}', {"name": "must be a text", "count": "must be a whole"}),
        ('{"name": "ab", "count": 3.5}', {"count": "must be a whole number"}),
        ('{"name": "ab", "count": true}', {"count": "must be a whole number"}),
        ('{"name": "ab", "count": 3, "level": "hi"}', {"level": "not one of the choices"}),
        ('{"name": "ab", "count": 3, "when": "2026-09-01T10:00"}', {"when": "incomplete; write"}),
        ('{"name": "ab", "count": 3, "when": "soon"}', {"when": "not a date-time"}),
    ],
)  # fmt: skip
def test_json_that_does_not_fit(text: str, errors: dict[str, str]) -> None:
    answer = from_json(FORM, text)
    assert answer.content is None
    assert set(answer.errors) == set(errors)
    for name, words in errors.items():
        assert answer.errors[name].startswith(words)


@pytest.mark.parametrize(
    ("rule", "value", "words"),
    [
        ({"minLength": 1}, "", "at least 1 character"),
        ({"maxLength": 2}, "abc", "at most 2 characters"),
        ({"maxItems": 1}, [1, 2], "at most 1 item"),
        ({"minProperties": 1}, {}, "at least 1 entry"),
    ],
)
def test_a_limit_counts_as_people_do(rule: dict[str, Any], value: Any, words: str) -> None:
    schema = {"type": "object", "properties": {"deep": {"properties": {"x": rule}}}}
    assert validate(schema, {"deep": {"x": value}}).errors == (("deep", f"x: {words}"),)


def test_a_name_that_the_schema_does_not_know_is_noted_or_refused() -> None:
    answer = from_json(FORM, '{"name": "ab", "count": 3, "nmae": 1}')
    assert answer.content is not None
    assert answer.notes == ("the schema does not describe nmae",)
    strict = read_form(dict(FORM.schema) | {"additionalProperties": False})
    assert from_json(strict, '{"name": "ab", "count": 3, "nmae": 1}').errors == {
        "": "no field 'nmae' is allowed"
    }


def test_rules_across_fields_are_checked_at_the_end() -> None:
    form = read_form(
        {
            "type": "object",
            "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
            "dependentRequired": {"a": ["b"]},
        }
    )
    assert "across fields" in form.notes[0]
    assert set(compose(form, {"a": "x"}).errors) == {""}
    assert compose(form, {"a": "x", "b": "y"}).content == {"a": "x", "b": "y"}


def test_no_value_is_repeated_in_an_error() -> None:
    form = read_form({"type": "object", "properties": {"p": {"not": {"const": "hunter2"}}}})
    answer = from_json(form, '{"p": "hunter2"}')
    assert answer.content is None
    assert "hunter2" not in str(answer.errors)


#: Rules and values that are many each, with nothing that refers to anything.
MANY_RULES = {"items": {"allOf": [{"minimum": -n} for n in range(1_000)]}}
MANY_CHOICES = {"items": {"not": {"enum": [str(n) for n in range(10_000)]}}}


@pytest.mark.parametrize(
    ("schema", "content", "note"),
    [
        ({"$ref": "https://evil.example/s"}, {"p": 1}, "never fetched"),
        ({"$ref": "file:///etc/passwd"}, {"p": 1}, "never fetched"),
        ({"$dynamicRef": "https://evil.example/s"}, {"p": 1}, "never fetched"),
        (
            {"$defs": {"a": {"$ref": "#/$defs/a"}}, "properties": {"p": {"$ref": "#/$defs/a"}}},
            {"p": 1},
            "refers to itself",
        ),
        (
            {
                "$defs": {
                    f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(60)
                }
                | {"d60": {}},
                "properties": {"p": {"$ref": "#/$defs/d0"}},
            },
            {"p": 1},
            "refers to itself",
        ),
        ({"items": {}, "properties": {"p": MANY_RULES}}, {"p": [0] * 1_000}, "too large"),
        ({"properties": {"p": MANY_CHOICES}}, {"p": ["z"] * 1_000}, "too large"),
        ({"properties": {"p": {"pattern": "(a)\\1"}}}, {"p": "x"}, "pattern was not checked"),
        ({"properties": {"p": {"minLength": "x"}}}, {"p": "x"}, "faulty"),
        ({"properties": {"p": {"multipleOf": 0}}}, {"p": 4}, "faulty"),
        ({"properties": {"p": {"type": "colour"}}}, {"p": 4}, "faulty"),
        ({"unevaluatedProperties": False}, {"p": 4}, "not checked"),
    ],
)
def test_what_cannot_be_checked_does_not_keep_from_answering(
    schema: Any, content: Any, note: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched: list[Any] = []
    monkeypatch.setattr(urllib.request, "urlopen", fetched.append)
    found = validate(schema, content)
    assert found.errors == ()
    assert note in " ".join(found.notes)
    assert fetched == []


@pytest.mark.parametrize(
    ("items", "unique"),
    [
        ([1, True, "1", None, [1], {"a": 1}, {}, [], [True]], True),
        ([{"a": 1, "b": [2]}, {"b": [2.0], "a": 1}], False),
        ([1, "x", 1.0], False),
        ([{"n": n} for n in range(10_000)], True),  # each with each would take a minute
    ],
)
def test_items_that_cannot_be_sorted_are_told_apart_one_by_one(
    items: list[Any], *, unique: bool
) -> None:
    found = validate({"properties": {"p": {"uniqueItems": True}}}, {"p": items})
    assert found.errors == (() if unique else (("p", "the same item is in it twice"),))
    assert found.notes == ()


def test_a_large_content_of_an_honest_schema_is_checked_whole() -> None:
    row = {"$ref": "#/$defs/row"}
    schema = {
        "$defs": {"row": {"type": "object", "properties": {"n": {"type": "integer"}}}},
        "properties": {"p": {"type": "array", "items": row}},
    }
    rows: list[Any] = [{"n": n} for n in range(3_000)]
    assert validate(schema, {"p": rows}) == Validated()
    rows[-1] = {"n": "x"}
    assert validate(schema, {"p": rows}).errors == (("p", "2999.n: must be a whole number"),)


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"p": {"pattern": "^(a+)+$"}}},
        {"patternProperties": {"^(p|p)*$": {"pattern": "^(a+)+$"}}},
        {"properties": {"p": {"$schema": "http://json-schema.org/draft-07/schema#",
                              "pattern": "^(a+)+$"}}},
        {"additionalProperties": False, "patternProperties": {"^(p+)+$": {"pattern": "^(a|a)*$"}}},
    ],
)  # fmt: skip
def test_catastrophic_patterns_are_matched_in_bounded_time(schema: Any) -> None:
    assert validate(schema, {"p": "a" * 40 + "!"}).errors == (("p", "does not fit the pattern"),)


KEYS = ["task-1:aaaa", "task-1:bbbb", "2x", "plain"]


@pytest.mark.parametrize(
    ("reference", "key"),
    [
        ("task-1:aaaa", "task-1:aaaa"),
        ("task-1:b", "task-1:bbbb"),
        ("1", "task-1:aaaa"),
        ("4", "plain"),
        ("p", "plain"),
        ("2x", "2x"),
        (":2", "task-1:bbbb"),
    ],
)
def test_requests_go_by_key_number_or_prefix(reference: str, key: str) -> None:
    assert match_request(reference, KEYS) == key


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ("task", "could be any of 1 task-1:aaaa, 2 task-1:bbbb"),
        ("2", "could be any of 2 task-1:bbbb, 3 2x; write its number with a colon, :1"),
        (":5", "no open request ':5'"),
        (":0", "no open request ':0'"),
        ("5", "no open request '5'"),
        ("", "no open request ''"),
        ("9" * 5000, "no open request"),
        (None, "4 requests are open; say which"),
    ],
)
def test_a_request_that_is_not_clear_is_an_error(reference: str | None, words: str) -> None:
    with pytest.raises(NoSuchRequest, match=words):
        match_request(reference, KEYS)


@pytest.mark.parametrize(("keys", "two"), [(["2", "x"], "x"), (["2", "1"], "1"), (["x", "2"], "2")])
def test_a_key_that_looks_like_the_number_of_another_is_not_guessed(
    keys: list[str], two: str
) -> None:
    if two == "2":
        assert match_request("2", keys) == "2"
    else:
        with pytest.raises(NoSuchRequest, match="could be any of 1 2, 2 "):
            match_request("2", keys)
    assert match_request(":2", keys) == two


def test_what_is_open_no_more_is_still_meant() -> None:
    asked = {"one": 1, "two": 2, "twofold": 3, "late": None}
    for reference in ("1", ":1", "one", "on"):
        assert match_request(reference, ["twofold", "late"], asked) == "one"
    assert match_request("3", ["twofold", "late"], asked) == "twofold"
    assert match_request("late", [], asked) == "late"
    with pytest.raises(NoSuchRequest, match="could be any of 2 two, 3 twofold"):
        match_request("t", ["twofold", "late"], asked)
    with pytest.raises(NoSuchRequest, match="no open request '4'; open are 3 twofold, late"):
        match_request("4", ["twofold", "late"], asked)
    with pytest.raises(NoSuchRequest, match="no open request '4'; none is open"):
        match_request("4", [], asked)
    with pytest.raises(NoSuchRequest, match="no input request is open"):
        match_request(None, [], asked)


def test_the_only_open_request_need_not_be_named() -> None:
    assert match_request(None, ["a"]) == "a"
    with pytest.raises(NoSuchRequest, match="no input request is open"):
        match_request(None, [])


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ('a={"b": 1}', ("a", '{"b": 1}')),
        ('{"b": "="}', (None, '{"b": "="}')),
        ('YWI=={"b": 1}', ("YWI=", '{"b": 1}')),
        ("a=7", ("a", "7")),
        ("7", (None, "7")),
    ],
)
def test_assignments_are_split(text: str, parts: tuple[str | None, str]) -> None:
    assert split_assignment(text) == parts
