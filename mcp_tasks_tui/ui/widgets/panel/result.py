"""How a task ended: the error, and the beginning of its result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise import words
from mcp_tasks_tui.supervise.results import (
    Part,
    PartKind,
    ResultDoc,
    is_file,
    read_error,
    reads_like_markdown,
    repeats_structured,
    wraps_text,
)
from mcp_tasks_tui.ui.documents.markdown import markdown_lines
from mcp_tasks_tui.ui.widgets.lines.pieces import Line, Piece, Tone, fit, piece, wrap
from mcp_tasks_tui.ui.widgets.panel.about import tree_lines
from mcp_tasks_tui.ui.widgets.panel.facts import Loaded, PanelFacts, Section, labelled

if TYPE_CHECKING:
    from mcp_tasks_tui.supervise.view import TaskView

_PREVIEW = 3000
_PARTS = 8


def error_section(facts: PanelFacts) -> Section | None:
    """Return code, message and data of a failed task, None where it did not fail."""
    snapshot = facts.view.snapshot
    if facts.view.state is not State.FAILED and snapshot.error is None:
        return None
    error = read_error(snapshot.error)
    if snapshot.error is None and facts.view.message is not None and not facts.view.message_is_old:
        return None  # the message says why, as far as the server does
    lines: list[Line] = []
    if error.message is not None:
        lines += wrap([piece(error.message, Tone.BAD, limit=_PREVIEW)], facts.width, 0, 20)
    if error.note:
        lines += wrap([Piece(error.note, Tone.WARN)], facts.width)
    if error.has_data:
        lines += labelled("data", Tone.MUTED, [], facts.width)
        lines += tree_lines(error.data, facts.width, 20)
    aside = f"code {error.code}" if error.code is not None else "no code"
    return Section("error", "Error", tuple(lines), aside)


def result_section(facts: PanelFacts) -> Section | None:
    """Return the beginning of the result, None where none is expected."""
    view = facts.view
    if not has_outcome(view):
        return None
    if facts.result_loaded is Loaded.FAILED:
        return Section("result", "Result", ((Piece("could not be read", Tone.BAD),),))
    if facts.result is None:
        return Section("result", "Result", ((Piece("reading …", Tone.MUTED),),))
    doc = facts.result
    lines: list[Line] = []
    if doc.is_error:
        lines += wrap(
            [Piece("▲ the tool ran and reports an error (isError)", Tone.BAD)], facts.width
        )
    lines += [line for note in doc.notes for line in wrap([piece(note, Tone.WARN)], facts.width)]
    if doc.lost and facts.poll_key:
        said = Piece(" asks the server for it again", Tone.MUTED)
        lines.append((Piece(facts.poll_key, Tone.STRONG), said))
    lines += preview(doc, facts.width, max(8, facts.height // 2))
    opens = f" · {facts.open_key} opens" if facts.open_key else ""
    aside = "lost" if doc.lost else f"{result_size(doc)}{opens}"
    return Section("result", "Result", tuple(lines), aside)


def has_outcome(view: TaskView) -> bool:
    """Tell whether there is, or should be, a result to show."""
    return view.snapshot.has_result or view.state in (State.COMPLETED, State.TOOL_ERROR)


def result_size(doc: ResultDoc) -> str:
    """Return how much there is, in words."""
    said: list[str] = []
    texts = [part for part in doc.parts if part.kind is PartKind.TEXT and not is_file(part)]
    if texts:
        said.append(f"text {words.size(sum(part.size for part in texts))}")
    counts = ((len(doc.files), "file"), (len(doc.links), "link"))
    said += [words.counted(count, noun) for count, noun in counts if count]
    if doc.has_structured:
        said.append("structured")
    return ", ".join(said) or "empty"


def preview(doc: ResultDoc, width: int, room: int) -> list[Line]:
    """Return the first lines of a result, about `room` for each kind of content."""
    lines: list[Line] = []
    parts = doc.parts
    shows_structured = doc.has_structured and not wraps_text(doc)
    if shows_structured and repeats_structured(doc):
        parts = ()
        lines.append((Piece("the text repeats what follows", Tone.MUTED),))
    for part in parts[:_PARTS]:
        shown = part_lines(part, width)
        lines += shown[:room]
        if len(shown) > room or len(part.text) > _PREVIEW:
            lines.append((Piece(f"… {words.size(part.size)} in all", Tone.MUTED),))
    if len(parts) > _PARTS:
        lines.append((Piece(f"and {words.counted(len(parts) - _PARTS, 'more item')}", Tone.MUTED),))
    if shows_structured:
        if parts:
            lines.append((Piece("structured", Tone.HEADING),))
        lines += tree_lines(doc.structured, width, room)
    elif not doc.parts and doc.raw not in (None, {}):
        lines += tree_lines(doc.raw, width, room)
    return lines


def part_lines(part: Part, width: int) -> list[Line]:
    """Return the beginning of one item of a result."""
    if part.kind is PartKind.BLOB:
        return [file_line(part, width)]
    if part.kind is PartKind.LINK:
        name = [piece(one_line(part.name, 80), Tone.STRONG), Piece("  ")] if part.name else []
        target = piece(one_line(part.uri or "", 300), Tone.LINK)
        return wrap([Piece("↗ ", Tone.MUTED), *name, target], width, 2, 3)
    if part.kind is PartKind.OTHER:
        head: Line = (piece(f"item of an unknown kind: {one_line(part.type, 60)}", Tone.WARN),)
        return [fit(head, width), *tree_lines(part.raw, width, 6)]
    head_lines = [fit((piece(part.described, Tone.MUTED),), width)] if part.type != "text" else []
    text = part.text[:_PREVIEW]
    if reads_like_markdown(part):
        return head_lines + markdown_lines(text, width)
    return head_lines + wrap([piece(text.rstrip("\n"), limit=_PREVIEW)], width)


def file_line(part: Part, width: int) -> Line:
    """Return a file inside a result: what, which type (cut where it must be), how large."""
    size = Piece(f"  {words.size(part.size)}", Tone.MUTED)
    named = (Piece("▣ ", Tone.MUTED), piece(part.described, Tone.STRONG))
    return (*fit(named, max(width - len(size.text), 3)), size)
