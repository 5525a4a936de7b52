"""The ways to look at a result: text, Markdown, tree, table, files, journal, raw values."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.supervise import words
from mcp_tasks_tui.ui.widgets.json_tree import JsonTree
from mcp_tasks_tui.ui.widgets.panel_about import raw_task
from mcp_tasks_tui.ui.widgets.panel_journal import entry_lines
from mcp_tasks_tui.ui.widgets.panel_lines import BLANK, Line, Piece, Tone, fit, piece, plain, wrap
from mcp_tasks_tui.ui.widgets.panel_result import has_outcome
from mcp_tasks_tui.ui.widgets.result_files import FilesView
from mcp_tasks_tui.ui.widgets.result_markdown import LONGEST, markdown_lines
from mcp_tasks_tui.ui.widgets.result_model import (
    Document,
    PartKind,
    ResultDoc,
    body,
    can_be_read,
    document,
    part_heading,
    reads_like_markdown,
    repeats_structured,
)
from mcp_tasks_tui.ui.widgets.result_save import json_bytes, text_bytes
from mcp_tasks_tui.ui.widgets.result_table import TableView, find_table
from mcp_tasks_tui.ui.widgets.result_text import BuiltLines, TextView

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mcp_tasks_tui.supervise.view import TaskView
    from mcp_tasks_tui.ui.widgets.panel_facts import PanelFacts
    from mcp_tasks_tui.ui.widgets.panel_view import LineView

#: A text longer than this is not tried as JSON: parsing it would be felt.
_PARSED = 1_000_000


class Viewed(Protocol):
    """What every view can do."""

    status: str

    def find(self, needle: str) -> None: ...
    def step(self, by: int) -> None: ...


@dataclass(frozen=True, slots=True)
class Tab:
    """One way to look: its widget, and what saving, copying or a pager get of it."""

    id: str
    title: str
    build: Callable[[], LineView]
    #: Exactly what the server sent, for a file.
    data: Callable[[], Iterator[bytes]]
    extension: str
    #: The tree that wide screens show beside it.
    beside: Callable[[], LineView] | None = None

    def text(self) -> str:
        return b"".join(self.data()).decode("utf-8", "replace")


def text_tab(id_: str, title: str, text: Document, extension: str = "txt") -> Tab:
    return Tab(
        id_,
        title,
        lambda: TextView(text, id=f"view-{id_}"),
        lambda: text_bytes(text.text),
        extension,
    )


def tree_tab(id_: str, title: str, value: Any) -> Tab:
    return Tab(
        id_, title, lambda: JsonTree(value, id=f"view-{id_}"), lambda: json_bytes(value), "json"
    )


def result_tabs(doc: ResultDoc | None, facts: PanelFacts) -> list[Tab]:
    """Return the ways to look at a task, the most useful first.

    May take a while for a large result: not for the event loop.
    """
    tabs: list[Tab] = []
    if facts.view.snapshot.error is not None or facts.view.state is State.FAILED:
        tabs.append(tree_tab("error", "Error", facts.view.snapshot.error))
    if doc is not None:
        tabs += _content_tabs(doc)
        tabs.append(tree_tab("raw", "Raw result", doc.raw))
    elif not tabs:
        tabs.append(_no_result_tab(facts))
    tabs.append(_journal_tab(facts))
    tabs.append(tree_tab("task", "Raw task", raw_task(facts.view)))
    return tabs


def _content_tabs(doc: ResultDoc) -> list[Tab]:
    text = document(doc)
    written = [part for part in doc.parts if part.kind is PartKind.TEXT]
    tabs: list[Tab] = []
    if any(reads_like_markdown(part) for part in written) and len(text.text) <= LONGEST:
        tabs.append(_markdown_tab(doc, text))
    if doc.parts:
        tabs.append(text_tab("text", "Text", text))
    structured = _structured_tabs(doc)
    if doc.has_structured and tabs and not repeats_structured(doc):
        tree = structured[0].build
        tabs = [replace(tab, beside=tree) for tab in tabs]
    if repeats_structured(doc):
        tabs = [*structured, *tabs]
    else:
        tabs += structured
    if doc.files:
        files = doc.files
        listed = Tab(
            "files",
            f"Files {len(files)}",
            lambda: FilesView(files, id="view-files"),
            lambda: json_bytes([part.raw for part in files]),
            "json",
        )
        # First where there is nothing else to read.
        only_files = len(files) == len(doc.parts) and not doc.has_structured
        tabs.insert(0 if only_files else len(tabs), listed)
    return tabs


def _markdown_tab(doc: ResultDoc, text: Document) -> Tab:
    def lines(width: int) -> list[Line]:
        shown: list[Line] = []
        for number, part in enumerate(doc.parts, 1):
            if len(doc.parts) > 1:
                shown += [BLANK] * bool(shown)
                shown.append(fit((Piece(part_heading(doc, number), Tone.HEADING),), width))
            if reads_like_markdown(part):
                shown += markdown_lines(part.text, width)
            else:
                tone = Tone.PLAIN if can_be_read(part) else Tone.MUTED
                shown += wrap([piece(body(part).rstrip("\n"), tone, LONGEST)], width)
        return shown

    def build() -> LineView:
        return BuiltLines(lines, "Markdown, links as text", id="view-markdown")

    return Tab("markdown", "Markdown", build, lambda: text_bytes(text.text), "md")


def _structured_tabs(doc: ResultDoc) -> list[Tab]:
    value, has = doc.structured, doc.has_structured
    title = "Structured"
    if not has:
        value, has = _parsed(doc)
        title = "JSON"
    if not has:
        return []
    tabs = [tree_tab("structured", title, value)]
    found = find_table(value)
    if found is not None:
        name, rows = found

        def table() -> LineView:
            return TableView(rows, name, id="view-table")

        tabs.append(Tab("table", "Table", table, lambda: json_bytes(rows), "json"))
    return tabs


def _parsed(doc: ResultDoc) -> tuple[Any, bool]:
    """Read a text that is JSON, as many servers send it."""
    if len(doc.parts) != 1 or doc.parts[0].kind is not PartKind.TEXT:
        return None, False
    text = doc.parts[0].text
    if len(text) > _PARSED or text.lstrip()[:1] not in ("{", "["):
        return None, False
    try:
        return json.loads(text), True
    except (ValueError, RecursionError):
        return None, False


def _no_result_tab(facts: PanelFacts) -> Tab:
    said = why_no_result(facts.view, facts.trouble)

    def lines(width: int) -> list[Line]:
        return wrap([Piece(said, Tone.MUTED)], width)

    def build() -> LineView:
        return BuiltLines(lines, id="view-none")

    return Tab("none", "Result", build, lambda: text_bytes(f"{said}\n"), "txt")


def why_no_result(view: TaskView, trouble: str = "") -> str:
    """Return why there is no result of a task to look at; `trouble`: why it could not be read."""
    if has_outcome(view):
        return f"The result could not be read{f': {trouble}' if trouble else ''}."
    if view.state is State.GONE:
        return "There is no result: the server does not know the task any more."
    yet = "" if view.state.ended else " yet"
    label = words.state_label(view.snapshot, answered=view.all_answered)
    return f"There is no result{yet}. State: {label}."


def _journal_tab(facts: PanelFacts) -> Tab:
    def lines(width: int) -> list[Line]:
        sized = replace(facts, width=width, absolute=True)
        return [line for entry in facts.journal for line in entry_lines(sized, entry)]

    def build() -> LineView:
        return BuiltLines(lines, "‹ server  › we  · noticed", id="view-journal")

    def data() -> Iterator[bytes]:
        for line in lines(200):
            yield f"{plain(line)}\n".encode()

    return Tab("journal", "Journal", build, data, "txt")


def file_stem(view: TaskView) -> str:
    """Return what a saved file of a task is called, without its ending."""
    return f"{words.title(view.handle)}-{view.key}"
