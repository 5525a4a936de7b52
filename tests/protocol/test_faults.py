"""Causes that cannot be had from a socket on every machine, by the exceptions they arrive as."""

from __future__ import annotations

import errno
import os

import aiohttp
import httpx
import pytest
from aiohttp.client_reqrep import ConnectionKey

from mcp_tasks_tui.protocol.errors import RequestError, TimedOut, Unreachable, UnusableReply
from mcp_tasks_tui.protocol.transport.faults import fault

_KEY = ConnectionKey(
    "server.example",
    80,
    is_ssl=False,
    ssl=True,
    proxy=None,
    proxy_auth=None,
    proxy_headers_hash=None,
)


def _os_error(number: int) -> OSError:
    return OSError(number, os.strerror(number))


def _connector(number: int) -> aiohttp.ClientConnectorError:
    return aiohttp.ClientConnectorError(_KEY, _os_error(number))


def _wrapped(cause: Exception) -> Exception:
    """Return it as `httpx-aiohttp` raises it."""
    try:
        raise httpx.ConnectTimeout(str(cause)) from cause
    except httpx.ConnectTimeout as error:
        return error


def _fault(error: Exception) -> RequestError:
    return fault(error, connect=10.0, silence=30.0)


@pytest.mark.parametrize("wrap", [_wrapped, lambda error: error])
@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (_connector(errno.ECONNREFUSED), "refused"),
        (_connector(errno.ECONNRESET), "reset"),
        (_connector(errno.ENETUNREACH), "network"),
        (_connector(errno.EHOSTUNREACH), "network"),
        (_connector(errno.EACCES), "network"),
        (aiohttp.ClientOSError(errno.EHOSTUNREACH, "no route"), "network"),
        (aiohttp.ClientOSError(errno.EPIPE, "broken pipe"), "reset"),
        (aiohttp.ClientOSError(None, "Can not write request body"), "reset"),
        (aiohttp.ClientConnectionResetError("closing"), "reset"),
        (aiohttp.ServerDisconnectedError(), "closed"),
        (aiohttp.ClientConnectionError("Connector is closed."), "closed"),
        (aiohttp.ClientProxyConnectionError(_KEY, _os_error(errno.ECONNREFUSED)), "proxy"),
        (aiohttp.ClientConnectorDNSError(_KEY, _os_error(errno.ENOENT)), "dns"),
    ],
)
def test_the_cause_is_found_whatever_it_is_wrapped_in(
    error: Exception, cause: str, wrap: type[Exception]
) -> None:
    found = _fault(wrap(error))
    assert isinstance(found, Unreachable)
    assert found.cause == cause
    assert len(str(found)) < 250


@pytest.mark.parametrize(
    ("error", "phase", "seconds"),
    [
        (aiohttp.ConnectionTimeoutError(), "connect", 10.0),
        (aiohttp.SocketTimeoutError(), "silence", 30.0),
        (aiohttp.ServerTimeoutError(), "silence", 30.0),
    ],
)
def test_time_limits_are_told_apart(error: Exception, phase: str, seconds: float) -> None:
    found = _fault(_wrapped(error))
    assert isinstance(found, TimedOut)
    assert (found.phase, found.seconds) == (phase, seconds)


def test_the_unheard_of_is_never_called_not_sent() -> None:
    assert isinstance(_fault(ValueError("what?\x1b[2J")), UnusableReply)
    assert "\x1b" not in str(_fault(ValueError("what?\x1b[2J")))
