"""Handles that the disk did not take: held, told of for as long as it is so, and tried again."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.errors import StoreError
from mcp_tasks_tui.records import record
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.problems import HandleNotSaved

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from mcp_tasks_tui.handles.model import HandleDraft
    from mcp_tasks_tui.supervise.ports import Clock
    from mcp_tasks_tui.supervise.roster import Watched

    Save = Callable[[], Awaitable[Watched]]

#: Seconds between two attempts.
RETRY_EVERY = 5.0


@record
class UnsavedHandle:
    """A handle that exists in this process alone; `why` is one clean line."""

    draft: HandleDraft
    why: str


class Unsaved:
    def __init__(self, *, clock: Clock, notice: Callable[[str], None]) -> None:
        self._clock = clock
        self._notice = notice
        self._held: dict[int, tuple[UnsavedHandle, Save]] = {}
        self._last = 0

    def handles(self) -> Sequence[UnsavedHandle]:
        """Return what is held, oldest first."""
        return [one for one, _ in self._held.values()]

    async def save(self, draft: HandleDraft, save: Save) -> Watched:
        """Save the handle; where that does not work, hold it until it does.

        Raises:
            HandleNotSaved: the disk did not take it.
            ValueError: it is no handle that could be saved.
        """
        try:
            return await save()
        except ValueError:
            raise
        except Exception as error:
            why = _told(error)
            self._hold(UnsavedHandle(draft, str(why)), save)
            raise HandleNotSaved(draft, why) from error
        except asyncio.CancelledError:
            # Nobody hears any more whether it was written: to write it again changes nothing.
            self._hold(UnsavedHandle(draft, "the program ended while it was saved"), save)
            raise

    def _hold(self, one: UnsavedHandle, save: Save) -> None:
        self._last += 1
        self._held[self._last] = one, save

    async def keep_trying(self) -> None:
        """Save what is held as soon as the disk takes it again."""
        while True:
            await self._clock.sleep(RETRY_EVERY)
            await self.save_all()

    async def save_all(self) -> None:
        """Try once more to save what is held."""
        for number, (one, save) in list(self._held.items()):
            try:
                task = await save()
            except Exception as error:  # noqa: BLE001 - of one handle: the others are tried, too
                self._held[number] = UnsavedHandle(one.draft, str(_told(error))), save
            else:
                del self._held[number]
                self._notice(f"the handle that could not be saved is saved now: {task.key}")


def _told(error: Exception) -> StoreError:
    """Return what is told of a failed save: a fault of ours is one of the store, too."""
    if isinstance(error, StoreError):
        return error
    return StoreError(f"not saved: {type(error).__name__}: {one_line(str(error), 200)}")
