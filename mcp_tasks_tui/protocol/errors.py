"""Every way a request can fail.

::

    RequestError
    ├── NotSent            we refused to send it: bad header value, bad URL, missing ${ENV}
    ├── Unreachable        no usable connection: refused, dns, tls, closed, reset, ...
    │   └── NotHttp            something answers there, and it is no HTTP server
    ├── TimedOut           connect, silence or total
    ├── HttpError          an HTTP status without a JSON-RPC answer in the body
    │   ├── NotServed      404, 405, ...: there is nothing for us at this URL
    │   ├── AuthFailed     401, 403
    │   └── RateLimited    429, or 503 with Retry-After
    ├── RpcError           the server answered with a JSON-RPC error
    │   ├── NoSuchTask     -32602 to tasks/*: unknown, expired, another caller's, or malformed
    │   ├── MissingCapability   -32021 (-32003 in drafts)
    │   ├── HeaderMismatch      -32020 (-32001 in drafts)
    │   ├── UnsupportedVersion  -32022
    │   └── MethodNotFound      -32601
    └── UnusableReply      it answered, but not with something that can be applied
        └── ReplyTooLarge      more of it than is read

`str(error)` is one clean line for people; `kind` is a stable word for machines. A server's own
words are kept raw in :class:`~mcp_tasks_tui.sanitize.ServerText`.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from mcp_tasks_tui.sanitize import ServerText, one_line

Cause = Literal["refused", "dns", "tls", "closed", "reset", "network", "not-http", "proxy"]
Phase = Literal["connect", "silence", "total"]

_CAUSES: dict[str, str] = {
    "refused": "connection refused: nothing listens there",
    "dns": "host name not found",
    "tls": "the TLS certificate or handshake was not accepted",
    "closed": "the server closed the connection without an answer",
    "reset": "the connection was reset",
    "network": "network unreachable",
    "not-http": "what answers there does not speak HTTP",
    "proxy": "the proxy setting cannot be used",
}
_PHASES: dict[str, str] = {
    "connect": "no connection within",
    "silence": "nothing heard for",
    "total": "no complete answer within",
}

#: The end of the note on a task whose reply was too large.
RESULT_NOT_READ = "its result was not read"
#: Noted of a task that asks and does not say what; the next reply may say it.
NO_INPUT_REQUEST = "input_required without any input request"
#: Noted of a completed task whose reply has no result; a later one may have it.
NO_RESULT = "completed without a result"
_CODE_DIGITS = 20
_MIB = 1024 * 1024


class RequestError(Exception):
    """A request did not end in an answer that can be applied."""

    kind: ClassVar[str] = "error"
    #: The fault is the server's as a whole, not of the one task that was asked about.
    server_wide: ClassVar[bool] = False


class NotSent(RequestError):
    """Nothing was sent: the request cannot be put into valid HTTP, or a setting is missing."""

    kind = "not-sent"


class Unreachable(RequestError):
    kind = "unreachable"
    server_wide = True

    def __init__(self, cause: Cause, detail: str = "") -> None:
        self.cause = cause
        self.detail = detail
        words = _CAUSES[cause]
        super().__init__(f"{words} ({one_line(detail, 160)})" if detail else words)


class NotHttp(Unreachable):
    """The bytes that came are no HTTP: another kind of server has that port, or none yet."""

    kind = "not-http"

    def __init__(self) -> None:
        super().__init__("not-http")


class TimedOut(RequestError):
    kind = "timeout"
    server_wide = True

    def __init__(self, phase: Phase, seconds: float) -> None:
        self.phase = phase
        self.seconds = seconds
        super().__init__(f"{_PHASES[phase]} {seconds:g} s")


class HttpError(RequestError):
    """An HTTP status whose body is no JSON-RPC answer; `hint` is one short line of that body."""

    kind = "http"
    server_wide = True

    def __init__(self, status: int, words: str, *, hint: ServerText | None = None) -> None:
        self.status = status
        self.hint = hint
        said = f": {one_line(hint, 120)}" if hint else ""
        super().__init__(f"HTTP {status} {words}{said}")


class NotServed(HttpError):
    """A status that says that such requests are not taken at this URL: 404, 405, 410, ..."""

    kind = "not-served"


class AuthFailed(HttpError):
    """401 or 403. `challenge` is the server's WWW-Authenticate value, unparsed."""

    kind = "auth"

    def __init__(
        self, status: int, words: str, *, hint: ServerText | None, challenge: ServerText | None
    ) -> None:
        super().__init__(status, words, hint=hint)
        self.challenge = challenge
        if challenge:
            self.args = (f"{self.args[0]}; it asks for: {one_line(challenge, 160)}",)


class RateLimited(HttpError):
    """`retry_after` is in seconds from now as the server gave it, None where it gave none."""

    kind = "rate-limited"

    def __init__(
        self, status: int, words: str, *, hint: ServerText | None, retry_after: float | None
    ) -> None:
        super().__init__(status, words, hint=hint)
        self.retry_after = retry_after


class RpcError(RequestError):
    """A JSON-RPC error, whatever the HTTP status it came with."""

    kind = "rpc"

    def __init__(self, code: int, message: ServerText, data: Any, http_status: int) -> None:
        self.code = code
        self.message = message
        self.data = data
        self.http_status = http_status
        super().__init__(f"{one_line(message, 240) or 'no message'} ({self.shown_code})")

    @property
    def shown_code(self) -> str:
        """The code for people: a server's number may have thousands of digits."""
        return one_line(str(self.code), _CODE_DIGITS)


class NoSuchTask(RpcError):
    kind = "no-such-task"


class MissingCapability(RpcError):
    kind = "missing-capability"


class HeaderMismatch(RpcError):
    kind = "header-mismatch"


class UnsupportedVersion(RpcError):
    """`supported` lists the versions that the server named, possibly none.

    `words` replace the message where the server's own text would tell a person nothing.
    """

    kind = "unsupported-version"
    server_wide = True

    def __init__(
        self,
        code: int,
        message: ServerText,
        data: Any,
        http_status: int,
        supported: tuple[str, ...],
        *,
        words: str | None = None,
    ) -> None:
        super().__init__(code, message, data, http_status)
        self.supported = supported
        if words is not None:
            self.args = (f"{words} ({self.shown_code})",)


class MethodNotFound(RpcError):
    kind = "method-not-found"


class UnusableReply(RequestError):
    """The server answered with something that is no answer to this request; `why` says what."""

    kind = "unusable-reply"

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(why)


class ReplyTooLarge(UnusableReply):
    """The reply is larger than `limit` bytes; `beginning` is how it began, without our secrets."""

    kind = "too-large"

    def __init__(self, limit: int, beginning: bytes = b"") -> None:
        self.limit = limit
        self.beginning = beginning
        self.size = f"{limit / _MIB:g} MiB" if limit >= _MIB else f"{limit} bytes"
        super().__init__(
            f"the reply is larger than {self.size}; `max_reply_mib` in the settings is the limit"
        )
