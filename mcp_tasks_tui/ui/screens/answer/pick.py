"""A list to search in, for fields with many choices. Thousands cost no more than what is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.ui.commands.keymap import bind_place, keymap_of
from mcp_tasks_tui.ui.commands.model import Place
from mcp_tasks_tui.ui.looks.text import content
from mcp_tasks_tui.ui.screens.leavable import LeavableScreen
from mcp_tasks_tui.ui.widgets.line import Line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

    from mcp_tasks_tui.sanitize import ServerText

_SHOWN = 200


class PickScreen(LeavableScreen["tuple[int, ...] | None"], ModalScreen["tuple[int, ...] | None"]):
    """Gives the places of the picked labels, None where it was left without a choice."""

    CSS_PATH = "pick.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "move(1)", "Down", show=False, priority=True),
        Binding("up", "move(-1)", "Up", show=False, priority=True),
        Binding("pagedown", "move(10)", "Page down", show=False, priority=True),
        Binding("pageup", "move(-10)", "Page up", show=False, priority=True),
    ]

    def __init__(
        self,
        title: ServerText | str,
        labels: Sequence[ServerText | str],
        places: tuple[int, ...],
        *,
        several: bool,
    ) -> None:
        super().__init__()
        self._title = title
        self._labels = [one_line(label, 200) or "(empty)" for label in labels]
        self._folded = [label.casefold() for label in self._labels]
        self._picked = set(places)
        self._several = several
        self._found: list[int] = []

    def compose(self) -> ComposeResult:
        with Vertical(id="pick") as box:
            box.border_title = content(one_line(self._title, 60))
            box.border_subtitle = content(self._says())
            blink = self.app.animation_level != "none"
            search = Input(placeholder="type to search", compact=True, id="search")
            search.cursor_blink = blink
            yield search
            choices = OptionList(markup=False, compact=True, id="choices")
            choices.can_focus = False
            yield choices
            yield Line(id="count")

    def _says(self) -> str:
        """Return the keys that lead out, as they are set."""
        label = keymap_of(self).label
        done, leave = label("form.done"), label("form.leave")
        ways = ["enter picks", done and f"{done} takes"] if self._several else ["enter takes"]
        return ", ".join(each for each in (*ways, leave and f"{leave} leaves") if each)

    def on_mount(self) -> None:
        bind_place(self, Place.FORM, priority=True)
        self._search("")

    def action_command(self, command_id: str) -> None:
        """Do what a command of the dialogs' part of the vocabulary says."""
        if command_id == "form.leave":
            self.action_leave()
        else:
            self.action_done()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._search(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        row = self.query_one(OptionList).highlighted
        if row is not None:
            self._take(self._found[row])

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._take(self._found[event.option_index])

    def action_move(self, by: int) -> None:
        choices = self.query_one(OptionList)
        if choices.option_count:
            row = (choices.highlighted or 0) + by
            choices.highlighted = max(0, min(choices.option_count - 1, row))

    def action_done(self) -> None:
        self.dismiss(tuple(sorted(self._picked)))

    def action_leave(self) -> None:
        self.dismiss(None)

    def _take(self, place: int) -> None:
        if not self._several:
            self.dismiss((place,))
            return
        self._picked.symmetric_difference_update({place})
        choices = self.query_one(OptionList)
        row = self._found.index(place)
        choices.replace_option_prompt_at_index(row, content(self._line(place)))
        self._count()

    def _search(self, text: str) -> None:
        words = text.casefold().split()
        found = [
            place
            for place, label in enumerate(self._folded)
            if all(word in label for word in words)
        ]
        if words:  # what is typed is the whole label, or its first word: that is what is meant
            meant = f"{' '.join(words)} "
            found.sort(key=lambda place: not f"{self._folded[place]} ".startswith(meant))
        self._matches = len(found)
        self._found = found[:_SHOWN]
        choices = self.query_one(OptionList)
        choices.clear_options()
        choices.add_options(Option(content(self._line(place))) for place in self._found)
        if self._found:
            picked = (row for row, place in enumerate(self._found) if place in self._picked)
            choices.highlighted = 0 if words else next(picked, 0)
        self._count()

    def _line(self, place: int) -> str:
        if not self._several:
            return f"{'•' if place in self._picked else ' '} {self._labels[place]}"
        return f"[{'x' if place in self._picked else ' '}] {self._labels[place]}"

    def _count(self) -> None:
        shown = f", {_SHOWN} shown" if self._matches > _SHOWN else ""
        parts = [f"{self._matches:,} of {len(self._labels):,} match{shown}"]
        if self._several:
            parts.append(f"{len(self._picked):,} picked")
        self.query_one("#count", Line).show(content(" · ".join(parts)))
