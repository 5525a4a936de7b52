"""The screen as a person uses it: keys in, what was asked of the engine and what is shown out."""

from __future__ import annotations

from dataclasses import replace

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.alerts import Alert, AlertKind
from mcp_tasks_tui.supervise.server_view import Health
from mcp_tasks_tui.supervise.supervisor import Batch
from mcp_tasks_tui.supervise.view import Reason
from mcp_tasks_tui.ui.screens.answer.screen import AnswerScreen
from mcp_tasks_tui.ui.screens.confirm import ConfirmScreen
from mcp_tasks_tui.ui.screens.help import HelpScreen
from mcp_tasks_tui.ui.widgets.footer import Footer
from mcp_tasks_tui.ui.widgets.line import Line
from tests.ui.bare import until, whole_screen
from tests.ui.fakes import NOW, FakeSupervisor, a_server, a_task
from tests.ui.running import QUESTION, press, running, sees, settle, text_of, three_tasks, toasts


async def test_the_panel_follows_the_cursor_and_what_changes() -> None:
    fake = three_tasks()
    async with running(fake) as (app, pilot):
        await press(pilot, "j")
        assert app.main.panel.view is fake.tasks["t2"]
        fake.put(replace(fake.tasks["t2"], message=ServerText("step 4/9")))
        await settle(pilot)
        assert app.main.panel.view is fake.tasks["t2"]
        assert "step 4/9" in text_of(app, "#tasks")


async def test_new_tasks_appear_by_themselves_and_the_cursor_stays() -> None:
    fake = three_tasks()
    async with running(fake) as (app, pilot):
        await press(pilot, "j")
        fake.put(a_task("t0", label="newest", saved_at=NOW))
        await settle(pilot)
        assert "newest" in text_of(app, "#tasks")
        assert app.main.tasks.model.cursor == "t2"


async def test_hostile_text_is_shown_as_text_everywhere() -> None:
    hostile = "[/ [red]x[/red] [@click=app.quit]q[/] \x1b[2J"
    view = a_task(
        "t1",
        label=hostile,
        message=hostile,
        task_id=hostile,
        server=hostile,
        attention=[Reason.STUCK],
    )
    servers = [a_server(name=hostile, health=Health.DOWN, text=hostile)]
    fake = FakeSupervisor.of(view, servers=servers)
    async with running(fake, size=(160, 50)) as (app, pilot):
        fake.publish(Batch(notices=(hostile,), alerts=(Alert(AlertKind.STUCK, ("t1",), hostile),)))
        await settle(pilot)
        everything = "\n".join(text_of(app, each) for each in ("#tasks", "#panel", "#servers"))
        assert "[red]x[/red]" in everything
        assert "\x1b" not in everything
        await press(pilot, "c")
        assert isinstance(app.screen, ConfirmScreen)
        await press(pilot, "escape", "ctrl+p")
        await pilot.press(*"go")
        await pilot.pause()


async def test_ill_servers_have_a_line_each_and_well_ones_none() -> None:
    down = a_server("http://b/mcp", "billing", Health.DOWN, "connection refused", open_tasks=7)
    fake = FakeSupervisor.of(a_task("t1"), servers=[a_server(), down])
    async with running(fake) as (app, pilot):
        shown = text_of(app, "#servers")
        assert "billing  down for 40 s · connection refused · 7 open tasks" in " ".join(
            shown.split("\n")
        ).replace("billing down", "billing  down")
        fake.server_views = [a_server()]
        fake.publish(Batch(servers=True))
        await settle(pilot)
        assert app.main.query_one("#servers").display is False
        assert "1 server ok" in text_of(app, "#header")


async def test_ill_servers_that_nothing_is_waited_for_from_are_one_line_below() -> None:
    servers = [
        a_server("http://a/mcp", "archive", Health.DOWN, "refused", open_tasks=0),
        a_server("http://b/mcp", "billing", Health.DOWN, "refused", open_tasks=7),
    ]
    fake = FakeSupervisor.of(a_task("t1"), servers=servers)
    async with running(fake) as (app, pilot):
        first, second = text_of(app, "#servers").split("\n")
        assert "billing down for" in first
        assert second.strip() == "✗ archive down · no open tasks"
        other = a_server("http://c/mcp", "http://c/mcp", Health.AUTH, open_tasks=0)
        fake.server_views = [*servers, other]
        fake.publish(Batch(servers=True))
        await settle(pilot)
        last = text_of(app, "#servers").split("\n")[-1]
        assert last.strip() == "2 servers not well: archive, c · no open tasks"


async def test_sort_and_group_keep_the_cursor() -> None:
    fake = FakeSupervisor.of(
        a_task("t1", label="b", server="s1", server_url="http://s1/mcp"),
        a_task("t2", label="a", server="s2", server_url="http://s2/mcp"),
    )
    async with running(fake) as (app, pilot):
        await press(pilot, "end")
        assert app.main.tasks.model.cursor == "t2"
        await press(pilot, "s", "s", "g")
        assert app.main.tasks.model.cursor == "t2"
        assert "── s1 (1) ─" in text_of(app, "#tasks")


async def test_a_frozen_list_holds_still_and_counts() -> None:
    fake = three_tasks()
    async with running(fake) as (app, pilot):
        await press(pilot, "f")
        fake.put(replace(fake.tasks["t1"], message=ServerText("moved on")))
        await settle(pilot)
        assert "moved on" not in text_of(app, "#tasks")
        assert "frozen +1 changed" in text_of(app, "#header")
        await press(pilot, "f")
        assert "moved on" in text_of(app, "#tasks")


