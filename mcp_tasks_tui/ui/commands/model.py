"""What a command is: one thing that a person can do, where, and by which keys."""

from __future__ import annotations

from enum import Enum, StrEnum
from typing import TYPE_CHECKING

from mcp_tasks_tui.records import record

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_tasks_tui.supervise.view import TaskView


class Place(StrEnum):
    """Where a command's keys hold. Keys are unique in a place; the value is shown."""

    MAIN = "everywhere on the main screen"
    PANEL = "in the task panel"
    WALL = "on the wall"
    VIEWER = "in the viewer"
    ANSWER = "while answering"
    FORM = "in dialogs with fields"


class Section(StrEnum):
    """A heading of the help screen."""

    MOVE = "Moving around"
    TASK = "The task under the cursor"
    MARKED = "All marked tasks, or the one under the cursor"
    LIST = "The list"
    PROGRAM = "The program"
    PANEL = "The task panel, when it has the keyboard"
    WALL = "The wall"
    VIEWER = "The viewer of results, journals and raw values"
    ANSWER = "Answering"
    FORM = "Other dialogs"


#: Where the commands of a section hold; those not named: on the main screen.
PLACES: dict[Section, Place] = {
    Section.PANEL: Place.PANEL,
    Section.WALL: Place.WALL,
    Section.VIEWER: Place.VIEWER,
    Section.ANSWER: Place.ANSWER,
    Section.FORM: Place.FORM,
}


def place_of(section: Section) -> Place:
    return PLACES.get(section, Place.MAIN)


class Target(Enum):
    """What a command is about."""

    NOTHING = 0
    #: The task under the cursor.
    ONE = 1
    #: The marked tasks, or the one under the cursor where none is marked.
    MANY = 2


def _always(view: TaskView) -> str | None:
    return None


@record
class Command:
    """One thing a person can do.

    `unfit` says why a task is none for it (one clean line), or None where it is. `short` is its
    word in the footer, empty where it does not belong there. `sends`: it changes something on a
    server (reading does not). `numbered`: each of its keys stands for one of several things, the
    first key for the first of them. `steps`: a cursor moves on, and the keyboard stays
    where it is.
    """

    id: str
    title: str
    help: str
    keys: tuple[str, ...]
    section: Section
    short: str = ""
    target: Target = Target.NOTHING
    sends: bool = False
    unfit: Callable[[TaskView], str | None] = _always
    numbered: bool = False
    steps: bool = False

    @property
    def place(self) -> Place:
        return place_of(self.section)

    def fits(self, view: TaskView) -> bool:
        return self.unfit(view) is None
