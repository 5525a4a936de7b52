"""The receipts file: one JSON line per saved handle, only ever appended to, durable.

A line is written before anything else happens with a handle, and the database is filled from
these lines: what is here is never lost. Field names are those of `export` and `import`, so
that the file can be imported as it is.
"""

from __future__ import annotations

import errno
import json
import os
import stat
import zlib
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui import files
from mcp_tasks_tui.handles import handle_json, json_values
from mcp_tasks_tui.records import record
from mcp_tasks_tui.urls import UrlError, normal_url

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from mcp_tasks_tui.handles.model import HandleDraft

SAVED, EDITED, ARCHIVED, RESTORED = "saved", "edited", "archived", "restored"
_ENCODE = json.JSONEncoder(separators=(",", ":")).encode
_START = b'{"receipt":'
_FORMAT = 1
#: How each line of ours begins, see :func:`encode`.
_BEGINNING = b'{"receipt":1,"event":"'
_CRC_BYTES = 64
_ATTEMPTS = 3
#: Beginnings of receipts that are looked at in one line: more than a few are no power cuts.
_TORN_PIECES = 20
#: So much of a file that does not begin as ours do is searched for a receipt.
_LOOKED_AT = 1 << 20
#: What this version writes into a line; anything else is a newer one's.
FIELDS = frozenset((*handle_json.FIELDS, "receipt", "event", "at", "key", "call"))


@record
class Receipt:
    """One line: `event` is one of the words above, or a newer version's; `at` in epoch seconds."""

    event: str
    at: float
    draft: HandleDraft
    key: str | None = None
    #: Of which call the handle is the answer (`Intent.intent_id`): that one is not lost.
    call: int | None = None


@record
class BadLine:
    """A line that is no receipt. It stays in the file. `number` counts from 1 where read began."""

    number: int
    why: str


@record
class Batch:
    """What was read: `end` is the offset behind the last whole line."""

    receipts: tuple[Receipt, ...] = ()
    bad: tuple[BadLine, ...] = ()
    end: int = 0


@record
class Mark:
    """How far the database has read the file, and a checksum of the bytes just before."""

    offset: int = 0
    crc: int = 0


@record
class Appended:
    """What was just written, from the offset `start` on, and the mark for having read it."""

    start: int
    receipts: tuple[Receipt, ...]
    mark: Mark


class ReceiptFile:
    """The file at `path`. It is opened for each use, so that it may be moved at any time."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, receipts: Sequence[Receipt]) -> Appended | None:
        """Write the lines and return once they are on the medium.

        None: they are there, but the file was moved away and made anew meanwhile.

        Raises:
            OSError: they were not written; also where the file is somebody else's.
        """
        data = b"".join(map(encode, receipts))
        for _ in range(_ATTEMPTS):
            fd = files.open_private(self.path)
            try:
                _refuse_others(fd, self.path)
                files.write_all(fd, data if _ends_whole(fd) else b"\n" + data)
                files.sync(fd)
                written_to = os.fstat(fd)
                end = os.lseek(fd, 0, os.SEEK_CUR)
                crc = zlib.crc32(os.pread(fd, _CRC_BYTES, max(0, end - _CRC_BYTES)))
            finally:
                os.close(fd)
            if self._is_still(written_to):
                return Appended(end - len(data), tuple(receipts), Mark(end, crc))
        return None

    def read(self, offset: int = 0) -> Batch:
        """Return the lines from `offset` on; none where there is no file. Raises OSError."""
        try:
            with self.path.open("rb") as file:
                file.seek(offset)
                data = file.read()
        except FileNotFoundError:
            return Batch()
        whole = data.rfind(b"\n") + 1
        receipts: list[Receipt] = []
        bad: list[BadLine] = []
        for number, line in enumerate(data[:whole].split(b"\n"), start=1):
            for found in _read_line(line):
                if isinstance(found, Receipt):
                    receipts.append(found)
                else:
                    bad.append(BadLine(number, found))
        return Batch(tuple(receipts), tuple(bad), offset + whole)

    def why_not_ours(self) -> str | None:
        """Say why nothing may be done to what is there; None where it is ours, or nothing."""
        try:
            fd = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            _refuse_others(fd, self.path)
        except OSError as error:
            return f"{self.path}: {error.strerror}"
        finally:
            os.close(fd)
        return None

    def size(self) -> int:
        try:
            return self.path.stat().st_size
        except FileNotFoundError:
            return 0

    def mark(self, offset: int) -> Mark:
        """Return the mark for having read up to `offset`."""
        start = max(0, offset - _CRC_BYTES)
        try:
            with self.path.open("rb") as file:
                file.seek(start)
                return Mark(offset, zlib.crc32(file.read(offset - start)))
        except FileNotFoundError:
            return Mark(offset, zlib.crc32(b""))

    def _is_still(self, written_to: os.stat_result) -> bool:
        try:
            return os.path.samestat(written_to, self.path.stat())
        except FileNotFoundError:
            return False


@lru_cache(maxsize=256)
def normal(url: str) -> str:
    """Return the normal form of a server's URL; there are few servers and many handles."""
    return normal_url(url)


