"""Schemas x inputs: exactly what goes out, or in words why nothing does."""

from __future__ import annotations

import json
from datetime import timedelta, timezone
from typing import Any

import pytest

from mcp_tasks_tui.forms.answer import compose
from mcp_tasks_tui.forms.model import FieldKind
from mcp_tasks_tui.forms.reading import read_form
from mcp_tasks_tui.forms.values import Entry, Picked

ZONE = timezone(timedelta(hours=2))
NOTHING: dict[str, Any] = {}


def one(schema: Any, *, required: bool = True) -> dict[str, Any]:
    """An object schema with the one property `p`."""
    return {"type": "object", "properties": {"p": schema}, "required": ["p"] if required else []}


STRING = {"type": "string"}
NAME = {"type": "string", "minLength": 3, "maxLength": 5}
EMAIL = {"type": "string", "format": "email"}
URI = {"type": "string", "format": "uri"}
DATE = {"type": "string", "format": "date"}
WHEN = {"type": "string", "format": "date-time"}
CODE = {"type": "string", "pattern": "^[A-Z]{2}[0-9]+$"}
WHOLE = {"type": "integer", "minimum": 1, "maximum": 10}
NUMBER = {"type": "number", "minimum": 0, "maximum": 1.5}
FLAG = {"type": "boolean"}
COLOUR = {"type": "string", "enum": ["red", "green"]}
TITLED = {"oneOf": [{"const": "lo", "title": "Low"}, {"const": "hi", "title": "High"}]}
MANY = {
    "type": "array",
    "minItems": 1,
    "maxItems": 2,
    "items": {"type": "string", "enum": ["a", "b", "c"]},
}

