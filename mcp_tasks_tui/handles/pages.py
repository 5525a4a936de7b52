"""Rows of a damaged SQLite file, read page by page without its trees.

Where a table's root is lost, SQLite reaches none of its rows, though the pages that hold them are
whole. Here every leaf is read by itself (https://www.sqlite.org/fileformat.html); what makes no
sense is left out. A row may be an older one of its key: pages that are no longer used stay in the
file.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from mcp_tasks_tui.records import record

if TYPE_CHECKING:
    from collections.abc import Iterator

Value = int | float | str | bytes | None

_HEADER_BYTES = 100
_PAGE_BYTES = 4096
_TABLE_LEAF, _INDEX_LEAF, _INDEX_INTERIOR = 0x0D, 0x0A, 0x02
#: Kind of page -> bytes of its header, of a child's number before each cell.
_KINDS = {_TABLE_LEAF: (8, 0), _INDEX_LEAF: (8, 0), _INDEX_INTERIOR: (12, 4)}
_INTEGER_BYTES = (0, 1, 2, 3, 4, 6, 8)
_LONGEST_VARINT = 9


@record
class Row:
    """`number` is the row's number in its table, None for a row of an index."""

    number: int | None
    values: tuple[Value, ...]


class _Nonsense(Exception):
    """What stands here is no cell."""


def rows(data: bytes) -> Iterator[Row]:
    """Yield each row that a page of the file `data` still holds, in the order of the file."""
    size = _page_size(data)
    for start in range(0, len(data) - size + 1, size):
        yield from _Page(data, start, size).rows()


def _page_size(data: bytes) -> int:
    size = int.from_bytes(data[16:18], "big")
    size = 65536 if size == 1 else size
    return size if size >= 512 and size & (size - 1) == 0 else _PAGE_BYTES


class _Page:
    def __init__(self, data: bytes, start: int, size: int) -> None:
        self._data = data
        self._start = start
        self._size = size
        self._header = start + (_HEADER_BYTES if start == 0 else 0)
        self._kind = data[self._header]

    def rows(self) -> Iterator[Row]:
        if self._kind not in _KINDS:
            return
        header, before = _KINDS[self._kind]
        count = int.from_bytes(self._data[self._header + 3 : self._header + 5], "big")
        first = self._header + header
        for at in range(first, min(first + 2 * count, self._start + self._size - 1), 2):
            cell = self._start + int.from_bytes(self._data[at : at + 2], "big")
            if not first <= cell < self._start + self._size:
                continue
            try:
                yield self._row(cell + before)
            except (_Nonsense, ValueError, struct.error):
                continue

    def _row(self, at: int) -> Row:
        length, at = _varint(self._data, at)
        number = None
        if self._kind == _TABLE_LEAF:
            number, at = _varint(self._data, at)
        return Row(number, tuple(_values(self._payload(at, length))))

    def _payload(self, at: int, length: int) -> bytes:
        """Return the bytes of a row, from its page and from those that it overflows to."""
        if not 1 < length <= len(self._data):
            raise _Nonsense
        local = self._local(length)
        if at + local > self._start + self._size:
            raise _Nonsense
        parts = [self._data[at : at + local]]
        missing, link = length - local, at + local
        while missing > 0:
            page = (int.from_bytes(self._data[link : link + 4], "big") - 1) * self._size
            if not 0 < page <= len(self._data) - self._size:
                raise _Nonsense
            parts.append(self._data[page + 4 : page + 4 + min(missing, self._size - 4)])
            missing, link = missing - len(parts[-1]), page
        return b"".join(parts)

    def _local(self, length: int) -> int:
        """How many bytes of a row of `length` stand in its own page."""
        usable = self._size
        most = usable - 35 if self._kind == _TABLE_LEAF else (usable - 12) * 64 // 255 - 23
        if length <= most:
            return length
        least = (usable - 12) * 32 // 255 - 23
        fitting = least + (length - least) % (usable - 4)
        return fitting if fitting <= most else least


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for offset, byte in enumerate(data[at : at + _LONGEST_VARINT], 1):
        if offset == _LONGEST_VARINT:
            return (value << 8) | byte, at + offset
        value = (value << 7) | (byte & 0x7F)
        if byte < 0x80:
            return value, at + offset
    raise _Nonsense


def _values(payload: bytes) -> Iterator[Value]:
    end, at = _varint(payload, 0)
    body = end
    while at < end:
        kind, at = _varint(payload, at)
        length = _length(kind)
        if body + length > len(payload):
            raise _Nonsense
        yield _value(kind, payload[body : body + length])
        body += length
    if at != end or body != len(payload):
        raise _Nonsense


def _length(kind: int) -> int:
    if kind >= 12:
        return (kind - 12) // 2
    if kind in (10, 11):
        raise _Nonsense
    return (*_INTEGER_BYTES, 8, 0, 0)[kind]


def _value(kind: int, raw: bytes) -> Value:
    """Return a value; what is no text any more is a ValueError."""
    if kind >= 12:
        return raw.decode() if kind % 2 else raw
    if kind == 7:
        number: float = struct.unpack(">d", raw)[0]
        return number
    if kind == 0:
        return None
    return kind - 8 if kind >= 8 else int.from_bytes(raw, "big", signed=True)
