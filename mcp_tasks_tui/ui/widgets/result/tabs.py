"""The ways to look at a result: text, Markdown, tree, table, files, journal, raw values."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.patient_json import QUICK
from mcp_tasks_tui.records import record
from mcp_tasks_tui.supervise import words
from mcp_tasks_tui.supervise.history import entry_to_json
from mcp_tasks_tui.supervise.results import (
    LOST,
    Document,
    Part,
    PartKind,
    ResultDoc,
    body,
    can_be_read,
    document,
    part_heading,
    reads_like_markdown,
    repeats_structured,
    sent_text,
    wraps_text,
)
from mcp_tasks_tui.ui.documents.json_text import LONGEST_JSON, NoJson, looks_like_json, read_json
from mcp_tasks_tui.ui.documents.links import all_links
from mcp_tasks_tui.ui.documents.markdown import LONGEST, markdown_lines
from mcp_tasks_tui.ui.documents.saving import json_bytes, text_bytes
from mcp_tasks_tui.ui.documents.spreadsheet import csv_bytes
from mcp_tasks_tui.ui.widgets.lines.pieces import BLANK, Line, Piece, Tone, fit, piece, plain, wrap
from mcp_tasks_tui.ui.widgets.panel.about import raw_task
from mcp_tasks_tui.ui.widgets.panel.journal import (
    journal_lines,
    time_spent,
)
from mcp_tasks_tui.ui.widgets.panel.kinds import how_many, of_kind
from mcp_tasks_tui.ui.widgets.panel.result import has_outcome
from mcp_tasks_tui.ui.widgets.result.files import FilesView
from mcp_tasks_tui.ui.widgets.result.table import TableView, find_table
from mcp_tasks_tui.ui.widgets.result.text import BuiltLines, End, TextView
from mcp_tasks_tui.ui.widgets.result.tree import JsonTree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mcp_tasks_tui.supervise.view import TaskView
    from mcp_tasks_tui.ui.widgets.lines.view import LineView
    from mcp_tasks_tui.ui.widgets.panel.facts import PanelFacts

#: Cells of a line in a file.
_FILE_WIDTH = 200
#: Rows of a window that has room for a line of time above a journal.
_ROOMY = 24


@record
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
    #: Other formats than `extension`, for a file whose name asks for one.
    formats: Mapping[str, Callable[[], Iterator[bytes]]] = field(default_factory=dict)
    #: Links, raw, that it lists.
    links: tuple[str, ...] = ()
    #: There is nothing in it to look for, to save or to copy where this is False.
    holds_something: bool = True
    #: What stays in view above it, in lines of so many cells.
    above: Callable[[int], Sequence[Line]] = lambda _: ()

    def data_for(self, name: str) -> Iterator[bytes]:
        """Return what goes into a file of that name."""
        return self.formats.get(name.rpartition(".")[2].lower(), self.data)()

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


def result_tabs(
    doc: ResultDoc | None,
    current: Callable[[], PanelFacts],
    journal_does: Mapping[str, Callable[[], object]] | None = None,
) -> list[Tab]:
    """Return the ways to look at a task, the most useful first.

    `current` gives what is known of the task now, for the views that are live; `journal_does` is
    what its journal does, by the ids of the viewer's commands. May take a while for a large result:
    not for the event loop.
    """
    facts = current()
    tabs: list[Tab] = []
    if facts.view.snapshot.error is not None or facts.view.state is State.FAILED:
        tabs.append(tree_tab("error", "Error", facts.view.snapshot.error))
    if doc is not None and not doc.lost:
        tabs += _content_tabs(doc)
        tabs.append(tree_tab("raw", "Raw result", doc.raw))
    elif not tabs:
        tabs.append(_no_result_tab(current, lost=doc is not None))
    tabs.append(_journal_tab(current, journal_does or {}))
    tabs.append(tree_tab("task", "Raw task", raw_task(facts.view)))
    return tabs


def _content_tabs(doc: ResultDoc) -> list[Tab]:
    text = document(doc)
    written = [part for part in doc.parts if part.kind is PartKind.TEXT]
    tabs: list[Tab] = []
    if any(reads_like_markdown(part) for part in written) and len(text.text) <= LONGEST:
        tabs.append(_markdown_tab(doc))
    if doc.parts:
        tabs.append(
            replace(text_tab("text", "Text", text), data=lambda: text_bytes(sent_text(doc)))
        )
    structured = _structured_tabs(doc)
    if doc.has_structured and tabs and not repeats_structured(doc):
        tree = structured[0].build
        tabs = [replace(tab, beside=tree) for tab in tabs]
    if repeats_structured(doc) and not wraps_text(doc):
        tabs = [*structured, *tabs]
    else:
        tabs += structured
    files, links = doc.files, all_links(doc)
    if files or links:
        # First where there is nothing else to read.
        only_files = len(files) + len(doc.links) == len(doc.parts) and not doc.has_structured
        tabs.insert(0 if only_files else len(tabs), _files_tab(files, links))
    return tabs


def _files_tab(files: Sequence[Part], links: Sequence[Part]) -> Tab:
    entries = (*files, *links)
    counts = ((len(files), "Files"), (len(links), "Links"))
    return Tab(
        "files",
        " ".join(f"{name} ({count})" for count, name in counts if count),
        lambda: FilesView(entries, id="view-files"),
        lambda: json_bytes([part.uri if part.raw is None else part.raw for part in entries]),
        "json",
        links=tuple(part.uri for part in links if part.uri is not None),
    )


def _markdown_tab(doc: ResultDoc) -> Tab:
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
        return BuiltLines(lines, lambda: "Markdown, links as text", id="view-markdown")

    return Tab("markdown", "Markdown", build, lambda: text_bytes(sent_text(doc)), "md")


def _structured_tabs(doc: ResultDoc) -> list[Tab]:
    if doc.has_structured:
        return _value_tabs("Structured", doc.structured)
    text = json_text(doc)
    return json_tabs(text) if text is not None and len(text) <= QUICK else []


def json_text(doc: ResultDoc) -> str | None:
    """Return the only text of a result that has no structured content, if it looks like JSON:
    many servers send it so."""
    if doc.has_structured or len(doc.parts) != 1 or doc.parts[0].kind is not PartKind.TEXT:
        return None
    text = doc.parts[0].text
    return text if looks_like_json(text) else None


def late_json(doc: ResultDoc) -> str | None:
    """Return the text that is JSON but too long for :func:`result_tabs` to wait for."""
    text = json_text(doc)
    return text if text is not None and QUICK < len(text) <= LONGEST_JSON else None


def too_long_for_a_tree(doc: ResultDoc) -> bool:
    """Tell whether a text may be JSON and is shown as text alone."""
    text = json_text(doc)
    return text is not None and len(text) > LONGEST_JSON


def json_tabs(text: str) -> list[Tab]:
    """Return the tree of a text that is JSON, and its table; nothing where it is none.

    Takes a while for a long one: not for the event loop.
    """
    try:
        return _value_tabs("JSON", read_json(text))
    except NoJson:
        return []


def _value_tabs(title: str, value: Any) -> list[Tab]:
    tabs = [tree_tab("structured", title, value)]
    found = find_table(value)
    if found is not None:
        name, rows = found

        def table() -> LineView:
            return TableView(rows, name, id="view-table")

        formats = {"json": lambda: json_bytes(rows)}
        tabs.append(Tab("table", "Table", table, lambda: csv_bytes(rows), "csv", formats=formats))
    return tabs


def _no_result_tab(current: Callable[[], PanelFacts], *, lost: bool) -> Tab:
    def said() -> str:
        facts = current()
        return why_no_result(facts.view, facts.trouble, lost=lost)

    def build() -> LineView:
        return BuiltLines(lambda width: wrap([Piece(said(), Tone.MUTED)], width), id="view-none")

    def data() -> Iterator[bytes]:
        return text_bytes(f"{said()}\n")

    return Tab("none", "Result", build, data, "txt", holds_something=False)


def why_no_result(view: TaskView, trouble: str = "", *, lost: bool = False) -> str:
    """Return why there is no result of a task to look at; `trouble`: why it could not be read."""
    if lost:
        return (
            f"There is no result: {LOST}. Its server may still have it: polling the task "
            "once more asks for it."
        )
    if has_outcome(view):
        return f"The result could not be read{f': {trouble}' if trouble else ''}."
    if view.state is State.GONE:
        if words.is_never_known(view):
            return f"There is no result: {words.NEVER_KNOWN}."
        return "There is no result: the server does not know the task any more."
    yet = "" if view.state.ended else " yet"
    label = words.state_label(view)
    return f"There is no result{yet}. State: {label}."


def _journal_tab(
    current: Callable[[], PanelFacts], does: Mapping[str, Callable[[], object]]
) -> Tab:
    def lines(width: int) -> list[Line]:
        return _journal_lines(current(), width)

    def newest() -> End:
        return End.FIRST if current().newest_first else End.LAST

    def zone() -> str:
        return replace(current(), absolute=True).zone

    def build() -> LineView:
        return BuiltLines(lines, zone, newest=newest, does=does, id="view-journal")

    def data() -> Iterator[bytes]:
        whole = replace(current(), kind=None)  # what is left out is only out of sight
        for line in (*_journal_head(whole, _FILE_WIDTH), *_journal_lines(whole, _FILE_WIDTH)):
            yield f"{plain(line)}\n".encode()

    def values() -> Iterator[bytes]:
        return json_bytes([entry_to_json(entry) for entry in current().journal])

    return Tab(
        "journal",
        "Journal",
        build,
        data,
        "txt",
        formats={"json": values},
        above=lambda width: _journal_head(current(), width),
    )


def _journal_lines(facts: PanelFacts, width: int) -> list[Line]:
    sized = replace(facts, width=width, absolute=True)
    return journal_lines(of_kind(sized.journal, sized.kind), sized)


def _journal_head(facts: PanelFacts, width: int) -> list[Line]:
    """Return how the time was spent, and how much of the journal is shown where not all is."""
    lines = time_spent(replace(facts, width=width), drawn=facts.height >= _ROOMY)
    if facts.kind is not None:
        shown = how_many(len(of_kind(facts.journal, facts.kind)), len(facts.journal))
        lines.append((Piece(f"{facts.kind.value}: {shown}", Tone.NEED),))
    return lines


def file_stem(view: TaskView) -> str:
    """Return what a saved file of a task is called, without its ending."""
    return f"{words.title(view.handle)}-{view.key}"
