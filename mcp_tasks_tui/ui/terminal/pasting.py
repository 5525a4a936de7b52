"""Pasted text is text, whatever is in it: nothing of it is a key.

Between the marks of a bracketed paste Textual still reads escape sequences, and those that it does
not know come out as keys: a coloured line of a log, pasted over the list, would give commands.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

from textual import _xterm_parser
from textual.drivers import linux_driver

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.message import Message

START = _xterm_parser.BRACKETED_PASTE_START
END = _xterm_parser.BRACKETED_PASTE_END
#: Seconds of silence after which a paste whose end was lost is over: keys are keys again.
PATIENCE = 2.0
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


class PasteFilter:
    """Takes control characters out of what is pasted, and leaves everything else as it comes."""

    def __init__(self) -> None:
        self.pasting = False
        #: The end of what was passed on: a mark may come in two pieces.
        self._tail = ""
        #: Of a paste, what may be the beginning of its end.
        self._held = ""

    def feed(self, data: str) -> str:
        """Return `data`, the next piece of what a terminal sends, as it may be interpreted."""
        passed: list[str] = []
        while data:
            data = self._pasted(data, passed) if self.pasting else self._typed(data, passed)
        return "".join(passed)

    def end(self) -> str:
        """End a paste; return what a terminal would have sent for that."""
        self.pasting, held, self._held = False, self._held, ""
        return _CONTROLS.sub("", held) + END

    def _typed(self, data: str, passed: list[str]) -> str:
        seen = self._tail + data
        at = seen.find(START)
        if at < 0:
            self._tail = seen[-(len(START) - 1) :]
            passed.append(data)
            return ""
        rest = seen[at + len(START) :]
        passed.append(data[: len(data) - len(rest)])
        self.pasting, self._tail = True, ""
        return rest

    def _pasted(self, data: str, passed: list[str]) -> str:
        data, self._held = self._held + data, ""
        at = data.find(END)
        if at >= 0:
            self.pasting = False
            passed.append(_CONTROLS.sub("", data[:at]) + END)
            return data[at + len(END) :]
        escape = data.rfind("\x1b", -len(END))
        if escape >= 0 and END.startswith(data[escape:]):
            data, self._held = data[:escape], data[escape:]
        passed.append(_CONTROLS.sub("", data))
        return ""


class GuardedParser(_xterm_parser.XTermParser):
    """Textual's reading of the terminal, behind a :class:`PasteFilter`."""

    def __init__(self, debug: bool = False) -> None:
        self._filter = PasteFilter()
        self._fed = 0.0
        super().__init__(debug)

    def feed(self, data: str) -> Iterable[Message]:
        self._fed = time.monotonic()
        if not data:  # the end of the input
            return super().feed(data)
        data = self._filter.feed(data)
        return super().feed(data) if data else ()

    def tick(self) -> Iterable[Message]:
        if self._filter.pasting and time.monotonic() - self._fed > PATIENCE:
            return super().feed(self._filter.end())
        return super().tick()


def guard_pastes() -> None:
    """Let the terminal driver read through the guard; it names its parser nowhere but there."""
    setattr(linux_driver, "XTermParser", GuardedParser)  # noqa: B010 - a class of its module
