"""The filter as it is typed: how many tasks match, or where the mistake is.

A word that is being typed is no mistake yet: what it may become is said in the same line. It is
one, in red and below, when a person stops typing or wants to go on: the keyboard stays here then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.highlighter import Highlighter
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widgets import Input

from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.filter import Filter, FilterError, parse_filter, unclosed
from mcp_tasks_tui.supervise.words import counted
from mcp_tasks_tui.ui.looks.text import content
from mcp_tasks_tui.ui.widgets.line import Line

if TYPE_CHECKING:
    from rich.text import Text
    from textual import events
    from textual.timer import Timer

#: Seconds without a letter after which what is typed is meant so.
_PAUSE = 1.5
_HINT = "words  state:  server:  tool:  tag:  is:stuck  is:waiting  -not"


class _Mistake(Highlighter):
    """Marks the word of the filter that is wrong, from character `at` on."""

    def __init__(self) -> None:
        self.at: int | None = None

    def highlight(self, text: Text) -> None:
        if self.at is not None:
            end = text.plain.find(" ", self.at)
            text.stylize("reverse", self.at, end if end >= 0 else len(text))


class FilterBar(Vertical):
    DEFAULT_CSS = """
    FilterBar { height: auto; display: none; background: $surface; }
    FilterBar.-open { display: block; }
    FilterBar > Horizontal { height: 1; }
    FilterBar #filter-sign { width: 2; padding: 0 0 0 1; color: $accent; }
    FilterBar Input { width: 1fr; border: none; height: 1; padding: 0; background: $surface; }
    FilterBar #filter-says { width: 1fr; height: 1; padding: 0 1; }
    FilterBar #filter-says { text-align: right; color: $quiet; }
    FilterBar #filter-says { text-wrap: nowrap; text-overflow: ellipsis; }
    FilterBar.-doubt #filter-says { width: auto; max-width: 60%; }
    FilterBar.-wrong #filter-says { display: none; }
    FilterBar > #filter-error { display: none; padding: 0 1 0 2; max-height: 4; }
    FilterBar.-wrong > #filter-error { display: block; color: $state-failed; }
    """

    class Changed(Message):
        """Another filter holds: what is typed, as far as it can be understood."""

        def __init__(self, chosen: Filter) -> None:
            self.chosen = chosen
            super().__init__()

    class Done(Message):
        """The typing is over: back to the list."""

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._mistake = _Mistake()
        self._line = Input(
            placeholder=_HINT, highlighter=self._mistake, id="filter-text", compact=True
        )
        self._line.cursor_blink = False
        self._says = Line(id="filter-says")
        self._error = Line(id="filter-error")
        #: The mistake in what is typed, as long as it may be none.
        self._doubt: FilterError | None = None
        self._pause: Timer | None = None

    @property
    def text(self) -> str:
        return self._line.value

    def open(self) -> None:
        self._show()
        self.screen.set_focus(self._line)  # at once: what is typed next is for it

    def clear(self) -> None:
        """Empty and hide."""
        if self.text:
            self._set("")
        self._settle(None)
        self.remove_class("-open")

    def fill(self, text: str) -> None:
        """Set the text, as if it was typed."""
        self._show()
        self._set(text)

    def _set(self, text: str) -> None:
        # Told at once: news of the field itself would come after that of a later text.
        with self._line.prevent(Input.Changed):
            self._line.value = text
        self._typed(text)

    def say_matches(self, shown: int, total: int) -> None:
        if self._line.is_attached and not self.has_class("-wrong") and self._doubt is None:
            says = f"{shown} of {counted(total, 'task')}" if total else "no tasks"
            self._says.show(content(says if self.text.strip() else ""))

    def _show(self) -> None:
        if not self._line.is_attached:  # most starts never need it, and an input costs some
            sign = Line(content("/"), id="filter-sign")
            self.mount(Horizontal(sign, self._line, self._says), self._error)
        self.add_class("-open")

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._typed(event.value)

    def _typed(self, text: str) -> None:
        self._settle(None)
        try:
            chosen = parse_filter(text)
        except FilterError as error:
            chosen = _before(text, error)
            if " " in text[error.position :]:
                self._settle(error)
            else:
                self._doubt = error
                self.add_class("-doubt")
                self._says.show(content(one_line(error.brief)))
                self._pause = self.set_timer(_PAUSE, self._paused)
        self.post_message(self.Changed(chosen))

    def _paused(self) -> None:
        if self._doubt is not None and not self._doubt.unfinished:
            self._settle(self._doubt)

    def _settle(self, error: FilterError | None) -> None:
        """Show this mistake, or none; what was in doubt is no longer."""
        if self._pause is not None:
            self._pause.stop()
        self._doubt = self._pause = None
        self.remove_class("-doubt")
        self.set_class(error is not None, "-wrong")
        self._mistake.at = None if error is None else error.position
        self._line.refresh()
        if error is not None:
            wrong = str(error) if error.unfinished else error.brief
            self._error.show(content(f"at {error.position + 1}: {one_line(wrong)}"))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._go_on()

    def on_key(self, event: events.Key) -> None:
        if event.key == "escape":
            event.stop()
            self.clear()
            self.post_message(self.Done())
        elif event.key == "down":
            event.stop()
            self._go_on()

    def _go_on(self) -> None:
        """Go to the list, except from a mistake: what is typed next is to mend it, and would act
        on tasks there."""
        if self._doubt is not None:
            self._settle(self._doubt)
        elif not self.has_class("-wrong"):
            self._settle(unclosed(parse_filter(self.text)))
        if not self.has_class("-wrong"):
            self.post_message(self.Done())


def _before(text: str, error: FilterError) -> Filter:
    """Return the filter of what is before the mistake: on the way to ``state:working`` the list
    is not to show what has the word ``state``, nor nothing."""
    start = text.rfind(" ", 0, error.position) + 1
    return parse_filter(text[:start])
