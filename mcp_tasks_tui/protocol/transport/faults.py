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

from mcp_tasks_tui.protocol.errors import (
    NotHttp,
    NotSent,
    RequestError,
    TimedOut,
    Unreachable,
    UnusableReply,
)
from mcp_tasks_tui.sanitize import one_line

if TYPE_CHECKING:
    from collections.abc import Callable

_NO_ROUTE = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.ETIMEDOUT})


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
    # Not "not sent": it may have been, and then been answered with something unheard of.
    return UnusableReply(f"the exchange failed: {one_line(str(error), 160)}")


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
    return Unreachable("reset") if isinstance(inner, ConnectionError) else _network(inner)


def _payload(error: BaseException) -> RequestError:
    if isinstance(error.__cause__, ConnectionError):
        return Unreachable("reset", "in the middle of its answer")
    return Unreachable("closed", "in the middle of its answer")


def _established(error: BaseException) -> RequestError:
    """An open connection broke: reset, or closed under our hands while we were writing."""
    if getattr(error, "errno", None) in _NO_ROUTE:
        return _network(error)
    return Unreachable("reset")


def _network(error: BaseException) -> RequestError:
    return Unreachable("network", _reason(error))


def _url(error: BaseException) -> RequestError:
    return NotSent(f"not a usable URL: {one_line(str(error), 160)}")


def _reason(error: BaseException) -> str:
    inner = getattr(error, "os_error", error)
    return getattr(inner, "strerror", None) or str(inner)


_Rule = tuple[tuple[type[BaseException], ...], "Callable[[BaseException], RequestError]"]
#: First match wins: the narrower classes come first.
_RULES: tuple[_Rule, ...] = (
    ((aiohttp.ClientHttpProxyError,), _proxy_status),
    ((aiohttp.ClientProxyConnectionError,), _proxy_connect),
    ((aiohttp.ClientResponseError,), lambda _: NotHttp()),
    ((aiohttp.ClientConnectorDNSError,), lambda _: Unreachable("dns")),
    (
        (aiohttp.ClientSSLError, aiohttp.ClientConnectorCertificateError, ssl.SSLError),
        _tls,
    ),
    ((aiohttp.ClientConnectorError,), _connector),
    ((aiohttp.ServerDisconnectedError,), lambda _: Unreachable("closed")),
    ((aiohttp.ClientPayloadError,), _payload),
    ((aiohttp.InvalidURL, httpx.InvalidURL), _url),
    ((OSError,), _established),
    ((aiohttp.ClientConnectionError,), lambda _: Unreachable("closed")),
)
