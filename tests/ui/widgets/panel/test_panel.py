from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from mcp_tasks_tui.handles.model import Event, JournalEntry, State
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.ui.commands.keymap import read_keymap
from mcp_tasks_tui.ui.commands.vocabulary import available
from mcp_tasks_tui.ui.widgets.panel.panel import TaskPanel
from mcp_tasks_tui.ui.widgets.result.messages import CopyRequested
from tests.ui.bare import BareApp, KeyedApp, until
from tests.ui.fakes import NOW, FakeSupervisor, a_task

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.message import Message

    from mcp_tasks_tui.supervise.view import TaskView


def panel_of(*views: TaskView) -> tuple[FakeSupervisor, TaskPanel, BareApp]:
    fake = FakeSupervisor.of(*views)
    panel = TaskPanel(fake, now=lambda: NOW)
    return fake, panel, BareApp(panel)


def said(*messages: str) -> list[JournalEntry]:
    return [JournalEntry(NOW - 9, Event.MESSAGE, ServerText(message)) for message in messages]


class Gated(FakeSupervisor):
    """Journals and results come when their event is set."""

    def __init__(self, *views: TaskView) -> None:
        super().__init__(tasks={view.key: view for view in views})
        self.gates = {view.key: asyncio.Event() for view in views}

    async def journal(self, key: str) -> list[JournalEntry]:
        await self.gates[key].wait()
        return said(f"journal of {key}")

    async def result(self, key: str) -> Any:
        await self.gates[key].wait()
        return f"result of {key}"


async def test_the_panel_follows_the_selection() -> None:
    one, two = a_task("k1", label="first"), a_task("k2", label="second")
    fake, panel, app = panel_of(one, two)
    fake.journals = {"k1": said("from one"), "k2": said("from two")}
    async with app.run_test(size=(80, 30)) as pilot:
        panel.show(one)
        await until(pilot, lambda: "from one" in panel.shown_text)
        panel.show(two)
        await until(pilot, lambda: "from two" in panel.shown_text)
        assert "first" not in panel.shown_text
        assert "from one" not in panel.shown_text
        panel.show(None)
        assert panel.shown_text == ""


async def test_a_late_reply_is_not_shown_for_another_task() -> None:
    one, two = a_task("k1", State.COMPLETED), a_task("k2", State.COMPLETED)
    fake = Gated(one, two)
    panel = TaskPanel(fake, now=lambda: NOW)
    async with BareApp(panel).run_test(size=(80, 30)) as pilot:
        panel.show(one)
        await pilot.pause()
        panel.show(two)
        fake.gates["k2"].set()
        fake.gates["k1"].set()
        await until(pilot, lambda: "result of k2" in panel.shown_text)
        await until(pilot, lambda: "journal of k2" in panel.shown_text)
        assert "of k1" not in panel.shown_text


async def test_the_journal_is_live() -> None:
    view = a_task("k1", message="Step 1")
    fake, panel, app = panel_of(view)
    async with app.run_test(size=(80, 30)) as pilot:
        panel.show(view)
        await until(pilot, lambda: "› saved" in panel.shown_text)
        fake.journals["k1"] = said("Step 2")
        panel.show(replace(view, snapshot=replace(view.snapshot, message_changes=2)))
        await until(pilot, lambda: "‹ Step 2" in panel.shown_text)


async def test_a_line_written_after_the_last_change_still_appears() -> None:
    view = a_task("k1", message="Step 1")
    fake, panel, app = panel_of(view)
    async with app.run_test(size=(80, 30)) as pilot:
        panel.show(view)
        await until(pilot, lambda: "› saved" in panel.shown_text)
        await until(pilot, lambda: not list(app.workers))  # nothing runs for the sake of waiting
        fake.journals["k1"] = said("written a second later")
        await until(pilot, lambda: "written a second later" in panel.shown_text)


async def test_a_journal_that_cannot_be_read_is_said_and_nothing_ends() -> None:
    class Broken(FakeSupervisor):
        async def journal(self, key: str) -> list[JournalEntry]:
            raise OSError("disk \x1b[2J gone")

        async def result(self, key: str) -> Any:
            raise OSError("disk gone")

    view = a_task("k1", State.COMPLETED)
    panel = TaskPanel(Broken(tasks={"k1": view}), now=lambda: NOW)
    async with BareApp(panel).run_test(size=(80, 30)) as pilot:
        panel.show(view)
        await until(pilot, lambda: "could not be read" in panel.shown_text)
        await until(pilot, lambda: "cannot be read" in panel.shown_text)
        assert "\x1b" not in panel.shown_text


