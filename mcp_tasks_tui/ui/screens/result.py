"""The viewer on one task: its result, or the journal, or raw values, on a screen of its own."""

from __future__ import annotations

import asyncio
import gc
import time
from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise import words
from mcp_tasks_tui.ui.screens.viewer import ViewerScreen
from mcp_tasks_tui.ui.widgets.panel_facts import STATE_TONES, PanelFacts
from mcp_tasks_tui.ui.widgets.panel_lines import Line, Piece, Tone, piece
from mcp_tasks_tui.ui.widgets.panel_result import has_outcome, result_size
from mcp_tasks_tui.ui.widgets.result_model import ResultDoc, read_result
from mcp_tasks_tui.ui.widgets.result_tabs import file_stem, result_tabs, why_no_result

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcp_tasks_tui.handles.model import JournalEntry
    from mcp_tasks_tui.supervise.supervisor import Supervisor
    from mcp_tasks_tui.supervise.view import TaskView

__all__ = ["ResultScreen", "ViewerScreen"]


class ResultScreen(ViewerScreen):
    """Everything about one task that may be large.

    `section` is what to begin with; `save` asks at once for a file's name.
    """

    def __init__(
        self,
        supervisor: Supervisor,
        view: TaskView,
        section: str = "result",
        *,
        now: Callable[[], float] = time.time,
        save: bool = False,
    ) -> None:
        super().__init__(_title(view, None), stem=file_stem(view))
        self._supervisor = supervisor
        self._task_view = view
        self._section = section
        self._now = now
        self._save_first = save

    async def on_mount(self) -> None:
        # A full garbage collection walks every object there is, and the keyboard waits for it.
        # What lives now stays as long as the viewer does: it need not be walked.
        gc.freeze()
        self.run_worker(self._load(), group="load", exit_on_error=False)

    def on_unmount(self) -> None:
        gc.unfreeze()

    async def _load(self) -> None:
        view = self._task_view
        doc: ResultDoc | None = None
        journal: Sequence[JournalEntry] = ()
        trouble = ""
        try:
            journal = await self._supervisor.journal(view.key)
            if has_outcome(view):
                doc = await asyncio.to_thread(read_result, await self._supervisor.result(view.key))
        except Exception as error:  # noqa: BLE001 - said to the person; what else is known is shown
            trouble = one_line(str(error), 200)
            self.say(f"cannot be read: {trouble}", "error")
        facts = PanelFacts(
            view, self._now(), self.size.width, 0, journal=tuple(journal), trouble=trouble
        )
        tabs = await asyncio.to_thread(result_tabs, doc, facts)
        gc.freeze()
        self._heading = _title(view, doc)
        await self.set_tabs(tabs, _FIRST.get(self._section, ""))
        if self._save_first and tabs[0].id == "none":
            self.say(why_no_result(view, trouble), "warning")
        elif self._save_first:
            self.action_save()


_FIRST = {"journal": "journal", "raw": "task", "about": "task", "input": "task", "notes": "task"}


def _title(view: TaskView, doc: ResultDoc | None) -> Line:
    state = words.state_label(view.snapshot)
    pieces = [
        Piece(f"{words.state_glyph(view.state)} {state}", STATE_TONES[view.state]),
        Piece(f"  {words.title(view.handle)}", Tone.STRONG),
        piece(f"  {view.server}", Tone.MUTED),
    ]
    if doc is not None:
        if doc.is_error and view.state is not State.TOOL_ERROR:
            pieces.append(Piece("  the tool reports an error", Tone.BAD))
        pieces.append(Piece(f"  {result_size(doc)}", Tone.MUTED))
        pieces += [piece(f" · {note}", Tone.WARN) for note in doc.notes]
    return tuple(pieces)
