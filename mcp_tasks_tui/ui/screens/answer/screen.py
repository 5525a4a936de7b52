"""Answering what a task asks: the one moment when it waits for a person.

Nothing leaves this screen but by Send, Decline or Dismiss. Closing it, a withdrawn question, a
lost server and new polls send nothing and change nothing that was typed.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.containers import Vertical
from textual.message import Message
from textual.screen import ModalScreen

from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.ui.commands.keymap import bind_place, keymap_of
from mcp_tasks_tui.ui.commands.model import Place
from mcp_tasks_tui.ui.looks.text import content
from mcp_tasks_tui.ui.screens.answer.jump import pick_question
from mcp_tasks_tui.ui.screens.answer.panes import QuestionPanes
from mcp_tasks_tui.ui.screens.answer.refusing import ask_to_refuse
from mcp_tasks_tui.ui.screens.answer.sending import Outgoing
from mcp_tasks_tui.ui.screens.answer.state import AnswerOutcome, Questions, QuestionStanding
from mcp_tasks_tui.ui.screens.leavable import LeavableScreen
from mcp_tasks_tui.ui.widgets.form.buttons import AnswerButtons
from mcp_tasks_tui.ui.widgets.form.head import AnswerHead, asking_server, who_asks
from mcp_tasks_tui.ui.widgets.line import Line

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from pathlib import PurePath

    from textual.app import ComposeResult
    from textual.await_complete import AwaitComplete
    from textual.widget import Widget

    from mcp_tasks_tui.supervise.supervisor import Batch
    from mcp_tasks_tui.ui.screens.answer.drafts import Drafts
    from mcp_tasks_tui.ui.screens.answer.panes import Refused
    from mcp_tasks_tui.ui.screens.answer.refusing import Refusal
    from mcp_tasks_tui.ui.screens.answer.sending import Compose, Ended
    from mcp_tasks_tui.ui.screens.answer.state import Action, Answering
    from mcp_tasks_tui.ui.widgets.form.fields import FormFields
    from mcp_tasks_tui.ui.widgets.form.link import Opener, Opening
    from mcp_tasks_tui.ui.widgets.form.pane import QuestionPane, RawPane
    from mcp_tasks_tui.ui.widgets.form.strip import QuestionStrip

#: What the buttons for one question answer.
_ANSWERS: dict[str, Action] = {"send": "accept", "decline": "decline", "dismiss": "cancel"}
_OPENING = "Opening it in your browser…"
_DONE_WORDS: dict[Action, str] = {"accept": "Sent", "decline": "Declined", "cancel": "Dismissed"}


class AnswerScreen(LeavableScreen[AnswerOutcome], ModalScreen[AnswerOutcome]):
    """The open questions of one task, one at a time or several together.

    `opener` opens a URL in a browser and returns whether it could; it is handed http(s) URLs
    only, and only after a yes. The screen gives an :class:`AnswerOutcome` when it is left.
    """

    CSS_PATH: ClassVar[list[str | PurePath]] = ["answer.tcss", "../../widgets/form/form.tcss"]
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - as the base class has it
        (0, "-narrow"),
        (76, "-normal"),
        (110, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (22, "-tall")]  # noqa: RUF012 - as the base class has it
    AUTO_FOCUS = ""

    class CancelTaskWanted(Message):
        """Instead of answering, a person wants the task cancelled: the app is to ask and do it."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(
        self,
        supervisor: Answering,
        key: str,
        drafts: Drafts,
        *,
        opener: Opener,
        read_only: bool = False,
    ) -> None:
        super().__init__()
        self._supervisor = supervisor
        self._key = key
        self._drafts = drafts
        self._read_only = read_only
        self._view = supervisor.view(key)
        self._questions = Questions(self._view, partial(drafts.outbox.sending, key))
        self._panes = QuestionPanes(
            opener=opener,
            may_send=lambda: self.query_one(AnswerButtons).allows("send"),
            send=self._open_and_send,
        )
        self._current = self._questions.first()
        #: Where a person was when they sent an answer.
        self._left: Widget | None = None
        self._unsubscribe: Callable[[], None] = lambda: None
        self._detach: Callable[[], None] = lambda: None

    def compose(self) -> ComposeResult:
        with Vertical(id="answer") as box:
            box.border_title = content(f"{asking_server(self._view)} asks")
            yield AnswerHead(who_asks(self._view, self._key))
            yield self._panes
            yield Line(id="outcome")
            yield AnswerButtons()

    async def on_mount(self) -> None:
        bind_place(self, Place.ANSWER, priority=True)
        self._unsubscribe = self._supervisor.subscribe(self._on_batch)
        await self._show_current()
        if passed_over := self._questions.passed_over():
            self._tell(passed_over)
        self._detach = self._drafts.outbox.attach(self._key, self._hear)

    def dismiss(self, result: AnswerOutcome | None = None) -> AwaitComplete:
        """Leave; news that come while the screen is taken down are not drawn any more."""
        if self.is_active:
            self._hear_no_more()
        return super().dismiss(result)

    def on_unmount(self) -> None:
        self._hear_no_more()

    def _hear_no_more(self) -> None:
        self._unsubscribe()
        self._unsubscribe = lambda: None
        self._detach()

    # --- which question ------------------------------------------------------------------
    async def _show_current(self) -> None:
        """Bring the current question to the front; it is built when it is first seen."""
        key = self._current
        if key is not None:
            question = self._questions[key]
            await self._panes.show(question, self._drafts.entries(self._key, question))
        self._tell(self._drafts.outbox.doing(self._key, key))
        self._draw()

    async def action_turn(self, by: int) -> None:
        total = len(self._questions)
        if self._current is not None and total > 1:
            await self._turn_to((self._questions.place(self._current) + by) % total)

    def action_jump(self) -> None:
        """Go to any question by its number or a word of it."""
        if len(self._questions) > 1:
            self.app.push_screen(pick_question(self._questions), self._picked)

    async def _picked(self, places: tuple[int, ...] | None) -> None:
        if places:
            await self._turn_to(places[0])

    async def on_question_strip_chosen(self, event: QuestionStrip.Chosen) -> None:
        await self._turn_to(event.place)

    async def _turn_to(self, place: int) -> None:
        self._current = self._questions.keys[place]
        await self._show_current()

    async def action_reveal(self) -> None:
        """Show what is masked; on a changed question, show the new one."""
        key = self._current
        if key is None or key in self._questions.sending:
            return
        if not self._questions.changed(key):
            self._panes[key].toggle_secrets()
            return
        field = self._panes[key].focused_field
        self._questions.reread(key)
        await self._panes.drop(key)
        await self._show_current()
        if field is not None:
            self._panes[key].focus_field(field)

    # --- what others tell ----------------------------------------------------------------
    def _on_batch(self, batch: Batch) -> None:
        """A new poll: signs and words may change, never what is typed or where the focus is."""
        if self._key in batch.changed or self._key in batch.added:
            self._view = self._supervisor.view(self._key)
            self._questions.update(self._view)
            if self._current is None and len(self._questions):
                self._current = self._questions.first()
                self.call_later(self._show_current)
            self._draw()

    def on_form_fields_edited(self, event: FormFields.Edited) -> None:
        event.stop()
        if self._current is not None:
            question = self._questions[self._current]
            self._drafts.put(self._key, question, event.name, event.entry)
            if self._current not in self._questions.sending:
                self._tell("")
            self._draw()

    # --- drawing -------------------------------------------------------------------------
    def _draw(self) -> None:
        """Redraw everything around the panes; the panes themselves are left alone."""
        self.query_one(AnswerHead).show(self._questions, self._current, read_only=self._read_only)
        self._panes.set_locked(self._questions.sending)
        self._draw_buttons()
        if close := keymap_of(self).label("answer.close"):
            what = self._drafts.outbox.closing(self._key)
            self.query_one("#answer").border_subtitle = content(f"{close} closes, {what}")

    def _draw_buttons(self) -> None:
        key = self._current
        free = key is not None and self._may_answer(key)
        answered = key is not None and self._questions.standing(key) is QuestionStanding.ANSWERED
        self.query_one(AnswerButtons).show(
            send=free and key is not None and self._questions[key].mode != "other",
            refuse=free,
            again=free and answered,
            together=0 if self._read_only else len(self._ready()),
        )

    def _may_answer(self, key: str) -> bool:
        return self._questions.answerable(key) and not self._read_only

    def _tell(self, text: str, *, error: bool = False) -> None:
        outcome = self.query_one("#outcome", Line)
        outcome.show(content(one_line(text, 300)))
        outcome.display = bool(text)
        outcome.set_class(error, "-error")

    def _ready(self) -> list[str]:
        """Return the questions that a person has filled in, without an error to be seen."""
        return [
            key
            for key in sorted(self._panes.looked_at(), key=self._questions.place)
            if self._questions.standing(key) is QuestionStanding.OPEN
            and self._questions.answerable(key)
            and self._panes.faultless(key)
            and self._drafts.entries(self._key, self._questions[key])
        ]

    def action_command(self, command_id: str) -> Awaitable[None] | None:
        """Do what a command of the answering part of the vocabulary says."""
        return _DOES[command_id](self)

    def action_help(self) -> None:
        from mcp_tasks_tui.ui.screens.help import HelpScreen  # noqa: PLC0415 - when it is opened

        self.app.push_screen(HelpScreen(keymap_of(self), Place.ANSWER))

    # --- sending -------------------------------------------------------------------------
    def on_answer_buttons_wanted(self, event: AnswerButtons.Wanted) -> None:
        event.stop()
        if event.what in _ANSWERS:
            self._answer(event.what)
        else:
            _DOES[f"answer.{event.what}"](self)

    def action_send(self) -> None:
        self._answer("send")

    def action_refuse(self, what: Refusal) -> None:
        """Ask first: many hands know these keys by another meaning, where they move about."""
        key = self._current
        if key is None or not self._may_answer(key):
            self._tell_why_not(key)
            return

        def agreed(yes: bool | None) -> None:
            if yes and self._may_answer(key):
                self._start([key], _ANSWERS[what])

        who = who_asks(self._view, self._key)
        self.app.push_screen(ask_to_refuse(what, self._questions[key], who), agreed)

    def action_send_together(self) -> None:
        if self.query_one(AnswerButtons).allows("together"):
            self._start(self._ready(), "accept")

    def action_close(self) -> None:
        self.dismiss(AnswerOutcome(self._key, dict(self._questions.sent)))

    def _answer(self, button: str) -> None:
        if self.query_one(AnswerButtons).allows(button) and self._current is not None:
            self._start([self._current], _ANSWERS[button])
        else:
            self._tell_why_not(self._current)

    def _tell_why_not(self, key: str | None) -> None:
        """Say why a key that answers does nothing; while an answer is sent, that is said."""
        if self._read_only:
            self._tell("read-only: nothing is sent", error=True)
        elif key is not None and key not in self._questions.sending:
            show = keymap_of(self).label("answer.show")
            self._tell(f"Not sent. {self._questions.why_not(key, show=show)}", error=True)

    def _start(self, keys: Sequence[str], action: Action, *, first: Opening | None = None) -> None:
        """Send beside the screen, once `first` went well: closing it does not break it off."""
        again = any(self._questions.standing(key) is QuestionStanding.ANSWERED for key in keys)
        self._left = self.focused
        outgoing = Outgoing(self._key, tuple(keys), action, self._questions.shown(keys), again)
        self._drafts.outbox.take(outgoing)
        self._tell(_OPENING if first else self._drafts.outbox.doing(self._key, keys[0]))
        self._draw()
        compose = partial(self._panes.responses, keys, action, first=first)
        self.app.run_worker(self._send(outgoing, compose), group="answers", exit_on_error=False)

    async def _send(self, outgoing: Outgoing, compose: Compose) -> None:
        unheard = await self._drafts.send(outgoing, self._supervisor, compose)
        if unheard:
            self.app.notify(one_line(unheard, 300), severity="error", markup=False)

    def _hear(self, ended: Ended | Outgoing) -> None:
        """Show what came of an answer, whether it was sent from here or before this was opened."""
        if isinstance(ended, Outgoing):
            self._tell(self._drafts.outbox.doing(self._key, self._current))
            self._draw()
        elif ended.refused is not None:
            self._unlock()
            self.call_later(self._show_errors, ended.refused)
        elif ended.taken:
            self._succeeded(ended.sent.keys, ended.sent.action)
            self._unlock()
        else:
            self._tell(ended.words, error=True)
            self._unlock()

    def _unlock(self) -> None:
        """What was on its way is not any more; a person goes on where they were."""
        self._draw()
        if self._left is not None and self._left.is_attached and self.focused in (None, self._left):
            self._left.focus()
        elif self._current is not None and self.focused is None:
            self._panes[self._current].focus_first()
        self._left = None

    async def _show_errors(self, refused: Refused) -> None:
        if refused.key != self._current:
            self._current = refused.key
            await self._show_current()
        self._panes.refuse(refused)
        self._tell(refused.words(), error=True)

    def _succeeded(self, keys: Sequence[str], action: Action) -> None:
        self._questions.sent.update(dict.fromkeys(keys, action))
        waiting = list(self._questions.waiting())
        if not waiting and self._current in keys and self.is_active:
            self.action_close()
            return
        said = _DONE_WORDS[action]
        if waiting and self._current in keys:
            self._left = None
            self._current = waiting[0]
            self.call_later(self._show_next, f"{said}. {len(waiting):,} more to answer.")
        else:
            self._tell(f"{said}.")

    async def _show_next(self, words: str) -> None:
        await self._show_current()
        self._tell(words)

    # --- pages to open, tasks to cancel --------------------------------------------------
    def action_open_link(self) -> None:
        if link := self._panes.link(self._current):
            link.want_open()

    def action_copy_link(self) -> None:
        if link := self._panes.link(self._current):
            link.want_copy()

    def _open_and_send(self, key: str, opening: Opening) -> None:
        if self._may_answer(key):
            self._start([key], "accept", first=opening)
        else:
            self._tell_why_not(key)

    def on_question_pane_said(self, event: QuestionPane.Said) -> None:
        event.stop()
        self._tell(event.text, error=event.error)

    def on_raw_pane_cancel_task_wanted(self, event: RawPane.CancelTaskWanted) -> None:
        event.stop()
        self.post_message(self.CancelTaskWanted(self._key))


_DOES: dict[str, Callable[[AnswerScreen], Awaitable[None] | None]] = {
    "answer.send": AnswerScreen.action_send,
    "answer.decline": partial(AnswerScreen.action_refuse, what="decline"),
    "answer.dismiss": partial(AnswerScreen.action_refuse, what="dismiss"),
    "answer.together": AnswerScreen.action_send_together,
    "answer.next": partial(AnswerScreen.action_turn, by=1),
    "answer.previous": partial(AnswerScreen.action_turn, by=-1),
    "answer.jump": AnswerScreen.action_jump,
    "answer.show": AnswerScreen.action_reveal,
    "answer.open": AnswerScreen.action_open_link,
    "answer.copy": AnswerScreen.action_copy_link,
    "answer.help": AnswerScreen.action_help,
    "answer.close": AnswerScreen.action_close,
}