async def test_the_wall_and_back() -> None:
    async with running(three_tasks()) as (app, pilot):
        await press(pilot, "v")
        assert app.main.wall.has_focus
        assert not sees(app, "#tasks")
        await press(pilot, "escape")
        assert app.main.tasks.has_focus
        assert sees(app, "#tasks")


async def test_help_has_every_command_and_its_keys() -> None:
    async with running(three_tasks(), keys={"task.cancel": "X"}) as (app, pilot):
        await press(pilot, "question_mark")
        assert isinstance(app.screen, HelpScreen)

        def told() -> str:
            return "\n".join(line.text.plain for line in app.screen.query(Line))

        first = told()
        assert first.index("Moving around") < first.index("The list")
        assert "Send together" not in first  # holds while answering only
        assert "task.answer" not in first
        await press(pilot, "a")
        for command in app.keymap.commands.values():
            assert command.title in told()
        assert "X" in told()
        await press(pilot, "i")
        for command in app.keymap.commands.values():
            assert command.id in told()
        await press(pilot, "escape")
        assert not isinstance(app.screen, HelpScreen)


async def test_the_footer_shows_what_matters_and_can_be_clicked() -> None:
    fake = FakeSupervisor.of(a_task("t1", State.INPUT_REQUIRED, requests={"q": QUESTION}))
    async with running(fake) as (app, pilot):
        assert text_of(app, "#footer").startswith(" enter open  u answer")
        await pilot.click(Footer, offset=(15, 0))
        await pilot.pause()
        assert isinstance(app.screen, AnswerScreen)


async def test_the_footer_of_the_wall_is_that_of_the_chosen_card() -> None:
    fake = FakeSupervisor.of(
        a_task("done", State.COMPLETED),
        a_task("asks", State.INPUT_REQUIRED, requests={"q": QUESTION}),
        a_task("runs"),
    )
    async with running(fake) as (app, pilot):
        app.main.tasks.select("asks")
        await press(pilot, "v")
        await until(pilot, lambda: app.main.wall.selected == "asks")
        await until(pilot, lambda: "u answer" in text_of(app, "#footer"))
        assert "c cancel" in text_of(app, "#footer")
        assert app.commands_here()[1].id == "task.answer"
        await press(pilot, "right")
        assert app.main.wall.selected == "runs"
        await until(pilot, lambda: "u answer" not in text_of(app, "#footer"))
        assert "c cancel" in text_of(app, "#footer")
        await press(pilot, "right")
        assert app.main.wall.selected == "done"
        await until(pilot, lambda: "w save" in text_of(app, "#footer"))
        await press(pilot, "left", "v")
        await until(pilot, lambda: "w save" not in text_of(app, "#footer"))
        assert app.main.tasks.model.cursor == "runs"


async def test_the_palette_runs_commands_and_goes_to_tasks() -> None:
    async with running(three_tasks()) as (app, pilot):
        await press(pilot, "ctrl+p")
        await until(pilot, lambda: "Poll now" in whole_screen(app))
        assert "a command, or a task by its name" in whole_screen(app)
        (line,) = [line for line in whole_screen(app).splitlines() if "Poll now" in line]
        assert " ".join(line.split()) == "Poll now read its status at once r"
        assert len(line.rstrip()) > app.size.width - 8  # its key is at the right
        await pilot.press(*"three")
        await until(pilot, lambda: "Go to three" in whole_screen(app))
        await press(pilot, "enter")
        await settle(pilot)
        assert app.main.tasks.model.cursor == "t3"
        await press(pilot, "ctrl+p")
        await pilot.press(*"stuck")
        await until(pilot, lambda: "Filter: stuck" in whole_screen(app))
        await press(pilot, "enter")
        await until(pilot, lambda: app.main.filter_bar.text == "is:stuck")
        told = ["sorted by label", "sorted by label · reversed"]
        while told:
            await press(pilot, "ctrl+p")
            await pilot.press(*"by lab")
            await until(pilot, lambda: "Sort by label" in whole_screen(app))
            await press(pilot, "enter")
            await until(pilot, lambda: told[0] in whole_screen(app))
            del told[0]


async def test_the_mouse_selects_marks_and_opens() -> None:
    async with running(three_tasks()) as (app, pilot):
        assert app.main.tasks.size.height > 8  # there is room for two lines each
        await pilot.click("#tasks", offset=(20, 4))
        assert app.main.tasks.model.cursor == "t2"
        await pilot.click("#tasks", offset=(0, 5))
        assert app.main.tasks.model.marks == {"t3"}
        await pilot.click("#tasks", offset=(20, 4), times=2)
        await pilot.pause()
        assert app.main.panel.has_focus


async def test_control_c_leaves() -> None:
    fake = three_tasks()
    async with running(fake) as (app, pilot):
        await pilot.press("ctrl+c")
        await pilot.pause()
        assert not app.is_running
    assert fake.closed


async def test_a_task_without_a_result_has_none_to_save() -> None:
    fake = FakeSupervisor.of(a_task("t1", label="build"), a_task("t2", State.COMPLETED))
    fake.results["t2"] = {"content": [{"type": "text", "text": "done"}]}
    async with running(fake) as (app, pilot):
        app.main.go_to("t1")
        await press(pilot, "w")
        assert toasts(app) == ["Save result: it has no result yet (build)"]
        assert app.screen is app.main
        app.main.go_to("t2")
        await press(pilot, "w")
        await until(pilot, lambda: "save as" in whole_screen(app))


async def test_news_is_a_toast() -> None:
    fake = three_tasks()
    async with running(fake) as (app, pilot):
        fake.publish(Batch(alerts=(Alert(AlertKind.FINISHED, ("t1",), "one finished"),)))
        await settle(pilot)
        assert toasts(app) == ["one finished"]
