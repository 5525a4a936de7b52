"""Bounded decompression: a reply of a few bytes may claim to be gigabytes."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from mcp_tasks_tui.protocol.errors import UnusableReply
from mcp_tasks_tui.sanitize import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

_PIECE = 256 * 1024
_GZIP_OR_ZLIB = 32 + zlib.MAX_WBITS


class Plain:
    """A body that was sent as it is."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        yield data

    def finish(self) -> bytes:
        return b""


class Inflater:
    """A gzip or zlib body, given out in pieces of at most 256 KiB as it is asked for."""

    def __init__(self) -> None:
        self._inflate = zlib.decompressobj(_GZIP_OR_ZLIB)

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield what `data` holds.

        Raises:
            UnusableReply: it is not what the server says it is.
        """
        while data:
            try:
                piece = self._inflate.decompress(data, _PIECE)
            except zlib.error:
                raise UnusableReply("the reply's compressed data is damaged") from None
            if piece:
                yield piece
            data = self._inflate.unconsumed_tail
            if self._inflate.eof:
                # gzip allows several members one after the other.
                data = self._inflate.unused_data
                if data:
                    self._inflate = zlib.decompressobj(_GZIP_OR_ZLIB)

    def finish(self) -> bytes:
        """Return what is left at the end of the body.

        Raises:
            UnusableReply: the body ends too early.
        """
        rest = self._inflate.flush()
        if not self._inflate.eof:
            raise UnusableReply("the reply breaks off inside its compressed data")
        return rest


def decoder(content_encoding: str) -> Plain | Inflater:
    """Return what undoes a Content-Encoding.

    Raises:
        UnusableReply: a coding that we never asked for.
    """
    coding = content_encoding.strip().lower()
    if coding in ("", "identity"):
        return Plain()
    if coding in ("gzip", "x-gzip", "deflate"):
        return Inflater()
    raise UnusableReply(f"the reply is compressed with {one_line(coding, 20)}, which we do not do")
