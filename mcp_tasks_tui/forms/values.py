"""What a person typed or picked in one field -> a JSON value, or an error in words."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.forms.formats import check_format, number_text
from mcp_tasks_tui.forms.model import FieldKind
from mcp_tasks_tui.forms.patterns import NotChecked, fits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import tzinfo

    from mcp_tasks_tui.forms.model import FormField

_INTEGER = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_MAX_DIGITS = 1_000
NEEDED = "needed"


@dataclass(frozen=True, slots=True)
class Picked:
    """Places of the choices that were picked, in the order of the choices."""

    places: tuple[int, ...] = ()


#: What a field holds: text as typed, picked choices, a switch; None is untouched (or unset).
Entry = str | bool | Picked | None


@dataclass(frozen=True, slots=True)
class Checked:
    """One field's outcome: a value to send, or `omitted`, or an `error`; one clean line each.

    `hint` tells what a person should know though nothing is wrong: how a value was completed,
    what could not be checked.
    """

    value: Any = None
    omitted: bool = False
    error: str | None = None
    hint: str | None = None


def check(field: FormField, entry: Entry, *, zone: tzinfo | None = None) -> Checked:
    """Check one field as far as it can be seen alone.

    `zone` completes a date-time that was typed without an offset; None is this machine's zone.
    """
    if _is_empty(field, entry):
        return _empty(field)
    if isinstance(entry, str):
        return _TEXT[field.kind](field, entry, zone)
    if isinstance(entry, bool):
        return Checked(value=entry)
    assert isinstance(entry, Picked)
    if field.kind is FieldKind.CHOICE:
        return Checked(value=field.choices[entry.places[0]].value)
    return _picked(field, entry.places)


def initial(field: FormField) -> Entry:
    """Return what a field holds before a person touches it: its default, if that is usable."""
    default = field.default
    if not field.has_default or (default is None and field.kind is not FieldKind.CHOICE):
        return None
    if field.kind is FieldKind.BOOLEAN:
        return default if isinstance(default, bool) else None
    if field.kind is FieldKind.CHOICE:
        place = _place_of(field, default)
        return None if place is None else Picked((place,))
    if field.kind is FieldKind.MULTI_CHOICE:
        values = default if isinstance(default, list) else []
        places = {_place_of(field, value) for value in values}
        return Picked(tuple(sorted(place for place in places if place is not None)))
    if field.kind is FieldKind.JSON:
        return written(default)
    if isinstance(default, str):
        return default
    usable = isinstance(default, int | float) and not isinstance(default, bool)
    return (written(default) or None) if usable and field.kind is not FieldKind.STRING else None


def fits_kind(field: FormField, entry: Entry) -> bool:
    """Tell whether an entry kept from before can be put into this field."""
    if entry is None:
        return True
    if field.kind is FieldKind.BOOLEAN:
        return isinstance(entry, bool)
    if field.kind in (FieldKind.CHOICE, FieldKind.MULTI_CHOICE):
        return isinstance(entry, Picked) and all(
            0 <= place < len(field.choices) for place in entry.places
        )
    return isinstance(entry, str)


def check_text(field: FormField, text: str) -> tuple[str | None, str | None]:
    """Return (error, hint) of a string's length and pattern."""
    length = len(text)
    if field.min_length is not None and length < field.min_length:
        return f"at least {_characters(field.min_length)}; these are {length}", None
    if field.max_length is not None and length > field.max_length:
        return f"at most {_characters(field.max_length)}; these are {length}", None
    if field.pattern is None:
        return None, None
    try:
        fitting = fits(field.pattern, text)
    except NotChecked as why:
        return None, f"pattern not checked: {why}"
    return (None if fitting else "does not fit the pattern"), None


def parse_json(text: str) -> tuple[Any, str | None]:
    """Return (value, error) of a JSON text; strict: no NaN, nesting bounded by the parser."""
    try:
        value = json.loads(
            text, parse_constant=_refuse_constant, parse_int=_bounded_int, parse_float=_finite
        )
        json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        return None, f"not JSON: {error.msg.lower()} (line {error.lineno}, column {error.colno})"
    except RecursionError:
        return None, "not usable: nested too deep"
    except UnicodeEncodeError:
        return None, "not usable: half of a surrogate pair is no character"
    except ValueError as error:
        return None, f"not usable: {error}"
    return value, None


