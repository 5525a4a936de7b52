"""What is said of a bug of ours: one clean line, and where the details are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.sanitize import one_line

if TYPE_CHECKING:
    from collections.abc import Callable


class Bugs:
    """`keep` keeps what is known of a bug and returns where (a path, in words)."""

    def __init__(self, keep: Callable[[BaseException], str] | None) -> None:
        self._keep = keep

    def ended_on(self, error: BaseException) -> str:
        """Say, for the freed terminal, that a bug ended the program."""
        where = self._keep(error) if self._keep else ""
        details = f" Details: {where}" if where else ""
        return (
            f"mcp-tasks-tui ended on a bug of its own: {type(error).__name__}: "
            f"{one_line(str(error), 200)}. "
            f"Nothing was sent by this; what was saved is safe.{details}"
        )

    def went_on_after(self, error: BaseException) -> str:
        """Say that something failed which nobody foresaw, and that the program goes on."""
        where = self._keep(error) if self._keep else ""
        details = f"; details: {where}" if where else ""
        return f"a bug: {type(error).__name__}: {one_line(str(error), 200)}{details}"
