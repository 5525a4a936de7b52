"""How a tool's result is printed: its text as text, anything else by name, type and size."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.cli.exits import Exit
from mcp_tasks_tui.cli.output import print_json, print_text
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.results import (
    PartKind,
    json_text,
    read_result,
    repeats,
    repeats_structured,
)
from mcp_tasks_tui.supervise.words import size

if TYPE_CHECKING:
    from mcp_tasks_tui.supervise.results import Part, ResultDoc

#: Characters of a name or an address.
_FACT = 2000


def print_result(result: Any, *, as_json: bool) -> Exit:
    """Print a result; the exit status is FAILED where it says `isError`."""
    if as_json:
        print_json(result)
    else:
        print_text(result_text(result))
    return Exit.FAILED if read_result(result).is_error else Exit.DONE


def result_text(result: Any) -> str:
    """Return what a person reads of a result: its parts, a line or more each, and the structured
    content where no part repeats it; where there is neither, the JSON."""
    doc = read_result(result)
    parts = [_part_text(part) for part in doc.parts]
    if doc.structured is not None and not _said_already(doc):
        parts.append(json_text(doc.structured))
    return "\n".join(parts) if parts else json_text(doc.raw)


def _said_already(doc: ResultDoc) -> bool:
    """Servers repeat structured content as text; it is not worth printing twice."""
    return repeats_structured(doc) or any(
        repeats(part, doc.structured, longest=sys.maxsize) for part in doc.parts
    )


def _part_text(part: Part) -> str:
    if part.kind is PartKind.TEXT:
        return part.text
    if part.kind is PartKind.OTHER:
        return json_text(part.raw)
    facts = [part.type, part.name, part.uri, part.mime]
    if part.kind is PartKind.BLOB:
        facts.append(size(part.size))
    return f"[{' '.join(one_line(fact, _FACT) for fact in facts if fact)}]"
