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
    from collections.abc import Callable, Generator, Iterable

    from textual.message import Message

START = _xterm_parser.BRACKETED_PASTE_START
END = _xterm_parser.BRACKETED_PASTE_END
#: Seconds of silence after which what was pasted so far is handed on.
PATIENCE = 2.0
#: Seconds of silence before and after a key that a person pressed; a link that wakes up has none.
ALONE = 0.1
#: Keys that came alone after which the end of a paste is taken to be lost.
_LONE_KEYS = 2
#: What terminals send by themselves: the mouse moved, the window has the keyboard.
_REPORTS = re.compile(r"(?:\x1b\[(?:<[\d;]*[Mm]|[IO]))*")
#: One key, or what may become one.
_KEY = re.compile(r"\x1b\[[\d;:<?]*[^\d;:<?]?|\x1bO?.?|.", re.DOTALL)
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


class PasteFilter:
    """Takes control characters out of what is pasted, and leaves everything else as it comes."""

    def __init__(self) -> None:
        self.pasting = False
        #: The end of what was passed on: a mark may come in two pieces.
        self._tail = ""
        #: Of a paste, what may be the beginning of its end.
        self._maybe_end = ""

    def feed(self, data: str) -> str:
        """Return `data`, the next piece of what a terminal sends, as it may be interpreted."""
        passed: list[str] = []
        while data:
            data = self._pasted(data, passed) if self.pasting else self._typed(data, passed)
        return "".join(passed)

    def end(self) -> str:
        """End a paste; return what a terminal would have sent for that."""
        self.pasting, rest, self._maybe_end = False, self._maybe_end, ""
        return _CONTROLS.sub("", rest) + END

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
        data, self._maybe_end = self._maybe_end + data, ""
        at = data.find(END)
        if at >= 0:
            self.pasting = False
            passed.append(_CONTROLS.sub("", data[:at]) + END)
            return data[at + len(END) :]
        escape = data.rfind("\x1b", -len(END))
        if escape >= 0 and END.startswith(data[escape:]):
            data, self._maybe_end = data[:escape], data[escape:]
        passed.append(_CONTROLS.sub("", data))
        return ""


class GuardedParser(_xterm_parser.XTermParser):
    """Textual's reading of the terminal, behind a :class:`PasteFilter`.

    A paste that stalls looks like one whose end was lost, and what comes next may be the rest of
    it or a person at a keyboard that nothing answers. A burst is the rest: another piece of
    pasted text. A key that comes alone is a key, and after a second one all keys are keys again.
    """

    def __init__(
        self, debug: bool = False, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._filter = PasteFilter()
        self._monotonic = monotonic
        self._fed = 0.0
        #: Keys that come alone until the end of a paste is taken to be lost; 0: none is missing.
        self._lone_keys_left = 0
        #: Of what came since, what may be a key and nothing else.
        self._maybe_key = ""
        super().__init__(debug)

    def feed(self, data: str) -> Iterable[Message]:
        if not data:  # the end of the input
            yield from super().feed(data)
            return
        yield from self._come_alone()
        self._fed = self._monotonic()
        if self._lone_keys_left > 0:
            data = yield from self._in_doubt(self._maybe_key + data)
        if passed := self._filter.feed(data):
            yield from super().feed(passed)

    def tick(self) -> Iterable[Message]:
        if self._filter.pasting and self._monotonic() - self._fed > PATIENCE:
            self._lone_keys_left = _LONE_KEYS
            yield from super().feed(self._filter.end())
        yield from self._come_alone()
        yield from super().tick()

    def _in_doubt(self, data: str) -> Generator[Message, None, str]:
        """Take what came since a stall; return what it certainly is, as a terminal sends that."""
        reports = _REPORTS.match(data)
        if reports and reports.group():
            data = data[reports.end() :]
            yield from super().feed(reports.group())
        self._maybe_key = data if data != END and _KEY.fullmatch(data) else ""
        if self._maybe_key or not data:
            return ""
        self._lone_keys_left = 0
        if data == END:
            return ""
        return data if data.startswith(START) else START + data

    def _come_alone(self) -> Iterable[Message]:
        """Give out a key that nothing came with."""
        if self._maybe_key and self._monotonic() - self._fed > ALONE:
            key, self._maybe_key = self._maybe_key, ""
            self._lone_keys_left -= 1
            yield from super().feed(self._filter.feed(key))


def guard_pastes() -> None:
    """Let the terminal driver read through the guard; it names its parser nowhere but there."""
    setattr(linux_driver, "XTermParser", GuardedParser)  # noqa: B010 - a class of its module
