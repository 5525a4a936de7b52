"""What a task is: the call, the server, the handle; oddities; and the raw values."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise import words
from mcp_tasks_tui.ui.documents.tree_rows import Tree, tree_line
from mcp_tasks_tui.ui.widgets.lines.pieces import Line, Piece, Tone, packed, piece, width_of, wrap
from mcp_tasks_tui.ui.widgets.panel.facts import PanelFacts, Section, labelled

if TYPE_CHECKING:
    from mcp_tasks_tui.handles.model import Snapshot
    from mcp_tasks_tui.supervise.view import TaskView

_ARGUMENT_ROWS = 12
_RAW_ROWS = 200


def about_shows(facts: PanelFacts) -> tuple[object, ...]:
    """Return all that the section is made of: with the same values it is the same."""
    handle, snapshot = facts.view.handle, facts.view.snapshot
    moments = (
        handle.saved_at,
        handle.archived_at,
        snapshot.observed_at if facts.view.state.terminal else None,
        words.parse_time(snapshot.created_at),
        words.parse_time(snapshot.last_updated_at),
    )
    claims = (
        snapshot.created_at,
        snapshot.last_updated_at,
        snapshot.ttl_known,
        snapshot.ttl_ms,
        snapshot.poll_interval_ms,
    )
    return handle, facts.view.server, claims, tuple(map(facts.when, moments))


def about_section(facts: PanelFacts) -> Section:
    """Return tool, arguments, server, ids, note and tags, and when it was saved."""
    handle, width = facts.view.handle, facts.width
    lines: list[Line] = []
    if handle.tool:
        lines += _rows([("tool", [piece(handle.tool)])], width)
    lines += _arguments(handle.arguments, width)
    server = facts.view.server
    lines += _rows([("server", [piece(server)])], width)
    if server != handle.server_url:
        lines += _whole("at", piece(handle.server_url, Tone.MUTED), width)
    lines += _whole("task id", piece(handle.task_id), width)
    rows: list[tuple[str, list[Piece]]] = [("key", [piece(handle.key)])]
    if handle.note:
        rows.append(("note", [piece(handle.note)]))
    if handle.tags:
        rows.append(("tags", [piece(" ".join(handle.tags))]))
    by = f" by {one_line(handle.saved_by, 60)}" if handle.saved_by else ""
    rows.append(("saved", [Piece(f"{facts.when(handle.saved_at)}{by}")]))
    if handle.archived_at is not None:
        rows.append(("archived", [Piece(facts.when(handle.archived_at))]))
    if facts.view.state.terminal:
        rows.append(("read", [Piece(facts.when(facts.view.snapshot.observed_at))]))
    lines += _rows(rows, width)
    return Section("about", "About", tuple(lines))


def claims_section(facts: PanelFacts) -> Section | None:
    """Return what the server says of its times, None where it says nothing."""
    claims = [(piece(claim, Tone.MUTED),) for claim in _claims(facts)]
    if not claims:
        return None
    return Section("claims", "Server says", tuple(packed(claims, facts.width)))


def _whole(label: str, value: Piece, width: int) -> list[Line]:
    """Return what a person copies: on one line, if need be one of its own, where it fits at all."""
    beside = labelled(label, Tone.MUTED, [value], width, limit=8)
    if len(beside) == 1:
        return beside
    indent = 2 if width_of([value]) <= width - 2 else 0
    return [(Piece(label, Tone.MUTED),), *wrap([Piece(" " * indent), value], width, indent, 8)]


def _rows(rows: list[tuple[str, list[Piece]]], width: int) -> list[Line]:
    return [
        line
        for label, pieces in rows
        for line in labelled(label, Tone.MUTED, pieces, width, limit=8)
    ]


def _arguments(arguments: Any, width: int) -> list[Line]:
    if arguments is None or arguments == {}:
        return []
    short = json.dumps(arguments, ensure_ascii=False) if len(str(arguments)) < width else ""
    if short and len(short) < width - 12:
        return labelled("arguments", Tone.MUTED, [piece(short, Tone.CODE)], width)
    lines: list[Line] = [(Piece("arguments", Tone.MUTED),)]
    return lines + tree_lines(arguments, width, _ARGUMENT_ROWS)


def tree_lines(value: Any, width: int, most: int) -> list[Line]:
    """Return the first rows of a JSON value, and how many more there are."""
    tree = Tree(value)
    rows = tree.rows[1:] if tree.rows[0].container else tree.rows
    shown = (tree_line(row, arrows=False) for row in rows[:most])
    lines = [line for each in shown for line in wrap(each, width, 4, 2)]
    if len(rows) > most:
        lines.append((Piece(f"  and {words.counted(len(rows) - most, 'more row')}", Tone.MUTED),))
    return lines


def _claims(facts: PanelFacts) -> list[str]:
    snapshot = facts.view.snapshot
    claims: list[str] = []
    for label, value in (("created", snapshot.created_at), ("updated", snapshot.last_updated_at)):
        if value is not None:
            at = words.parse_time(value)
            shown = facts.when(at) if at is not None else f'"{one_line(value, 60)}"'
            claims.append(f"{label} {shown}")
    if snapshot.poll_interval_ms is not None:
        claims.append(f"poll every {snapshot.poll_interval_ms / 1000:g} s")
    if snapshot.ttl_known:
        claims.append(_ttl(snapshot))
    return claims


def _ttl(snapshot: Snapshot) -> str:
    if snapshot.ttl_ms is None:
        return "keeps it as long as it likes"
    if snapshot.ttl_ms <= 0:
        return f"keeps it {snapshot.ttl_ms} ms, which is no usable time to live"
    return f"keeps it {words.duration(snapshot.ttl_ms / 1000).removesuffix(' 00 m')}"


def notes_section(facts: PanelFacts) -> Section | None:
    """Return what is odd about the server's replies; None where nothing is."""
    notes = facts.view.snapshot.notes
    if not notes:
        return None
    lines = [
        line for note in notes for line in wrap([piece(f"· {note}", Tone.WARN)], facts.width, 2)
    ]
    return Section("notes", "Protocol notes", tuple(lines), str(len(notes)))


def raw_shows(facts: PanelFacts) -> tuple[object, ...]:
    """Return all that the section is made of: with the same values it is the same."""
    snapshot = facts.view.snapshot
    times = (snapshot.created_at, snapshot.last_updated_at)
    limits = (snapshot.ttl_ms, snapshot.poll_interval_ms)
    said = (snapshot.status, snapshot.status_message, snapshot.input_requests, snapshot.error)
    return facts.view.handle, times, limits, said


def raw_section(facts: PanelFacts) -> Section:
    """Return the server's own values as JSON."""
    lines = tuple(tree_lines(raw_task(facts.view), facts.width, _RAW_ROWS))
    return Section("raw", "Raw", lines, f"{facts.open_key} opens" if facts.open_key else "")


def raw_task(view: TaskView) -> dict[str, Any]:
    """Return the last reply as the server gave it, as far as it is kept, without its result."""
    snapshot = view.snapshot
    return {
        "taskId": view.handle.task_id,
        "status": snapshot.status,
        "statusMessage": snapshot.status_message.raw if snapshot.status_message else None,
        "createdAt": snapshot.created_at,
        "lastUpdatedAt": snapshot.last_updated_at,
        "ttlMs": snapshot.ttl_ms,
        "pollIntervalMs": snapshot.poll_interval_ms,
        "inputRequests": dict(snapshot.input_requests),
        "error": snapshot.error,
    }
