"""What went wrong on the way: aiohttp's many exceptions -> the few of `errors`.

`httpx-aiohttp` raises nearly everything as a ConnectTimeout, so the true cause is looked up in
`__cause__`. Part of the transport, apart from it only to be read and tested by itself.
"""

from __future__ import annotations

import errno
import ssl
from typing import TYPE_CHECKING

import aiohttp
import httpx

from mcp_tasks_tui.protocol.errors import NotSent, RequestError, TimedOut, Unreachable
from mcp_tasks_tui.sanitize import one_line

if TYPE_CHECKING:
    from collections.abc import Callable

_RESET = frozenset({errno.ECONNRESET, errno.ECONNABORTED, errno.EPIPE})


def fault(error: Exception, *, connect: float, silence: float) -> RequestError:
    """Return the typed error for an exception of the HTTP library.

    Args:
        error: what was raised.
        connect: the time limit for connecting that was in force, seconds.
        silence: the time limit between two bytes, seconds.
    """
    cause = error.__cause__ if isinstance(error, httpx.TransportError) else error
    if isinstance(cause, aiohttp.ConnectionTimeoutError):
        return TimedOut("connect", connect)
    if isinstance(cause, TimeoutError | httpx.ReadTimeout):
        return TimedOut("silence", silence)
    for kinds, describe in _RULES:
        if isinstance(cause, kinds):
            return describe(cause)
    return NotSent(f"the request could not be built: {one_line(str(error), 160)}")


def _proxy_status(error: BaseException) -> RequestError:
    status = getattr(error, "status", "an error")
    return Unreachable("proxy", f"the proxy answered {status}")


def _proxy_connect(error: BaseException) -> RequestError:
    return Unreachable("proxy", f"the proxy cannot be reached: {_reason(error)}")


def _tls(error: BaseException) -> RequestError:
    inner = getattr(error, "certificate_error", None) or getattr(error, "os_error", None) or error
    words = getattr(inner, "verify_message", None) or getattr(inner, "reason", None)
    return Unreachable("tls", words if isinstance(words, str) else str(inner))


def _connector(error: BaseException) -> RequestError:
    inner = getattr(error, "os_error", error)
    if getattr(inner, "errno", None) == errno.ECONNREFUSED:
        return Unreachable("refused")
    return _os(inner)


def _payload(error: BaseException) -> RequestError:
    if isinstance(error.__cause__, ConnectionError):
        return _os(error.__cause__)
    return Unreachable("closed", "in the middle of its answer")


def _os(error: BaseException) -> RequestError:
    if isinstance(error, ConnectionError) or getattr(error, "errno", None) in _RESET:
        return Unreachable("reset")
    return Unreachable("network", _reason(error))


def _reason(error: BaseException) -> str:
    inner = getattr(error, "os_error", error)
    return getattr(inner, "strerror", None) or str(inner)


_Rule = tuple[tuple[type[BaseException], ...], "Callable[[BaseException], RequestError]"]
#: First match wins: the narrower classes come first.
_RULES: tuple[_Rule, ...] = (
    ((aiohttp.ClientHttpProxyError,), _proxy_status),
    ((aiohttp.ClientProxyConnectionError,), _proxy_connect),
    ((aiohttp.ClientResponseError,), lambda _: Unreachable("not-http")),
    ((aiohttp.ClientConnectorDNSError,), lambda _: Unreachable("dns")),
    (
        (aiohttp.ClientSSLError, aiohttp.ClientConnectorCertificateError, ssl.SSLError),
        _tls,
    ),
    ((aiohttp.ClientConnectorError,), _connector),
    ((aiohttp.ServerDisconnectedError,), lambda _: Unreachable("closed")),
    ((aiohttp.ClientPayloadError,), _payload),
    ((aiohttp.InvalidURL,), lambda e: NotSent(f"not a usable URL: {one_line(str(e), 160)}")),
    ((OSError,), _os),
    ((aiohttp.ClientConnectionError,), lambda _: Unreachable("closed")),
)
