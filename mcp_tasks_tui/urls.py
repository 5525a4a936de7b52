"""The normal form of a server's URL: the identity under which its handles are kept."""

from __future__ import annotations

import ipaddress
from urllib.parse import SplitResult, urlsplit

_DEFAULT_PORTS = {"http": 80, "https": 443}
_LOOPBACK_NAMES = {"localhost", "localhost."}


class UrlError(ValueError):
    """The text is no URL that a server can be reached at; the message says what to write."""


def normal_url(text: str) -> str:
    """Return the one spelling of a server's URL.

    Scheme and host in lower case, no default port, no fragment, no trailing blanks; path and
    query stay as they are, because servers tell them apart.

    Raises:
        UrlError: not http(s), no host, a bad port, or a user name or password inside.
    """
    text = text.strip()
    if any(ord(c) < 0x21 or ord(c) == 0x7F for c in text):
        raise UrlError("a server URL has no blanks or control characters in it")
    try:
        parts = urlsplit(text)
        port = parts.port
        host = parts.hostname
    except ValueError as error:
        raise UrlError(f"not a URL ({error}); write it like http://host:port/mcp") from None
    if parts.scheme not in _DEFAULT_PORTS or not host:
        raise UrlError("a server URL starts with http:// or https:// and names a host")
    if parts.username is not None or parts.password is not None:
        raise UrlError("no user name or password in a server URL; use a header with ${ENV}")
    return _assemble(parts, _ascii_host(host), port)


def origin(url: str) -> tuple[str, str, int]:
    """Return (scheme, host, port) of a URL in normal form."""
    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port or _DEFAULT_PORTS.get(parts.scheme, 0)


def is_loopback(url: str) -> bool:
    """Tell whether the URL's host is this machine by its name or address alone (no look-up)."""
    host = urlsplit(url).hostname or ""
    if host in _LOOPBACK_NAMES or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False


def short_url(url: str) -> str:
    """Return host and port (and the path, unless it is the usual ``/mcp``) for people to read."""
    parts = urlsplit(url)
    path = "" if parts.path in ("", "/", "/mcp") else parts.path
    return f"{parts.netloc}{path}"


def _ascii_host(host: str) -> str:
    if host.isascii():
        return host.lower()
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        raise UrlError(f"{host!r} is not a host name") from None


def _assemble(parts: SplitResult, host: str, port: int | None) -> str:
    netloc = f"[{host}]" if ":" in host else host
    if port is not None and port != _DEFAULT_PORTS[parts.scheme]:
        netloc = f"{netloc}:{port}"
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.scheme}://{netloc}{parts.path or '/'}{query}"
