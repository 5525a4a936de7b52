"""What takes the content of a viewer elsewhere: a file, the clipboard, a pager, an editor."""

from __future__ import annotations

import asyncio
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from mcp_tasks_tui.daemon_thread import in_daemon_thread
from mcp_tasks_tui.sanitize import clean
from mcp_tasks_tui.supervise import words
from mcp_tasks_tui.ui.documents.outside import NotOpened, editor, open_outside, pager
from mcp_tasks_tui.ui.documents.saving import (
    NotSaved,
    file_name,
    free_path,
    json_bytes,
    name_for,
    part_bytes,
    write_new,
)
from mcp_tasks_tui.ui.documents.tree_rows import is_container, scalar
from mcp_tasks_tui.ui.widgets.result.files import FilesView
from mcp_tasks_tui.ui.widgets.result.messages import CopyRequested

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator, Mapping
    from typing import Any

    from textual.app import App

    from mcp_tasks_tui.ui.screens.viewer import ViewerScreen
    from mcp_tasks_tui.ui.widgets.result.tabs import Tab

#: More than this is not put together for the clipboard.
_COPIED = 1_000_000


def _written(value: Any) -> str:
    return scalar(value) if not is_container(value) else b"".join(json_bytes(value)).decode()


class Exporter:
    """Takes what `viewer` shows elsewhere; files are named after `stem`.

    Everything that may take long is done in a worker of the viewer.
    """

    def __init__(self, viewer: ViewerScreen, stem: str) -> None:
        self._viewer = viewer
        self._stem = stem

    def save(self) -> None:
        """Ask for a file name and write what is shown there."""
        tab = self._viewer.shown
        if tab is None:
            return
        name, data = self._takes(tab)
        suggested = str(free_path(Path.cwd(), name))
        others = "".join(f" or .{each}" for each in tab.formats)
        question = f"save as .{tab.extension}{others}" if others else "save as"
        self._viewer.ask(question, suggested, lambda typed: self._saving(typed.strip(), data))

    def copy(self) -> None:
        if (tab := self._viewer.shown) is not None:
            self._start(self._copy(tab.text, tab.title), "copy")

    def copy_part(self, value: Any, what: str) -> None:
        """Copy a part of a JSON document; what is a text alone, without its quotes."""
        self._start(self._copy(partial(_written, value), what), "copy")

    def to_pager(self) -> None:
        self._open_in(pager)

    def to_editor(self) -> None:
        self._open_in(editor)

    def _start(self, work: Coroutine[Any, Any, None], group: str) -> None:
        self._viewer.run_worker(work, group=group, exit_on_error=False)

    def _takes(self, tab: Tab) -> tuple[str, Callable[[str], Iterator[bytes]]]:
        """Return a file name for what is shown, and its bytes for the name that is chosen."""
        view = self._viewer.view_of(tab)
        if isinstance(view, FilesView):
            part = view.current
            return name_for(part, self._stem), lambda _: part_bytes(part)
        return file_name(self._stem, tab.extension), tab.data_for

    def _saving(
        self, path: str, data: Callable[[str], Iterator[bytes]]
    ) -> Coroutine[Any, Any, str] | None:
        return self._save(path, partial(data, path)) if path else None

    async def _save(self, typed: str, data: Callable[[], Iterator[bytes]]) -> str:
        """Write the file; return why it could not be, "" where it was."""
        path = Path(os.path.expanduser(typed)).absolute()  # noqa: ASYNC240 - looks nothing up on a disk
        try:
            written = await asyncio.to_thread(lambda: write_new(path, data()))
        except NotSaved as error:
            return str(error)
        self._viewer.say(f"saved {words.size(written)} to {path}")
        return ""

    async def _copy(self, make: Callable[[], str], what: str) -> None:
        text = await in_daemon_thread(make)
        if len(text) > _COPIED:
            too_much = f"{words.size(len(text))} are too much for a clipboard: w saves it"
            self._viewer.say(too_much, "warning")
            return
        self._viewer.post_message(CopyRequested(clean(text), what))

    def _open_in(self, program: Callable[[Mapping[str, str]], list[str]]) -> None:
        if (tab := self._viewer.shown) is not None:
            self._start(self._outside(program, tab), "outside")

    async def _outside(self, program: Callable[[Mapping[str, str]], list[str]], tab: Tab) -> None:
        try:
            command = program(os.environ)
            text = await in_daemon_thread(tab.text)
            name = file_name(self._stem, tab.extension)
            await open_outside(cast("App[object]", self._viewer.app), command, text, name)
        except NotOpened as error:
            self._viewer.say(str(error), "error")
