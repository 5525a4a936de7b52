"""A server's input request, raw -> a question with fields. Never raises, never fetches.

Source: 2026-07-28, client/elicitation (requestedSchema); JSON Schema 2020-12. What lies outside
the specification's flat subset becomes a field that is answered as JSON, with a note.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.forms.fields import read_field
from mcp_tasks_tui.forms.flatten import flatten, schema_text
from mcp_tasks_tui.forms.model import FieldKind, Form, FormField, Question
from mcp_tasks_tui.sanitize import ServerText, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

#: The one kind of input request that a person can answer here.
ELICITATION = "elicitation/create"
_MAX_FIELDS = 100
_CROSS_RULES = (
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "dependentRequired",
    "dependentSchemas",
    "patternProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
)


def read_questions(requests: Mapping[str, Any], order: Iterable[str] = ()) -> tuple[Question, ...]:
    """Read all of a task's input requests, in an order that does not depend on the server's.

    `order` as for :func:`in_order`.
    """
    return tuple(read_question(key, requests[key]) for key in in_order(requests, order))


def in_order(requests: Mapping[str, Any], order: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the keys of input requests in the order in which they are asked.

    Keys in `order` come first and keep their places; the others follow by their names.
    """
    known = [key for key in dict.fromkeys(order) if key in requests]
    fresh = sorted(set(requests).difference(known))
    return (*known, *fresh)


def is_for_a_person(request: Any) -> bool:
    """Return whether it is of the one kind that a person can answer; without reading it whole."""
    return isinstance(request, dict) and request.get("method") == ELICITATION


def is_page(request: Any) -> bool:
    """Return whether it asks to open a page; without reading it whole."""
    params = request.get("params") if isinstance(request, dict) else None
    return isinstance(params, dict) and params.get("mode") == "url"


def message_of(request: Any) -> ServerText:
    """Return the words that a request brings along, empty where it has none."""
    params = request.get("params") if isinstance(request, dict) else None
    words = params.get("message") if isinstance(params, dict) else None
    return ServerText(words if isinstance(words, str) else "")


def read_question(key: str, request: Any) -> Question:
    """Read one input request; what cannot be answered is `other`, with a note that says why."""
    if not isinstance(request, dict) or not isinstance(request.get("method"), str):
        return _other(key, "", request, "not a request: it names no method")
    method: str = request["method"]
    if method != ELICITATION:
        return _other(
            key,
            method,
            request,
            f"it asks for {one_line(method, 60)}, which is nothing for a person",
        )
    params = request.get("params")
    if not isinstance(params, dict):
        return _other(key, method, request, "the request has no parameters")
    mode = params.get("mode")
    if mode == "url":
        return _link(key, request, params)
    if mode is None or mode == "form":
        return _form(key, request, params)
    return _other(key, method, request, f"unknown mode {one_line(str(mode), 60)!r}")


def read_form(schema: Any) -> Form:
    """Read an object schema: a requestedSchema, or a tool's inputSchema.

    `Form.whole` is set where no fields can be made of it: its one field then stands for the
    whole content, as JSON.
    """
    if schema is None or schema is True:
        schema = {}
    root = schema if isinstance(schema, dict) else {}
    flat = flatten(schema, root)
    if flat.schema is None:
        return _whole(root, "; ".join(flat.notes))
    body = flat.schema
    properties = body.get("properties", {})
    if not isinstance(properties, dict):
        return _whole(root, "the properties are not written as an object")
    if len(properties) > _MAX_FIELDS:
        return _whole(root, f"{len(properties):,} fields are too many for a form")
    if not properties and (why := _needs_more_than_nothing(body)):
        return _whole(root, why)
    required = _names(body.get("required"))
    fields = tuple(
        read_field(name, part, required=name in required, root=root)
        for name, part in properties.items()
    )
    return Form(fields, root, (*flat.notes, *_form_notes(body, required, properties)))


def asks_for_object(schema: Any) -> bool:
    """An answer's content is always an object; a schema that forbids one cannot be met."""
    if schema is False:
        return False
    kind = schema.get("type", "object") if isinstance(schema, dict) else "object"
    return kind == "object" or (isinstance(kind, list) and "object" in kind)


def _other(key: str, method: str, request: Any, note: str) -> Question:
    return Question(
        key=key,
        mode="other",
        method=method,
        message=message_of(request),
        raw=request,
        note=note,
    )


def _link(key: str, request: Any, params: Mapping[str, Any]) -> Question:
    url = params.get("url")
    if not isinstance(url, str) or not url:
        return _other(key, ELICITATION, request, "it asks to open a page but gives no URL")
    message = params.get("message")
    words = ServerText(message if isinstance(message, str) else "")
    return Question(key=key, mode="url", method=ELICITATION, message=words, url=url, raw=request)


def _form(key: str, request: Any, params: Mapping[str, Any]) -> Question:
    schema = params.get("requestedSchema")
    if not isinstance(schema, dict | bool | None):
        return _other(key, ELICITATION, request, "its requestedSchema is not a schema")
    if not asks_for_object(schema):
        return _other(
            key, ELICITATION, request, "its schema asks for something else than an object"
        )
    form = read_form(schema)
    message = params.get("message")
    words = message if isinstance(message, str) and message.strip() else None
    return Question(
        key=key,
        mode="form",
        method=ELICITATION,
        message=ServerText(words or _words_of(form.schema)),
        form=form,
        raw=request,
    )


def _words_of(schema: Mapping[str, Any]) -> str:
    found = schema_text(schema, "title") or schema_text(schema, "description")
    return found.raw if found else ""


def _whole(root: Mapping[str, Any], why: str) -> Form:
    only = FormField(
        name="",
        kind=FieldKind.JSON,
        title=ServerText("Answer as a JSON object"),
        required=True,
        default={},
        has_default=True,
        notes=(f"written as one JSON object: {why}",),
        schema=root,
    )
    return Form((only,), root, whole=True)


def _needs_more_than_nothing(body: Mapping[str, Any]) -> str | None:
    """Say why a schema without properties is still no plain yes-or-no question."""
    rules = [rule for rule in _CROSS_RULES if rule in body]
    if rules:
        return f"its schema has no fields, only rules ({', '.join(rules)})"
    if isinstance(body.get("additionalProperties"), dict):
        return "the names of its fields are free"
    return None


def _form_notes(
    body: Mapping[str, Any], required: frozenset[str], properties: Mapping[str, Any]
) -> list[str]:
    notes = []
    if any(rule in body for rule in _CROSS_RULES):
        notes.append("some rules go across fields; they are checked when you send")
    unknown = sorted(required.difference(properties))
    if unknown:
        names = one_line(", ".join(unknown[:5]), 80)
        notes.append(f"the schema needs fields that it does not describe: {names}")
    return notes


def _names(value: Any) -> frozenset[str]:
    names: Sequence[Any] = value if isinstance(value, list) else ()
    return frozenset(name for name in names if isinstance(name, str))
