"""How a person looks at the tasks on the main screen: order, filter, panel, wall, whole values.

The commands that change nothing but what is seen.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.words import counted, title
from mcp_tasks_tui.ui.commands.model import Place
from mcp_tasks_tui.ui.commands.vocabulary import BY_ID
from mcp_tasks_tui.ui.layout import PANEL_SIZES, READING, SINGLE, PanelSize
from mcp_tasks_tui.ui.listing.arrangement import EVERYTHING
from mcp_tasks_tui.ui.screens.ways import Ways
from mcp_tasks_tui.ui.widgets.panel.frozen import frozen_word
from mcp_tasks_tui.ui.widgets.tasks.list import MOVES

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_tasks_tui.supervise.arrange import SortBy
    from mcp_tasks_tui.supervise.filter import Filter
    from mcp_tasks_tui.supervise.supervisor import Supervisor
    from mcp_tasks_tui.supervise.view import TaskView
    from mcp_tasks_tui.ui.listing.arrangement import Choice
    from mcp_tasks_tui.ui.listing.columns import Column
    from mcp_tasks_tui.ui.listing.model import ListModel
    from mcp_tasks_tui.ui.screens.parts import Parts
    from mcp_tasks_tui.ui.services import Services


class Looking:
    """`choice` is the arrangement of the list, `frozen` whether it holds still."""

    def __init__(
        self, parts: Parts, supervisor: Supervisor, services: Services, choice: Choice
    ) -> None:
        self._screen, self._tasks, self._panel, self._wall, self._filter_bar = parts
        self._supervisor = supervisor
        self._services = services
        self.choice = choice
        self.frozen = False
        self.ways = Ways(parts, supervisor, self._say)
        self._panel_size = PanelSize.recalled(services.remembered)
        parts.screen.add_class(self._panel_size.style_class)
        #: The size that going back to the list restores.
        self._kept_size = self._panel_size
        #: Where the cursor of the wall was when it was opened.
        self._wall_began_at: str | None = None
        #: The task that has the wall for itself.
        self._alone: str | None = None

    def handlers(self) -> dict[str, Callable[[], None]]:
        """Return what each command about looking does, by its id."""
        return {
            **{move: partial(self._tasks.action_command, move) for move in MOVES},
            "task.open": self.open,
            "task.next_input": self.ways.next_input,
            "task.next_attention": self.ways.next_attention,
            "server.next": self.ways.next_server,
            "task.raw": self._raw,
            "task.save_result": self._save_result,
            "task.open_link": self._open_link,
            "list.filter": self._filter_bar.open,
            "list.sort": lambda: self._arrange(self.choice.next_sort()),
            "list.reverse": lambda: self._arrange(self.choice.reversed()),
            "list.group": lambda: self._arrange(self.choice.next_group()),
            "list.mark": self._tasks.mark_and_go_on,
            "list.mark_all": self._tasks.mark_all,
            "list.freeze": self._toggle_frozen,
            "list.archived": self._toggle_archived,
            "list.clear": self._back,
            "view.wall": self._toggle_wall,
            "view.larger": self._larger,
            "view.smaller": self._smaller,
        }

    def _say(self, text: str) -> None:
        """Say how a command went, in place of how the one before it did."""
        self._services.say(text, kind="outcome")

    # --- where a person looks --------------------------------------------------------------
    @property
    def place(self) -> Place:
        """Where the keyboard is."""
        screen = self._screen
        if screen.has_class("-wall"):
            return Place.WALL
        reading = screen.has_class(READING) and not self._tasks.has_focus
        in_panel = self._panel.has_focus or reading
        return Place.PANEL if in_panel else Place.MAIN

    @property
    def here(self) -> str | None:
        """The task that a person looks at: on the wall, pinned in the panel, or in the list."""
        screen = self._screen
        if screen.has_class("-wall"):
            return self._wall.selected or None
        if self._panel.has_focus and self._panel.view is not None:
            return self._panel.view.key
        return self._tasks.model.cursor

    @property
    def view(self) -> TaskView | None:
        """What is known of the task that a person looks at."""
        here = self.here
        return None if here is None else self._supervisor.view(here)

    def words(self) -> list[str]:
        """Return what is not as usual about list and panel: frozen, searched, marked."""
        model = self._tasks.model
        frozen = [frozen_word(model.waiting)] if self.frozen else []
        held = self._panel.frozen
        panel = [f"panel {frozen_word(held.changes)}"] if held is not None else []
        marks = [_marks_text(model)] if model.marks else []
        found = [self._panel.found] if self._panel.found else []
        return [*frozen, *panel, *found, *marks]

    # --- the list and its arrangement ------------------------------------------------------
    def filter(self, chosen: Filter) -> None:
        self._choose(replace(self.choice, filter=chosen))

    def show_only(self, text: str) -> None:
        """Filter by `text` and go to the list; the same once more, or nothing: show all."""
        if text and text != self._filter_bar.text:
            self._filter_bar.fill(text)
        else:
            self._filter_bar.clear()
        self.to_list()

    def sort_by(self, column: Column) -> None:
        """Sort as the heading of a column says that was clicked."""
        self._arrange(self.choice.sorted_by(column))

    def sort(self, by: SortBy) -> None:
        self._arrange(self.choice.by(by))

    def go_to(self, key: str) -> None:
        """Put the cursor on a task, and out of the way what hides it.

        The list may not have heard of a new task yet. A frozen list takes none in before the rest.
        On the wall it is the cursor of the cards, where there is one of the task.
        """
        if self._screen.has_class("-wall"):
            self.show_wall()
            self._wall.go_to(key)
            if self._wall.selected == key:
                return
        view = self._supervisor.view(key)
        if not self._tasks.select(key) and view is not None:
            self._tasks.apply([view])
            if not self._tasks.select(key) and key in self._tasks.model.views:
                self._filter_bar.clear()
                self._choose(replace(self.choice, filter=EVERYTHING, archived=view.archived))
                self._tasks.select(key)
        self.to_list()

    def to_list(self) -> None:
        self._screen.remove_class(READING, "-wall")
        if self._panel_size is PanelSize.WHOLE:
            self._size_panel(self._kept_size)
        self._tasks.focus()

    def _arrange(self, choice: Choice) -> None:
        """Arrange the list as a person says, and tell how."""
        told = choice.told(self.choice)
        self._choose(choice)
        if told:
            self._say(told)

    def _choose(self, choice: Choice) -> None:
        differs = choice.remembered() != self.choice.remembered()
        self.choice = choice
        if differs:
            self.remember()
        self._tasks.rearrange(choice)

    def remember(self) -> None:
        """Keep for the next run how the person looks at list and panel."""
        self._services.remember(
            {
                **self.choice.remembered(),
                **self._panel.reading.remembered(),
                **self._kept_size.remembered(),
            }
        )

    def _toggle_frozen(self) -> None:
        self.frozen = not self.frozen
        self._tasks.freeze(self.frozen)

    def _toggle_archived(self) -> None:
        self._arrange(replace(self.choice, archived=not self.choice.archived))

    def _back(self) -> None:
        """One step back at a time: from wall or panel to the list, then filter, then marks.

        What was looked for in a task is over with the reading.
        """
        screen = self._screen
        if screen.has_class("-wall"):
            self._toggle_wall()
        elif screen.has_class(READING) or screen.focused is not self._tasks:
            self.to_list()
            self._panel.find("")
        elif self._panel.found:
            self._panel.find("")
        elif self._filter_bar.text:
            self._filter_bar.clear()
        elif self._tasks.model.marks:
            self._tasks.set_marks(())

    @property
    def _read_about(self) -> TaskView | None:
        """The task whose panel or card a person reads."""
        return self.view if self._screen.has_class("-wall") else self._panel.view

    # --- one task ----------------------------------------------------------------------------
    def open(self) -> None:
        self._leave_wall()
        current = self._tasks.current
        if current is not None:
            self._panel.open(self._supervisor.view(current.key))
            self._go_to_panel()

    def _go_to_panel(self) -> None:
        self._screen.add_class(READING)
        self._panel.focus()

    def _larger(self) -> None:
        """Give the panel, or one card of the wall, more of the window."""
        if self._screen.has_class("-wall"):
            self._alone = self._wall.selected or self._alone
            self.show_wall()
        elif self._screen.has_class(SINGLE):
            if not self._screen.has_class(READING):
                self.open()
        else:
            size = self._panel_size.larger()
            self._size_panel(size)
            if size is PanelSize.WHOLE and self._panel.view is not None:
                self._go_to_panel()  # with what it shows: it may be pinned

    def _smaller(self) -> None:
        """Give the panel less of the window, or all cards their place on the wall again."""
        if self._screen.has_class("-wall"):
            self._alone = None
            self.show_wall()
        elif self._screen.has_class(SINGLE) or self._panel_size is PanelSize.HIDDEN:
            self.to_list()
        else:
            size = self._panel_size.smaller()
            self._size_panel(size)
            if size is PanelSize.HIDDEN:
                self.to_list()

    def _size_panel(self, size: PanelSize) -> None:
        self._panel_size = size
        if size is not PanelSize.WHOLE and size is not self._kept_size:
            self._kept_size = size
            self.remember()
        self._screen.remove_class(*PANEL_SIZES, update=False)
        self._screen.add_class(size.style_class)

    def view_whole(self, view: TaskView, section: str, *, save: bool = False) -> None:
        """Show one section of a task in the whole window."""
        from mcp_tasks_tui.ui.screens.result import ResultScreen

        self._screen.app.push_screen(
            ResultScreen(
                self._supervisor,
                view,
                section,
                now=self._services.now,
                save=save,
                reading=self._panel.reading,
                read_as=self._panel.read_as,
                result=self._panel.result if view is self._panel.view else None,
            )
        )

    def _raw(self) -> None:
        self._leave_wall()
        if self._tasks.current is not None:
            self.open()
            self._panel.action_raw()

    def _save_result(self) -> None:
        view = self._read_about
        if view is None:
            return
        command = BY_ID["task.save_result"]
        why = command.unfit(view)
        if why is None:
            self.view_whole(view, "result", save=True)
        else:
            self._say(f"{command.title}: {why} ({one_line(title(view.handle), 60)})")

    def _open_link(self) -> None:
        from mcp_tasks_tui.ui.links import link_of

        view = self._read_about
        url = None if view is None else link_of(view)
        if url is None:
            self._say("this task has no link to open")
        else:
            self._services.open_link(url)

    # --- the wall ----------------------------------------------------------------------------
    def show_wall(self) -> None:
        alone = None if self._alone is None else self._supervisor.view(self._alone)
        self._wall.show(self._supervisor.views() if alone is None else (alone,))

    def show_alone(self, key: str) -> None:
        self.go_to(key)
        self._toggle_wall()
        self._alone = key
        self.show_wall()

    def _toggle_wall(self) -> None:
        """Show all that runs, or the list again: the cursor is on the same task in both."""
        screen = self._screen
        self._alone = None
        if not self._wall.is_attached:
            screen.mount(self._wall, after=self._panel)
        screen.toggle_class("-wall")
        if screen.has_class("-wall"):
            self.show_wall()
            self._wall.go_to(self._tasks.model.cursor)
            self._wall_began_at = self._wall.selected
            self._wall.focus()
        else:
            if self._wall.selected and self._wall.selected != self._wall_began_at:
                self.go_to(self._wall.selected)
            self.to_list()

    def _leave_wall(self) -> None:
        """Go to the task of the card under the cursor, in the list."""
        if self._screen.has_class("-wall"):
            here = self.here
            self.to_list()
            if here is not None:
                self.go_to(here)


def _marks_text(model: ListModel) -> str:
    """Return how many tasks are marked, and how many of them are out of view."""
    count = len(model.marks)
    hidden = count - len(model.marked())
    text = counted(count, "task") + " marked"
    return f"{text} ({hidden} not in view)" if hidden else text
