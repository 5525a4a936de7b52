"""The viewer on one task: its result, or the journal, or raw values, on a screen of its own."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from mcp_tasks_tui.daemon_thread import in_daemon_thread
from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.supervise import words
from mcp_tasks_tui.ui.commands.keymap import keymap_of
from mcp_tasks_tui.ui.screens.viewer import ViewerScreen
from mcp_tasks_tui.ui.widgets.lines.pieces import Line, Piece, Tone, piece
from mcp_tasks_tui.ui.widgets.panel.about import raw_task
from mcp_tasks_tui.ui.widgets.panel.facts import STATE_TONES, Loaded, PanelFacts
from mcp_tasks_tui.ui.widgets.panel.frozen import Frozen
from mcp_tasks_tui.ui.widgets.panel.loader import PanelLoader
from mcp_tasks_tui.ui.widgets.panel.reading import Reading
from mcp_tasks_tui.ui.widgets.panel.result import has_outcome, result_size
from mcp_tasks_tui.ui.widgets.result.tabs import (
    file_stem,
    json_tabs,
    late_json,
    result_tabs,
    too_long_for_a_tree,
    why_no_result,
)
from mcp_tasks_tui.ui.widgets.result.text import BuiltLines
from mcp_tasks_tui.ui.widgets.result.tree import JsonTree

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_tasks_tui.supervise.results import ResultDoc
    from mcp_tasks_tui.supervise.supervisor import Batch, Supervisor
    from mcp_tasks_tui.supervise.view import TaskView

__all__ = ["ResultScreen", "ViewerScreen"]


class ResultScreen(ViewerScreen):
    """Everything about one task that may be large. It follows the task while it is open.

    `section` is what to begin with; `save` asks at once for a file's name. `read_as` is told when
    the person wants to read otherwise. `result` is that of the task, where it was read before.
    """

    def __init__(
        self,
        supervisor: Supervisor,
        view: TaskView,
        section: str = "result",
        *,
        now: Callable[[], float] = time.time,
        save: bool = False,
        reading: Reading | None = None,
        read_as: Callable[[Reading], None] = lambda _: None,
        result: ResultDoc | None = None,
    ) -> None:
        super().__init__(_title(view, None), stem=file_stem(view))
        self._supervisor = supervisor
        self._task_view = view
        self._section = section
        self._now = now
        self._save_first = save
        self._reading = reading or Reading()
        self._read_as = read_as
        self._read_before = result
        self._frozen: Frozen | None = None
        self._news = False
        self._showing_news = False
        self._loader = PanelLoader(self, supervisor, self._loaded)
        self._unsubscribe: Callable[[], None] | None = None
        #: Why something could not be read, as it was said.
        self._trouble = ""
        #: What the tabs were made of.
        self._doc: ResultDoc | None = None
        self._state: State | None = None
        #: Said of the result behind the title.
        self._aside: Line = ()

    async def on_mount(self) -> None:
        self._unsubscribe = self._supervisor.subscribe(self._take)
        self._loader.follow(self._task_view, self._read_before)
        self._read_before = None
        self.set_interval(1, self._tick)
        self._tell()

    def on_unmount(self) -> None:
        if self._unsubscribe is not None:
            self._unsubscribe()
        self._loader.follow(None)
        self._doc = self._read_before = self._frozen = None

    # --- news of the task ----------------------------------------------------------------
    def _take(self, batch: Batch) -> None:
        key = self._task_view.key
        view = self._supervisor.view(key) if key in batch.changed else None
        if view is not None:
            self._task_view = view
            self._loader.follow(view)
            if self._frozen is not None:
                self._frozen.note(view)
            self._tell()

    def _tick(self) -> None:
        """Times above the journal move on, and that of a viewer that holds still."""
        tab = self.shown
        if self._frozen is not None or (tab is not None and tab.id == "journal"):
            self._redraw_head()

    def _loaded(self) -> None:
        trouble = self._loader.trouble
        if trouble and trouble != self._trouble:
            self._trouble = trouble
            self.say(trouble, "error")
        self._tell()

    def _tell(self) -> None:
        """Show what is new; what comes while that is done is shown afterwards, in one go."""
        self._news = True
        if not self._showing_news and self._frozen is None:
            self._showing_news = True
            self.run_worker(self._show_all_news(), group="news", exit_on_error=False)

    async def _show_all_news(self) -> None:
        try:
            while self._news and self._frozen is None:
                self._news = False
                await self._show_news()
        finally:
            self._showing_news = False

    async def _show_news(self) -> None:
        view, loader = self._task_view, self._loader
        if has_outcome(view) and loader.result_loaded is Loaded.WAITING:
            return
        doc = loader.result if has_outcome(view) else None
        if doc is not self._doc or view.state is not self._state:
            self._doc, self._state = doc, view.state
            await self._make_tabs(view, doc)
        else:
            self._refresh_views(view)
        self._redraw_head()

    def _facts(self) -> PanelFacts:
        """Return what is known now, or when this was frozen."""
        known = PanelFacts(
            self._task_view,
            self._now(),
            width=0,
            height=0,
            journal=self._loader.journal,
            trouble=self._trouble,
        )
        return replace(
            known if self._frozen is None else self._frozen.facts,
            width=self.size.width,
            height=self.size.height,
            absolute=True,
            utc=self._reading.utc,
            newest_first=self._reading.newest_first,
            kind=self._reading.kind,
        )

    # --- as the person wants it ----------------------------------------------------------
    async def action_command(self, command_id: str, number: int = 0) -> None:
        if command_id == "viewer.freeze":
            self._freeze()
        else:
            await super().action_command(command_id, number)

    def holds(self, command_id: str) -> bool:
        if command_id == "viewer.freeze":
            return self._frozen is not None or not self._task_view.state.ended
        return super().holds(command_id)

    def _freeze(self) -> None:
        """Hold still, or go on with what is known by now."""
        if self._frozen is not None:
            self._frozen = None
            self._tell()
        elif self._task_view.state.ended:
            self.say("it has ended: nothing here moves any more")
        else:
            self._frozen = Frozen(self._facts())
        self._redraw_head()

    def _journal_does(self) -> dict[str, Callable[[], object]]:
        """Return what the journal does by the ids of commands: to be read otherwise."""

        def read(other: Callable[[Reading], Reading]) -> None:
            self._reading = other(self._reading)
            self._read_as(self._reading)
            self._refresh_views(self._facts().view)
            self._redraw_head()

        return {
            "viewer.order": partial(read, Reading.other_order),
            "viewer.times": partial(read, Reading.other_zone),
            "viewer.kinds": partial(read, Reading.other_kind),
        }

    def _refresh_views(self, view: TaskView) -> None:
        """Let the views that are live show how things are now."""
        for built in self.query(BuiltLines):
            if built.id in _LIVE:
                built.build_again()
        for tree in self.query("#view-task").results(JsonTree):
            tree.set_value(raw_task(view))

    def _redraw_head(self) -> None:
        frozen: Line = ()
        if self._frozen is not None:
            key = keymap_of(self).label("viewer.freeze")
            said = self._frozen.line(self._now(), self.size.width - _TITLE_ROOM, key)
            frozen = (*said, Piece("  "))
        self._heading = (*frozen, *_title(self._facts().view, self._doc), *self._aside)
        self._draw()

    # --- what there is to look at --------------------------------------------------------
    async def _make_tabs(self, view: TaskView, doc: ResultDoc | None) -> None:
        tabs = await in_daemon_thread(result_tabs, doc, self._facts, self._journal_does())
        shown = self.shown
        first = _FIRST.get(self._section, "") if shown is None else shown.id
        self._aside = self._said_of(doc)
        await self.set_tabs(tabs, first)
        self._refresh_views(view)
        text = None if doc is None else late_json(doc)
        if doc is not None and text is not None:
            self.run_worker(self._add_tree(doc, text), group="tree", exit_on_error=False)
        if self._save_first:
            self._save_first = False
            self._save_at_once(view, doc)

    def _said_of(self, doc: ResultDoc | None) -> Line:
        if doc is None:
            return ()
        if late_json(doc) is not None:
            return (Piece("  reading it as JSON …", Tone.MUTED),)
        if too_long_for_a_tree(doc):
            key = keymap_of(self).label("viewer.pager")
            how = f": {key} opens it in $PAGER" if key else ""
            return (Piece(f"  too long for a tree{how}", Tone.WARN),)
        return ()

    async def _add_tree(self, doc: ResultDoc, text: str) -> None:
        """Put the tree of a long text beside it once it is read, wherever the person is then."""
        found = await in_daemon_thread(json_tabs, text)
        if doc is not self._doc or self.shown is None:
            return
        self._aside = ()
        tabs = list(self.tabs)
        behind = [tab.id for tab in tabs].index("text") + 1
        await self.set_tabs([*tabs[:behind], *found, *tabs[behind:]], self.shown.id)
        self._redraw_head()

    def _save_at_once(self, view: TaskView, doc: ResultDoc | None) -> None:
        if self.tabs[0].id == "none":
            self.say(why_no_result(view, self._trouble, lost=doc is not None), "warning")
        else:
            self.exporter.save()


#: Cells that a title has beside what is said before it.
_TITLE_ROOM = 40
#: Views that change while they are looked at.
_LIVE = frozenset({"view-journal", "view-none"})
_FIRST = {"journal": "journal", "raw": "task", "about": "task", "input": "task", "notes": "task"}


def _title(view: TaskView, doc: ResultDoc | None) -> Line:
    state = words.standing_label(view)
    pieces = [
        Piece(f"{words.view_glyph(view)} {state}", STATE_TONES[view.state]),
        Piece(f"  {words.title(view.handle)}", Tone.STRONG),
        piece(f"  {view.server}", Tone.MUTED),
    ]
    if doc is not None:
        if doc.is_error and view.state is not State.TOOL_ERROR:
            pieces.append(Piece("  the tool reports an error", Tone.BAD))
        pieces.append(Piece(f"  {result_size(doc)}", Tone.MUTED))
        pieces += [piece(f" · {note}", Tone.WARN) for note in doc.notes]
    return tuple(pieces)
