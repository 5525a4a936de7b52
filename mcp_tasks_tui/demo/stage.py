"""Puts a scene's servers on their ports."""

from __future__ import annotations

import json
import secrets
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.demo.clock import Clock, FrozenClock, SystemClock
from mcp_tasks_tui.demo.methods import Planned
from mcp_tasks_tui.demo.scenes import SCENES, Scene
from mcp_tasks_tui.demo.scenes import only as only_these
from mcp_tasks_tui.demo.server import DemoServer, ServerOptions
from mcp_tasks_tui.demo.stories import batch, jobs, questions, results

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_tasks_tui.demo.lifecycles import DemoCall
    from mcp_tasks_tui.demo.scenes import ServerSpec
    from mcp_tasks_tui.demo.tools import Tool

STORIES: tuple[Tool, ...] = (*jobs.TOOLS, *questions.TOOLS, *results.TOOLS)


@dataclass(frozen=True, slots=True)
class Staging:
    """A scene and the time in which it plays."""

    scene: Scene
    clock: Clock
    speed: float
    seed: int
    #: The second of the story at which time stands still; None: it passes.
    freeze: float | None = None

    @classmethod
    def of(
        cls,
        *,
        scene: str = "tour",
        only: tuple[str, ...] = (),
        speed: float = 1.0,
        seed: int | None = None,
        freeze: float | None = None,
        now: float | None = None,
    ) -> Staging:
        """Return the staging of a named scene, or of `only` these lifecycles.

        Raises:
            ValueError: no such scene or lifecycle; the message names those there are.
        """
        if not only and scene not in SCENES:
            raise ValueError(f"no scene is called {scene}; there are: {', '.join(SCENES)}")
        clock: Clock = SystemClock()
        if freeze is not None:
            clock = FrozenClock(time.time() if now is None else now)
        return cls(
            only_these(only) if only else SCENES[scene],
            clock,
            speed,
            secrets.randbits(64) if seed is None else seed,
            freeze,
        )

    def started_at(self, call: DemoCall) -> float:
        """When the task of a planned call began, in seconds since the epoch."""
        age = call.age
        if self.freeze is not None:
            age += max(0.0, self.freeze - call.delay)
        return self.clock.now() - age / self.speed


async def raise_stage(
    staging: Staging, *, port: int = 0, tools: Sequence[Tool] = ()
) -> list[DemoServer]:
    """Start every server of the scene, the first on that port; each has these `tools`, too.

    Raises OSError where one cannot listen.
    """
    calls = {
        _call_key(call.server, call.tool, call.arguments): call for call in staging.scene.calls
    }
    servers: list[DemoServer] = []
    for spec in staging.scene.servers:

        def plan(
            tool: str, arguments: Mapping[str, Any], server: str = spec.name
        ) -> Planned | None:
            call = calls.get(_call_key(server, tool, arguments))
            return None if call is None else Planned(staging.started_at(call), call.fate)

        options = ServerOptions(
            clock=staging.clock,
            speed=staging.speed,
            seed=staging.seed,
            plan=plan,
        )
        server = DemoServer(spec, (*tools, *_tools(staging.scene, spec)), options)
        await server.start(0 if servers else port)
        servers.append(server)
    return servers


def _tools(scene: Scene, spec: ServerSpec) -> tuple[Tool, ...]:
    called = {call.tool for call in scene.calls if call.server == spec.name}
    own = tuple(tool for tool in batch.TOOLS if tool.name in called)
    return own or STORIES


def _call_key(server: str, tool: str, arguments: Mapping[str, Any]) -> str:
    return json.dumps([server, tool, dict(arguments)], sort_keys=True)
