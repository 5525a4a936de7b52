"""Frees a screen that was left, once nothing holds it any more."""

from __future__ import annotations

import asyncio
from contextvars import Context
from typing import TYPE_CHECKING

from mcp_tasks_tui.collector import clear_away

if TYPE_CHECKING:
    from collections.abc import Callable


def clear_away_later(left: Callable[[], object | None], seconds: float, tries: int = 5) -> None:
    """Clear away after so many seconds; what something still holds then after twice as many, and so
    on. Nothing of this holds it.
    """

    def clear() -> None:
        if not clear_away(left) and tries > 1:
            clear_away_later(left, seconds * 2, tries - 1)

    # In a context of its own: that of the moment may be the screen's, and would hold it.
    asyncio.get_running_loop().call_later(seconds, clear, context=Context())
