"""Whatever a person and the engine do, in any order: cursor, marks and dialogs keep their tasks."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

from mcp_tasks_tui.config.model import ScreenConfig
from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.supervise.view import Reason
from mcp_tasks_tui.ui.app import TasksApp
from mcp_tasks_tui.ui.screens.confirm import ConfirmScreen
from mcp_tasks_tui.ui.widgets.line import Line
from tests.ui.bare import until
from tests.ui.fakes import NOW, FakeSupervisor, a_task

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from textual.pilot import Pilot

    from mcp_tasks_tui.supervise.view import TaskView

_SEED, _STEPS = 12, 50
_KEYS = [f"t{n}" for n in range(30)]
_STATES = [State.WORKING] * 5 + [State.INPUT_REQUIRED, State.COMPLETED, State.FAILED, State.GONE]


class _Journey:
    """Random steps on a screen; after each, what must hold is checked."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.fake = FakeSupervisor.of(*(self.a_view(key) for key in _KEYS[:20]))
        self.app = TasksApp(
            self.fake, config=ScreenConfig(animations=False), now=lambda: NOW, environ={}
        )
        self.pilot: Pilot[None]
        self.walked: list[str] = []

    def a_view(self, key: str) -> TaskView:
        chance = self.chance
        state = chance.choice(_STATES)
        server = chance.choice("ab")
        return a_task(
            key,
            state,
            label=f"{chance.choice(['build', 'crawl'])} {key}",
            server=server,
            server_url=f"http://{server}/mcp",
            message=chance.choice([None, "step 1/9", "step 7/9", "処理中"]),
            fraction=chance.choice([None, 0.2, 0.7]),
            requests={"q": {}} if state is State.INPUT_REQUIRED else None,
            attention=[Reason.STUCK] if chance.random() < 0.2 and not state.ended else (),
            saved_at=NOW - chance.randrange(900),
            archived_at=NOW - 1 if chance.random() < 0.1 else None,
            failures=chance.choice([0, 0, 0, 2]),
        )

    # --- what may happen -------------------------------------------------------------------
    async def news(self) -> None:
        """Polls answer, another program saves and archives."""
        keys = self.chance.sample(_KEYS, self.chance.randrange(1, 9))
        self.fake.put(*(self.a_view(key) for key in keys))
        await self.pilot.pause()

    async def key(self) -> None:
        keys = ["s", "S", "g", "D", "f", "space", "A", "j", "k", "end", "home", "i", "X", "escape"]
        await self.press(self.chance.choice(keys))

    async def filter(self) -> None:
        words = ["", "build", "server:a", "-server:a", "state:working", "is:stuck", "no-such"]
        self.app.main.filter_bar.fill(self.chance.choice(words))
        await self.pilot.pause()

    async def archive(self) -> None:
        await self.press("d")
        await self.pilot.app.workers.wait_for_complete()

    async def resize(self) -> None:
        await self.pilot.resize_terminal(*self.chance.choice([(120, 40), (70, 20), (50, 12)]))

    async def dialog(self) -> None:
        """A dialog is about the tasks it named, whatever happens while it is open."""
        main = self.app.main
        marked = [view.key for view in main.tasks.model.marked()]
        current = main.tasks.model.cursor
        about = marked or ([current] if current else [])
        about = [key for key in about if not self.fake.tasks[key].state.ended]
        asked = len(self.fake.asked_for("cancel"))
        frozen = main.tasks.model.frozen
        await self.press("c")
        if not about:
            assert self.app.screen is main
            return
        await until(self.pilot, lambda: isinstance(self.app.screen, ConfirmScreen))
        lines = [line.text.plain for line in self.app.screen.query(Line)]
        named = "\n".join([str(self.app.screen.query_one(".dialog-box").border_title), *lines])
        below = list(main.tasks.model.keys())
        await self.news()
        assert list(main.tasks.model.keys()) == below
        assert all(key in named for key in about[:5])
        await self.press(self.chance.choice(["y", "escape", "enter"]))
        await self.pilot.app.workers.wait_for_complete()
        sent = [each.key for each in self.fake.asked_for("cancel")[asked:]]
        assert sent in ([], about)
        assert main.tasks.model.frozen is frozen

    async def press(self, *keys: str) -> None:
        self.walked += keys
        await self.pilot.press(*keys)
        await self.pilot.pause()

    # --- what must hold --------------------------------------------------------------------
    def check(self, step: str, before: str | None) -> None:
        tasks = self.app.main.tasks
        model = tasks.model
        shown = list(model.keys())
        assert model.cursor in shown or not shown
        if step in ("news", "filter", "resize", "dialog") and before in shown:
            # Or it went back to the task of the person's choice, which was hidden until now.
            assert model.cursor in (before, model._wanted)
        panel = self.app.main.panel.view
        if shown and not self.app.main.has_class("-blank"):
            assert panel is not None
            assert panel.key == model.cursor
            lines = [
                tasks.render_line(y).text for y in range(1, tasks.scrollable_content_region.height)
            ]
            tasks._strips.clear()
            fresh = [tasks.render_line(y + 1).text for y in range(len(lines))]
            assert lines == fresh  # no line stands for what was true before
            assert any(str(model.cursor) in line for line in lines)

    async def walk(self) -> None:
        steps: dict[str, tuple[int, Callable[[], Awaitable[None]]]] = {
            "news": (5, self.news),
            "key": (8, self.key),
            "filter": (2, self.filter),
            "archive": (1, self.archive),
            "resize": (1, self.resize),
            "dialog": (2, self.dialog),
        }
        weights = [weight for weight, _ in steps.values()]
        for _ in range(_STEPS):
            model = self.app.main.tasks.model
            before, marks = model.cursor, set(model.marks)
            (name,) = self.chance.choices(list(steps), weights)
            self.walked.append(name)
            model.pin()
            await steps[name][1]()
            self.check(name, before)
            if name in ("news", "filter", "resize"):
                assert model.marks == marks


async def test_cursor_marks_and_dialogs_keep_their_tasks_on_any_way() -> None:
    journey = _Journey(_SEED)
    async with journey.app.run_test(size=(120, 40)) as pilot:
        journey.pilot = pilot
        await until(pilot, lambda: bool(journey.app.main.tasks.model.views))
        try:
            await journey.walk()
        except AssertionError as error:
            error.add_note(f"seed {_SEED}: {' '.join(journey.walked)}")
            raise


async def test_a_dialog_names_what_it_is_about_after_everything_below_has_changed() -> None:
    """The one way that is easily got wrong, by itself."""
    journey = _Journey(3)
    fake = journey.fake
    fake.tasks = {key: a_task(key, label=key, saved_at=NOW - n) for n, key in enumerate("abc")}
    async with journey.app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: bool(journey.app.main.tasks.model.views))
        await pilot.press("j", "c")
        await until(pilot, lambda: isinstance(journey.app.screen, ConfirmScreen))
        for view in list(fake.tasks.values()):
            fake.put(replace(view, handle=replace(view.handle, archived_at=NOW)))
        await pilot.press("y")
        await until(pilot, lambda: bool(fake.asked_for("cancel")))
        assert [each.key for each in fake.asked_for("cancel")] == ["b"]
