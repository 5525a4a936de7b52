"""What the disk did not take, above the list for as long as it is so: no toast that goes away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.unsaved import RETRY_EVERY
from mcp_tasks_tui.supervise.words import counted, duration
from mcp_tasks_tui.ui.looks.text import beside, content
from mcp_tasks_tui.ui.widgets.line import Line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcp_tasks_tui.handles.model import HandleDraft
    from mcp_tasks_tui.supervise.unsaved import UnsavedHandle
    from mcp_tasks_tui.ui.looks.signs import Glyphs
    from mcp_tasks_tui.ui.servers import KnownServers

#: Handles that are named.
_MOST = 3


class UnsavedLine(Line):
    DEFAULT_CSS = """
    UnsavedLine { height: auto; max-height: 3; padding: 0 1; }
    UnsavedLine.-empty { display: none; }
    """

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="unsaved", classes="-empty")
        self._glyphs = glyphs

    def show_handles(
        self, handles: Sequence[UnsavedHandle], known: Callable[[], KnownServers]
    ) -> None:
        """Say which handles exist in this program alone, why, and what becomes of them."""
        self.set_class(not handles, "-empty")
        if not handles:
            return
        servers = known()
        are, them = ("is", "it") if len(handles) == 1 else ("are", "them")
        names = ", ".join(handle_name(one.draft, servers) for one in handles[:_MOST])
        more = f" and {len(handles) - _MOST} more" if len(handles) > _MOST else ""
        why = one_line(handles[-1].why, 200)
        again = f"tried again every {duration(RETRY_EVERY)}; leaving prints {them} whole"
        told = self._glyphs.dot.join((f": {names}{more}", why, again))
        head = f"! {counted(len(handles), 'handle')} {are} NOT SAVED"
        self.show(beside(content(head, "$state-failed bold"), content(told)))


def handle_name(draft: HandleDraft, servers: KnownServers) -> str:
    """Return what a handle is of: its label, tool or id, and its server; one clean line."""
    what = one_line(draft.label or draft.tool or draft.task_id, 40)
    return f"{what} on {one_line(servers.called(draft.server_url), 40)}"