async def test_only_lines_that_differ_are_drawn_again() -> None:
    view = a_task("k1", message="Step 1", fraction=0.5)
    _, panel, app = panel_of(view)
    async with app.run_test(size=(80, 40)) as pilot:
        panel.show(view)
        await until(pilot, lambda: "› saved" in panel.shown_text)
        lines = panel.lines
        assert panel.set_lines(list(lines)) == 0
        changed = [*lines]
        changed[0] = (*lines[0], lines[0][0])
        assert panel.set_lines(changed) == 1


async def test_what_did_not_change_is_not_built_again_and_what_did_always_is() -> None:
    now = NOW
    asks = {"q": {"method": "elicitation/create", "params": {"message": "Deploy?"}}}
    view = a_task("k1", State.INPUT_REQUIRED, requests=asks, answered=["q"], message="62%")
    snapshot = replace(view.snapshot, created_at="2027-01-15T07:59:00Z", ttl_ms=60_000)
    view = replace(view, snapshot=snapshot)
    fake = FakeSupervisor.of(view)
    fake.journals["k1"] = [
        JournalEntry(NOW - 3700, Event.STATUS, None, {"to": "working"}),
        *said("10%", "20%"),
        JournalEntry(NOW - 50, Event.STATUS, None, {"to": "input_required"}),
    ]
    panel = TaskPanel(fake, now=lambda: now)
    async with BareApp(panel).run_test(size=(60, 50)) as pilot:
        panel.focus()
        panel.show(view)
        await until(pilot, lambda: "‹ 20%" in panel.shown_text)
        await pilot.press("J")
        built = {name: kept[1] for name, kept in panel._sections._kept.items()}
        read = replace(view.snapshot, observed_at=now, read=replace(view.snapshot.read, at=now))
        panel.show(replace(view, snapshot=read))  # read again, and nothing new
        assert {name: kept[1] is built[name] for name, kept in panel._sections._kept.items()} == {
            "input": True,
            "error": True,
            "result": True,
            "raw": True,
            "journal": True,
            "about": True,
            "claims": True,
            "notes": True,
        }
        for passed in (0.4, 0.7, 1, 7, 10, 13, 40, 61, 3600, 86_400):
            now += passed
            panel._draw()
            shown = panel.shown_text
            panel._sections._kept.clear()
            panel._draw()
            assert panel.shown_text == shown
        assert panel._sections._kept["about"][1] is not built["about"]
        about = panel._sections._kept["about"][1]
        await pilot.press("t")
        assert panel._sections._kept["about"][1] is not about


async def test_times_raw_fold_and_sections_by_keyboard() -> None:
    view = a_task("k1", message="Step 1")
    _, panel, app = panel_of(view)
    async with app.run_test(size=(80, 40)) as pilot:
        panel.focus()
        panel.show(view)
        await until(pilot, lambda: "10 m ago › saved" in panel.shown_text)
        await pilot.press("t")
        assert "10 m ago › saved" not in panel.shown_text
        assert 'status: "working"' not in panel.shown_text
        await pilot.press("J")
        assert 'status: "working"' in panel.shown_text
        await pilot.press("J", *["left_square_bracket"] * 2, "left")
        assert "task id" not in panel.shown_text
        await pilot.press("right")
        assert "task id" in panel.shown_text


async def test_a_pinned_panel_stays_with_its_task_and_keeps_it_current() -> None:
    one, two = a_task("k1", label="first"), a_task("k2", label="second")
    fake, panel, app = panel_of(one, two)
    async with app.run_test(size=(80, 30)) as pilot:
        panel.focus()
        panel.show(one)
        await pilot.press("P")
        fake.tasks["k1"] = a_task("k1", State.FAILED, label="first")
        panel.show(two)
        assert "✗ failed  first" in panel.shown_text
        assert "pinned" in panel.shown_text
        await pilot.press("P")
        panel.show(two)
        assert "second" in panel.shown_text

        # A task that a person opens is the one that is shown, and keys are about.
        await pilot.press("P")
        panel.open(fake.tasks["k2"])
        assert panel.pinned
        panel.open(fake.tasks["k1"])
        assert "first" in panel.shown_text
        assert not panel.pinned


