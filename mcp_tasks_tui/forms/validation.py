"""The last check before anything is sent: a whole JSON Schema validator, kept from harm.

The schema is a server's. References are followed inside it only, patterns are matched in bounded
time, and so is the whole of it; what is too deep, too large, too tangled or no schema at all is
"not checked", in words; it never keeps a person from answering.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import UnknownType, ValidationError
from jsonschema.validators import extend
from referencing import Registry
from referencing.exceptions import Unresolvable

from mcp_tasks_tui.forms.patterns import NotChecked, fits
from mcp_tasks_tui.forms.values import NEEDED
from mcp_tasks_tui.sanitize import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping

    #: (validator, rule, instance, schema) -> errors, or nothing at all.
    _Check = Callable[[Any, Any, Any, Any], Iterator[ValidationError] | None]

#: Rules applied to values, which take a second or two: some ten thousand rows of a table.
_MAX_STEPS = 200_000
#: So many values of a list to choose from take as long as one rule.
_PARTS = 20
_MAX_SECONDS = 5.0
_MAX_ERRORS = 50
#: What a hostile or faulty schema may raise in a validator that was written for honest ones.
_FAULTS = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    UnknownType,
    Unresolvable,
    ValueError,
)
#: Keywords whose content is values, not schemas.
_VALUES = frozenset({"enum", "const", "default", "examples"})
_TYPE_WORDS = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


@dataclass(frozen=True, slots=True)
class Validated:
    """(top-level name, words) of each error, ``""`` for the whole; and what was not checked."""

    errors: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


def validate(schema: Mapping[str, Any], content: Mapping[str, Any]) -> Validated:
    """Check `content` against `schema` (JSON Schema 2020-12). Fetches nothing, never raises."""
    guard = _Guard()
    try:
        validator = _guarded(guard)(_one_dialect(schema), registry=Registry())
        errors = tuple(
            _told(error) for error in islice(validator.iter_errors(content), _MAX_ERRORS)
        )
    except _FAULTS as fault:
        return Validated(notes=(*guard.notes, f"not checked as a whole: {_why(fault)}"))
    return Validated(errors, tuple(guard.notes))


class _Endless(ValueError):
    """The check takes more steps, or longer, than is reasonable."""


class _Guard:
    """What one check has used up, and what it had to leave unchecked."""

    def __init__(self) -> None:
        self.steps = 0
        self.deadline = time.monotonic() + _MAX_SECONDS
        self.notes: list[str] = []

    def counting(self, check: _Check) -> _Check:
        """Return the check of a rule that is counted with each value it is applied to."""

        def counted(
            validator: Any, rule: Any, instance: Any, schema: Any
        ) -> Iterator[ValidationError]:
            self._step(1 + len(rule) // _PARTS if isinstance(rule, list | dict) else 1)
            yield from check(validator, rule, instance, schema) or ()

        return counted

    def _step(self, count: int) -> None:
        self.steps += count
        if self.steps > _MAX_STEPS or time.monotonic() > self.deadline:
            raise _Endless

    def pattern(
        self, _validator: Any, pattern: str, instance: Any, _schema: Any
    ) -> Iterator[ValidationError]:
        if isinstance(instance, str) and not self._fits(pattern, instance):
            yield ValidationError("does not fit the pattern")

    def pattern_properties(
        self, validator: Any, patterns: Mapping[str, Any], instance: Any, _schema: Any
    ) -> Iterator[ValidationError]:
        if not isinstance(instance, dict):
            return
        for pattern, subschema in patterns.items():
            for name, value in instance.items():
                if self._fits(pattern, name):
                    yield from validator.descend(value, subschema, path=name, schema_path=pattern)

    def additional(
        self, validator: Any, allowed: Any, instance: Any, schema: Any
    ) -> Iterator[ValidationError]:
        if not isinstance(instance, dict):
            return
        known = schema.get("properties", {})
        patterns = schema.get("patternProperties", {})
        for name, value in instance.items():
            if name in known or any(self._fits(pattern, name) for pattern in patterns):
                continue
            if allowed is False:
                yield ValidationError(f"no field {one_line(name, 60)!r} is allowed")
            else:
                yield from validator.descend(value, allowed, path=name)

    def unevaluated(
        self, _validator: Any, _allowed: Any, _instance: Any, _schema: Any
    ) -> Iterator[ValidationError]:
        """The library's own check follows references and patterns without any bound."""
        self.notes.append("what is allowed besides was not checked")
        yield from ()

    def _fits(self, pattern: str, text: str) -> bool:
        self._step(1)
        try:
            return fits(pattern, text)
        except NotChecked as why:
            note = f"a pattern was not checked: {why}"
            if note not in self.notes:
                self.notes.append(note)
            return True


