"""What a field wants, on one line for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.forms.formats import EXAMPLES, number_text
from mcp_tasks_tui.forms.model import FieldKind
from mcp_tasks_tui.sanitize import one_line

if TYPE_CHECKING:
    from mcp_tasks_tui.forms.model import FormField

#: The specification's words about secrets, shortened (client/elicitation, Warning).
SENSITIVE_WARNING = (
    "This looks like a secret. MCP forbids servers to ask for passwords, keys or tokens in a "
    "form: the answer passes through this program and the server in plain text. "
    "You can decline."
)
_KIND_WORDS = {
    FieldKind.NUMBER: "number",
    FieldKind.INTEGER: "whole number",
    FieldKind.BOOLEAN: "yes or no",
    FieldKind.CHOICE: "pick one",
    FieldKind.JSON: "JSON",
}


def limits(field: FormField) -> str:
    """Return what is needed and which values are allowed, like ``needed · 3 to 50 characters``."""
    parts = ["needed" if field.required else "optional"]
    word = _KIND_WORDS.get(field.kind)
    if word:
        or_none = field.kind is FieldKind.CHOICE and not field.required
        parts.append(f"{word} or none" if or_none else word)
    if field.kind in (FieldKind.NUMBER, FieldKind.INTEGER):
        parts.append(_span(field.minimum, field.maximum, ""))
    elif field.kind is FieldKind.STRING:
        parts += [
            _span(field.min_length, field.max_length, " characters"),
            _format(field),
            f"pattern {one_line(field.pattern, 60)}" if field.pattern is not None else "",
        ]
    elif field.kind is FieldKind.MULTI_CHOICE:
        parts.append(_span(field.min_items, field.max_items, "", "pick ") or "pick any number")
    if len(field.choices) > 20:
        parts.append(f"{len(field.choices):,} choices")
    return " · ".join(part for part in parts if part)


def _format(field: FormField) -> str:
    if field.format is None:
        return ""
    if field.format in EXAMPLES:
        return f"{field.format}, like {EXAMPLES[field.format]}"
    return f"format {one_line(field.format, 40)} (not checked here)"


def _span(low: float | int | None, high: float | int | None, unit: str, before: str = "") -> str:
    least, most = (None if one is None else number_text(one) for one in (low, high))
    if least is not None and low == high:
        return f"{before}exactly {least}{unit}"
    if least is not None and most is not None:
        return f"{before}{least} to {most}{unit}"
    if low:
        return f"{before}at least {least}{unit}"
    if least is not None and not unit and not before:
        return f"at least {least}"
    return f"{before}at most {most}{unit}" if most is not None else ""