def encode(receipt: Receipt) -> bytes:
    """Return the line of a receipt, ASCII, with its newline."""
    body = {
        "receipt": _FORMAT,
        "event": receipt.event,
        "at": receipt.at,
        "key": receipt.key,
        **handle_json.to_json(receipt.draft),
        "savedAt": None,  # that is `at`
        "call": receipt.call,
    }
    return _ENCODE(handle_json.without_empty(body)).encode("ascii") + b"\n"


def _ends_whole(fd: int) -> bool:
    """Whether what is there ends with a newline; after a power cut or a full disk it may not."""
    size = os.fstat(fd).st_size
    return size == 0 or os.pread(fd, 1, size - 1) == b"\n"


def _refuse_others(fd: int, path: Path) -> None:
    """Raise OSError where a file is not one of receipts, whatever name or link led to it.

    One that a power cut has torn, or filled with zeros, still is.
    """
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        raise OSError(errno.EINVAL, "it is no file: move it away", str(path))
    if os.pread(fd, len(_BEGINNING), 0) == _BEGINNING:
        return
    head = os.pread(fd, _LOOKED_AT, 0)
    text = head.strip(b"\0 \t\r\n")
    if text.startswith(_BEGINNING) or _BEGINNING.startswith(text):
        return
    lines = (found for line in head.split(b"\n") for found in _read_line(line))
    if not any(isinstance(found, Receipt) for found in lines):
        words = "it holds something else; move it away, or let `doctor --repair` set it aside"
        raise OSError(errno.EINVAL, words, str(path))


def _read_line(line: bytes) -> Iterator[Receipt | str]:
    """Yield the receipts in a line, and why what else it holds is none."""
    text = line.strip(b"\0 \t\r")
    if not text:
        if b"\0" in line:
            yield f"{len(line)} NUL bytes"
        return
    receipt = _decode(text)
    if isinstance(receipt, Receipt):
        yield receipt
        return
    second = 0
    for _ in range(_TORN_PIECES):
        second = text.find(_START, second + 1)
        if second < 0:
            break
        behind = _decode(text[second:])
        if isinstance(behind, Receipt):
            yield "a torn line before a whole one"
            yield behind
            return
    yield receipt


def _decode(text: bytes) -> Receipt | str:
    try:
        body = json_values.parse(text)
    except ValueError:
        return "torn, or not JSON"
    if not isinstance(body, dict):
        return "not a JSON object"
    url, task_id = body.get("serverUrl"), body.get("taskId")
    if not isinstance(url, str) or not isinstance(task_id, str) or not task_id:
        return "no serverUrl or no taskId"
    try:
        url = normal(url)
    except UrlError as error:
        return f"serverUrl: {error}"
    return Receipt(
        event=_text(body, "event") or SAVED,
        at=json_values.time_of(body.get("at")) or 0.0,
        draft=handle_json.from_json({**body, "serverUrl": url}, FIELDS, _left_out),
        key=_text(body, "key"),
        call=_whole(body, "call"),
    )


def _left_out(_name: str, _why: str) -> None:
    """A value that cannot be there costs no handle."""


def _text(body: Mapping[str, Any], name: str) -> str | None:
    return handle_json.text_of(body.get(name), name, _left_out)


def _whole(body: Mapping[str, Any], name: str) -> int | None:
    value = body.get(name)
    return value if type(value) is int and 0 < value < 1 << 63 else None
