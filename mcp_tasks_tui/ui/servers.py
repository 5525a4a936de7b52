"""The servers a person can name on the screen: configured ones, and those of saved tasks."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Self

from mcp_tasks_tui.records import record
from mcp_tasks_tui.urls import UrlError, short_url, typed_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mcp_tasks_tui.config.model import ServerEntry
    from mcp_tasks_tui.supervise.server_view import ServerView


def server_word(name: str, url: str) -> str:
    """Return what a server is called where room is short: its name, or its host and port."""
    return short_url(url) if name == url else name


class UnknownServer(ValueError):
    """The text names no server; the message says what to write."""


@record
class KnownServers:
    """Name -> URL in normal form."""

    urls: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, entries: Iterable[ServerEntry], views: Iterable[ServerView]) -> Self:
        urls = {entry.name: entry.url for entry in entries}
        for view in views:
            if view.url not in urls.values():
                urls[view.name] = view.url
        return cls(urls)

    @property
    def names(self) -> list[str]:
        return sorted(self.urls)

    @property
    def only(self) -> str | None:
        """The name of the one server, where there is just one."""
        return next(iter(self.urls)) if len(self.urls) == 1 else None

    def name_of(self, url: str) -> str | None:
        return next((name for name, its in self.urls.items() if its == url), None)

    def called(self, url: str) -> str:
        """Return what a server is called: its name, or its URL."""
        return self.name_of(url) or url

    def url(self, text: str) -> str:
        """Return the URL that `text` means: a name, or a URL itself.

        Raises:
            UnknownServer: it is neither.
        """
        text = text.strip()
        if text in self.urls:
            return self.urls[text]
        if not text:
            raise UnknownServer("name a server, or give its URL")
        if "://" not in text:
            known = ", ".join(self.names) or "none"
            raise UnknownServer(f"no server is called {text} (known: {known}); or give its URL")
        try:
            return typed_url(text)
        except UrlError as error:
            raise UnknownServer(str(error)) from None
