"""Questions that come again with every poll: known by their bytes, and not read anew.

A task may ask ten thousand questions, and each reply about it has all of them. To read them takes
a hundred times as long as to see that they are the same.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_NAME = "inputRequests"
_MEMBER = f'"{_NAME}"'.encode()
#: Stands for the questions in a body; no server can know it.
_STAND_IN = secrets.token_hex(16)
_STAND_IN_JSON = f'"{_STAND_IN}"'.encode()
#: Tasks whose questions are kept.
_MOST = 8
#: Places in a body that are looked at.
_PLACES = 4
_BLANKS = b" \t\r\n"


@dataclass(frozen=True, slots=True)
class _Kept:
    """The questions of a reply as read; `raw` is the JSON of them, once they came a second time.

    None: their JSON says something else than what was read, so it is of no use.
    """

    questions: dict[str, Any]
    raw: bytes | None = b""


class Repeated:
    """The questions in the last large reply about each task of one server."""

    def __init__(self) -> None:
        self._kept: dict[str, _Kept] = {}

    def read(self, task_id: str, body: bytes, read: Callable[[bytes], Any]) -> Any:
        """Return the message that `read` finds in `body`, a reply about a task.

        Questions that have not changed are those that were returned before.
        """
        kept = self._kept.get(task_id)
        if kept is not None and kept.raw and (at := _place_of(kept.raw, body)):
            message = read(body[:at] + _STAND_IN_JSON + body[at + len(kept.raw) :])
            result = _result(message)
            if result.get(_NAME) == _STAND_IN:
                result[_NAME] = kept.questions
                return message
        message = read(body)
        questions = _result(message).get(_NAME)
        self._kept.pop(task_id, None)
        if isinstance(questions, dict) and questions:
            if kept is not None and kept.questions == questions:
                kept = _Kept(questions, _raw(questions, body) if kept.raw is not None else None)
            else:
                kept = _Kept(questions)
            self._keep(task_id, kept)
        return message

    def _keep(self, task_id: str, kept: _Kept) -> None:
        self._kept[task_id] = kept
        if len(self._kept) > _MOST:
            # Two replies about the same task may be read at once, each in its thread.
            self._kept.pop(next(iter(self._kept), ""), None)


def _result(message: Any) -> dict[str, Any]:
    result = message.get("result") if isinstance(message, dict) else None
    return result if isinstance(result, dict) else {}


def _places(body: bytes) -> list[int]:
    """Return where a value of a member of that name may begin."""
    places: list[int] = []
    found = body.find(_MEMBER)
    while found >= 0 and len(places) < _PLACES:
        at = found + len(_MEMBER)
        colon = body.find(b":", at)
        if colon >= 0 and not body[at:colon].strip(_BLANKS):
            begin = colon + 1
            while body[begin : begin + 1] and body[begin] in _BLANKS:
                begin += 1
            places.append(begin)
        found = body.find(_MEMBER, at)
    return places


def _place_of(raw: bytes, body: bytes) -> int:
    """Return where `raw` is in `body`, 0 where it is not. No string has quotes like those in it:
    what is found is the questions."""
    return next((at for at in _places(body) if body.startswith(raw, at)), 0)


def _raw(questions: dict[str, Any], body: bytes) -> bytes | None:
    """Return the JSON in `body` that was read as `questions`, None where it reads otherwise."""
    for at in _places(body):
        try:
            text = body[at:].decode("utf-8")
            value, end = json.JSONDecoder().raw_decode(text)
        except (ValueError, RecursionError):
            continue
        if value == questions:
            return text[:end].encode("utf-8")
    return None
