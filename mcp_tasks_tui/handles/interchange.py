"""Handles as JSON, out and in. Pure: text in, drafts out; :func:`import_handles` saves them.

Read are: an array, one object, JSON Lines; entries with the field names of `export` (needed:
`taskId`, and `serverUrl` or `server`), the lines of a receipts file, bare `CreateTaskResult`
objects (flat, or with the task nested under `task`) and whole JSON-RPC replies that carry one.
Credentials in the input are never kept.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.handles import handle_json, json_values
from mcp_tasks_tui.handles.merge import applied, created, draft_of
from mcp_tasks_tui.handles.receipts import FIELDS, Receipt
from mcp_tasks_tui.records import altered, record
from mcp_tasks_tui.urls import UrlError, normal_url

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from mcp_tasks_tui.handles.errors import StoreError
    from mcp_tasks_tui.handles.merge import Kept
    from mcp_tasks_tui.handles.model import Handle, HandleDraft, Saved
    from mcp_tasks_tui.handles.store import HandleStore


#: Behind the fields of a handle: what a task says of itself, and what this program derives from
#: it. That is read anew, not imported.
_KNOWN = FIELDS.union(
    ("server", "resultType", "_meta", "status", "statusMessage", "createdAt", "lastUpdatedAt"),
    ("ttl", "ttlMs", "pollInterval", "pollIntervalMs", "inputRequests", "result", "error"),
    ("jsonrpc", "id", "state", "lastMessage", "observedAt", "read", "requested"),
    ("answeredKeys", "progress", "attention", "notes"),
)
_SECRET = re.compile(
    r"headers?$|authori[sz]ation|cookie|token|secret|passw|api[-_]?key|credential|bearer|^env$",
    re.IGNORECASE,
)
_MAX_DEPTH = 200
_ENTRY = re.compile(r"[^\s\0,\[\]\ufeff]")
_NEXT_ENTRY = re.compile(r"\n[^\S\n]*\{")


@record
class BadEntry:
    """An entry that is no handle: its position (from 1), the line it begins on, and why."""

    position: int
    line: int
    why: str

    def __str__(self) -> str:
        return f"entry {self.position} (line {self.line}): {self.why}"


@record
class Parsed:
    """What a text held. `withheld` names the fields that were left out as credentials."""

    drafts: tuple[HandleDraft, ...]
    bad: tuple[BadEntry, ...] = ()
    withheld: tuple[str, ...] = ()


@record
class Imported:
    """What an import did: handles new to the store, known before, and bad entries."""

    saved: tuple[Saved, ...]
    new: int
    parsed: Parsed


class _Bad(Exception):
    """This entry is no handle; the message says why."""


def parse(
    text: str,
    *,
    server_url: Callable[[str], str | None] = lambda _: None,
    default_server: str | None = None,
) -> Parsed:
    """Return the handles in `text`; bad entries are reported and the good ones kept.

    `server_url` gives the URL of a configured server's name; `default_server` (a URL) is for
    entries that name none.
    """
    drafts: list[HandleDraft] = []
    receipts: list[Receipt] = []
    bad: list[BadEntry] = []
    withheld: dict[str, None] = {}
    for position, (line, entry) in enumerate(_entries(text), start=1):
        try:
            if isinstance(entry, _Bad):
                raise entry
            kept, secrets = _without_secrets(entry)
            draft = _draft(kept, server_url, default_server)
            if _is_receipt(entry) and draft.saved_at is not None:
                receipts.append(Receipt(entry["event"], draft.saved_at, draft))
            else:
                drafts.append(draft)
            withheld.update(dict.fromkeys(secrets))
        except _Bad as error:
            bad.append(BadEntry(position, line, str(error)))
        except RecursionError:
            bad.append(BadEntry(position, line, "nested too deeply"))
    return Parsed((*drafts, *_replayed(receipts)), tuple(bad), tuple(withheld))


def import_handles(store: HandleStore, parsed: Parsed) -> Imported:
    """Save what was parsed. Importing the same again changes nothing. Raises StoreError."""
    before = {(one.handle.server_url, one.handle.task_id) for one in store.load()}
    saved = store.save_all(parsed.drafts)
    there = {(one.handle.server_url, one.handle.task_id) for one in saved}
    return Imported(tuple(saved), len(there - before), parsed)


def export_json(handles: Iterable[Handle]) -> str:
    """Return a JSON array of handles that :func:`parse` reads back; times are ISO 8601."""
    return json.dumps([_exported(handle) for handle in handles], indent=2) + "\n"


def _exported(handle: Handle) -> dict[str, Any]:
    times = {"savedAt": _iso(handle.saved_at), "archivedAt": _iso(handle.archived_at)}
    body = {"key": handle.key, **handle_json.to_json(handle), **times}
    return body if handle.extra else {name: body[name] for name in body if name != "extra"}


def draft_json(draft: HandleDraft) -> str:
    """Return an unsaved handle whole, as one line that `import` takes."""
    return json.dumps(handle_json.without_empty(handle_json.to_json(draft)))


def unsaved_text(error: StoreError) -> str:
    """Return what a failing save left unsaved, one line each, to copy by hand; "" if nothing."""
    return "\n".join(draft_json(draft) for draft in error.unsaved)


# --- reading -----------------------------------------------------------------------------


def _entries(text: str) -> Iterator[tuple[int, Any]]:
    """Yield (line, entry); one that is not JSON comes as `_Bad`, and the next line goes on.

    Brackets and commas between entries carry nothing: so arrays, cut-off arrays, JSON Lines
    and pretty-printed objects one after the other are all read alike.
    """
    reader = _Reader(text)
    at, line, counted = 0, 1, 0
    while (found := _ENTRY.search(text, at)) is not None:
        at = found.start()
        line += text.count("\n", counted, at)
        counted = at
        try:
            entry, at = reader.read(at)
            yield line, entry
        except json.JSONDecodeError as error:
            yield line, _Bad(f"not JSON ({error.msg}, on line {line + error.lineno - 1})")
            at = _behind(text, at)
        except (ValueError, RecursionError) as error:
            deep = isinstance(error, RecursionError)
            yield line, _Bad("nested too deeply" if deep else f"not JSON ({error})")
            at = _behind(text, at)


def _behind(text: str, bad: int) -> int:
    """Return where the next entry may begin behind the start of a bad one."""
    following = _NEXT_ENTRY.search(text, bad)
    return len(text) if following is None else following.end() - 1


class _Reader:
    """Reads values out of a long text, in a time that grows with the text and not faster.

    The parser is given a short piece, and a longer one only where that was too short: it counts
    the lines before an error from the start of what it is given. Where most of the text has been
    read several times in vain, a value ends with its line.
    """

    _FIRST_PIECE = 4096
    #: An error so close to the end of a piece may be due to that end: ``-Infinity`` is 9 long.
    _NEAR = 10

    def __init__(self, text: str) -> None:
        self._text = text
        self._in_vain = 0
        self._patience = 8 * len(text) + 1_000_000

    def read(self, start: int) -> tuple[Any, int]:
        """Return the value that begins at `start`, and where it ends.

        Raises:
            ValueError, RecursionError: there is none that can be read.
        """
        last, length = self._last(start), self._FIRST_PIECE
        while True:
            end = min(start + length, last)
            try:
                value, size = json_values.DECODER.raw_decode(self._text[start:end])
            except (ValueError, RecursionError) as error:
                self._in_vain += end - start
                if end == last or not self._is_cut(error, end - start):
                    raise
            else:
                if end == last or size < end - start:
                    return value, start + size
            length *= 2

    def _last(self, start: int) -> int:
        if self._in_vain < self._patience:
            return len(self._text)
        line_end = self._text.find("\n", start)
        return len(self._text) if line_end < 0 else line_end

    def _is_cut(self, error: Exception, length: int) -> bool:
        """Tell whether an error may come from the end of the piece, and not from the text."""
        return isinstance(error, json.JSONDecodeError) and (
            error.pos >= length - self._NEAR or error.msg.startswith("Unterminated string")
        )


def _draft(
    entry: Any, server_url: Callable[[str], str | None], default_server: str | None
) -> HandleDraft:
    fields = _fields(entry)
    if _string(fields, "taskId") is None:
        raise _Bad("no taskId")
    url = _url(fields, server_url, default_server)
    told = {"savedAt": fields.get("at"), **fields, "serverUrl": url}
    return handle_json.from_json(told, _KNOWN, _refuse)


def _is_receipt(entry: Any) -> bool:
    return "receipt" in entry and isinstance(entry.get("event"), str)


def _replayed(receipts: Iterable[Receipt]) -> Iterator[HandleDraft]:
    """Yield each handle of a receipts file as the last edit, archiving and restoring left it."""
    kept: dict[tuple[str, str], Kept] = {}
    for each in receipts:
        task = each.draft.server_url, each.draft.task_id
        kept[task] = applied(kept.get(task) or created("", each), each)
    for one in kept.values():
        handle = one.handle
        yield altered(draft_of(handle), saved_at=handle.saved_at, archived_at=handle.archived_at)


def _fields(entry: Any) -> Mapping[str, Any]:
    """The fields of a handle, out of whatever it is wrapped in."""
    if not isinstance(entry, dict):
        raise _Bad("not an object")
    fields: dict[str, Any] = dict(entry)
    if "jsonrpc" in fields and "taskId" not in fields:
        if "error" in fields:
            raise _Bad("a JSON-RPC error: there is no task in it")
        fields |= _unwrapped(fields.pop("result", None), "a JSON-RPC message without a task result")
    if "taskId" not in fields and isinstance(fields.get("task"), dict):
        fields |= _unwrapped(fields.pop("task"), "no taskId")
    return fields


def _unwrapped(inner: Any, why: str) -> dict[str, Any]:
    if not isinstance(inner, dict):
        raise _Bad(why)
    return inner


def _url(
    fields: Mapping[str, Any],
    server_url: Callable[[str], str | None],
    default_server: str | None,
) -> str:
    given = _string(fields, "serverUrl")
    if given is None and (name := _string(fields, "server")) is not None:
        given = server_url(name)
        if given is None and "://" not in name:
            raise _Bad(f"no server named {name!r}; give its serverUrl")
        given = given or name
    if given is None:
        given = default_server
    if given is None:
        raise _Bad("it names no server; say which: --server NAME")
    try:
        return normal_url(given)
    except UrlError as error:
        raise _Bad(f"serverUrl: {error}") from None


def _string(fields: Mapping[str, Any], name: str) -> str | None:
    return handle_json.text_of(fields.get(name), name, _refuse)


def _refuse(name: str, why: str) -> None:
    raise _Bad(f"{name} {why}")


def _iso(at: float | None) -> str | None:
    """Return a time in ISO 8601, rounded up: a handle that comes back was saved no earlier."""
    if at is None:
        return None
    return handle_json.iso(math.ceil(at * 1000) / 1000) or handle_json.iso(0)


def _without_secrets(entry: Any) -> tuple[Any, list[str]]:
    """Return the entry without what looks like a credential, and the names of what was taken.

    A tool's arguments are the task's own and stay as they are.
    """
    taken: list[str] = []

    def walk(value: Any, depth: int) -> Any:
        if depth > _MAX_DEPTH:
            raise _Bad("nested too deeply")
        if isinstance(value, list):
            return [walk(item, depth + 1) for item in value]
        if not isinstance(value, dict):
            return value
        kept = {}
        for name, item in value.items():
            if name == "arguments":
                kept[name] = item
            elif _SECRET.search(name):
                taken.append(name)
            else:
                kept[name] = walk(item, depth + 1)
        return kept

    return walk(entry, 0), taken
