"""One property of a schema -> one field."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.forms.flatten import Flat, flatten, schema_text
from mcp_tasks_tui.forms.model import FieldChoice, FieldKind, FormField
from mcp_tasks_tui.sanitize import ServerText, one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

_KINDS = {
    "string": FieldKind.STRING,
    "number": FieldKind.NUMBER,
    "integer": FieldKind.INTEGER,
    "boolean": FieldKind.BOOLEAN,
}
#: Limits with more digits than Python prints are no limits.
_MAX_BITS = 3_000
#: A schema without `type` is read by the first of these that it uses.
_TELLING = (
    (FieldKind.STRING, ("minLength", "maxLength", "pattern", "format")),
    (FieldKind.NUMBER, ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")),
)
_TYPED = frozenset({FieldKind.STRING, FieldKind.NUMBER, FieldKind.INTEGER})
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SECRET = re.compile(
    r"\b(pass ?(word|wd|phrase|code)s?|pwd|secrets?|credentials?|cvv|cvc|pin( code)?|otp|"
    r"(api|access|private|secret|signing|encryption|ssh|license) ?keys?|"
    r"(access|auth|bearer|refresh|session|security|id|api) ?tokens?|"
    r"(credit )?card numbers?)\b"
)
_SECRET_NAME = re.compile(r"\b(tokens?|keys?)\b")


def read_field(name: str, schema: Any, *, required: bool, root: Mapping[str, Any]) -> FormField:
    """Read one property; what no other kind of field can show is answered as JSON."""
    flat = flatten(schema, root)
    body = flat.schema or {}
    choices = choices_of(body)
    kind, notes = _kind(flat, choices, root)
    if kind is FieldKind.MULTI_CHOICE:
        choices = choices_of(_items(body, root))
    title = schema_text(body, "title")
    return FormField(
        name=name,
        kind=kind,
        title=title or ServerText(name),
        description=schema_text(body, "description"),
        required=required,
        nullable=flat.nullable,
        default=body.get("default"),
        has_default="default" in body,
        choices=choices if kind in (FieldKind.CHOICE, FieldKind.MULTI_CHOICE) else (),
        min_length=_size(body, "minLength"),
        max_length=_size(body, "maxLength"),
        pattern=_text(body, "pattern"),
        format=_text(body, "format"),
        minimum=_lower(body, kind),
        maximum=_upper(body, kind),
        min_items=_size(body, "minItems"),
        max_items=_size(body, "maxItems"),
        secret=kind in _TYPED and _is_secret(name, body),
        notes=(*flat.notes, *notes),
        schema=schema if isinstance(schema, dict) else {},
    )


def choices_of(schema: Mapping[str, Any]) -> tuple[FieldChoice, ...]:
    """Return the values that a schema lists: enum (with enumNames), const, oneOf/anyOf of const."""
    values = schema.get("enum")
    if isinstance(values, list):
        return _enumerated(values, schema.get("enumNames"))
    if "const" in schema:
        return (_choice(schema["const"], schema.get("title")),)
    for union in ("oneOf", "anyOf"):
        parts = schema.get(union)
        if isinstance(parts, list) and parts:
            found: list[FieldChoice] = []
            for part in parts:
                if not isinstance(part, dict) or not ("const" in part or "enum" in part):
                    return ()
                found.extend(choices_of(part))
            return tuple(found)
    return ()


def _enumerated(values: list[Any], names: Any) -> tuple[FieldChoice, ...]:
    if not isinstance(names, list) or len(names) != len(values):
        names = [None] * len(values)
    return tuple(_choice(value, title) for value, title in zip(values, names, strict=True))


def _choice(value: Any, title: Any) -> FieldChoice:
    if isinstance(title, str) and title.strip():
        return FieldChoice(value, ServerText(title))
    return FieldChoice(value, ServerText(value if isinstance(value, str) else compact_json(value)))


def compact_json(value: Any) -> str:
    """Return the value as JSON on one line; a value nested too deep is only named."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except (RecursionError, TypeError, ValueError):
        return f"({type(value).__name__})"


