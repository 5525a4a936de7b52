"""The command palette: what can be done, what makes sense now first, and the tasks to go to."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Protocol, cast

from rich.cells import cell_len
from textual.command import DiscoveryHit, Hit, Hits, Provider

from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.arrange import SortBy
from mcp_tasks_tui.supervise.words import STATES, counted, standing_label, title, view_glyph
from mcp_tasks_tui.ui.commands.about_list import holds_at
from mcp_tasks_tui.ui.commands.model import Place
from mcp_tasks_tui.ui.looks.text import beside, cell, content

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.content import Content

    from mcp_tasks_tui.supervise.supervisor import Supervisor
    from mcp_tasks_tui.supervise.view import TaskView
    from mcp_tasks_tui.ui.commands.keymap import Keymap
    from mcp_tasks_tui.ui.commands.model import Command

#: Tasks offered for one query; more are better filtered.
MOST_TASKS = 6
#: What is typed has to be as long before it is looked for among tasks.
_SHORTEST = 2
#: Said where one types.
ASKS = "a command, or a task by its name, server or id"
#: Cells around a line of the list, and of the column of what each is called.
_AROUND, _TITLES = 7, 25
#: By how well a task fits. A command that begins with what was typed has 9 and more, one that
#: has its letters somewhere about 3.
_SCORES = (8.0, 4.0, 1.0)
_STEP = 0.01
#: Moving by a line or a page is nothing to search for.
_MOVES = ("down", "up", "page_down", "page_up", "left", "right")
_LEFT_OUT = frozenset(
    {
        "program.palette",
        "list.clear",
        "panel.leave",
        "wall.leave",
        *(f"{thing}.{move}" for thing in ("list", "panel", "wall") for move in _MOVES),
    }
)


#: Filters by name: what the header counts can be asked for by its word, too.
FILTERS: dict[str, str] = {
    "Filter: waiting": "is:waiting",
    "Filter: stuck": "is:stuck",
    "Filter: expiring": "is:expiring",
    "Filter: unreadable": "is:failing",
    "Filter: wants attention": "is:attention",
    "Filter: polling held": "is:held",
    **{f"Filter: {word.word}": f"state:{state.value}" for state, word in STATES.items()},
}
#: Orders by name: the key goes through all of them.
SORTS = {f"Sort by {order.value}": order for order in SortBy}


def found(query: str, views: Iterable[TaskView]) -> list[tuple[float, TaskView]]:
    """Return the tasks that `query` may mean and their scores, the best first: of equals those
    that still go on."""
    wanted = query.casefold().strip()
    if len(wanted) < _SHORTEST:
        return []
    ranked = [(fit, view) for view in views if (fit := _fit(wanted, view)) is not None]
    ranked.sort(key=lambda each: (each[0], each[1].archived, each[1].state.ended))
    return [(_SCORES[fit] - place * _STEP, view) for place, (fit, view) in enumerate(ranked)]


def _fit(wanted: str, view: TaskView) -> int | None:
    """Return 0 where the name begins with it, then 1 for the name, 2 for ids and the server."""
    name = title(view.handle).casefold()
    if name.startswith(wanted):
        return 0
    if wanted in name:
        return 1
    ids = f"{view.handle.task_id} {view.key} {view.server}".casefold()
    return 2 if wanted in ids else None


class Offering(Protocol):
    """The app as the palette needs it: what can be chosen, and what comes of it."""

    keymap: Keymap
    supervisor: Supervisor

    def commands_here(self) -> list[Command]: ...

    def run_command(self, command_id: str) -> None: ...

    def go_to(self, key: str) -> None: ...

    def filter_by(self, words: str) -> None: ...

    def show_only(self, text: str) -> None: ...

    def sort_by(self, order: SortBy) -> None: ...


class TaskCommands(Provider):
    @property
    def _offering(self) -> Offering:
        return cast("Offering", self.app)

    @property
    def _place(self) -> Place:
        """Where the keyboard was until now."""
        place: Place = getattr(self.focused, "place", Place.MAIN)
        return place

    def _commands(self) -> list[Command]:
        commands = self._offering.commands_here()
        return [command for command in commands if command.id not in _LEFT_OUT]

    def _line(self, shown: Content, about: str, key: str = "") -> Content:
        """Return one line: what it is called, what it is about, and at the right its key."""
        room = self.app.size.width - _AROUND - cell_len(key)
        gap = max(2, _TITLES - shown.cell_length)
        told = cell(about, room - shown.cell_length - gap - 2)
        filled = max(0, room - shown.cell_length - gap - cell_len(told))
        return beside(
            shown, content(" " * gap), content(told, "dim"), content(" " * filled), content(key)
        )

    def _of(self, command: Command, shown: Content) -> Content:
        key = self._offering.keymap.at(self._place).label(command.id)
        return self._line(shown, command.help, key)

    async def discover(self) -> Hits:
        for command in self._commands():
            run = partial(self._offering.run_command, command.id)
            line = self._of(command, content(command.title))
            yield DiscoveryHit(line, run, command.title)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for command in self._commands():
            score = matcher.match(command.title)
            if score > 0:
                run = partial(self._offering.run_command, command.id)
                shown = matcher.highlight(command.title)
                yield Hit(score, self._of(command, shown), run, command.title)
        for name, text in FILTERS.items():
            score = matcher.match(name)
            if score > 0:
                show = partial(self._offering.show_only, text)
                line = self._line(matcher.highlight(name), f"shows them alone: {text}")
                yield Hit(score, line, show, name)
        for name, order in SORTS.items() if holds_at("list.sort", self._place) else ():
            score = matcher.match(name)
            if score > 0:
                sort = partial(self._offering.sort_by, order)
                line = self._line(matcher.highlight(name), "once more: upside down")
                yield Hit(score, line, sort, name)
        for hit in self._tasks(query):
            yield hit

    def _tasks(self, query: str) -> list[Hit]:
        """Return ways to the tasks that are meant, and to all of them where those are many."""
        every = found(query, self._offering.supervisor.views())
        hits = [self._way(view, score) for score, view in every[:MOST_TASKS]]
        if len(every) > MOST_TASKS:
            show = partial(self._offering.filter_by, query)
            words = f"Filter by {one_line(query, 40)}"
            told = f"shows the {counted(len(every), 'task')} alone that may be meant"
            line = self._line(content(words), told)
            hits.append(Hit(hits[-1].score - _STEP, line, show, words))
        return hits

    def _way(self, view: TaskView, score: float) -> Hit:
        run = partial(self._offering.go_to, view.key)
        name = one_line(title(view.handle), 80)
        state = f"{view_glyph(view)} {standing_label(view)}"
        line = self._line(content(f"Go to {name}"), view.server, state)
        return Hit(score, line, run, name)