def written(value: Any) -> str:
    """Return a JSON value as text to edit."""
    try:
        return json.dumps(value, ensure_ascii=False, indent=2)
    except (RecursionError, TypeError, ValueError):
        return ""


def same(left: Any, right: Any) -> bool:
    """JSON equality: true is not 1, 1 is 1.0."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    return bool(left == right)


# --- nothing there ------------------------------------------------------------------------


def _is_empty(field: FormField, entry: Entry) -> bool:
    if isinstance(entry, str):
        return entry == "" if field.kind is FieldKind.STRING else not entry.strip()
    return entry is None or entry == Picked()


def _empty(field: FormField) -> Checked:
    """Nothing typed or picked: left out where that is allowed, null where null is."""
    if not field.required:
        if field.has_default and field.default is not None:
            return Checked(omitted=True, hint="left out; the server may take its own default")
        return Checked(omitted=True)
    if field.kind is FieldKind.MULTI_CHOICE:
        return _picked(field, ())
    if field.kind is FieldKind.STRING and (field.min_length == 0 or field.default == ""):
        return _string(field, "", None)
    if field.nullable:
        return Checked(value=None, hint="goes out as null")
    return Checked(error=NEEDED)


# --- text ---------------------------------------------------------------------------------


def _string(field: FormField, text: str, zone: tzinfo | None) -> Checked:
    formatted = check_format(field.format, text, zone)
    if formatted.error:
        return Checked(error=formatted.error)
    error, hint = check_text(field, formatted.text)
    if error:
        return Checked(error=error)
    if formatted.text != text:
        hint = f"goes out as {formatted.text}"
    return Checked(value=formatted.text, hint=hint)


def _integer(field: FormField, text: str, _zone: tzinfo | None) -> Checked:
    text = text.strip()
    if len(text) > _MAX_DIGITS:
        return Checked(error=f"at most {_MAX_DIGITS} digits")
    if not _INTEGER.fullmatch(text):
        return Checked(error="not a whole number; write digits only, like 42")
    return _within(field, int(text))


def _number(field: FormField, text: str, _zone: tzinfo | None) -> Checked:
    text = text.strip()
    if len(text) > _MAX_DIGITS:
        return Checked(error=f"at most {_MAX_DIGITS} digits")
    if not _NUMBER.fullmatch(text):
        return Checked(error="not a number; write it like 42, 3.5 or 1e6")
    value = float(text)
    if not math.isfinite(value):
        return Checked(error="too large a number")
    return _within(field, int(text) if _INTEGER.fullmatch(text) else value)


def _within(field: FormField, value: float | int) -> Checked:
    if field.minimum is not None and value < field.minimum:
        return Checked(error=f"at least {number_text(field.minimum)}")
    if field.maximum is not None and value > field.maximum:
        return Checked(error=f"at most {number_text(field.maximum)}")
    return Checked(value=value)


def _json(_field: FormField, text: str, _zone: tzinfo | None) -> Checked:
    value, error = parse_json(text)
    return Checked(error=error) if error else Checked(value=value)


_TEXT: dict[FieldKind, Callable[[FormField, str, tzinfo | None], Checked]] = {
    FieldKind.STRING: _string,
    FieldKind.INTEGER: _integer,
    FieldKind.NUMBER: _number,
    FieldKind.JSON: _json,
}


# --- choices ------------------------------------------------------------------------------


def _picked(field: FormField, places: Sequence[int]) -> Checked:
    count = len(places)
    if field.min_items is not None and count < field.min_items:
        return Checked(error=f"pick at least {number_text(field.min_items)}; picked {count}")
    if field.max_items is not None and count > field.max_items:
        return Checked(error=f"pick at most {number_text(field.max_items)}; picked {count}")
    return Checked(value=[field.choices[place].value for place in places])


def _place_of(field: FormField, value: Any) -> int | None:
    for place, choice in enumerate(field.choices):
        if same(choice.value, value):
            return place
    return None


def _characters(count: int) -> str:
    return "1 character" if count == 1 else f"{number_text(count)} characters"


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError("a number is too large")
    return value


def _bounded_int(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise ValueError("a number is too long")
    return int(digits)