async def test_a_frozen_panel_holds_still_counts_what_comes_and_goes_on_with_it() -> None:
    now = NOW
    one, two = a_task("k1", message="Step 1", label="first"), a_task("k2", label="second")
    fake = FakeSupervisor.of(one, two)
    panel = TaskPanel(fake, now=lambda: now)
    async with BareApp(panel).run_test(size=(80, 40)) as pilot:
        panel.focus()
        panel.show(one)
        await until(pilot, lambda: "› saved" in panel.shown_text)
        await pilot.press("f")
        first, *rest = panel.shown_text.splitlines()
        assert first == "‖ frozen just now, no news since · f goes on"
        now += 42
        fake.journals["k1"] = said("Step 2")
        read = replace(one.snapshot, observed_at=now)
        panel.show(replace(one, snapshot=read))  # merely read again
        failed = a_task("k1", State.FAILED, message="Step 2", label="first")
        panel.show(failed)
        await until(pilot, lambda: not list(pilot.app.workers))
        first, *still = panel.shown_text.splitlines()
        assert first == "‖ frozen 40 s ago, 1 change since · f goes on"
        assert still == rest
        assert panel.view is failed  # what is done to it is done to what it is by now
        await pilot.press("f")
        assert "✗ failed  first" in panel.shown_text
        await until(pilot, lambda: "‹ Step 2" in panel.shown_text)
        assert "frozen" not in panel.shown_text
        await pilot.press("f")
        await pilot.resize_terminal(44, 40)
        await until(pilot, lambda: "‖ frozen just now, no news since\n" in panel.shown_text)
        panel.show(two)  # another task is shown as it is now
        assert "second" in panel.shown_text
        assert panel.frozen is None


async def test_a_pinned_and_frozen_panel_stays_so_while_others_are_gone_through() -> None:
    one, two = a_task("k1", label="first"), a_task("k2", label="second")
    fake, panel, app = panel_of(one, two)
    async with app.run_test(size=(80, 30)) as pilot:
        panel.focus()
        panel.show(one)
        await pilot.press("P", "f")
        fake.tasks["k1"] = a_task("k1", State.FAILED, label="first")
        panel.show(two)
        assert "1 change since" in panel.shown_text
        assert "● working  first" in panel.shown_text


async def test_the_journal_can_begin_with_its_newest_line() -> None:
    view = a_task("k1", message="Step 3")
    fake, panel, app = panel_of(view)
    fake.journals["k1"] = said("Step 1", "Step 2", "Step 3")
    seen: list[Message] = []

    def steps() -> list[str]:
        lines = panel.shown_text.splitlines()
        return [line.partition("‹ ")[2] for line in lines if "‹ " in line]

    async with app.run_test(size=(80, 30), message_hook=seen.append) as pilot:
        panel.focus()
        panel.show(view)
        await until(pilot, lambda: steps() == ["Step 1", "Step 2", "Step 3"])
        await pilot.press("S")
        assert steps() == ["Step 3", "Step 2", "Step 1"]
        assert "newest first" in panel.shown_text
        await pilot.press("S")
        assert steps() == ["Step 1", "Step 2", "Step 3"]
    assert sum(isinstance(each, TaskPanel.ReadingChosen) for each in seen) >= 2


@pytest.mark.parametrize(
    ("view", "keys", "section"),
    [
        (a_task("k1", State.COMPLETED), ["enter"], "result"),
        (a_task("k1", State.FAILED), ["enter"], "error"),
        (a_task("k1"), ["enter"], "journal"),
        (a_task("k1"), ["left_square_bracket", "left_square_bracket", "enter"], "about"),
    ],
)
async def test_enter_opens_what_matters(view: TaskView, keys: Sequence[str], section: str) -> None:
    _, panel, app = panel_of(view)
    seen: list[Message] = []
    async with app.run_test(size=(80, 30), message_hook=seen.append) as pilot:
        panel.focus()
        panel.show(view)
        await until(pilot, lambda: "› saved" in panel.shown_text)
        await pilot.press(*keys)
        await pilot.pause()
    opened = [message for message in seen if isinstance(message, TaskPanel.Opened)]
    assert {each.section for each in opened} == {section}


