"""How long the keyboard waits while large results are opened, read and searched.

Run it as ``python -m tests.bench.result``; it prints one JSON object per scene, in milliseconds.
`blocked` is the longest time in which the event loop could do nothing else, `cpu` the processor
time of it, `collector` the longest garbage collection of the interpreter, which both include.
"""

from __future__ import annotations

import asyncio
import gc
import json
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.__main__ import COLLECTOR_THRESHOLDS
from mcp_tasks_tui.collector import set_aside
from mcp_tasks_tui.handles.model import HandleDraft, Snapshot, SnapshotWrite, State
from mcp_tasks_tui.handles.worker import StoreWorker
from mcp_tasks_tui.ui.screens.result import ResultScreen
from mcp_tasks_tui.ui.widgets.panel.panel import TaskPanel
from mcp_tasks_tui.ui.widgets.result.files import FilesView
from mcp_tasks_tui.ui.widgets.result.text import TextView
from mcp_tasks_tui.ui.widgets.result.tree import JsonTree
from tests.ui.bare import BareApp, LagMeter, until
from tests.ui.fakes import NOW, SERVER, FakeSupervisor, a_task

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.pilot import Pilot

    from mcp_tasks_tui.supervise.view import TaskView

WORDS = "the quick brown fox jumps over the lazy dog and runs on "
#: Seconds that a busy machine may take over one step.
_PATIENCE = 60.0
KEYS = ("pagedown", "end", "home", "W", "end", "W")


def text(said: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": said}]}


SCENES: dict[str, Callable[[], Any]] = {
    "nothing": lambda: text("done"),
    "one line of 5 MB": lambda: text(WORDS * (5_000_000 // len(WORDS))),
    "one line of 5 MB without blanks": lambda: text("x" * 5_000_000),
    "200,000 lines": lambda: text("".join(f"line {n} {WORDS}\n" for n in range(200_000))),
    "5 MB not of ASCII": lambda: text("処理中です " * 830_000),
    "1,000 items": lambda: {"content": [{"type": "text", "text": WORDS * 5}] * 1000},
    "an image of 10 MB": lambda: {
        "content": [{"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgoA" * 1_166_667}]
    },
    "5 MB of JSON in a text": lambda: text(
        json.dumps([{"id": n, "name": f"n{n}", "ok": True} for n in range(110_000)])
    ),
    "structured and nested, 5 MB": lambda: {
        "content": [],
        "structuredContent": [
            {"id": n, "of": [n, n], "at": {"x": [n], "y": {}}} for n in range(60_000)
        ],
    },
    "structured, 5 MB": lambda: structured(115_000),
    "structured, 10 MB": lambda: structured(230_000),
}


def structured(objects: int) -> dict[str, Any]:
    rows = [{"id": n, "name": f"n{n}", "ok": True} for n in range(objects)]
    return {"content": [], "structuredContent": rows}


class OnDisk(FakeSupervisor):
    """A supervisor whose results come from a real store."""

    def __init__(self, store: StoreWorker, view: TaskView) -> None:
        super().__init__(tasks={view.key: view})
        self.store = store

    async def result(self, key: str) -> Any:
        return await self.store.result(key)


async def _keep(store: StoreWorker, result: Any) -> str:
    saved = await store.save(HandleDraft(server_url=SERVER, task_id="t1"))
    ended = Snapshot(status="completed", has_result=True)
    await store.commit([SnapshotWrite(saved.handle.key, 0, ended, (), result, has_result=True)])
    return saved.handle.key


async def measure(result: Any) -> dict[str, float]:
    """Keep a result, open it in the panel and the viewer, and press keys; return milliseconds."""
    with TemporaryDirectory() as home:
        async with StoreWorker(Path(home)) as store:
            key = await _keep(store, result)
            del result
            return await _looked_at(store, key)


async def _looked_at(store: StoreWorker, key: str) -> dict[str, float]:
    view = a_task(key, state=State.COMPLETED)
    fake = OnDisk(store, view)
    panel = TaskPanel(fake, now=lambda: NOW)
    app = BareApp(panel)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause(0.2)
        async with LagMeter() as in_panel:
            panel.show(view)
            await until(pilot, lambda: "reading …" not in panel.shown_text)
        screen = ResultScreen(fake, view, now=lambda: NOW, result=panel.result)
        async with LagMeter() as opening:
            start = time.perf_counter()
            await app.push_screen(screen)
            await until(pilot, lambda: screen.shown is not None)
            opened = time.perf_counter() - start
            await until(pilot, lambda: _settled(screen), _PATIENCE)
            settled = time.perf_counter() - start
        async with LagMeter() as using:
            await _use(pilot, screen)
    meters = {"panel": in_panel, "opening": opening, "keys": using}
    return {
        "open": _ms(opened),
        "settled": _ms(settled),
        **{f"{name} blocked": _ms(meter.worst) for name, meter in meters.items()},
        **{f"{name} cpu": _ms(meter.cpu) for name, meter in meters.items()},
        **{f"{name} collector": _ms(meter.collector) for name, meter in meters.items()},
    }


async def _use(pilot: Pilot[None], screen: ResultScreen) -> None:
    for key in KEYS:
        await pilot.press(key)
        await until(pilot, lambda: _settled(screen), _PATIENCE)
    await pilot.press("slash", *"nowhere", "enter")
    await until(pilot, lambda: _found(screen), _PATIENCE)


def _settled(screen: ResultScreen) -> bool:
    return all(view.indexed for view in screen.query(TextView))


def _found(screen: ResultScreen) -> bool:
    views = [*screen.query(TextView), *screen.query(JsonTree), *screen.query(FilesView)]
    return any("not found" in view.status for view in views)


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 1)


def main() -> None:
    gc.set_threshold(*COLLECTOR_THRESHOLDS)  # as the program does at its start
    set_aside()
    for name, make in SCENES.items():
        print(json.dumps({"scene": name, **asyncio.run(measure(make()))}))


if __name__ == "__main__":
    main()
