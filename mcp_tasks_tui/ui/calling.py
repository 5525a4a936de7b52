"""A call of a tool from the screen: sent once, answered where it asks first, never in the way."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Protocol

from mcp_tasks_tui.daemon_thread import in_daemon_thread
from mcp_tasks_tui.handles.model import Handle, Snapshot, State
from mcp_tasks_tui.protocol.messages import InputResponse, ToolResult
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.problems import CallUnanswered, HandleNotSaved
from mcp_tasks_tui.supervise.results import read_result
from mcp_tasks_tui.supervise.view import TaskView
from mcp_tasks_tui.ui.actions import FAILURES
from mcp_tasks_tui.ui.links import open_in_browser
from mcp_tasks_tui.ui.screens.answer.screen import AnswerScreen
from mcp_tasks_tui.ui.screens.result import ViewerScreen
from mcp_tasks_tui.ui.services import Services
from mcp_tasks_tui.ui.widgets.lines.pieces import Piece, Tone
from mcp_tasks_tui.ui.widgets.panel.facts import PanelFacts
from mcp_tasks_tui.ui.widgets.result.tabs import file_stem, result_tabs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from textual.geometry import Size

    from mcp_tasks_tui.protocol.messages import InputNeeded
    from mcp_tasks_tui.supervise.supervisor import Batch, Supervisor
    from mcp_tasks_tui.ui.screens.answer.drafts import Drafts
    from mcp_tasks_tui.ui.screens.call_draft import CallDraft
    from mcp_tasks_tui.ui.screens.new_call import CallWanted

#: Rounds of questions before a call is given up: a server must not ask for ever.
_ROUNDS = 10
#: Ways for a call to fail in which it is a task all the same, or may be one.
_STARTED = (CallUnanswered, HandleNotSaved)
#: What is typed is kept by such a number: no two calls of a run may ever have the same.
_NUMBERS = count(1)


class CallingApp(Services, Protocol):
    """The app as a call needs it."""

    supervisor: Supervisor
    drafts: Drafts
    call_draft: CallDraft

    @property
    def size(self) -> Size: ...

    def go_to(self, key: str) -> None: ...


async def call_tool(app: CallingApp, wanted: CallWanted) -> None:
    """Call, and go to the task that comes of it; whatever comes is said in one line.

    What was filled in is kept where surely nothing was started: then it is not sent yet.
    """
    if not await _called(app, wanted) and wanted.draft is not None:
        app.call_draft.put_back(wanted.draft)


async def _called(app: CallingApp, wanted: CallWanted) -> bool:
    """Call; tell whether anything was started by it, as far as anybody knows."""
    tool = one_line(wanted.tool.name, 60)
    answers: Mapping[str, InputResponse] | None = None
    state: str | None = None
    app.say(f"{tool} called; its answer is waited for")
    for _round in range(_ROUNDS):
        try:
            outcome = await app.supervisor.call(
                wanted.server_url,
                wanted.tool.name,
                wanted.arguments,
                label=wanted.label,
                input_responses=answers,
                request_state=state,
            )
        except FAILURES as error:
            app.say(f"{tool}: {error}", "error")
            return isinstance(error, _STARTED)
        if isinstance(outcome, TaskView):
            app.say(f"{tool} became a task")
            app.go_to(outcome.key)
            return True
        if isinstance(outcome, ToolResult):
            await _show_result(app, wanted, outcome)
            return True
        answers = await _ask(app, wanted, outcome)
        if answers is None:
            app.say(f"{tool}: it asked first and was not answered; nothing was started", "warning")
            return False
        state = outcome.request_state
    app.say(f"{tool}: it goes on asking; given up", "warning")
    return False


async def _ask(
    app: CallingApp, wanted: CallWanted, needed: InputNeeded
) -> Mapping[str, InputResponse] | None:
    """Return the answers to what a call asks first, None unless all were given."""
    questions = CallQuestions(wanted, needed, now=app.now())
    try:
        await app.ask(AnswerScreen(questions, questions.key, app.drafts, opener=open_in_browser))
        await app.drafts.outbox.settled(questions.key)  # it may wait for a browser
    finally:
        app.drafts.forget_all(questions.key)  # it cannot be opened again
    complete = set(needed.input_requests) <= set(questions.given)
    return questions.given if complete else None


async def _show_result(app: CallingApp, wanted: CallWanted, ended: ToolResult) -> None:
    """Show what a call gave at once; there is no task to keep."""
    doc = await in_daemon_thread(read_result, ended.result)
    view = _view(wanted, "call", app.now())
    said = "reports an error" if ended.tool_error else "answered at once; there is no task to keep"
    heading = (Piece(one_line(wanted.tool.name, 80), Tone.STRONG), Piece(f"  {said}", Tone.MUTED))
    facts = PanelFacts(view, app.now(), app.size.width, 0)
    tabs = await in_daemon_thread(result_tabs, doc, lambda: facts)
    await app.ask(ViewerScreen(heading, tabs, file_stem(view)))


def _view(wanted: CallWanted, key: str, now: float) -> TaskView:
    """Return a call as if it was a task, for the screens that know tasks."""
    return TaskView(
        handle=Handle(
            key=key,
            server_url=wanted.server_url,
            task_id="",
            saved_at=now,
            tool=wanted.tool.name,
            arguments=wanted.arguments,
            label=wanted.label,
        ),
        snapshot=Snapshot(),
        state=State.COMPLETED,
        server=wanted.server_url,
        message=None,
        message_is_old=False,
        progress=None,
        attention=(),
        answers={},
        open_requests=(),
        live=True,
    )


class CallQuestions:
    """Questions of a call that is no task yet, in the form that answering knows."""

    def __init__(self, wanted: CallWanted, needed: InputNeeded, *, now: float) -> None:
        self.key = f"call-{next(_NUMBERS)}"
        self.given: dict[str, InputResponse] = {}
        self._wanted = wanted
        self._needed = needed
        self._now = now
        self._listeners: list[Callable[[Batch], None]] = []

    def view(self, key: str) -> TaskView | None:
        requests = self._needed.input_requests
        return replace(
            _view(self._wanted, self.key, self._now),
            snapshot=Snapshot(status="input_required", input_requests=requests),
            state=State.INPUT_REQUIRED,
            open_requests=tuple(each for each in requests if each not in self.given),
        )

    def subscribe(self, listener: Callable[[Batch], None]) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def answer(
        self,
        key: str,
        responses: Mapping[str, InputResponse],
        *,
        shown: Mapping[str, str],
        again: bool = False,
    ) -> None:
        """Keep the answers; what a call asked does not change under its form."""
        self.given.update(responses)
