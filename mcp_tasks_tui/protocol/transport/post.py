"""What is sent, and how the transport may go about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_tasks_tui.redaction import Redaction

    #: Returns the JSON value in a body; it is given what reads any.
    ReadLarge = Callable[[bytes, Callable[[bytes], Any]], Any]


@dataclass(frozen=True, slots=True)
class Post:
    """One request, ready to be sent.

    Attributes:
        redaction: hides what in `headers` is secret, should the server quote it.
        patient: the answer may take as long as it likes (`tools/call`, the listen stream).
        pooled: may go over a kept-alive connection.
        poll: a read of a task: the kind of which there are many, which leaves room for others, and
            which may be sent again, once, if its connection turns out to be dead.
        read_large: reads a large body of the answer with the help of what it is given.
    """

    request_id: int
    method: str
    headers: dict[str, str]
    body: bytes
    redaction: Redaction
    patient: bool = False
    pooled: bool = False
    poll: bool = False
    read_large: ReadLarge | None = None
