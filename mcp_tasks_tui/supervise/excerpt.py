"""What a result says, in one line: enough to tell in a list how a task ended. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.sanitize import ServerText

if TYPE_CHECKING:
    from mcp_tasks_tui.handles.model import Json

#: Characters that are kept: more than a list shows.
_LONGEST = 160
#: Items, and characters of each, that are looked at.
_ITEMS, _LOOKED_AT = 20, 4_000


def excerpt(result: Json) -> ServerText | None:
    """Return the first line of text in a tool's result (``content``), None where there is none."""
    content = result.get("content") if isinstance(result, dict) else None
    for item in content[:_ITEMS] if isinstance(content, list) else ():
        text = item.get("text") if isinstance(item, dict) and item.get("type") == "text" else None
        if isinstance(text, str):
            lines = (line.strip() for line in text[:_LOOKED_AT].splitlines())
            if first := next(filter(None, lines), ""):
                return ServerText(first[:_LONGEST])
    return None
