"""The normal form of a server's URL: the identity under which its handles are kept."""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache
from urllib.parse import SplitResult, quote, urlsplit

DEFAULT_PORTS = {"http": 80, "https": 443}
_LOOPBACK_NAMES = {"localhost", "localhost."}
# Patterns are text: `re` compiles them when they are first needed, and keeps them.
_HOST_NAME = r"[a-z0-9_](?:[a-z0-9._-]{0,251}[a-z0-9_.])?"
# Two standards turn these letters into different hosts; we do not choose between them.
_AMBIGUOUS = "[ßẞς\u200c\u200d]"
# What bytes that are no text become in an argument, and half an escape in JSON.
_NO_CHARACTER = "[\ud800-\udfff]"
_ASCII_URL = "%/:?#[]@!$&'()*+,;=-._~\"<>\\^`{|}"


class UrlError(ValueError):
    """The text is no URL that a server can be reached at; the message says what to write."""


def normal_url(text: str) -> str:
    """Return the one spelling of a server's URL.

    Scheme and host in lower case, no default port, no fragment, no trailing blanks; path and
    query stay as they are, because servers tell them apart, but for letters beyond ASCII, which
    are percent-encoded as they are sent.

    Raises:
        UrlError: not http(s), not text, no host, a bad port, or a user name or password inside.
    """
    text = text.strip()
    if any(ord(c) < 0x21 or ord(c) == 0x7F for c in text):
        raise UrlError("a server URL has no blanks or control characters in it")
    if re.search(_NO_CHARACTER, text):
        raise UrlError("a server URL is text; a part of this one is no character (no UTF-8?)")
    try:
        parts = urlsplit(text)
        port = parts.port
        host = parts.hostname
    except ValueError as error:
        raise UrlError(f"not a URL ({error}); write it like http://host:port/mcp") from None
    if parts.scheme not in DEFAULT_PORTS or not host:
        raise UrlError("a server URL starts with http:// or https:// and names a host")
    if port == 0:
        raise UrlError("port 0 cannot be reached; name the port that the server prints")
    if parts.username is not None or parts.password is not None:
        raise UrlError("no user name or password in a server URL; use a header with ${ENV}")
    return _assemble(parts, _checked_host(host, bracketed="[" in parts.netloc), port)


def typed_url(text: str) -> str:
    """Return the normal form of a URL that a person gives by hand.

    Raises:
        UrlError: as `normal_url`, or it has a second URL in it, as when one is typed or pasted
            behind another.
    """
    url = normal_url(text)
    if re.search("://", re.split("[?#]", text.partition("://")[2])[0]):
        raise UrlError("two URLs in one; if its path is really like this, write : as %3A")
    return url


def origin(url: str) -> tuple[str, str, int]:
    """Return (scheme, host, port) of a URL in normal form."""
    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port or DEFAULT_PORTS.get(parts.scheme, 0)


@lru_cache(maxsize=256)  # asked for every request
def is_loopback(url: str) -> bool:
    """Tell whether the URL's host is this machine by its name or address alone (no look-up)."""
    return is_this_machine(urlsplit(url).hostname or "")


def is_this_machine(host: str) -> bool:
    """Tell whether a host is this machine by its name or address alone (no look-up)."""
    if host in _LOOPBACK_NAMES or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_loopback


def short_url(url: str) -> str:
    """Return host and port (and the path, unless it is the usual ``/mcp``) for people to read."""
    parts = urlsplit(url)
    path = "" if parts.path in ("", "/", "/mcp") else parts.path
    return f"{parts.netloc}{path}"


def _checked_host(host: str, *, bracketed: bool) -> str:
    """Return a host name in lower-case ASCII, or an address in its shortest form."""
    if bracketed:
        try:
            return str(ipaddress.IPv6Address(host))
        except ValueError:
            raise UrlError(f"{host!r} is not an IPv6 address") from None
    name = ascii_name(host)
    if not re.fullmatch(_HOST_NAME, name.lower()) or ".." in name:
        raise UrlError(f"{host!r} is not a host name")
    return name.lower()


def ascii_name(host: str) -> str:
    """Return a host name as it is asked for. Raises UrlError."""
    if host.isascii():
        return host
    if re.search(_AMBIGUOUS, host):
        raise UrlError(f"{host!r} has letters that name two hosts; write it as xn--...")
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        raise UrlError(f"{host!r} is not a host name") from None


def _assemble(parts: SplitResult, host: str, port: int | None) -> str:
    netloc = f"[{host}]" if ":" in host else host
    if port is not None and port != DEFAULT_PORTS[parts.scheme]:
        netloc = f"{netloc}:{port}"
    query = f"?{parts.query}" if parts.query else ""
    target = quote(f"{parts.path or '/'}{query}", safe=_ASCII_URL)
    return f"{parts.scheme}://{netloc}{target}"