def _excluding(rule: str, bound: str) -> Any:
    """Return the check of an exclusive limit, which in JSON Schema draft-04 is no number but tells
    whether the plain limit is excluded itself."""
    check = Draft202012Validator.VALIDATORS[rule]

    def exclusive(
        validator: Any, limit: Any, instance: Any, schema: Any
    ) -> Iterator[ValidationError]:
        if not isinstance(limit, bool):
            yield from check(validator, limit, instance, schema)
            return
        # What is beyond the plain limit, that one refuses.
        at_limit = validator.is_type(instance, "number") and instance == schema.get(bound)
        if limit and at_limit:
            yield ValidationError("excluded", validator=rule, validator_value=schema[bound])

    return exclusive


def _one_dialect(schema: Any) -> Any:
    """Return the schema without `$schema`: a part could name a dialect that has no guards."""
    if isinstance(schema, list):
        return [_one_dialect(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: part if name in _VALUES else _one_dialect(part)
        for name, part in schema.items()
        if not (name == "$schema" and isinstance(part, str))
    }


def _required(
    _validator: Any, names: Any, instance: Any, _schema: Any
) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        for name in names:
            if name not in instance:
                yield ValidationError(NEEDED, path=[name])


def _unique(_validator: Any, wanted: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    """The library's own check compares each with each where they cannot be sorted."""
    if wanted and isinstance(instance, list):
        different = {_comparable(item) for item in instance}
        if len(different) < len(instance):
            yield ValidationError("not unique")


def _comparable(value: Any) -> Hashable:
    """Return what is equal where JSON Schema says equal: of 1 and 1.0, but not of 1 and true."""
    if isinstance(value, list):
        return ("list", tuple(map(_comparable, value)))
    if isinstance(value, dict):
        return ("dict", frozenset((name, _comparable(part)) for name, part in value.items()))
    return (isinstance(value, bool), value)


def _guarded(guard: _Guard) -> Any:
    checks = Draft202012Validator.VALIDATORS | {
        # A reference is followed as in any dialect: the other kind needs what was passed through.
        "$dynamicRef": Draft202012Validator.VALIDATORS["$ref"],
        "required": _required,
        "exclusiveMinimum": _excluding("exclusiveMinimum", "minimum"),
        "exclusiveMaximum": _excluding("exclusiveMaximum", "maximum"),
        "uniqueItems": _unique,
        "unevaluatedItems": guard.unevaluated,
        "unevaluatedProperties": guard.unevaluated,
        "pattern": guard.pattern,
        "patternProperties": guard.pattern_properties,
        "additionalProperties": guard.additional,
    }
    return extend(  # type: ignore[no-untyped-call]  # jsonschema has no types for it
        Draft202012Validator, {rule: guard.counting(check) for rule, check in checks.items()}
    )


def _why(fault: Exception) -> str:
    if isinstance(fault, _Endless):
        return "the server's schema is too large for that, or refers to itself too often"
    if isinstance(fault, RecursionError):
        return "the server's schema is nested too deep or refers to itself too often"
    if isinstance(fault, Unresolvable):
        return "the server's schema lies elsewhere in part, and is never fetched"
    return "the server's schema is faulty"


def _told(error: ValidationError) -> tuple[str, str]:
    """Say an error in words; never with the value in it, which may be a secret."""
    path = [str(step) for step in error.absolute_path]
    words = _words(error)
    if len(path) < 2:
        return (path[0] if path else ""), words
    return path[0], f"{one_line('.'.join(path[1:]), 60)}: {words}"


def _words(error: ValidationError) -> str:
    limit = error.validator_value
    rule = str(error.validator)
    if rule in _OWN_WORDS:
        return error.message
    match rule:
        case "type":
            kinds = limit if isinstance(limit, list) else [limit]
            wanted = " or ".join(_TYPE_WORDS.get(str(kind), str(kind)) for kind in kinds)
            return f"must be {wanted}"
        case "enum" | "const":
            return "not one of the choices"
        case "oneOf" | "anyOf":
            parts = limit if isinstance(limit, list) else []
            if all(isinstance(part, dict) and "const" in part for part in parts):
                return "not one of the choices"
            return "fits none of the forms that are allowed"
    if rule in _LIMITS:
        return _LIMITS[rule].format(one_line(str(limit), 40))
    if rule in _COUNTS:
        bound, one, many = _COUNTS[rule]
        return f"{bound} {one_line(str(limit), 40)} {one if limit == 1 else many}"
    return f"breaks the rule {one_line(rule, 40)!r} of the server's schema"


_OWN_WORDS = frozenset({"required", "pattern", "additionalProperties"})
_LIMITS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "must be a multiple of {}",
    "uniqueItems": "the same item is in it twice",
}
_COUNTS = {
    "minLength": ("at least", "character", "characters"),
    "maxLength": ("at most", "character", "characters"),
    "minItems": ("at least", "item", "items"),
    "maxItems": ("at most", "item", "items"),
    "minProperties": ("at least", "entry", "entries"),
    "maxProperties": ("at most", "entry", "entries"),
}