async def test_a_section_or_all_can_be_copied() -> None:
    view = a_task("k1", message="Step 1\x1b[2J", task_id="t-1")
    _, panel, app = panel_of(view)
    seen: list[Message] = []
    async with app.run_test(size=(60, 30), message_hook=seen.append) as pilot:
        panel.focus()
        panel.show(view)
        await until(pilot, lambda: "› saved" in panel.shown_text)
        await pilot.press("Y", *["left_square_bracket"] * 3, "Y")
        await pilot.pause()
    whole, section = {id(each): each for each in seen if isinstance(each, CopyRequested)}.values()
    assert (whole.what, section.what) == ("panel", "journal")
    assert "● working" in whole.text
    assert "task id   t-1\n" in whole.text
    assert "\x1b" not in whole.text
    heading, *lines = section.text.splitlines()
    assert heading.startswith("▾ Journal")
    assert lines == ["     10 m ago › saved"]


async def test_a_click_on_a_heading_folds_and_on_server_text_does_nothing() -> None:
    view = a_task("k1", message="[@click=app.quit]click me[/]")
    _, panel, app = panel_of(view)
    async with app.run_test(size=(80, 30)) as pilot:
        panel.show(view)
        await until(pilot, lambda: "› saved" in panel.shown_text)
        before = panel.shown_text
        assert "[@click=app.quit]click me[/]" in before
        await pilot.click(panel, offset=(15, 1))
        assert panel.shown_text == before
        row = next(n for n, line in enumerate(before.splitlines()) if line.startswith("▾ About"))
        await pilot.click(panel, offset=(3, row))
        assert "task id" not in panel.shown_text
        assert app.is_running


@pytest.mark.parametrize("size", [(160, 50), (100, 30), (60, 15), (20, 5), (1, 1)])
async def test_any_size_and_hostile_everything(size: tuple[int, int]) -> None:
    nasty = "\x1b[2J\x1b]0;x\x07[/foo][@click=app.quit]x[/]\u202e処理" * 20
    request = {"method": nasty, "params": {"message": nasty, "mode": nasty}}
    view = a_task(
        "k1",
        State.FAILED,
        label=nasty,
        tool=nasty,
        task_id=nasty,
        message=nasty,
        error=nasty,
        failures=3,
        note=nasty,
        tags=[nasty],
        arguments={nasty: [nasty, {nasty: nasty}]},
        requests={nasty: request, "b": nasty},
        fraction=0.3,
    )
    view = replace(
        view,
        snapshot=replace(view.snapshot, error={"message": nasty, "code": nasty}, has_result=True),
    )
    fake, panel, app = panel_of(view)
    fake.journals["k1"] = [JournalEntry(NOW, event, ServerText(nasty)) for event in Event]
    fake.results["k1"] = {"content": [{"type": nasty}, {"type": "text", "text": nasty}] * 500}
    async with app.run_test(size=size) as pilot:
        panel.focus()
        panel.show(view)
        await pilot.press("J", "t", "end", "right_square_bracket")
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: "more item" in panel.shown_text)
        assert not {"\x1b", "\x07", "\u202e"} & set(panel.shown_text)
        await pilot.resize_terminal(*size)
        await pilot.pause()
        assert app.is_running


@pytest.mark.parametrize(
    ("read_only", "settings", "key"),
    [(False, {}, "u"), (False, {"task.answer": "f8"}, "f8"), (True, {}, "")],
)
async def test_how_to_answer_is_only_said_where_it_can_be_done(
    read_only: bool, settings: dict[str, str], key: str
) -> None:
    asks = {"q": {"method": "elicitation/create", "params": {"message": "Deploy?"}}}
    view = a_task("k1", State.INPUT_REQUIRED, requests=asks)
    _, panel, _ = panel_of(view)
    app = KeyedApp(panel, read_keymap(settings, available(read_only=read_only)))
    async with app.run_test(size=(60, 30)):
        panel.show(view)
        assert "Deploy?" in panel.shown_text
        assert ("answers" in panel.shown_text) is bool(key)
        assert f"{key} answers" in panel.shown_text or not key
