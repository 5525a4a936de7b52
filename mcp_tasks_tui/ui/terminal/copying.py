"""Copying: to the terminal's clipboard, and to a private file where that takes nothing."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.ui.terminal.clipboard import TooLong, copy_sequence

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping
    from pathlib import Path
    from typing import Any, Protocol

    from mcp_tasks_tui.ui.alerts import Severity

    class Say(Protocol):
        def __call__(
            self, text: str, severity: Severity = "information", kind: str = ""
        ) -> None: ...


_FILE = "mcp-tasks-tui-copy.txt"
#: Seconds in which copying the same once more means that it did not arrive.
_AGAIN = 15.0
_KIND = "copied"


class Copier:
    """`write` sends to the terminal, `start` runs work beside, `monotonic` gives seconds.

    Whether a terminal takes what it is sent cannot be known, and many do not. So there is always
    a second way: what is copied twice goes to a new file in `folder`, which only its owner reads.
    """

    def __init__(
        self,
        *,
        write: Callable[[str], None],
        say: Say,
        start: Callable[[Coroutine[Any, Any, None]], object],
        monotonic: Callable[[], float],
        environ: Mapping[str, str],
        folder: Path,
    ) -> None:
        self._write = write
        self._say = say
        self._start = start
        self._monotonic = monotonic
        self._environ = environ
        self._folder = folder
        self._last = ("", 0.0)

    def copy(self, text: str, what: str) -> None:
        """Copy `text`; `what` names it, in our own words."""
        now = self._monotonic()
        last, at = self._last
        if text == last and now - at < _AGAIN:
            self._last = ("", 0.0)
            self._start(self._save(text, what, ""))
            return
        try:
            sequence = copy_sequence(text, self._environ)
        except TooLong as error:
            self._start(self._save(text, what, f"{error}: "))
            return
        self._last = (text, now)
        self._write(sequence)
        shown = one_line(text, 60)
        self._say(
            f"{what} sent to the terminal's clipboard (once more: to a file): {shown}", kind=_KIND
        )

    async def _save(self, text: str, what: str, why: str) -> None:
        from mcp_tasks_tui.ui.documents.saving import (  # noqa: PLC0415 - when it is needed
            NotSaved,
            free_path,
            write_new,
        )

        def write() -> Path:
            path = free_path(self._folder, _FILE)
            write_new(path, iter([text.encode("utf-8", "replace")]))
            return path

        try:
            path = await asyncio.to_thread(write)
        except NotSaved as error:
            self._say(f"{why}{error}", "error", _KIND)
        else:
            self._say(f"{why}{what} is in {path}", "warning", _KIND)
