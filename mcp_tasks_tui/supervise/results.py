"""A task's result as parts that can be shown, whatever shape the server gave it.

The specification's shape is `content` (a list of typed items), `structuredContent` (any JSON)
and `isError` (2026-07-28, server/tools). Anything else is shown too, with a note: nothing a
server sent is dropped.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from mcp_tasks_tui.records import record
from mcp_tasks_tui.sanitize import ServerText, one_line
from mcp_tasks_tui.supervise import words

#: Longer texts are not compared with the structured content: it costs too much for a glance.
_COMPARED = 50_000
#: The server did send it: the database was damaged, and no other place has results.
LOST = "the result was kept here, and was lost when the database was damaged"
NO_ERROR_DETAIL = "the server gave no error detail"


class PartKind(StrEnum):
    TEXT = "text"
    BLOB = "file"
    LINK = "link"
    OTHER = "other"


@record
class Part:
    """One item of a result. Text and data are raw, as the server sent them."""

    kind: PartKind
    #: The server's word for it: text, image, audio, resource, resource_link, ...
    type: str
    text: str = ""
    #: Base64, for `BLOB`.
    data: str = ""
    mime: str | None = None
    name: str | None = None
    uri: str | None = None
    raw: Any = None

    @property
    def size(self) -> int:
        """Bytes of a blob once decoded (worked out, not decoded), characters of a text."""
        if self.kind is PartKind.BLOB:
            return max(0, len(self.data) * 3 // 4 - self.data[-2:].count("="))
        return len(self.text)

    @property
    def described(self) -> str:
        """One clean line: what it is, what it is called."""
        words = [self.type, self.mime, self.name or self.uri]
        return " · ".join(one_line(word, 120) for word in words if word)


@record
class ResultDoc:
    """A result, read. `raw` is what the server sent."""

    raw: Any
    parts: tuple[Part, ...] = ()
    structured: Any = None
    has_structured: bool = False
    is_error: bool = False
    #: What is odd about its shape, one clean line each.
    notes: tuple[str, ...] = ()
    #: It was kept here once and is not there any more.
    lost: bool = False

    @property
    def files(self) -> tuple[Part, ...]:
        """Parts that are files: images, audio, embedded resources of any kind."""
        return tuple(part for part in self.parts if is_file(part))

    @property
    def links(self) -> tuple[Part, ...]:
        """Parts that lead elsewhere."""
        return tuple(part for part in self.parts if part.kind is PartKind.LINK)


def is_file(part: Part) -> bool:
    """Tell whether a part has a life as a file; the text of an embedded one can be read, too."""
    return part.kind is PartKind.BLOB or (part.kind is PartKind.TEXT and part.type == "resource")


def read_result(value: Any, *, was_kept: bool = False) -> ResultDoc:
    """Read a result of any shape; None is one that the server never sent, or, if it `was_kept`
    once, one that was lost here."""
    if value is None and was_kept:
        return ResultDoc(None, notes=(LOST,), lost=True)
    if value is None:
        return ResultDoc(None, notes=("the server sent no result",))
    if isinstance(value, str):
        return ResultDoc(value, (_text_part(value),), notes=("the result is bare text",))
    if isinstance(value, Mapping):
        return _read_object(value)
    if _content_like(value):
        parts = tuple(_read_part(item) for item in value)
        return ResultDoc(value, parts, notes=("the result is a bare list of content",))
    what = "a list" if isinstance(value, list) else type(value).__name__
    return ResultDoc(value, (), value, True, notes=(f"the result is {what}, not an object",))


def _read_object(value: Mapping[str, Any]) -> ResultDoc:
    content = value.get("content")
    notes: list[str] = []
    items: Sequence[Any] = ()
    if isinstance(content, list):
        items = content
    elif content is not None:
        notes.append("content is not a list")
        items = (content,)
    has_structured = "structuredContent" in value
    if not items and not has_structured:
        notes.append(
            "no content" if content is not None else "neither content nor structured content"
        )
    is_error = value.get("isError")
    if is_error not in (None, True, False):
        notes.append("isError is not true or false, and is ignored")
    return ResultDoc(
        value,
        tuple(_read_part(item) for item in items),
        value.get("structuredContent"),
        has_structured,
        is_error is True,
        tuple(notes),
    )


def _content_like(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(item, Mapping) and item.get("type") in _READERS for item in value[:50])
    )


def _read_part(item: Any) -> Part:
    if isinstance(item, str):
        return _text_part(item)
    if not isinstance(item, Mapping):
        return Part(PartKind.OTHER, "no content item", raw=item)
    kind = item.get("type")
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    read = reader(item) if reader is not None else None
    if read is not None:
        return read
    return Part(PartKind.OTHER, kind if isinstance(kind, str) else "untyped", raw=item)


def _text_part(text: str, raw: Any = None) -> Part:
    return Part(PartKind.TEXT, "text", text, raw=text if raw is None else raw)


def _read_text(item: Mapping[str, Any]) -> Part | None:
    text = item.get("text")
    return _text_part(text, item) if isinstance(text, str) else None


def _read_media(item: Mapping[str, Any]) -> Part | None:
    data = item.get("data")
    if not isinstance(data, str):
        return None
    return Part(
        PartKind.BLOB,
        str(item["type"]),
        data=data,
        mime=_word(item.get("mimeType")),
        name=_word(item.get("name")),
        raw=item,
    )


def _read_link(item: Mapping[str, Any]) -> Part | None:
    uri = item.get("uri")
    if not isinstance(uri, str):
        return None
    return Part(
        PartKind.LINK,
        "link",
        text=_word(item.get("description")) or "",
        mime=_word(item.get("mimeType")),
        name=_word(item.get("title")) or _word(item.get("name")),
        uri=uri,
        raw=item,
    )


def _read_resource(item: Mapping[str, Any]) -> Part | None:
    inner = item.get("resource")
    if not isinstance(inner, Mapping):
        return None
    text, blob = inner.get("text"), inner.get("blob")
    uri, mime = _word(inner.get("uri")), _word(inner.get("mimeType"))
    name = _word(inner.get("title")) or _word(inner.get("name"))
    if isinstance(text, str):
        return Part(PartKind.TEXT, "resource", text, mime=mime, name=name, uri=uri, raw=item)
    if isinstance(blob, str):
        return Part(PartKind.BLOB, "resource", data=blob, mime=mime, name=name, uri=uri, raw=item)
    return None


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


_READERS = {
    "text": _read_text,
    "image": _read_media,
    "audio": _read_media,
    "resource_link": _read_link,
    "resource": _read_resource,
}


@record
class ErrorDoc:
    """The `error` of a failed task, read: JSON-RPC's code, message, data, or whatever came."""

    message: ServerText | None = None
    code: str | None = None
    data: Any = None
    has_data: bool = False
    note: str | None = None