def _kind(
    flat: Flat, choices: tuple[FieldChoice, ...], root: Mapping[str, Any]
) -> tuple[FieldKind, tuple[str, ...]]:
    """Return the kind of field, and what the form cannot do about it."""
    if flat.schema is None:
        return FieldKind.JSON, ("answered as JSON",)
    if choices:
        return FieldKind.CHOICE, ()
    kind = _type_of(flat.schema)
    if kind in _KINDS:
        return _KINDS[kind], ()
    if kind == "array":
        if choices_of(_items(flat.schema, root)):
            return FieldKind.MULTI_CHOICE, ()
        return FieldKind.JSON, ('a list, answered as JSON, like ["a", "b"]',)
    if kind == "object":
        return FieldKind.JSON, ('nested values, answered as JSON, like {"name": "value"}',)
    if kind is not None:
        return FieldKind.JSON, (f"of type {one_line(kind, 40)}, answered as JSON",)
    for told, keywords in _TELLING:
        if any(keyword in flat.schema for keyword in keywords):
            return told, ()
    return FieldKind.JSON, ('of no single type, answered as JSON, like "text", 5 or true',)


def _type_of(schema: Mapping[str, Any]) -> str | None:
    """Return the one type besides null; None where there is none or more than one."""
    kinds = schema.get("type")
    if isinstance(kinds, str):
        return kinds
    if isinstance(kinds, list):
        others = [kind for kind in kinds if kind != "null"]
        return others[0] if len(others) == 1 and isinstance(others[0], str) else None
    if "properties" in schema:
        return "object"
    return "array" if "items" in schema else None


def _items(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    return flatten(schema.get("items"), root).schema or {}


def _text(schema: Mapping[str, Any], name: str) -> str | None:
    value = schema.get(name)
    return value if isinstance(value, str) else None


def _number(schema: Mapping[str, Any], name: str) -> float | int | None:
    value = schema.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, int):
        return value if value.bit_length() < _MAX_BITS else None
    if not math.isfinite(value):
        return None
    return int(value) if value.is_integer() and abs(value) < 1e15 else value


def _size(schema: Mapping[str, Any], name: str) -> int | None:
    value = _number(schema, name)
    return int(value) if value is not None and value >= 0 and value == int(value) else None


def _lower(schema: Mapping[str, Any], kind: FieldKind) -> float | int | None:
    """Return the smallest value; whole numbers get an inclusive limit for an exclusive one."""
    least = _number(schema, "minimum")
    above = _exclusive(schema, "exclusiveMinimum", least)
    if kind is not FieldKind.INTEGER or above is None:
        return least
    return math.floor(above) + 1 if least is None else max(least, math.floor(above) + 1)


def _upper(schema: Mapping[str, Any], kind: FieldKind) -> float | int | None:
    most = _number(schema, "maximum")
    below = _exclusive(schema, "exclusiveMaximum", most)
    if kind is not FieldKind.INTEGER or below is None:
        return most
    return math.ceil(below) - 1 if most is None else min(most, math.ceil(below) - 1)


def _exclusive(
    schema: Mapping[str, Any], name: str, limit: float | int | None
) -> float | int | None:
    """Return an exclusive limit; in JSON Schema draft-04 it is true where `limit` is one."""
    return limit if schema.get(name) is True else _number(schema, name)


def _is_secret(name: str, schema: Mapping[str, Any]) -> bool:
    """The specification forbids asking for secrets in a form; servers do it all the same."""
    if schema.get("format") == "password" or schema.get("writeOnly") is True:
        return True
    words = _words(name[:200])
    title = schema_text(schema, "title")
    description = schema_text(schema, "description")
    if title:
        words = f"{words} / {_words(title.raw[:200])}"
    if _SECRET.search(words):
        return True
    if schema.get("type") in ("string", None) and _SECRET_NAME.search(words):
        return True
    return description is not None and bool(_SECRET.search(_words(description.raw[:2000])))


def _words(text: str) -> str:
    """``apiKey`` and ``API_KEY`` -> ``api key``."""
    return re.sub(r"[_\-\s]+", " ", _CAMEL.sub(" ", text)).lower()
