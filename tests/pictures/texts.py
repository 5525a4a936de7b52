"""What the window shows, as text: one scene at two sizes, the same on every machine.

The files are in `tests/pictures/texts`, one for each scene and size, line by line as the window
is. ``python -m tests.pictures --text [NAME...]`` writes them anew.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from textual.pilot import Pilot

from mcp_tasks_tui.config.model import ScreenConfig
from mcp_tasks_tui.handles.errors import StoreError
from mcp_tasks_tui.ui.app import TasksApp
from mcp_tasks_tui.ui.screens.viewer import ViewerScreen
from tests.pictures import cast
from tests.pictures.environment import as_everywhere
from tests.pictures.shots import typed
from tests.ui.bare import until, whole_screen
from tests.ui.fakes import NOW, FakeSupervisor

#: Seconds in which the screen is at rest, also on a busy machine.
_PATIENCE = 30.0
FOLDER = Path(__file__).parent / "texts"
Size = tuple[int, int]
#: A window as most people have it, and a small one.
_USUAL: tuple[Size, Size] = ((120, 40), (80, 24))
_SMALL: tuple[Size, Size] = ((120, 40), (60, 15))


@dataclass(frozen=True, slots=True)
class TextScene:
    """Keys on the task of that key, and the sizes of the window in which it is looked at."""

    keys: tuple[str, ...] = ()
    task: str | None = None
    sizes: tuple[Size, Size] = _USUAL
    tasks: Callable[[], FakeSupervisor] = cast.the_usual


SCENES: Mapping[str, TextScene] = {
    "list": TextScene(task=cast.BUILD),
    "triage": TextScene(("home",), tasks=cast.the_crowd),
    "panel": TextScene(("enter",), cast.BUILD, _SMALL),
    "answering": TextScene(("u",), cast.RELEASE),
    "wall": TextScene(("v",), sizes=_SMALL),
    "filter": TextScene(("slash", *typed("state:working -is:stuck"))),
    "filter-mistake": TextScene(("slash", *typed("stat:working"), "enter"), sizes=_SMALL),
    "filter-empty": TextScene(("slash", *typed("no such task"), "enter"), sizes=_SMALL),
    "help": TextScene(("question_mark",)),
    "viewer-markdown": TextScene(("w", "escape"), cast.REPORT, ((150, 40), (80, 24))),
    "viewer-tree": TextScene(("w", "escape", "3"), cast.REPORT, _SMALL),
    "viewer-table": TextScene(("w", "escape", "4"), cast.REPORT, _SMALL),
    "viewer-files": TextScene(("w", "escape", "5"), cast.REPORT, _SMALL),
    "viewer-journal": TextScene(("enter", "enter"), cast.BUILD, _SMALL),
    "empty": TextScene(tasks=FakeSupervisor, sizes=_SMALL),
    "damaged": TextScene(
        tasks=lambda: FakeSupervisor(failures={"start": StoreError("tasks.db cannot be opened")}),
        sizes=_SMALL,
    ),
}


def file_of(name: str, size: Size) -> Path:
    return FOLDER / f"{name}.{size[0]}x{size[1]}.txt"


async def taken(name: str) -> Mapping[Path, str]:
    """Return what the window shows of a scene, by the file that keeps it."""
    scene = SCENES[name]
    app = TasksApp(
        scene.tasks(),
        config=ScreenConfig(alerts="never", animations=False),
        now=lambda: NOW,
        environ={},
    )
    shown: dict[Path, str] = {}
    with as_everywhere():
        async with app.run_test(size=scene.sizes[0]) as pilot:
            await until(pilot, lambda: app.engine.loaded)
            await _still(pilot)
            if scene.task is not None:
                app.main.go_to(scene.task)
            await _press(pilot, scene)
            for size in scene.sizes:
                await pilot.resize_terminal(*size)
                await _still(pilot)
                shown[file_of(name, size)] = f"{whole_screen(app)}\n"
    return shown


async def _press(pilot: Pilot[None], scene: TextScene) -> None:
    for key in scene.keys:
        await pilot.press(key)
        await _still(pilot)
        screen = pilot.app.screen
        if isinstance(screen, ViewerScreen):
            await until(pilot, lambda: screen.shown is not None)  # noqa: B023 - it is awaited here
            await _still(pilot)


async def _still(pilot: Pilot[None]) -> None:
    """Wait until the screen and its workers have nothing left to do."""
    for _ in range(2):
        await pilot.pause()
        async with asyncio.timeout(_PATIENCE):
            await pilot.app.workers.wait_for_complete()
    await pilot.pause()
    pilot.app.clear_notifications()
    await pilot.pause()


def difference(path: Path, shown: str) -> str:
    """Return how what is shown differs from what is kept, empty where it does not."""
    kept = path.read_text(encoding="utf-8") if path.exists() else ""
    lines = unified_diff(
        kept.splitlines(), shown.splitlines(), f"kept: {path.name}", "shown now", lineterm=""
    )
    return "\n".join(lines)