def read_error(value: Any) -> ErrorDoc:
    """Read an error of any shape."""
    if value is None:
        return ErrorDoc(note=NO_ERROR_DETAIL)
    if isinstance(value, str):
        return ErrorDoc(ServerText(value), note="the error is bare text")
    if not isinstance(value, Mapping):
        return ErrorDoc(data=value, has_data=True, note="the error is not an object")
    message, code = value.get("message"), value.get("code")
    rest = {key: value[key] for key in value if key not in ("message", "code", "data")}
    data = value.get("data") if not rest else {"data": value.get("data"), **rest}
    return ErrorDoc(
        ServerText(message) if isinstance(message, str) else None,
        None if code is None else one_line(str(code), 40),
        data,
        "data" in value or bool(rest),
        None if isinstance(message, str) else "the error has no message",
    )


@record
class Document:
    """All the text of a result in one string, and where our own words are in it."""

    text: str
    #: Start offsets of lines that we wrote between the server's parts, ascending.
    ours: tuple[int, ...] = ()


def document(doc: ResultDoc) -> Document:
    """Join the parts of a result, each under a line that says what it is (unless it is alone)."""
    if len(doc.parts) == 1 and doc.parts[0].kind is PartKind.TEXT:
        return Document(doc.parts[0].text)
    pieces: list[str] = []
    ours: list[int] = []
    at = 0
    for number, part in enumerate(doc.parts, 1):
        heading = f"{part_heading(doc, number)}\n"
        text = body(part)
        ours.append(at)
        if not can_be_read(part):
            ours.append(at + len(heading))
        pieces += (heading, text)
        at += len(heading) + len(text)
    return Document("".join(pieces), tuple(ours))


