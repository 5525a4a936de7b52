"""Fields, or JSON from a command line -> content that may be sent; and which request is meant."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.forms.formats import check_format
from mcp_tasks_tui.forms.model import FieldKind
from mcp_tasks_tui.forms.values import NEEDED, check, initial, parse_json
from mcp_tasks_tui.sanitize import one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import tzinfo

    from mcp_tasks_tui.forms.model import Form
    from mcp_tasks_tui.forms.values import Entry

_NUMBER_ALONE = re.compile(":([0-9]+)")


class NoSuchRequest(ValueError):
    """The reference names no open request, or several; `str()` says what to write."""


@dataclass(frozen=True, slots=True)
class FormAnswer:
    """`content` is None where there are errors. The name ``""`` stands for the form as a whole."""

    content: dict[str, Any] | None
    errors: Mapping[str, str] = field(default_factory=dict)
    #: What was not checked, or is unusual, one clean line each; no reason not to send.
    notes: tuple[str, ...] = ()


def compose(form: Form, entries: Mapping[str, Entry], *, zone: tzinfo | None = None) -> FormAnswer:
    """Build the content of an answer; a field without an entry holds its default."""
    content: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for each in form.fields:
        entry = entries[each.name] if each.name in entries else initial(each)
        checked = check(each, entry, zone=zone)
        if checked.error:
            errors[each.name] = checked.error
        elif not checked.omitted:
            content[each.name] = checked.value
    if errors:
        return FormAnswer(None, errors)
    if form.whole:
        return _whole(form, content[""])
    return _finally(form, content)


def from_json(form: Form, text: str) -> FormAnswer:
    """Check a whole content that was written as JSON against the form's schema."""
    value, error = parse_json(text)
    if error:
        return FormAnswer(None, {"": error})
    return _whole(form, value)


def match_request(
    reference: str | None,
    open_keys: Sequence[str],
    asked: Mapping[str, int | None] | None = None,
) -> str:
    """Return the request that is meant: by its key, a unique prefix, or its number from 1.

    ``:2`` is a number and nothing else. The server chooses the keys: where one looks like the
    number of another request, nothing is guessed.

    `asked` are all that were ever asked with their numbers, so far as they have any; without it
    those that are open. One that is open no more is returned, too: who answers twice must not
    answer another.

    Raises:
        NoSuchRequest: none or several are meant.
    """
    every = {key: at for at, key in enumerate(open_keys, 1)} if asked is None else asked
    if not open_keys and (reference is None or not every):
        raise NoSuchRequest("no input request is open")
    if reference is None:
        if len(open_keys) == 1:
            return open_keys[0]
        raise NoSuchRequest(
            f"{len(open_keys)} requests are open; say which: {_listed(open_keys, every)}"
        )
    found = _meant(reference, every)
    if len(found) == 1:
        return found.pop()
    shown = one_line(reference, 60)
    if found:
        which = _listed(found, every)
        raise NoSuchRequest(f"{shown!r} could be any of {which}; write its number with a colon, :1")
    are = f"open are {_listed(open_keys, every)}" if open_keys else "none is open"
    raise NoSuchRequest(f"no open request {shown!r}; {are}")


def _meant(reference: str, keys: Mapping[str, int | None]) -> set[str]:
    only_number = _NUMBER_ALONE.fullmatch(reference)
    digits = only_number[1] if only_number else reference
    found: set[str] = set()
    if digits.isascii() and digits.isdigit() and len(digits) < 6:
        found.update(key for key, number in keys.items() if number == int(digits))
    if only_number:
        return found
    if reference in keys:
        return found | {reference}
    return found | {key for key in keys if reference and key.startswith(reference)}


def split_assignment(text: str) -> tuple[str | None, str]:
    """Split ``REQUEST=JSON``; the request may be left out, and may itself have ``=`` in it."""
    if text.lstrip().startswith("{"):
        return None, text
    at = text.find("={")
    if at < 0:
        at = text.find("=")
    return (None, text) if at < 0 else (text[:at], text[at + 1 :])


def _listed(keys: Collection[str], every: Mapping[str, int | None]) -> str:
    """List the requests of `keys` with the numbers that they go by."""
    numbered = [(number, key) for key, number in every.items() if key in keys]
    shown = ", ".join(f"{number or ''} {one_line(key, 60)}".strip() for number, key in numbered[:8])
    return shown if len(numbered) <= 8 else f"{shown}, and {len(numbered) - 8} more"


def _whole(form: Form, value: Any) -> FormAnswer:
    if not isinstance(value, dict):
        return FormAnswer(None, {"": 'an answer is a JSON object, like {"name": "value"}'})
    errors: dict[str, str] = {}
    for each in form.fields:
        given = value.get(each.name)
        if each.kind is FieldKind.STRING and isinstance(given, str):
            formatted = check_format(each.format, given)
            if formatted.error:
                errors[each.name] = formatted.error
            elif formatted.text != given:
                errors[each.name] = f"incomplete; write {formatted.text}"
    answer = _finally(form, value)
    merged = {**answer.errors, **errors}
    return FormAnswer(None if merged else value, merged, answer.notes)


def _finally(form: Form, content: dict[str, Any]) -> FormAnswer:
    # The validator is a big import, and only needed once something is about to be sent.
    from mcp_tasks_tui.forms.validation import validate  # noqa: PLC0415

    found = validate(form.schema, content)
    names = {each.name for each in form.fields}
    errors: dict[str, str] = {}
    for name, words in found.errors:
        if name in names or not name:
            errors.setdefault(name, words)
        elif words == NEEDED and not form.whole:
            continue  # the schema needs a field that it does not describe: nobody could fill it in
        else:
            errors.setdefault("", f"{one_line(name, 60)}: {words}")
    unknown = sorted(name for name in content if name not in names)
    notes = list(found.notes)
    if unknown and not form.whole:
        notes.append(f"the schema does not describe {one_line(', '.join(unknown[:5]), 80)}")
    return FormAnswer(None if errors else content, errors, tuple(notes))
