"""One property's schema, with its detours taken out: local references, `T or null`, wrappers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from mcp_tasks_tui.sanitize import ServerText, one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

_MAX_HOPS = 16


@dataclass(frozen=True, slots=True)
class Flat:
    """`schema` is None where it is none, or cannot be followed; `notes` then say why."""

    schema: Mapping[str, Any] | None
    nullable: bool = False
    notes: tuple[str, ...] = ()


def flatten(schema: Any, root: Mapping[str, Any]) -> Flat:
    """Follow references inside `root`, single `allOf`s and unions with null, a bounded number.

    A reference to anything outside `root` is never followed.
    """
    nullable = False
    notes: list[str] = []
    for _ in range(_MAX_HOPS):
        if schema is True:
            schema = {}
        if schema is False:
            return Flat(None, nullable, (*notes, "its schema allows no value at all"))
        if not isinstance(schema, dict):
            return Flat(None, nullable, (*notes, "what describes it is not a schema"))
        if "$ref" in schema:
            target = _local(schema["$ref"], root)
            if target is None:
                return Flat(None, nullable, (*notes, _unfollowed(schema["$ref"])))
            schema = _merged(target, schema, "$ref")
            continue
        step = _unwrapped(schema)
        if step is None:
            return Flat(schema, nullable or _null_among_types(schema), tuple(notes))
        schema, has_null = step
        nullable = nullable or has_null
    return Flat(None, nullable, (*notes, "its schema refers to itself"))


def schema_text(schema: Mapping[str, Any], name: str) -> ServerText | None:
    """Return a text of the schema (title, description) where it has one."""
    value = schema.get(name)
    return ServerText(value) if isinstance(value, str) and value.strip() else None


def _unwrapped(schema: Mapping[str, Any]) -> tuple[Any, bool] | None:
    """Take off one wrapper: what is inside, and whether null is allowed besides it."""
    parts = schema.get("allOf")
    if isinstance(parts, list) and len(parts) == 1 and isinstance(parts[0], dict):
        return _merged(parts[0], schema, "allOf"), False
    for union in ("anyOf", "oneOf"):
        parts = schema.get(union)
        if not isinstance(parts, list):
            continue
        others = [part for part in parts if not _is_null(part)]
        alone = len(others) == 1 and isinstance(others[0], dict) and "const" not in others[0]
        if len(others) < len(parts) and others and (alone or not _is_titled(parts)):
            inner = others[0] if alone else {union: others}
            return _merged(inner, schema, union), True
    return None


def _is_titled(parts: list[Any]) -> bool:
    """Every part is a choice of its own; a null among them is one too."""
    return all(isinstance(part, dict) and "const" in part for part in parts)


def _is_null(part: Any) -> bool:
    if not isinstance(part, dict):
        return False
    return part.get("type") in ("null", ["null"]) or ("const" in part and part["const"] is None)


def _null_among_types(schema: Mapping[str, Any]) -> bool:
    kinds = schema.get("type")
    return isinstance(kinds, list) and "null" in kinds


def _merged(inner: Any, outer: Mapping[str, Any], without: str) -> Any:
    """Return `inner` with what stands beside the wrapper; the outer words win."""
    beside = {name: value for name, value in outer.items() if name != without}
    return {**inner, **beside} if isinstance(inner, dict) else inner


def _local(ref: Any, root: Mapping[str, Any]) -> Any:
    """Return what a JSON pointer into `root` names, None for anything else."""
    if not isinstance(ref, str) or not ref.startswith("#/"):
        return None
    found: Any = root
    for part in ref[2:].split("/")[:64]:
        name = unquote(part).replace("~1", "/").replace("~0", "~")
        if isinstance(found, dict):
            found = found.get(name)
        elif isinstance(found, list) and name.isascii() and name.isdigit() and len(name) < 6:
            found = found[int(name)] if int(name) < len(found) else None
        else:
            return None
    return found


def _unfollowed(ref: Any) -> str:
    if isinstance(ref, str) and not ref.startswith("#"):
        return f"its schema lies elsewhere and is never fetched ({one_line(ref, 60)})"
    return "its schema refers to something that is not there"
