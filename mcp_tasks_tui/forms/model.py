"""What a server asks for, as fields a person can fill in. No screen in here."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_tasks_tui.sanitize import ServerText


class FieldKind(StrEnum):
    STRING = "string"
    NUMBER = "number"
    INTEGER = "integer"
    BOOLEAN = "boolean"
    CHOICE = "choice"
    MULTI_CHOICE = "multi_choice"
    JSON = "json"  # outside the flat subset: answered as JSON text, with a note


@dataclass(frozen=True, slots=True)
class FieldChoice:
    value: Any
    title: ServerText


@dataclass(frozen=True, slots=True)
class FormField:
    """One property of a requestedSchema. Limits are inclusive; None means no limit."""

    name: str
    kind: FieldKind
    title: ServerText
    description: ServerText | None = None
    required: bool = False
    nullable: bool = False
    #: None where `has_default` is False.
    default: Any = None
    has_default: bool = False
    choices: tuple[FieldChoice, ...] = ()
    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None
    format: str | None = None
    minimum: float | int | None = None
    maximum: float | int | None = None
    min_items: int | None = None
    max_items: int | None = None
    #: Name, title or description look like a secret: masked, with the specification's warning.
    secret: bool = False
    #: What the form cannot do or check for this field, one clean line each.
    notes: tuple[str, ...] = ()
    schema: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Form:
    fields: tuple[FormField, ...]
    schema: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    #: No fields could be made: the only field is the whole content, as one JSON object.
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """One input request. `mode` "other" is shown raw and left alone."""

    key: str
    mode: Literal["form", "url", "other"]
    method: str
    message: ServerText
    form: Form | None = None
    url: str | None = None
    raw: Any = None
    #: Why it cannot be answered here, for "other" and malformed requests.
    note: str | None = None
