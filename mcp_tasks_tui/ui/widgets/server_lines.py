"""One line for each server that is not well, above the list; nothing where all are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.message import Message

from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.server_line import REFUSING
from mcp_tasks_tui.supervise.server_view import Health, ServerView
from mcp_tasks_tui.supervise.words import counted, lasting, left
from mcp_tasks_tui.ui.commands.keymap import keymap_of
from mcp_tasks_tui.ui.looks.signs import HEALTH_STYLES, Glyphs, unwell_sign
from mcp_tasks_tui.ui.looks.text import beside, cell, content, lines
from mcp_tasks_tui.ui.servers import server_word
from mcp_tasks_tui.ui.widgets.line import Line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual import events
    from textual.content import Content


_MOST = 5
#: Cells that the reason has before anything is said after it.
_WHY = 36
#: Cells of a reason that tell anything.
_WORTH_SAYING = 8
_WELL = (Health.OK, Health.UNKNOWN)


def is_unwell(server: ServerView) -> bool:
    """Tell whether a server is down, refuses us, or answers badly."""
    return server.health not in _WELL


def is_ill(server: ServerView) -> bool:
    """Tell whether a server has a line: it is not well, or its tasks are not read."""
    return is_unwell(server) or server.held


def ill_first(servers: Sequence[ServerView]) -> list[ServerView]:
    """Return the servers in trouble, those with most open tasks first."""
    return sorted(filter(is_ill, servers), key=lambda one: (-one.open_tasks, one.name))


def _is_missed(server: ServerView) -> bool:
    """Tell whether open tasks wait for a server, or were lost by it."""
    return server.open_tasks > 0 or server.health is Health.FORGOT


class ServerLines(Line):
    DEFAULT_CSS = """
    ServerLines { height: auto; padding: 0 1; }
    ServerLines.-empty { display: none; }
    """

    class Chosen(Message):
        """The line of a server was clicked."""

        def __init__(self, url: str) -> None:
            self.url = url
            super().__init__()

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="servers", classes="-empty")
        self._glyphs = glyphs
        self._urls: list[str] = []
        self._height = 0

    def on_click(self, event: events.Click) -> None:
        if 0 <= event.y < len(self._urls):
            self.post_message(self.Chosen(self._urls[event.y]))

    def show_servers(self, servers: Sequence[ServerView], *, now: float, width: int) -> None:
        """Show the ill ones that are missed, a line each; the others are one line together."""
        ill = ill_first(servers)
        waited_for = [server for server in ill if _is_missed(server)]
        shown = waited_for if len(waited_for) <= _MOST else waited_for[: _MOST - 1]
        self._urls = [server.url for server in shown]
        key = keymap_of(self).label("server.retry") if self.is_attached else ""
        parts = [_line(server, self._glyphs, key, now=now, width=width - 2) for server in shown]
        rest = len(waited_for) - len(shown)
        if rest:
            parts.append(content(f"and {counted(rest, 'server')} more", "$quiet"))
        idle = [server for server in ill if not _is_missed(server)]
        if idle:
            parts.append(content(_idle(idle, self._glyphs, width - 2), "$quiet"))
        self.set_class(not parts, "-empty")
        # Each is one line. A new layout would draw the scrollbars of all around it anew, and times
        # pass here while nothing else moves.
        self.show(lines(*parts), layout=len(parts) != self._height)
        self._height = len(parts)


def _line(server: ServerView, glyphs: Glyphs, retry_key: str, *, now: float, width: int) -> Content:
    """What it is and why comes before what waits for it, and that before when it is tried."""
    name = cell(server_word(server.name, server.url), 30, glyphs.ellipsis)
    head = f"{_sign(server, glyphs)} {name}  {_word(server, now)}"
    head = cell(head, width, glyphs.ellipsis)
    room = width - cell_len(head) - len(glyphs.dot)
    said = one_line(server.text, 1000)
    tail = ""
    for each in _tail(server, now, retry_key):
        longer = f"{tail}{glyphs.dot}{each}"
        if len(longer) + min(cell_len(said), _WHY) <= room:
            tail = longer
    room -= len(tail)
    said = cell(said, room, glyphs.ellipsis) if room >= min(cell_len(said), _WORTH_SAYING) else ""
    return beside(
        content(head, f"${HEALTH_STYLES[server.health]} bold"),
        content(f"{glyphs.dot}{said}" if said else ""),
        content(tail, "$quiet"),
    )


def _tail(server: ServerView, now: float, retry_key: str) -> Iterator[str]:
    """What waits for it, and when it is asked again, never by itself while polling is held: most
    important first."""
    yield counted(server.open_tasks, "open task")
    if server.health in REFUSING and retry_key:
        yield f"{retry_key} retries"
    if server.retry_at is not None and server.retry_at > now and not server.held:
        by_itself = "tried by itself" if server.health in REFUSING else "next try"
        yield f"{by_itself} in {left(server.retry_at - now)}"


def _idle(servers: Sequence[ServerView], glyphs: Glyphs, width: int) -> str:
    """Name the servers that nothing is waited for from."""
    names = ", ".join(server_word(server.name, server.url) for server in servers)
    one = len(servers) == 1
    how = _word(servers[0]) if one else counted(len(servers), "server") + " not well"
    said = f"{_sign(servers[0], glyphs)} {names}  {how}" if one else f"{how}: {names}"
    return cell(f"{said}{glyphs.dot}no open tasks", width, glyphs.ellipsis)


def _sign(server: ServerView, glyphs: Glyphs) -> str:
    if server.health in _WELL:
        return "|" if glyphs.plain else "‖"
    return unwell_sign(glyphs)


def _word(server: ServerView, now: float | None = None) -> str:
    """How it stands, and at `now` since when; of a well one that has a line, why it has one."""
    held = "polling held" if server.held else ""
    if server.health in _WELL:
        return held or server.health.value
    word = server.health.value
    if server.since is not None and now is not None:
        word += f" {lasting(server.since, now)}"
    return f"{word}, {held}" if held else word
