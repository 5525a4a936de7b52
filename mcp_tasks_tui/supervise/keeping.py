"""What a person does to a saved task without asking its server: archive, restore, edit, hold."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.errors import NoSuchHandle, StoreError
from mcp_tasks_tui.handles.model import Event, JournalEntry, Texts
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.pause import end, fault_in
from mcp_tasks_tui.supervise.problems import EngineError
from mcp_tasks_tui.supervise.words import title

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from mcp_tasks_tui.handles.model import Handle
    from mcp_tasks_tui.supervise.ports import Clock, Store
    from mcp_tasks_tui.supervise.roster import Watched

#: Key -> why that task was left as it was.
Failures = dict[str, StoreError | EngineError]
#: Seconds between two attempts to bring a task back.
RETRY_EVERY = 5.0


class Keeping:
    """Nothing is ever deleted: archiving hides, and a question brings a task back."""

    def __init__(
        self,
        *,
        store: Store,
        clock: Clock,
        handle_changed: Callable[[Watched], None],
        wished: Callable[[Watched], None],
        notice: Callable[[str], None],
    ) -> None:
        self._store = store
        self._clock = clock
        self._handle_changed = handle_changed
        self._wished = wished
        self._notice = notice
        self._bringing_back: dict[Watched, asyncio.Task[None]] = {}

    async def close(self) -> None:
        """Bring back what is to be, once more; a failure is left to the notices."""
        waiting = dict(self._bringing_back)
        await end(waiting.values())
        for task in waiting:
            if task.hides_new_question():
                with suppress(StoreError):
                    await self.restore([task])

    async def archive(self, tasks: Sequence[Watched]) -> Failures:
        """Put tasks away with what they ask now; what they ask from now on brings them back."""
        failures = await self._change(
            tasks, lambda keys: self._store.archive_all(keys, self._clock.now())
        )
        for task in tasks:
            if task.hides_new_question():
                name = one_line(title(task.handle), 60)
                self._notice(f"{name}: it has just asked something, and comes back")
        return failures

    async def restore(self, tasks: Sequence[Watched]) -> Failures:
        return await self._change(tasks, lambda keys: self._store.archive_all(keys, None))

    async def edit(self, texts: Mapping[Watched, Texts]) -> Failures:
        by_key = {task.key: each for task, each in texts.items()}
        return await self._change(list(texts), lambda _: self._store.edit_all(by_key))

    async def tag(self, tasks: Sequence[Watched], tags: Sequence[str]) -> Failures:
        """Add tags to what each task has."""
        return await self.edit({task: _tagged(task.handle, tags) for task in tasks})

    async def _change(
        self,
        tasks: Sequence[Watched],
        change: Callable[[Sequence[str]], Awaitable[Mapping[str, Handle]]],
    ) -> Failures:
        """Change the handles of tasks at once; return why some of them were not."""
        asked = [task.snapshot.input_requests for task in tasks]
        changed = await change([task.key for task in tasks])
        for task, questions in zip(tasks, asked, strict=True):
            if task.key in changed:
                task.set_handle(changed[task.key], seen=questions)
                self._handle_changed(task)
        return {task.key: NoSuchHandle(task.key) for task in tasks if task.key not in changed}

    def hold(self, task: Watched, held: bool) -> None:
        if task.snapshot.held != held:
            event = Event.HELD if held else Event.RESUMED
            task.wish(JournalEntry(self._clock.now(), event), held=held)
            self._wished(task)

    def show_new_question(self, task: Watched) -> None:
        """Restore an archived task by itself where it asks what nobody has seen."""
        then, now = task.seen_when_archived, task.snapshot.input_requests
        if then.keys() - now.keys():  # what is asked once more later is asked anew
            task.seen_when_archived = {key: then[key] for key in then if key in now}
        if task in self._bringing_back or not task.hides_new_question():
            return
        job = asyncio.create_task(self._bring_back(task), name="bring back")
        self._bringing_back[task] = job
        job.add_done_callback(lambda _: self._bringing_back.pop(task))

    async def _bring_back(self, task: Watched) -> None:
        told: set[str] = set()
        while task.hides_new_question():
            try:
                if await self.restore([task]):
                    return  # it is saved no longer
                continue
            except StoreError as error:
                kind, why = "disk", str(error)
            except Exception as error:  # noqa: BLE001 - it is brought back, whatever goes wrong
                kind = why = fault_in("bringing back", error)
            if kind not in told:
                told.add(kind)
                self._notice(f"{why} (an archived task asks something; it is shown later)")
            await self._clock.sleep(RETRY_EVERY)


def _tagged(handle: Handle, tags: Sequence[str]) -> Texts:
    return Texts(handle.label, handle.note, tuple(dict.fromkeys((*handle.tags, *tags))))
