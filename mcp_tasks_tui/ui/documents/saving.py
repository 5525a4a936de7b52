"""Writing a result to a file that a person named: never over another file, private, said where."""

from __future__ import annotations

import binascii
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.supervise.results import Part, PartKind

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Base64 characters decoded at a time, a multiple of four.
_CHUNK = 1 << 20
_TYPES = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/gif": "gif",
    "image/webp": "webp",
    "image/svg+xml": "svg",
    "audio/wav": "wav",
    "audio/x-wav": "wav",
    "audio/mpeg": "mp3",
    "audio/ogg": "ogg",
    "application/pdf": "pdf",
    "application/json": "json",
    "application/zip": "zip",
    "application/gzip": "gz",
    "text/plain": "txt",
    "text/markdown": "md",
    "text/html": "html",
    "text/csv": "csv",
}
_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")


class NotSaved(Exception):
    """Nothing was written; the message is one line that says why."""


def file_name(stem: str, extension: str) -> str:
    """Return a plain file name out of any text; it has no folder in it and hides nothing."""
    plain = _UNFIT.sub("-", stem).strip("-.")[:80]
    return f"{plain or 'result'}.{extension}"


def name_for(part: Part, stem: str) -> str:
    """Suggest a name for a file inside a result, after its own name where it has one."""
    own = (part.name or (part.uri or "").rstrip("/").rpartition("/")[2]).replace("\\", "/")
    own = own.rpartition("/")[2]
    extension = _TYPES.get((part.mime or "").split(";")[0].strip().lower(), "bin")
    base, dot, suffix = own.rpartition(".")
    if dot and base and re.fullmatch(r"[A-Za-z0-9]{1,8}", suffix):
        return file_name(base, suffix)
    return file_name(own or f"{stem}-{part.type}", extension)


def free_path(folder: Path, name: str) -> Path:
    """Return a path in `folder` that does not exist yet: ``report.md``, ``report-2.md``, ..."""
    path = folder / name
    number = 1
    while path.exists() or path.is_symlink():
        number += 1
        path = folder / f"{Path(name).stem}-{number}{Path(name).suffix}"
    return path


def write_new(path: Path, chunks: Iterator[bytes]) -> int:
    """Write a new file that only its owner can read; return its size in bytes.

    Raises:
        NotSaved: it exists, the folder does not, the disk is full, the data is no base64, ...
            What was begun is taken away again.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW, 0o600)
    except FileExistsError:
        raise NotSaved(f"{path} exists; it is not overwritten: choose another name") from None
    except (OSError, ValueError) as error:
        raise NotSaved(f"{path}: {_why(error)}") from None
    written = 0
    try:
        with os.fdopen(handle, "wb") as file:
            for chunk in chunks:
                written += file.write(chunk)
    except (OSError, NotSaved, RecursionError) as error:
        path.unlink(missing_ok=True)
        raise NotSaved(f"{path}: {_why(error)}") from None
    return written


_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)


def _why(error: Exception) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    if isinstance(error, RecursionError):
        return "nested too deeply to be written as JSON"
    return str(error)


def text_bytes(text: str) -> Iterator[bytes]:
    """Yield a text in UTF-8, exactly as the server sent it."""
    for start in range(0, len(text), _CHUNK):
        yield text[start : start + _CHUNK].encode("utf-8", "surrogatepass")


def json_bytes(value: Any) -> Iterator[bytes]:
    """Yield a value as indented JSON, bit by bit."""
    for piece in json.JSONEncoder(indent=2, ensure_ascii=False).iterencode(value):
        yield piece.encode("utf-8", "backslashreplace")
    yield b"\n"


def blob_bytes(data: str) -> Iterator[bytes]:
    """Yield the bytes of a base64 text, decoded bit by bit; blanks in it do not matter."""
    rest = b""
    for start in range(0, len(data), _CHUNK):
        chunk = rest + data[start : start + _CHUNK].encode("ascii", "replace")
        chunk = chunk.translate(None, b" \t\r\n").replace(b"-", b"+").replace(b"_", b"/")
        whole = len(chunk) - len(chunk) % 4
        rest = chunk[whole:]
        yield _decoded(chunk[:whole])
    if rest:
        yield _decoded(rest + b"=" * (-len(rest) % 4))


def _decoded(chunk: bytes) -> bytes:
    try:
        return binascii.a2b_base64(chunk, strict_mode=True)
    except binascii.Error:
        raise NotSaved("the data is not base64; save the raw result instead") from None


def part_bytes(part: Part) -> Iterator[bytes]:
    """Yield what is in one item of a result."""
    if part.kind is PartKind.BLOB:
        return blob_bytes(part.data)
    return text_bytes(part.text if part.kind is PartKind.TEXT else part.uri or "")