#: schema of p, required, what was entered, the content that goes out.
RIGHT: list[tuple[str, Any, bool, Entry, dict[str, Any]]] = [
    ("text", STRING, True, "hello", {"p": "hello"}),
    ("text keeps its blanks", STRING, True, "  a ", {"p": "  a "}),
    ("brackets and quotes", STRING, True, '[/x] "y"', {"p": '[/x] "y"'}),
    ("lines", STRING, True, "a\nb", {"p": "a\nb"}),
    ("untouched optional text", STRING, False, None, NOTHING),
    ("emptied optional text", STRING, False, "", NOTHING),
    ("required text that may be empty", {"type": "string", "minLength": 0}, True, "", {"p": ""}),
    ("default taken", {"type": "string", "default": "x"}, True, None, {"p": "x"}),
    ("length at the lower limit", NAME, True, "abc", {"p": "abc"}),
    ("length at the upper limit", NAME, True, "abcde", {"p": "abcde"}),
    ("length counts code points", NAME, True, "\U0001f600é日", {"p": "\U0001f600é日"}),
    ("email", EMAIL, True, "a.b+c@example.org", {"p": "a.b+c@example.org"}),
    ("email on a host", EMAIL, True, "root@localhost", {"p": "root@localhost"}),
    ("uri", URI, True, "https://example.org/a?b=c#d", {"p": "https://example.org/a?b=c#d"}),
    ("uri of another scheme", URI, True, "urn:isbn:12", {"p": "urn:isbn:12"}),
    ("date", DATE, True, "2028-02-29", {"p": "2028-02-29"}),
    ("date-time with Z", WHEN, True, "2026-09-01T10:00:00Z", {"p": "2026-09-01T10:00:00Z"}),
    (
        "date-time, fraction and offset",
        WHEN,
        True,
        "2026-09-01T10:00:00.25-03:30",
        {"p": "2026-09-01T10:00:00.25-03:30"},
    ),
    ("date-time completed", WHEN, True, "2026-09-01T10:00", {"p": "2026-09-01T10:00:00+02:00"}),
    ("date-time, blank", WHEN, True, "2026-09-01 10:00:05z", {"p": "2026-09-01T10:00:05Z"}),
    ("leap second", WHEN, True, "2016-12-31T23:59:60Z", {"p": "2016-12-31T23:59:60Z"}),
    ("unknown format", {"type": "string", "format": "hostname"}, True, "a b", {"p": "a b"}),
    ("pattern", CODE, True, "AB12", {"p": "AB12"}),
    ("pattern is not anchored", {"type": "string", "pattern": "b"}, True, "abc", {"p": "abc"}),
    ("pattern not checked", {"type": "string", "pattern": "(a)\\1"}, True, "zz", {"p": "zz"}),
    ("whole number", WHOLE, True, "5", {"p": 5}),
    ("whole number at the limits 1", WHOLE, True, "1", {"p": 1}),
    ("whole number at the limits 10", WHOLE, True, "10", {"p": 10}),
    ("whole number with blanks", WHOLE, True, " 7 ", {"p": 7}),
    (
        "big whole number",
        {"type": "integer"},
        True,
        "123456789012345678901234567890",
        {"p": 123456789012345678901234567890},
    ),
    ("negative", {"type": "integer"}, True, "-3", {"p": -3}),
    ("zero is a value", {"type": "integer"}, False, "0", {"p": 0}),
    ("exclusive limit", {"type": "integer", "exclusiveMinimum": 0}, True, "1", {"p": 1}),
    (
        "draft-04",
        {"type": "number", "minimum": 0, "exclusiveMinimum": True},
        True,
        "0.5",
        {"p": 0.5},
    ),
    ("draft-04", {"type": "integer", "minimum": 0, "exclusiveMinimum": True}, True, "1", {"p": 1}),
    ("draft-04", {"type": "integer", "minimum": 0, "exclusiveMinimum": False}, True, "0", {"p": 0}),
    (
        "draft-04",
        {"type": "number", "maximum": 9, "exclusiveMaximum": True},
        True,
        "8.5",
        {"p": 8.5},
    ),
    ("draft-04", {"type": "number", "maximum": 9, "exclusiveMaximum": False}, True, "9", {"p": 9}),
    ("draft-04, no limit", {"type": "number", "exclusiveMinimum": True}, True, "-1", {"p": -1}),
    ("untouched optional number", WHOLE, False, None, NOTHING),
    ("number", NUMBER, True, "0.25", {"p": 0.25}),
    ("number at the limit", NUMBER, True, "1.5", {"p": 1.5}),
    ("number with exponent", {"type": "number"}, True, "1e3", {"p": 1000.0}),
    ("number without fraction stays whole", {"type": "number"}, True, "3", {"p": 3}),
    ("number, no leading zero", {"type": "number"}, True, ".5", {"p": 0.5}),
    ("number default", {"type": "number", "default": 50}, True, None, {"p": 50}),
    ("yes", FLAG, True, True, {"p": True}),
    ("no", FLAG, True, False, {"p": False}),
    ("unset optional flag", FLAG, False, None, NOTHING),
    ("no is no unset", FLAG, False, False, {"p": False}),
    ("flag default", {"type": "boolean", "default": True}, True, None, {"p": True}),
    ("flag default no", {"type": "boolean", "default": False}, False, None, {"p": False}),
    ("enum", COLOUR, True, Picked((1,)), {"p": "green"}),
    ("enum default", {**COLOUR, "default": "green"}, True, None, {"p": "green"}),
    ("enum without type", {"enum": ["a", 2, None]}, True, Picked((1,)), {"p": 2}),
    ("enum of null", {"enum": ["a", None]}, True, Picked((1,)), {"p": None}),
    ("enum of numbers, 1 is not true", {"enum": [True, 1], "default": 1}, True, None, {"p": 1}),
    ("enum names", {**COLOUR, "enumNames": ["R", "G"]}, True, Picked((0,)), {"p": "red"}),
    ("oneOf without type", TITLED, True, Picked((0,)), {"p": "lo"}),
    ("oneOf with type", {"type": "string", **TITLED}, True, Picked((1,)), {"p": "hi"}),
    ("anyOf of const", {"anyOf": TITLED["oneOf"]}, True, Picked((1,)), {"p": "hi"}),
    ("oneOf default", {**TITLED, "default": "hi"}, True, None, {"p": "hi"}),
    ("const", {"const": "only"}, True, Picked((0,)), {"p": "only"}),
    ("unset optional choice", COLOUR, False, None, NOTHING),
    ("several", MANY, True, Picked((0, 2)), {"p": ["a", "c"]}),
    ("several default", {**MANY, "default": ["b"]}, True, None, {"p": ["b"]}),
    (
        "several, anyOf",
        {"type": "array", "items": {"anyOf": TITLED["oneOf"]}},
        True,
        Picked((1,)),
        {"p": ["hi"]},
    ),
    (
        "several, oneOf",
        {"type": "array", "items": {"oneOf": TITLED["oneOf"]}},
        True,
        Picked((0, 1)),
        {"p": ["lo", "hi"]},
    ),
    (
        "none of several, required",
        {"type": "array", "items": COLOUR},
        True,
        Picked(),
        {"p": []},
    ),
    ("none of several, optional", MANY, False, Picked(), NOTHING),
    ("T or null, untouched", {"type": ["string", "null"]}, False, None, NOTHING),
    ("T or null, filled in", {"type": ["integer", "null"]}, False, "4", {"p": 4}),
    ("T or null, required and empty", {"type": ["string", "null"]}, True, "", {"p": None}),
    (
        "anyOf T or null",
        {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
        False,
        None,
        NOTHING,
    ),
    (
        "anyOf T or null, filled in",
        {"anyOf": [{"type": "integer", "minimum": 2}, {"type": "null"}]},
        False,
        "2",
        {"p": 2},
    ),
    ("anything", {}, True, '"text"', {"p": "text"}),
    ("anything goes", True, True, "[1, 2]", {"p": [1, 2]}),
    ("untouched optional JSON", {"type": "object"}, False, None, NOTHING),
    ("nested", {"type": "object"}, True, '{"a": {"b": 1}}', {"p": {"a": {"b": 1}}}),
    (
        "list of numbers",
        {"type": "array", "items": {"type": "number"}},
        True,
        "[1, 2.5]",
        {"p": [1, 2.5]},
    ),
    ("unknown type", {"type": "text"}, True, '"x"', {"p": "x"}),
    ("reference to elsewhere", {"$ref": "https://evil.example/s"}, True, "1", {"p": 1}),
]

#: schema of p, required, what was entered, words of the error.
WRONG: list[tuple[str, Any, bool, Entry, str]] = [
    ("untouched", STRING, True, None, "needed"),
    ("emptied", STRING, True, "", "needed"),
    ("too short", NAME, True, "ab", "at least 3 characters; these are 2"),
    ("too long", NAME, True, "abcdef", "at most 5 characters; these are 6"),
    ("too short though optional", NAME, False, "ab", "at least 3"),
    ("email without a host", EMAIL, True, "a@", "write it like name@example.com"),
    ("email with two @", EMAIL, True, "a@b@c", "not an email address"),
    ("email with a blank", EMAIL, True, "a b@c.d", "not an email address"),
    ("email with dots", EMAIL, True, "a..b@c.d", "not an email address"),
    ("email of a bad host", EMAIL, True, "a@-b.c", "not an email address"),
    ("uri without scheme", URI, True, "example.org/a", "not a URI"),
    ("uri with a blank", URI, True, "https://a.b/c d", "it has blanks in it"),
    ("uri without host", URI, True, "https:///x", "no host"),
    ("uri with a bad escape", URI, True, "https://a.b/%zz", "not a URI"),
    ("date of no day", DATE, True, "2026-02-29", "there is no such day"),
    ("date the other way", DATE, True, "01.09.2026", "2026-09-01"),
    ("date with a time", DATE, True, "2026-09-01T10:00:00Z", "not a date"),
    ("date-time without time", WHEN, True, "2026-09-01", "the time is missing"),
    ("date-time of no hour", WHEN, True, "2026-09-01T25:00:00Z", "no such time"),
    ("date-time of no offset", WHEN, True, "2026-09-01T10:00:00+25:00", "no such offset"),
    ("pattern", CODE, True, "ab12", "does not fit the pattern"),
    ("pattern, end of line", CODE, True, "AB12\n", "does not fit the pattern"),
    ("42xyz", WHOLE, True, "42xyz", "not a whole number"),
    ("3.5", WHOLE, True, "3.5", "not a whole number"),
    ("1e1", WHOLE, True, "1e1", "not a whole number"),
    ("5.0", WHOLE, True, "5.0", "not a whole number"),
    ("0x5", WHOLE, True, "0x5", "not a whole number"),
    ("1_000", {"type": "integer"}, True, "1_000", "not a whole number"),
    ("arabic digits", {"type": "integer"}, True, "٤٢", "not a whole number"),
    ("0", WHOLE, True, "0", "at least 1"),
    ("11", WHOLE, True, "11", "at most 10"),
    ("blank", WHOLE, True, "  ", "needed"),
    ("exclusive limit", {"type": "integer", "exclusiveMinimum": 0}, True, "0", "at least 1"),
    ("a book of digits", {"type": "integer"}, True, "9" * 5000, "at most 1000 digits"),
    ("nan", {"type": "number"}, True, "NaN", "not a number"),
    ("infinite", {"type": "number"}, True, "1e999", "too large"),
    ("word", NUMBER, True, "one", "not a number"),
    ("comma", NUMBER, True, "0,5", "not a number"),
    ("over", NUMBER, True, "1.51", "at most 1.5"),
    ("under", NUMBER, True, "-0.1", "at least 0"),
    ("multipleOf", {"type": "number", "multipleOf": 5}, True, "7", "must be a multiple of 5"),
    ("exclusive", {"type": "number", "exclusiveMaximum": 1}, True, "1", "less than 1"),
    (
        "draft-04",
        {"type": "number", "minimum": 2, "exclusiveMinimum": True},
        True,
        "2",
        "more than 2",
    ),
    (
        "draft-04",
        {"type": "number", "maximum": 2, "exclusiveMaximum": True},
        True,
        "2",
        "less than 2",
    ),
    (
        "draft-04",
        {"type": "integer", "minimum": 2, "exclusiveMinimum": True},
        True,
        "2",
        "at least 3",
    ),
    (
        "draft-04",
        {"type": "integer", "maximum": 2, "exclusiveMaximum": True},
        True,
        "2",
        "at most 1",
    ),
    (
        "draft-04",
        {"type": "number", "minimum": 2, "exclusiveMinimum": True},
        True,
        "1",
        "at least 2",
    ),
    ("flag unset", FLAG, True, None, "needed"),
    ("no choice", COLOUR, True, None, "needed"),
    ("default that is no choice", {**COLOUR, "default": "blue"}, True, None, "needed"),
    ("none picked", MANY, True, Picked(), "pick at least 1; picked 0"),
    ("too many picked", MANY, True, Picked((0, 1, 2)), "pick at most 2; picked 3"),
    ("no JSON", {"type": "object"}, True, "{a: 1}", "not JSON"),
    ("JSON NaN", {}, True, "NaN", "NaN is not JSON"),
    ("JSON infinite", {}, True, "[1e999]", "a number is too large"),
    ("JSON of too many digits", {}, True, "9" * 2000, "a number is too long"),
    ("JSON half a pair", {}, True, '"\\ud800"', "half of a surrogate pair"),
    ("JSON of the wrong type", {"type": "object"}, True, "[1]", "must be an object"),
    (
        "nested and wrong",
        {"type": "object", "properties": {"n": {"type": "integer"}}},
        True,
        '{"n": "x"}',
        "n: must be a whole number",
    ),
    (
        "nested and missing",
        {"type": "object", "required": ["n"]},
        True,
        "{}",
        "n: needed",
    ),
    ("list of words", {"type": "array", "items": {"type": "number"}}, True, '["a"]', "a number"),
    ("deep JSON", {}, True, "[" * 100_000, "nested too deep"),
    ("T or null still checks T", {"type": ["integer", "null"]}, False, "x", "not a whole number"),
    ("null forbidden", {"type": "object"}, True, "null", "must be an object"),
]


@pytest.mark.parametrize(
    ("schema", "required", "entry", "content"),
    [row[1:] for row in RIGHT],
    ids=[row[0] for row in RIGHT],
)
def test_what_goes_out(schema: Any, required: bool, entry: Entry, content: dict[str, Any]) -> None:
    form = read_form(one(schema, required=required))
    entries = {} if entry is None else {"p": entry}
    answer = compose(form, entries, zone=ZONE)
    assert answer.errors == {}
    # As text, so that 1, 1.0 and true are three things.
    assert json.dumps(answer.content) == json.dumps(content)


@pytest.mark.parametrize(
    ("schema", "required", "entry", "words"),
    [row[1:] for row in WRONG],
    ids=[row[0] for row in WRONG],
)
def test_what_is_refused(schema: Any, required: bool, entry: Entry, words: str) -> None:
    form = read_form(one(schema, required=required))
    answer = compose(form, {} if entry is None else {"p": entry}, zone=ZONE)
    assert answer.content is None
    assert words in answer.errors["p"]
    assert "\n" not in answer.errors["p"]


def test_the_table_is_as_large_as_it_should_be() -> None:
    assert len(RIGHT) + len(WRONG) >= 120


@pytest.mark.parametrize(
    ("schema", "kind", "note"),
    [
        ({"type": "object"}, FieldKind.JSON, "nested"),
        ({"type": "array", "items": {"type": "number"}}, FieldKind.JSON, "list"),
        ({"$ref": "https://evil.example/x"}, FieldKind.JSON, "never fetched"),
        ({"$ref": "#/$defs/missing"}, FieldKind.JSON, "not there"),
        ({"$ref": "#/$defs/loop"}, FieldKind.JSON, "refers to itself"),
        ({"$ref": "#/$defs/level"}, FieldKind.CHOICE, None),
        ({"allOf": [{"$ref": "#/$defs/level"}]}, FieldKind.CHOICE, None),
        ({"type": "array", "items": {"$ref": "#/$defs/level"}}, FieldKind.MULTI_CHOICE, None),
        ({"type": ["string", "integer"]}, FieldKind.JSON, "no single type"),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, FieldKind.JSON, "no single type"),
        ({"type": "colour"}, FieldKind.JSON, "of type colour"),
        ({"type": 7}, FieldKind.JSON, "no single type"),
        (False, FieldKind.JSON, "no value at all"),
        ("x", FieldKind.JSON, "not a schema"),
        ({"minLength": 2}, FieldKind.STRING, None),
        ({"minimum": 2}, FieldKind.NUMBER, None),
        ({"enum": []}, FieldKind.JSON, None),
    ],
)
def test_every_property_becomes_an_answerable_field(
    schema: Any, kind: FieldKind, note: str | None
) -> None:
    root = one(schema) | {
        "$defs": {"level": {"enum": ["a", "b"]}, "loop": {"$ref": "#/$defs/loop"}}
    }
    [field] = read_form(root).fields
    assert field.kind is kind
    if note:
        assert note in " ".join(field.notes)
