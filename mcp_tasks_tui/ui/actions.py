"""What the commands about tasks do: ask where something cannot be undone, do it, say how it went.

Every action is about keys of tasks, taken when it was asked for. Nothing here waits on the wire
or the disk in a key handler: workers do, and each failure becomes one line.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Protocol

from mcp_tasks_tui.handles.errors import StoreError
from mcp_tasks_tui.protocol.errors import RequestError
from mcp_tasks_tui.records import record
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.problems import EngineError
from mcp_tasks_tui.supervise.words import counted, title
from mcp_tasks_tui.ui.commands.vocabulary import BY_ID

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence

    from textual.screen import Screen

    from mcp_tasks_tui.handles.model import HandleDraft
    from mcp_tasks_tui.supervise.supervisor import Supervisor
    from mcp_tasks_tui.supervise.view import TaskView
    from mcp_tasks_tui.ui.alerts import Severity
    from mcp_tasks_tui.ui.commands.model import Command, Target

#: What can go wrong with an action and is no bug: said in one line.
FAILURES = (RequestError, StoreError, EngineError)


#: So many ways in which an action failed are told in full.
_TOLD = 5


class Stage(Protocol):
    """The screen as the actions need it."""

    def say(self, text: str, severity: Severity = "information") -> None: ...

    def start(self, work: Coroutine[Any, Any, object]) -> None:
        """Run `work` beside everything else."""

    async def ask(self, screen: Screen[Any]) -> Any:
        """Show a dialog and return what it was dismissed with."""

    def aimed_at(self, target: Target) -> list[TaskView]:
        """Return the views that a command is about, as they are now."""

    def unmark(self) -> None: ...

    def go_to(self, key: str) -> None: ...

    def copy(self, text: str, what: str) -> None: ...

    def answer(self, key: str) -> None: ...


@record
class _Aim:
    """Tasks that a command fits, those that were left out, and why the first of them was."""

    views: list[TaskView]
    left_out: Sequence[TaskView] = ()
    why: str = ""


class TaskActions:
    """Command id -> what is done; `run` is the only way in."""

    def __init__(self, stage: Stage, supervisor: Supervisor, undo_key: str) -> None:
        """`undo_key` is what a person presses to undo, empty where no key does it."""
        self._stage = stage
        self._undo_key = undo_key or "undo"
        self._supervisor = supervisor
        self._archived: list[tuple[str, ...]] = []
        #: About no task in particular.
        self._of_all: dict[str, Callable[[], None]] = {
            "task.undo": self._undo,
            "program.hold": self._hold_all,
        }
        self._handlers: dict[str, Callable[[_Aim], None]] = {
            "task.answer": self._answer,
            "task.cancel": self._cancel,
            "task.poll": self._poll,
            "task.hold": self._hold,
            "task.archive": self._archive,
            "task.edit": self._edit,
            "task.copy_id": self._copy_id,
            "server.retry": self._retry,
            "server.hold": self._hold_server,
        }

    def handles(self, command_id: str) -> bool:
        return command_id in self._handlers or command_id in self._of_all

    def run(self, command_id: str, views: list[TaskView] | None = None) -> None:
        """Do it for `views`, else for the tasks it is about; or say why not."""
        if command_id in self._of_all:
            self._of_all[command_id]()
            return
        command = BY_ID[command_id]
        aim = _aimed(command, self._stage.aimed_at(command.target) if views is None else views)
        if aim.views:
            self._handlers[command_id](aim)
        elif aim.left_out:
            whose = _names(aim.left_out)
            self._stage.say(f"{command.title}: {aim.why} ({whose})", "warning")
        else:
            self._stage.say(f"{command.title}: there is no task here", "warning")

    # --- sent to servers -----------------------------------------------------------------
    def _answer(self, aim: _Aim) -> None:
        self._stage.answer(aim.views[0].key)

    def _cancel(self, aim: _Aim) -> None:
        self._stage.start(self._ask_cancel(aim))

    async def _ask_cancel(self, aim: _Aim) -> None:
        from mcp_tasks_tui.ui.screens.cancelling import ask_to_cancel

        sure = await self._stage.ask(ask_to_cancel(aim.views, aim.left_out))
        if sure:
            await self._each(aim.views, self._supervisor.cancel, "cancel asked for")
            self._stage.unmark()

    def _poll(self, aim: _Aim) -> None:
        self._supervisor.poll_now([view.key for view in aim.views])
        self._stage.say(f"reading {_names(aim.views)} now")

    def _retry(self, aim: _Aim) -> None:
        url, server = aim.views[0].handle.server_url, aim.views[0].server

        async def retry(_: str) -> None:
            await self._supervisor.retry_server(url)

        self._stage.start(self._each(aim.views[:1], retry, f"asking {one_line(server, 60)} again"))

    # --- ours alone ----------------------------------------------------------------------
    def _hold(self, aim: _Aim, whose: str = "") -> None:
        """Hold all, or, where all are held already, resume all; `whose` tells which in a word."""
        held = not all(view.snapshot.held for view in aim.views)

        async def hold() -> None:
            done = await self._at_once(
                aim.views, lambda keys: self._supervisor.hold(keys, held), ""
            )
            what = "no longer read by itself; resume with the same key" if held else "read again"
            if done:
                self._stage.say(f"{whose or _names(done)}: {what}")

        self._stage.start(hold())

    def _hold_server(self, aim: _Aim) -> None:
        url, server = aim.views[0].handle.server_url, one_line(aim.views[0].server, 60)
        views = [v for v in self._supervisor.views() if v.handle.server_url == url]
        self._hold_open(views, f"all tasks of {server}")

    def _hold_all(self) -> None:
        self._hold_open(self._supervisor.views(), "all tasks")

    def _hold_open(self, views: Sequence[TaskView], whose: str) -> None:
        running = [view for view in views if not view.state.terminal]
        if running:
            self._hold(_Aim(running), whose)
        else:
            self._stage.say("nothing is read by itself here: all tasks have ended", "warning")

    def _archive(self, aim: _Aim) -> None:
        """Archive those that are not; where all are archived, bring them back."""
        fresh = [view for view in aim.views if not view.archived]
        if fresh:
            self._stage.start(self._put_away(fresh))
        else:
            self._stage.start(self._at_once(aim.views, self._supervisor.restore, "brought back"))

    async def _put_away(self, views: list[TaskView]) -> None:
        done = await self._at_once(views, self._supervisor.archive, "")
        if done:
            self._archived.append(tuple(view.key for view in done))
            still = " (still watched)" if any(not view.state.ended for view in done) else ""
            back = "brings it back" if len(done) == 1 else "brings them back"
            self._stage.say(f"archived {_names(done)}{still}; {self._undo_key} {back}")
            self._stage.unmark()

    def _undo(self) -> None:
        if not self._archived:
            self._stage.say("nothing to bring back", "warning")
            return
        keys = self._archived.pop()
        views = [view for key in keys if (view := self._supervisor.view(key)) is not None]

        async def restore() -> None:
            if await self._at_once(views, self._supervisor.restore, "brought back"):
                self._stage.go_to(views[0].key)

        self._stage.start(restore())

    def _edit(self, aim: _Aim) -> None:
        work = self._edit_one(aim.views[0]) if len(aim.views) == 1 else self._tag(aim.views)
        self._stage.start(work)

    async def _edit_one(self, view: TaskView) -> None:
        from mcp_tasks_tui.ui.screens.edit import Edited, EditScreen

        edited = await self._stage.ask(EditScreen(view.handle, name(view)))
        if isinstance(edited, Edited):

            async def edit(key: str) -> None:
                await self._supervisor.edit(
                    key, label=edited.label, note=edited.note, tags=edited.tags
                )

            await self._each([view], edit, "saved")

    async def _tag(self, views: list[TaskView]) -> None:
        from mcp_tasks_tui.ui.screens.edit import TagScreen

        tags = await self._stage.ask(TagScreen(f"Tag {counted(len(views), 'task')}"))
        if not tags:
            return

        await self._at_once(views, lambda keys: self._supervisor.tag(keys, tags), "tagged")
        self._stage.unmark()

    def _copy_id(self, aim: _Aim) -> None:
        self._stage.copy(aim.views[0].handle.task_id, "task id")

    async def save(self, draft: HandleDraft) -> None:
        """Keep a handle and go to it."""
        try:
            view = await self._supervisor.save(draft)
        except FAILURES as error:
            self._stage.say(f"not saved: {error}", "error")
            return
        self._stage.say(f"kept {name(view)}")
        self._stage.go_to(view.key)

    # --- together ------------------------------------------------------------------------
    async def _each(
        self, views: Sequence[TaskView], act: Callable[[str], Awaitable[None]], done: str
    ) -> list[TaskView]:
        """Do `act` for each task at once, say how it went; return those for which it worked."""
        outcomes = await asyncio.gather(*(act(view.key) for view in views), return_exceptions=True)
        failures: dict[str, Exception] = {}
        for view, outcome in zip(views, outcomes, strict=True):
            if isinstance(outcome, FAILURES):
                failures[view.key] = outcome
            elif outcome is not None:
                raise outcome
        return self._tell(views, failures, done)

    async def _at_once(
        self,
        views: Sequence[TaskView],
        act: Callable[[Sequence[str]], Awaitable[Mapping[str, Exception]]],
        done: str,
    ) -> list[TaskView]:
        """Do `act` for all tasks together; otherwise as `_each`."""
        keys = [view.key for view in views]
        try:
            failures = await act(keys)
        except FAILURES as error:
            failures = dict.fromkeys(keys, error)
        return self._tell(views, failures, done)

    def _tell(
        self, views: Sequence[TaskView], failures: Mapping[str, Exception], done: str
    ) -> list[TaskView]:
        """Say how it went, what failed alike in one line; return those for which it worked."""
        alike: dict[str, list[TaskView]] = {}
        for view in views:
            if view.key in failures:
                alike.setdefault(str(failures[view.key]), []).append(view)
        for why, whose in list(alike.items())[:_TOLD]:
            self._stage.say(f"{_names(whose)}: {why}", "error")
        untold = [view for whose in list(alike.values())[_TOLD:] for view in whose]
        if untold:
            self._stage.say(f"{_names(untold)}: failed, too", "error")
        worked = [view for view in views if view.key not in failures]
        if worked and done:
            self._stage.say(f"{_names(worked)}: {done}")
        return worked


def _aimed(command: Command, views: list[TaskView]) -> _Aim:
    fitting = [view for view in views if command.fits(view)]
    left_out = [view for view in views if command.unfit(view) is not None]
    return _Aim(fitting, left_out, (left_out and command.unfit(left_out[0])) or "")


def name(view: TaskView) -> str:
    """Return what a task is called, short enough for a line of words."""
    return one_line(title(view.handle), 60)


def _names(views: Sequence[TaskView]) -> str:
    return name(views[0]) if len(views) == 1 else counted(len(views), "task")
