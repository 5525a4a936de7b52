"""Scenes: which servers stand on the stage and which calls fill it.

A scene is data. Whoever shows it starts the server process (`command`), reads its line
(`Stage.read`), adds those servers, and sends the scene's calls through a real client.
"""

from __future__ import annotations

import json
import random
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from mcp_tasks_tui.demo.lifecycles import EDGE, LIFECYCLES, MAIN, DemoCall

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Fault = Literal["down", "refuses-token"]


@dataclass(frozen=True, slots=True)
class ServerSpec:
    """One server of a scene. Its fault begins once it has answered that many `tools/call`s."""

    name: str
    title: str
    fault: Fault | None = None
    fault_after: int = 0


@dataclass(frozen=True, slots=True)
class Scene:
    name: str
    help: str
    servers: tuple[ServerSpec, ...]
    #: In the order of their `delay`.
    calls: tuple[DemoCall, ...]
    #: The lifecycles it was put together from, where it is none of the named scenes.
    chosen: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stage:
    """The server process as it said it is ready: a URL for each server of the scene."""

    pid: int
    urls: Mapping[str, str]

    @classmethod
    def read(cls, line: str) -> Stage:
        """Parse the one line that the process prints.

        Raises:
            ValueError: it is something else: the servers did not start.
        """
        try:
            said = json.loads(line)
            if said["ready"] is not True:
                raise ValueError(line)
            return cls(int(said["pid"]), {str(k): str(v) for k, v in said["servers"].items()})
        except (ValueError, TypeError, LookupError, AttributeError):
            raise ValueError("the demo server did not say that it is ready") from None


_STAGE = (
    ServerSpec(MAIN, "Demo server"),
    ServerSpec(EDGE, "Edge server"),
)

#: Lifecycle -> the second at which it starts: things begin to move at once, the first question
#: comes after ten seconds, then something new about every eight.
_TOUR: Final = {
    "progress": 0.0,
    "count": 1.0,
    "form": 2.0,
    "cancel": 4.0,
    "tool-error": 8.0,
    "stuck": 12.0,
    "link": 16.0,
    "mixed": 20.0,
    "two-questions": 24.0,
    "away": 30.0,
    "expires": 36.0,
    "failure": 42.0,
}


def _tour() -> Scene:
    calls = tuple(
        replace(call, delay=start + call.delay)
        for name, start in _TOUR.items()
        for call in LIFECYCLES[name].calls
    )
    return Scene("tour", "A dozen lifecycles, one after the other, to be watched.", _STAGE, calls)


def only(names: Sequence[str]) -> Scene:
    """A scene of these lifecycles alone, two seconds apart.

    Raises:
        ValueError: one of them is not known; the message names those that are.
    """
    unknown = [name for name in names if name not in LIFECYCLES]
    if unknown:
        known = ", ".join(LIFECYCLES)
        raise ValueError(f"no lifecycle is called {', '.join(unknown)}; there are: {known}")
    calls = tuple(
        replace(call, delay=2.0 * position + call.delay)
        for position, name in enumerate(names)
        for call in LIFECYCLES[name].calls
    )
    calls = tuple(sorted(calls, key=lambda call: call.delay))
    return Scene("chosen", "Chosen lifecycles.", _STAGE, calls, tuple(names))


#: Server -> its tool, the words its jobs are named with, and how many of each fate.
_CROWD: Final = {
    "builds": (
        "build_package",
        ("api", "web", "worker", "mobile", "docs", "cli"),
        {"running": 24, "stuck": 4, "waiting": 1, "done": 24, "tool-error": 4, "failed": 3},
    ),
    "exports": (
        "export_table",
        ("orders", "customers", "invoices", "events", "stock"),
        {"running": 22, "stuck": 3, "waiting": 2, "done": 19, "tool-error": 2, "cancelled": 2},
    ),
    "training": (
        "train_model",
        ("ranker", "speech", "vision", "fraud"),
        {"running": 18, "stuck": 3, "waiting": 1, "done": 14, "failed": 2, "cancelled": 2},
    ),
    "media": (
        "transcode_video",
        ("trailer", "episode", "interview"),
        {"running": 20, "done": 9, "tool-error": 1},
    ),
    "ledger": (
        "reconcile_ledger",
        ("eu", "us", "apac"),
        {"running": 13, "done": 6, "failed": 1},
    ),
}
#: Fate -> the least and the greatest age of its tasks, in seconds.
_AGES: Final = {"running": (60, 420), "stuck": (1800, 5400), "waiting": (420, 2400)}
_OVER: Final = (420, 7200)


def _triage() -> Scene:
    dice = random.Random(200)  # noqa: S311 - the same scene each time
    calls: list[DemoCall] = []
    for server, (tool, subjects, fates) in _CROWD.items():
        fortunes = [fate for fate, count in fates.items() for _ in range(count)]
        dice.shuffle(fortunes)
        for number, fate in enumerate(fortunes, start=1):
            subject = dice.choice(subjects)
            calls.append(
                DemoCall(
                    tool,
                    {"job": f"{subject}-{number:03}"},
                    server,
                    label=f"{subject} {number:03}",
                    tags=(subject,),
                    age=float(dice.randint(*_AGES.get(fate, _OVER))),
                    fate=fate,
                )
            )
    servers = (
        ServerSpec("builds", "Build farm"),
        ServerSpec("exports", "Export service"),
        ServerSpec("training", "Training cluster"),
        ServerSpec("media", "Media service", "down", _count("media")),
        ServerSpec("ledger", "Ledger service", "refuses-token", _count("ledger")),
    )
    line = "200 tasks on five servers: ten stuck, four waiting, one server down, one refusing."
    return Scene("triage", line, servers, tuple(calls))


def _count(server: str) -> int:
    return sum(_CROWD[server][2].values())


#: Every scene by its name; the first is the one shown when none is asked for.
SCENES: Final[Mapping[str, Scene]] = {scene.name: scene for scene in (_tour(), _triage())}


def command(
    scene: Scene,
    *,
    speed: float = 1.0,
    parent: int | None = None,
    seed: int | None = None,
    freeze: float | None = None,
    now: str | None = None,
    port: int | None = None,
) -> list[str]:
    """The command line that starts the scene's servers in a process of their own.

    Args:
        scene: what is on the stage.
        speed: seconds of the story that pass in one second.
        parent: process id; the servers stop when that process is gone.
        seed: makes task ids the same in each run.
        freeze: second of the story at which time stands still.
        now: ISO 8601, the moment that a frozen server believes it is.
        port: where the first server listens; None takes free ones.
    """
    words = [sys.executable, "-m", "mcp_tasks_tui.demo", "--speed", f"{speed:g}"]
    if scene.chosen:
        words += ["--only", *scene.chosen]
    else:
        words += ["--scene", scene.name]
    options = {
        "--parent": parent,
        "--seed": seed,
        "--freeze": freeze,
        "--now": now,
        "--port": port,
    }
    for option, value in options.items():
        if value is not None:
            words += [option, f"{value}"]
    return words
