"""How a tool's result is printed: its texts alone, and on stderr what there is beside them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.cli.exits import Exit
from mcp_tasks_tui.cli.output import print_json, print_text, say
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.results import (
    PartKind,
    can_be_read,
    json_text,
    read_result,
    repeats,
    repeats_structured,
    sent_text,
)
from mcp_tasks_tui.supervise.words import size

if TYPE_CHECKING:
    from mcp_tasks_tui.supervise.results import Part, ResultDoc

#: Characters of a name or an address.
_FACT = 2000
#: Files that are named one by one.
_ENOUGH = 8


def print_result(result: Any, *, as_json: bool, whole: str = "--json") -> Exit:
    """Print a result; the exit status is FAILED where it says `isError`.

    `whole` is what gives all of it, to be told where it has more than texts.
    """
    doc = read_result(result)
    if as_json:
        print_json(result)
    else:
        text = words_alone(doc)
        if text is not None:
            print_text(text)
        tell_rest(doc, whole)
    return Exit.FAILED if doc.is_error else Exit.DONE


def words_alone(doc: ResultDoc) -> str | None:
    """Return what the server wrote in a result and nothing of ours: its texts; without any its
    structured content; without parts all of it, as JSON. None where there are only files."""
    if any(map(can_be_read, doc.parts)):
        return sent_text(doc)
    if doc.structured is not None:
        return json_text(doc.structured)
    return None if doc.parts else json_text(doc.raw)


def tell_rest(doc: ResultDoc, whole: str) -> None:
    """Say on stderr what a result has beside what `words_alone` gives, and how to get it."""
    rest = [_file(part) for part in doc.parts if part.kind is PartKind.BLOB]
    if any(map(can_be_read, doc.parts)):
        beside = doc.structured is not None and not _said_already(doc)
        rest += ["structured content"] if beside else []
        what = "besides the text"
    else:
        what = "no text in it" if doc.structured is None else "besides the structured content"
    if rest:
        more = [f"and {len(rest) - _ENOUGH:,} more"] if len(rest) > _ENOUGH else []
        say(f"{what}: {'; '.join([*rest[:_ENOUGH], *more])}. All of it: {whole}")


def _file(part: Part) -> str:
    return f"{part.described} ({size(part.size)})"


def result_text(result: Any) -> str:
    """Return what a person is shown of a result beside other things: its parts, a line or more
    each, and the structured content where no part repeats it; where there is neither, the JSON."""
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