def sent_text(doc: ResultDoc) -> str:
    """Return what the server wrote and nothing of ours: of one part, its very text; of several,
    each with a blank line to the next. Where none can be read, our words that say so."""
    written = [part for part in doc.parts if can_be_read(part)]
    if not written:
        return document(doc).text
    return "".join([*map(body, written[:-1]), _words_of(written[-1])])


def part_heading(doc: ResultDoc, number: int) -> str:
    """Return our words above part `number` (from 1)."""
    part = doc.parts[number - 1]
    size = f" · {words.size(part.size)}" if part.kind is PartKind.BLOB else ""
    return f"── {number} of {len(doc.parts)} · {part.described}{size}"


def body(part: Part) -> str:
    """Return what can be read of a part, or our words that nothing can; it ends in a blank line."""
    text = _words_of(part) or _stands_for(part)
    return f"{text}\n\n" if not text.endswith("\n") else f"{text}\n"


def can_be_read(part: Part) -> bool:
    """Tell whether a part has words of the server's."""
    return bool(_words_of(part))


def _words_of(part: Part) -> str:
    """Return the server's words of a part, empty where it has none to read."""
    if part.kind is PartKind.OTHER:
        return json_text(part.raw)
    if part.kind is PartKind.TEXT:
        return part.text
    if part.kind is PartKind.BLOB:
        return ""
    return "\n".join(each for each in (part.uri, part.text) if each)


def _stands_for(part: Part) -> str:
    """Return our words for a part that cannot be read here, and how to get it."""
    if part.kind is PartKind.BLOB:
        return "not text: save it from the Files view"
    return "(empty)"


def json_text(value: Any) -> str:
    """Return a value as JSON that can be read, or our words that it is nested too deeply."""
    try:
        return json.dumps(value, ensure_ascii=False, indent=2)
    except (TypeError, ValueError, RecursionError):
        return "nested too deeply to be shown as text: see the raw result"


def reads_like_markdown(part: Part) -> bool:
    """Tell whether a text was most likely written as Markdown (a guess the person can undo)."""
    if part.kind is not PartKind.TEXT or not part.text:
        return False
    if part.mime is not None:
        return part.mime.split(";")[0].strip().lower() in ("text/markdown", "text/x-markdown")
    head = part.text[:4000]
    lines = head.splitlines()
    signs = sum(
        line.startswith(("# ", "## ", "### ", "```", "- ", "* ", "> ", "|")) for line in lines
    )
    return signs >= 2 and ("# " in head or "```" in head or "**" in head or "|--" in head)


def repeats_structured(doc: ResultDoc) -> bool:
    """Tell whether the only text is the structured content once more, as servers should send it,
    or is all that the structured content has."""
    return doc.has_structured and (
        wraps_text(doc) or (len(doc.parts) == 1 and repeats(doc.parts[0], doc.structured))
    )


def wraps_text(doc: ResultDoc) -> bool:
    """Tell whether the structured content is the only text and nothing else, as FastMCP makes it
    of a tool that returns text: the text is what can be read then."""
    if len(doc.parts) != 1 or doc.parts[0].kind is not PartKind.TEXT:
        return False
    return bool(doc.structured == {"result": doc.parts[0].text})


def repeats(part: Part, structured: Any, *, longest: int = _COMPARED) -> bool:
    """Tell whether a part is `structured` as JSON text; one of more characters than `longest` is
    not looked into."""
    if part.kind is not PartKind.TEXT or len(part.text) > longest:
        return False
    try:
        return bool(json.loads(part.text) == structured)
    except (ValueError, RecursionError):
        return False
