"""Which records of answers stand for an answer to what a task asks now. Pure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.model import AnswerState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_tasks_tui.handles.model import AnswerRecord, Json


def is_answer(record: AnswerRecord) -> bool:
    """Whether the record stands for an answer that counts: a refused one does not."""
    return record.state is not AnswerState.REFUSED


def current_answers(
    asked: Mapping[str, Json], answers: Mapping[str, AnswerRecord]
) -> dict[str, AnswerRecord]:
    """Return `answers` without those to a question that the key no longer means.

    `asked` are the open input requests, raw, by key.
    """
    return {
        key: record
        for key, record in answers.items()
        if key not in asked or record.request_hash == request_hash(asked[key])
    }


def request_hash(request: Json) -> str:
    """Return a short stable digest of an input request, raw JSON as the server gave it."""
    import hashlib  # noqa: PLC0415 - it loads a crypto library; most runs answer nothing

    text = json.dumps(request, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
