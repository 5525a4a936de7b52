"""An event-stream parser (WHATWG HTML, "Server-sent events"): bytes in, events out.

It works on bytes, so chunks may be cut anywhere: inside a UTF-8 character or between CR and LF.
"""

from __future__ import annotations

from dataclasses import dataclass

_BOM = b"\xef\xbb\xbf"


class EventTooLarge(ValueError):
    """One event is larger than the parser may hold."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event: its type (``message`` unless named) and its data lines joined by newlines."""

    kind: str
    data: bytes


class EventStreamParser:
    """Feed it chunks; it returns the events that each chunk completes.

    Comments, unknown fields and events without data are dropped, as the standard says. `limit`
    bounds the bytes held for one unfinished event.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._line: list[bytes] = []
        self._data: list[bytes] = []
        self._kind = b""
        self._held = 0
        self._after_cr = False
        self._at_start = True

    def feed(self, chunk: bytes) -> list[Event]:
        """Return the events completed by `chunk`.

        Raises:
            EventTooLarge: an event outgrew the limit.
        """
        if self._after_cr and chunk.startswith(b"\n"):
            chunk = chunk[1:]
            self._after_cr = False
        if not chunk:
            return []
        self._after_cr = chunk.endswith(b"\r")
        events: list[Event] = []
        for piece in chunk.splitlines(keepends=True):
            self._hold(len(piece))
            if not piece.endswith((b"\n", b"\r")):
                self._line.append(piece)
                continue
            self._line.append(piece.rstrip(b"\r\n"))
            self._end_line(events)
        return events

    def finish(self) -> list[Event]:
        """Return the event that the end of the stream left unfinished, where it has data.

        The standard drops it; a server that forgets the last blank line has still answered.
        """
        events: list[Event] = []
        if self._line:
            self._end_line(events)
        self._dispatch(events)
        return events

    def unfinished(self) -> bytes:
        """Return the data of the event that has not ended yet, as far as it came."""
        line = b"".join(self._line)
        rest = [line[5:].removeprefix(b" ")] if line.startswith(b"data:") else []
        return b"\n".join([*self._data, *rest])

    def _hold(self, size: int) -> None:
        self._held += size
        if self._held > self._limit:
            raise EventTooLarge(f"an event is larger than {self._limit} bytes")

    def _end_line(self, events: list[Event]) -> None:
        line = b"".join(self._line)
        self._line.clear()
        if self._at_start:
            self._at_start = False
            line = line.removeprefix(_BOM)
        if not line:
            self._dispatch(events)
            return
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
        elif name == b"event":
            self._kind = value
        if not self._data:
            self._held = len(self._kind)

    def _dispatch(self, events: list[Event]) -> None:
        data = b"\n".join(self._data)
        if data:
            events.append(Event(self._kind.decode(errors="replace") or "message", data))
        self._data.clear()
        self._kind = b""
        self._held = 0
