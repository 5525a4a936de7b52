"""Which pictures there are: a scene, a moment in it, a window, and the keys that lead there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from mcp_tasks_tui.config.model import ScreenConfig
from mcp_tasks_tui.demo.scenes import SCENES, Scene
from tests.pictures.stage import Show, showing
from tests.pictures.svg import tidy

_TITLE = "mcp-tasks-tui"
_WINDOW = (120, 32)


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture, after the keys were pressed on the task of that label."""

    name: str
    keys: tuple[str, ...] = ()
    task: str | None = None
    size: tuple[int, int] = _WINDOW
    #: The keys that lead back to the list.
    back: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reel:
    """Pictures of one moment of a scene's story, taken one after the other."""

    scene: Scene
    #: Seconds of the story.
    moment: float
    shots: tuple[Shot, ...]
    config: ScreenConfig = field(
        default_factory=lambda: ScreenConfig(theme="dark", alerts="never", animations=False)
    )


def typed(text: str) -> tuple[str, ...]:
    """The keys that type it."""
    names = {" ": "space", ":": "colon", "-": "minus"}
    return tuple(names.get(character, character) for character in text)


REELS: tuple[Reel, ...] = (
    Reel(
        SCENES["tour"],
        46.0,
        (
            Shot("overview", task="Build checkout 2.4.0", size=(136, 34)),
            Shot("panel", ("enter",), "Migrate users to EU", (76, 36), ("escape",)),
            Shot("answering", ("u",), "Release checkout 2.4.0", back=("escape",)),
            Shot(
                "filter",
                ("slash", *typed("state:working -is:stuck"), "enter"),
                "Sync region eu-north",
                back=("escape",),
            ),
            Shot("wall", ("v",), size=(150, 44), back=("escape",)),
            Shot("result", ("w", "escape"), "Capacity report, week 48", (140, 34), ("escape",)),
            Shot("help", ("question_mark",), "Build checkout 2.4.0", back=("escape",)),
            Shot("narrow", (), "Deploy search to the fleet", (60, 20)),
        ),
    ),
    Reel(
        SCENES["tour"],
        46.0,
        (Shot("overview-light", task="Build checkout 2.4.0", size=(136, 34)),),
        ScreenConfig(theme="light", alerts="never", animations=False),
    ),
    Reel(SCENES["triage"], 40.0, (Shot("triage", ("home",), size=(120, 40)),)),
)


async def take(reel: Reel) -> AsyncIterator[tuple[str, str]]:
    """Play the scene once; yield the name and the SVG of each picture."""
    async with showing(reel.scene, size=reel.shots[0].size, config=reel.config) as show:
        await show.play(reel.scene, reel.moment)
        await show.come_to_rest()
        for shot in reel.shots:
            yield shot.name, await _take_one(show, shot)


async def _take_one(show: Show, shot: Shot) -> str:
    await show.pilot.resize_terminal(*shot.size)
    if shot.task is not None:
        show.select(shot.task)
    await show.press(*shot.keys)
    svg = tidy(show.app.export_screenshot(title=_TITLE), secrets=show.task_ids())
    await show.press(*shot.back)
    return svg
