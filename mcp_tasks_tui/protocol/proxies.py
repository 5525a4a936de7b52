"""Which proxy a server is reached through, by the usual environment variables. Pure."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from mcp_tasks_tui.protocol.errors import Unreachable
from mcp_tasks_tui.urls import is_loopback, origin

if TYPE_CHECKING:
    from collections.abc import Mapping


def proxy_for(url: str, environ: Mapping[str, str]) -> str | None:
    """Return the proxy's URL for a server's URL, None to connect directly.

    ``HTTP_PROXY``, ``HTTPS_PROXY``, ``ALL_PROXY`` and ``NO_PROXY`` in either case, the lower one
    first. This machine is never reached through a proxy.

    Raises:
        Unreachable: the variable names something that cannot be used, such as SOCKS.
    """
    if is_loopback(url):
        return None
    scheme, host, port = origin(url)
    exceptions = _variable("no", environ).replace(",", " ").lower().split()
    if any(_covers(entry, host, port) for entry in exceptions):
        return None
    proxy = _variable(scheme, environ) or _variable("all", environ)
    return _checked(proxy) if proxy else None


def _covers(entry: str, host: str, port: int) -> bool:
    """Tell whether an entry of ``NO_PROXY`` covers a host: a name, a domain, an address, a net."""
    if entry == "*":
        return True
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(entry.strip("[]"), strict=False)
    except ValueError:
        name, colon, wanted = entry.rpartition(":")
        if colon and wanted.isdecimal():
            if int(wanted) != port:
                return False
            entry = name
    domain = entry.strip("[]").removeprefix("*").removeprefix(".")
    return bool(domain) and (host == domain or host.endswith(f".{domain}"))


def _variable(name: str, environ: Mapping[str, str]) -> str:
    lower = f"{name}_proxy"
    # In a CGI program, HTTP_PROXY is a request header that a stranger set.
    upper = "" if name == "http" and "REQUEST_METHOD" in environ else environ.get(lower.upper(), "")
    return environ.get(lower, upper).strip()


def _checked(proxy: str) -> str:
    if "://" not in proxy:
        proxy = f"http://{proxy}"
    try:
        parts = urlsplit(proxy)
        usable = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable:
        raise Unreachable("proxy", "it is no URL; write it like http://host:port")
    if parts.scheme.startswith("socks"):
        raise Unreachable("proxy", "SOCKS is not supported; name an http:// proxy, or use NO_PROXY")
    if parts.scheme not in ("http", "https"):
        raise Unreachable("proxy", "only http:// and https:// proxies are supported")
    return proxy
