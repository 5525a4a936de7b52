"""Our own secrets, taken out of what others say: a server that quotes the token it was sent must
not bring it into the store, a log or a screen."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MARK = "[credential hidden]"

_SECRET_NAME = re.compile(r"auth|cookie|token|secret|key|password|session", re.IGNORECASE)
_SECRET_VALUE = re.compile(r"\s*(bearer|basic|token)\s+\S", re.IGNORECASE)
#: A shorter one cannot be told from the words around it, and is no secret that protects anything.
_LEAST_LENGTH = 8
#: What a server chose to be asked by. Without its exact value a task could not be reached.
_IDENTIFIERS = frozenset({"taskId", "requestState", "nextCursor"})
_PLAIN_RUN = re.compile(r"[A-Za-z0-9]+")


def carries_secret(header: str, value: str) -> bool:
    """Tell whether a request header carries a secret, by its name or an authorization scheme."""
    return bool(_SECRET_NAME.search(header) or _SECRET_VALUE.match(value))


class Redaction:
    """Hides the secrets that were sent in `headers`; those without a secret are left alone."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        secrets = {
            secret
            for name, value in headers.items()
            if carries_secret(name, value)
            for secret in _forms(value)
            if len(secret) >= _LEAST_LENGTH
        }
        longest_first = sorted(secrets, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if secrets else None
        # No encoder escapes letters and digits, so these runs show up in the bytes as they are.
        self._traces = [_trace(secret).encode("ascii") for secret in longest_first]

    def text(self, text: str) -> str:
        return self._pattern.sub(MARK, text) if self._pattern else text

    def body(self, body: bytes) -> bytes:
        """Return an answer's body that is no JSON."""
        return self.text(body.decode("latin-1")).encode("latin-1") if self._in(body) else body

    def json(self, value: Any, body: bytes) -> Any:
        """Return the JSON value that stands in `body`, its strings redacted. Names of members and
        the identifiers that the server is asked by stay as they are."""
        return self._redacted(value) if self._in(body) else value

    def _in(self, body: bytes) -> bool:
        return any(trace in body for trace in self._traces)

    def _redacted(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self._redacted(item) for item in value]
        if isinstance(value, dict):
            return {
                name: item if name in _IDENTIFIERS else self._redacted(item)
                for name, item in value.items()
            }
        return value


def _forms(value: str) -> Iterator[str]:
    """Yield the parts of a header value that a server may quote without the rest of it."""
    yield value.strip()
    scheme, _, credentials = value.strip().partition(" ")
    yield credentials.strip()
    if scheme.lower() == "basic":
        yield from _basic(credentials)
    for cookie in value.split(";"):
        yield cookie.partition("=")[2].strip()


def _basic(credentials: str) -> Iterator[str]:
    try:
        pair = base64.b64decode(credentials, validate=True).decode("utf-8")
    except ValueError:
        return
    yield pair
    yield pair.partition(":")[2]


def _trace(secret: str) -> str:
    return max(_PLAIN_RUN.findall(secret), key=len, default="")
