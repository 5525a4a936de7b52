"""What a URL of a server really points at, before a person is asked to open it. Pure.

Source: 2026-07-28, client/elicitation, "Safe URL Handling".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from mcp_tasks_tui.sanitize import clean, one_line
from mcp_tasks_tui.urls import DEFAULT_PORTS, UrlError, ascii_name, is_this_machine

_FORBIDDEN = re.compile(r"[\x00-\x20\x7f-\xa0]")
_AUTHORITY = re.compile(r"(?P<before>[A-Za-z][A-Za-z0-9+.-]*://(?:[^/?#]*@)?)(?P<host>[^/?#]*)")
#: A name or an address; browsers decode %65 in a host, so there is none.
_HOST = re.compile(r"[A-Za-z0-9._-]+|[0-9A-Fa-f:.]+")
_NUMBER_LIKE = re.compile(r"(0x[0-9a-f]*|[0-9]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Link:
    """A URL looked at. `refusal` says why it is not opened; `warnings` do not forbid it."""

    #: Exactly as the server gave it: this is what is opened or copied.
    url: str
    scheme: str
    #: As a browser will ask for it, in ASCII, without the port.
    host: str
    #: The host in letters where it is written in Punycode, else None.
    decoded_host: str | None = None
    port: int | None = None
    refusal: str | None = None
    warnings: tuple[str, ...] = ()

    @property
    def openable(self) -> bool:
        return self.refusal is None

    def parts(self) -> tuple[str, str, str]:
        """Return the URL cleaned, as (before the host, host and port, behind it)."""
        match = _AUTHORITY.match(self.url)
        if match is None:
            return clean(self.url), "", ""
        return (
            clean(match["before"]),
            clean(match["host"]),
            clean(self.url[match.end() :]),
        )


def look_at(url: str) -> Link:
    """Take a URL apart. Never raises and never looks anything up."""
    scheme = url.partition(":")[0].lower() if ":" in url else ""
    hidden = _hidden(url)
    if hidden:
        return Link(url, scheme, "", refusal=hidden)
    if scheme not in DEFAULT_PORTS:
        shown = one_line(scheme, 30) or "no scheme"
        return Link(url, scheme, "", refusal=f"only http and https are opened; this is {shown!r}")
    try:
        parts = urlsplit(url)
        port = parts.port
        host = parts.hostname or ""
    except ValueError as error:
        return Link(url, scheme, "", refusal=f"not a URL ({one_line(str(error), 80)})")
    if not host or not url[len(scheme) :].startswith("://"):
        return Link(url, scheme, "", refusal="not a URL: it names no host")
    ascii_host = _ascii(host)
    if not _HOST.fullmatch(ascii_host):
        return Link(url, scheme, clean(host), refusal="the host is not a valid name")
    decoded, doubt = _decoded(ascii_host)
    if not (doubt or host.isascii()):
        doubt = [f"the host is written with unusual letters: it is {ascii_host}"]
    warnings = [*doubt, *_warnings(parts, scheme, ascii_host, port)]
    return Link(url, scheme, ascii_host, decoded, port, warnings=tuple(warnings))


def _hidden(url: str) -> str | None:
    """Say what in the URL would make it look like another one."""
    if _FORBIDDEN.search(url):
        return "it has blanks or control characters in it"
    if clean(url) != url:
        return "it has invisible or direction-changing characters in it"
    if "\\" in re.split(r"[?#]", url, maxsplit=1)[0]:
        return "it has a backslash in it, which browsers read as /"
    return None


def _ascii(host: str) -> str:
    """Return the host in ASCII, "" where it cannot be one."""
    try:
        return ascii_name(host)
    except UrlError:
        return ""


def _decoded(host: str) -> tuple[str | None, list[str]]:
    """Return the host in letters where it hides some behind Punycode, and what to say of it."""
    if "xn--" not in host:
        return None, []
    labels = []
    for label in host.split("."):
        if not label.startswith("xn--"):
            labels.append(label)
            continue
        try:
            labels.append(label[4:].encode("ascii").decode("punycode"))
        except (UnicodeError, ValueError, OverflowError):
            return None, ["the host is written in Punycode that cannot be read"]
    decoded = clean(".".join(labels))
    return decoded, [
        f"the host has letters outside ASCII: it reads {one_line(decoded, 80)}, "
        "and may imitate another name"
    ]


def _warnings(parts: SplitResult, scheme: str, host: str, port: int | None) -> list[str]:
    found = []
    if "@" in parts.netloc:
        before = one_line(parts.netloc.rpartition("@")[0], 60)
        found.append(f"{before!r} before the @ is not where it goes: the host is {host}")
    here = is_this_machine(host)
    if here:
        found.append("it points at this very machine")
    elif _is_number(host):
        found.append("the host is a number, not a name")
    if scheme == "http" and not here:
        found.append("http is not encrypted: others can read and change what passes")
    if port is not None and port != DEFAULT_PORTS[scheme]:
        found.append(f"unusual port {port}")
    return found


def _is_number(host: str) -> bool:
    """An address, also in the odd spellings (2130706433, 0x7f.1) that browsers accept."""
    last = host.rstrip(".").rpartition(".")[2]
    return ":" in host or bool(_NUMBER_LIKE.fullmatch(last))
