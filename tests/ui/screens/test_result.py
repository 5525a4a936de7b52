from __future__ import annotations

import asyncio
import json
import stat
import threading
import weakref
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from textual.widgets import Input

from mcp_tasks_tui.collector import collector_paused
from mcp_tasks_tui.forms.links import look_at
from mcp_tasks_tui.handles.model import Event, JournalEntry, State
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.results import read_result
from mcp_tasks_tui.ui.commands.keymap import read_keymap
from mcp_tasks_tui.ui.commands.vocabulary import COMMANDS
from mcp_tasks_tui.ui.documents.saving import NotSaved
from mcp_tasks_tui.ui.screens import exporting, viewer
from mcp_tasks_tui.ui.screens.answer.open import OpenScreen
from mcp_tasks_tui.ui.screens.result import ResultScreen
from mcp_tasks_tui.ui.screens.viewer import ViewerScreen
from mcp_tasks_tui.ui.widgets.lines.pieces import plain
from mcp_tasks_tui.ui.widgets.lines.view import Lines, LineView
from mcp_tasks_tui.ui.widgets.panel.reading import Reading
from mcp_tasks_tui.ui.widgets.result import tabs as result_tabs
from mcp_tasks_tui.ui.widgets.result.messages import CopyRequested, LinkRequested
from mcp_tasks_tui.ui.widgets.result.text import TextView
from mcp_tasks_tui.ui.widgets.result.tree import JsonTree
from tests.ui.bare import BareApp, KeyedApp, LagMeter, until, whole_screen
from tests.ui.fakes import NOW, FakeSupervisor, a_task

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    from textual.message import Message
    from textual.pilot import Pilot
    from textual.widget import Widget

HOSTILE = "\x1b[2J[/foo][@click=app.quit]x[/]\u202e\x00"
IMAGE = {"type": "image", "mimeType": "image/png", "data": "aGVsbG8="}
LINK = {"type": "resource_link", "uri": "https://x.example/\x1b", "name": "page"}


class Opened:
    """A viewer on one result."""

    def __init__(
        self,
        result: Any,
        state: State = State.COMPLETED,
        section: str = "result",
        *,
        save: bool = False,
        app: BareApp | None = None,
        supervisor: type[FakeSupervisor] = FakeSupervisor,
    ) -> None:
        self.view = a_task("k1", state, label="nightly report")
        self.fake = supervisor.of(self.view)
        self.fake.results["k1"] = result
        self.screen = ResultScreen(self.fake, self.view, section, now=lambda: NOW, save=save)
        self.app = app or BareApp()
        self.messages: list[Message] = []

    def run(self, width: int = 100, height: int = 30) -> AbstractAsyncContextManager[Pilot[None]]:
        return self.app.run_test(size=(width, height), message_hook=self.messages.append)

    async def open(self, pilot: Pilot[None]) -> None:
        await self.app.push_screen(self.screen)
        await until(pilot, lambda: self.screen.shown is not None)
        await pilot.pause()

    @property
    def main(self) -> LineView:
        assert self.screen.shown is not None
        return self.screen.query_one(f"#view-{self.screen.shown.id}", LineView)

    @property
    def kind(self) -> str:
        return type(self.main).__name__

    @property
    def text(self) -> str:
        main = self.main
        return "\n".join(plain(main.line(number)) for number in range(main.line_count))

    def fixed(self, name: str) -> str:
        return "\n".join(plain(line) for line in self.screen.query_one(f"#{name}", Lines).lines)


def text_result(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}


async def test_of_a_viewer_that_was_left_nothing_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    # Longer than its last timer, which holds what it was set for.
    monkeypatch.setattr(viewer, "_FORGOTTEN", 1.2)
    rows = [{"id": number, "of": [number]} for number in range(200)]
    result = {**text_result("# Report\n" + "some words\n" * 500), "structuredContent": rows}
    left: list[weakref.ref[Widget]] = []
    app = BareApp()
    async with app.run_test(size=(100, 30)) as pilot:
        with collector_paused():  # only what is asked for
            for _ in range(8):
                opened = Opened(result, app=app)
                await opened.open(pilot)
                for number in range(len(opened.screen.tabs)):
                    await opened.screen.show_tab(number)
                    await pilot.pause()
                left += map(weakref.ref, (opened.screen, *opened.screen.query(LineView)))
                del opened
                await pilot.press("escape")
                await until(pilot, lambda: len(app.screen_stack) == 1)
            assert len(left) > 8 * 5
            await until(pilot, lambda: not any(each() for each in left))


async def test_a_text_opens_wrapped_and_can_be_unwrapped() -> None:
    opened = Opened(text_result("word " * 100))
    async with opened.run() as pilot:
        await opened.open(pilot)
        wrapped = opened.main.line_count
        assert wrapped > 4
        await pilot.press("W")
        assert opened.main.line_count == 1
        assert "not wrapped" in opened.fixed("viewer-status")
        await pilot.press("W")
        assert opened.main.line_count == wrapped


async def test_find_goes_from_match_to_match() -> None:
    lines = [f"line {number}" for number in range(500)]
    lines[300] = lines[450] = "the Needle is here"
    opened = Opened(text_result("\n".join(lines)))
    async with opened.run() as pilot:
        await opened.open(pilot)
        await pilot.press("slash", *"needle", "enter")
        await until(pilot, lambda: "1 of 2 found" in opened.fixed("viewer-status"))
        assert 270 < opened.main.scroll_offset.y <= 300
        await pilot.press("n")
        assert 420 < opened.main.scroll_offset.y <= 450
        await pilot.press("n")
        assert "1 of 2 found" in opened.fixed("viewer-status")
        await pilot.press("N")
        assert "2 of 2 found" in opened.fixed("viewer-status")
        await pilot.press("slash", *"nowhere", "enter")
        await until(pilot, lambda: "not found" in opened.fixed("viewer-status"))


async def test_markdown_tree_table_and_files_have_a_tab_each() -> None:
    rows = [{"name": "unit", "n": 1}, {"name": "browser", "n": 2}]
    content = [{"type": "text", "text": "# Report\n\n- **bold**"}, IMAGE, LINK]
    opened = Opened({"content": content, "structuredContent": {"suites": rows}})
    async with opened.run() as pilot:
        await opened.open(pilot)
        await until(pilot, lambda: "█ Report" in opened.text)
        assert opened.kind == "BuiltLines"
        await pilot.press("2")
        await until(pilot, lambda: "# Report" in opened.text)
        await pilot.press("3")
        assert opened.kind == "JsonTree"
        await pilot.press("4")
        assert opened.kind == "TableView"
        assert "browser" in opened.text
        await pilot.press("right_square_bracket")
        assert opened.kind == "FilesView"
        assert "image/png" in opened.text
        await pilot.press("left_square_bracket", "left_square_bracket")
        assert opened.kind == "JsonTree"


async def test_structured_content_stands_beside_the_text_where_there_is_room() -> None:
    opened = Opened({**text_result("said"), "structuredContent": {"n": 1}})
    async with opened.run(160, 40) as pilot:
        await opened.open(pilot)
        assert opened.screen.has_class("-beside")
        assert len(opened.screen.query("#viewer-side JsonTree")) == 1
        sides = [opened.screen.query_one(each) for each in ("#viewer-main", "#viewer-side")]
        assert [str(side.border_title).split()[0] for side in sides] == ["Text", "Structured"]
        edges = [side.styles.border_top[0] for side in sides]
        assert edges == ["heavy", "solid"]  # where the keyboard is, without colours too
        await pilot.press("tab")
        assert [side.styles.border_top[0] for side in sides] == edges[::-1]
        before = pilot.app.theme
        await pilot.press("T")
        assert pilot.app.theme != before
        await pilot.press("T")
        await pilot.resize_terminal(100, 30)
        await until(pilot, lambda: not opened.screen.has_class("-beside"))


async def test_the_tree_opens_closes_and_finds_what_is_closed() -> None:
    value = {"list": [{"name": f"n{i}"} for i in range(3000)]}
    opened = Opened({"content": [], "structuredContent": value})
    async with opened.run() as pilot:
        await opened.open(pilot)
        tree = opened.screen.query_one("#view-structured", JsonTree)
        before = tree.line_count
        await pilot.press("slash", *"n2999", "enter")
        await until(pilot, lambda: "1 of 1 found" in tree.status)
        assert "list[2999].name" in tree.status
        assert before < tree.line_count < 1100
        await pilot.press("left", "left", "left")
        assert tree.line_count < 1100
        await pilot.press("home", "left")
        assert tree.line_count == 1
        await pilot.press("enter")
        assert tree.line_count > 1


@pytest.mark.parametrize("width", [100, 150])
async def test_of_a_tree_the_value_under_the_cursor_is_copied(width: int) -> None:
    value = {"services": [{"name": 'say "hi"\x1b', "port": 80}]}
    opened = Opened({"content": [], "structuredContent": value})
    async with opened.run(width) as pilot:
        await opened.open(pilot)
        tree = opened.screen.query(JsonTree).first()
        tree.focus()
        copied = {}
        for row in range(tree.line_count):
            opened.messages.clear()
            await pilot.press("home", *["down"] * row, "y")
            await until(
                pilot, lambda: any(isinstance(each, CopyRequested) for each in opened.messages)
            )
            [said, *_] = [each for each in opened.messages if isinstance(each, CopyRequested)]
            copied[said.what] = said.text
        assert copied["services[0].name"] == 'say "hi"^['
        assert copied["services[0].port"] == "80"
        assert json.loads(copied["services[0]"].replace("\\u001b", "")) == {
            "name": 'say "hi"',
            "port": 80,
        }
        assert json.loads(copied["services"]) == value["services"]
        assert json.loads(copied["Structured"]) == value, "the whole, on the first row"


async def test_a_long_value_opens_whole() -> None:
    opened = Opened({"content": [], "structuredContent": {"log": "word " * 2000}})
    async with opened.run() as pilot:
        await opened.open(pilot)
        await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(opened.app.screen, ViewerScreen))
        await until(pilot, lambda: opened.app.screen is not opened.screen)
        text = opened.app.screen.query_one(TextView)
        await until(pilot, lambda: text.indexed and text.line_count > 50)
        await pilot.press("escape")
        assert opened.app.screen is opened.screen


async def test_saving_asks_for_the_name_and_never_overwrites(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    opened = Opened(text_result("exactly\x1b this"))
    async with opened.run() as pilot:
        await opened.open(pilot)
        await pilot.press("w", "enter")
        path = tmp_path / "nightly-report-k1.txt"
        await until(pilot, path.exists)
        await until(pilot, lambda: path.read_text() == "exactly\x1b this")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        await pilot.press("w", "enter")
        await until(pilot, (tmp_path / "nightly-report-k1-2.txt").exists)
        await pilot.press("w", "escape")
        assert len(list(tmp_path.iterdir())) == 2
        assert opened.app.screen is opened.screen


async def test_a_file_that_cannot_be_written_leaves_the_prompt_with_its_path_and_why(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    opened = Opened(text_result("this"))
    async with opened.run() as pilot:
        await opened.open(pilot)
        await pilot.press("w", "ctrl+u", *"none/x.txt", "enter")
        await until(pilot, lambda: "No such file" in whole_screen(opened.app))
        line = opened.screen.query_one(Input)
        assert opened.screen.asking
        assert line.has_focus
        assert line.value == "none/x.txt"
        assert f"{tmp_path}/none/x.txt" in whole_screen(opened.app).replace("\n", "")
        await pilot.press("ctrl+u", *"x.txt")
        assert "No such file" not in whole_screen(opened.app), "it is another path"
        await pilot.press("enter")
        await until(pilot, (tmp_path / "x.txt").exists)
        await until(pilot, lambda: not opened.screen.asking)
        await until(pilot, lambda: opened.main.has_focus)
        assert [each.severity for each in _toasts(opened)] == ["information"]


async def test_a_save_that_takes_long_is_tried_once_and_told_when_the_prompt_was_left(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, tried = threading.Event(), []

    def write(path: pathlib.Path, _data: object) -> int:
        tried.append(path.name)
        gate.wait(60)
        raise NotSaved("the disk is full")

    monkeypatch.setattr(exporting, "write_new", write)
    monkeypatch.chdir(tmp_path)
    opened = Opened(text_result("this"))
    async with opened.run() as pilot:
        await opened.open(pilot)
        await pilot.press("w")
        await opened.screen.query_one(Input).action_submit()
        while not tried:  # the pilot would wait for the writing, too
            await asyncio.sleep(0.005)
        await opened.screen.query_one(Input).action_submit()
        await opened.screen.action_command("viewer.leave")
        assert not opened.screen.asking
        gate.set()
        await until(pilot, lambda: bool(_toasts(opened)))
        assert [each.message for each in _toasts(opened)] == ["the disk is full"]
        assert len(tried) == 1


async def test_a_file_inside_a_result_is_saved_decoded(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    opened = Opened({"content": [IMAGE, LINK]})
    async with opened.run() as pilot:
        await opened.open(pilot)
        await pilot.press("w", "enter")
        path = tmp_path / "nightly-report-k1-image.png"
        await until(pilot, path.exists)
        await until(pilot, lambda: path.read_bytes() == b"hello")


async def test_a_task_without_a_result_says_so_and_asks_for_no_file_name() -> None:
    opened = Opened(None, State.WORKING, save=True)
    async with opened.run() as pilot:
        await opened.open(pilot)
        await until(pilot, lambda: opened.text == "There is no result yet. State: working.")
        assert not opened.screen.asking
        assert any("no result yet" in str(each.message) for each in _toasts(opened))


@pytest.mark.parametrize(
    ("content", "copied"),
    [
        (["# One\n\n* two", "three"], "# One\n\n* two\n\nthree"),
        (["# One\n\n* a\n* b\n", IMAGE, "two\n"], "# One\n\n* a\n* b\n\ntwo\n"),
        (["# One\n* two\n\n"], "# One\n* two\n\n"),
    ],
)
async def test_what_is_copied_of_a_text_is_the_servers_alone(
    content: list[Any], copied: str
) -> None:
    parts = [{"type": "text", "text": p} if isinstance(p, str) else p for p in content]
    opened = Opened({"content": parts})
    async with opened.run() as pilot:
        await opened.open(pilot)
        names = [tab.id for tab in opened.screen.tabs]
        for name in ("markdown", "text"):
            opened.messages.clear()
            await opened.screen.show_tab(names.index(name))
            await pilot.press("y")
            await until(
                pilot, lambda: any(isinstance(each, CopyRequested) for each in opened.messages)
            )
            [said, *_] = [each for each in opened.messages if isinstance(each, CopyRequested)]
            assert said.text == copied


async def test_saving_at_once_asks_for_a_file_name() -> None:
    opened = Opened(text_result("x"), save=True)
    async with opened.run() as pilot:
        await opened.open(pilot)
        await until(pilot, lambda: opened.screen.asking)
        assert "save as" in opened.fixed("viewer-question")


async def test_files_say_what_they_are_and_how_they_are_saved() -> None:
    opened = Opened({"content": [IMAGE, {**IMAGE, "type": "audio", "mimeType": "audio/wav"}]})
    async with opened.run() as pilot:
        await opened.open(pilot)
        assert "image · image/png  5 B" in opened.text
        await until(pilot, lambda: "1 of 2 · 5 B " in opened.fixed("viewer-status"))
        await pilot.press("slash", *"wav", "enter")
        await until(pilot, lambda: "2 of 2 · 5 B " in opened.fixed("viewer-status"))
        await pilot.press("slash", *"nowhere", "enter")
        await until(pilot, lambda: "not found" in opened.fixed("viewer-status"))


async def test_a_link_is_only_asked_for_and_copying_is_cleaned() -> None:
    opened = Opened({"content": [IMAGE, LINK]})
    async with opened.run() as pilot:
        await opened.open(pilot)
        await pilot.press("down", "o")
        await pilot.pause()
        asked = [each.url for each in opened.messages if isinstance(each, LinkRequested)]
        assert set(asked) == {"https://x.example/\x1b"}
        await pilot.press("2", "y")
        await until(pilot, lambda: any(isinstance(each, CopyRequested) for each in opened.messages))
    (copied, *_) = [each for each in opened.messages if isinstance(each, CopyRequested)]
    assert "https://x.example/^[" in copied.text


async def test_without_a_terminal_to_hand_over_the_pager_is_refused_in_words() -> None:
    opened = Opened(text_result("x"))
    async with opened.run() as pilot:
        await opened.open(pilot)
        await pilot.press("vertical_line")
        await until(pilot, lambda: any("no terminal" in str(n.message) for n in _toasts(opened)))


def _toasts(opened: Opened) -> list[Any]:
    return list(opened.app._notifications)


@pytest.mark.parametrize(
    ("section", "tab"), [("journal", "journal"), ("raw", "task"), ("error", "error")]
)
async def test_other_sections_open_in_the_same_viewer(section: str, tab: str) -> None:
    opened = Opened(None, State.FAILED, section)
    opened.fake.journals["k1"] = [JournalEntry(NOW, Event.SAVED)]
    async with opened.run() as pilot:
        await opened.open(pilot)
        assert opened.screen.shown is not None
        assert opened.screen.shown.id == tab


async def test_a_result_that_cannot_be_read_leaves_the_rest() -> None:
    class Broken(FakeSupervisor):
        async def result(self, key: str) -> Any:
            raise OSError("disk [/foo] gone")

    opened = Opened(None, supervisor=Broken)
    async with opened.run() as pilot:
        await opened.open(pilot)
        assert any("disk [/foo] gone" in str(each.message) for each in _toasts(opened))
        assert [tab.id for tab in opened.screen.tabs] == ["none", "journal", "task"]
        await until(pilot, lambda: "could not be read" in opened.text)


SHAPES: tuple[Any, ...] = (
    None,
    "text",
    7,
    [],
    {},
    {"content": 7},
    {"content": [None, [], "x", {"type": "image"}]},
    {"structuredContent": None},
    {"structuredContent": [[{"a": 1}, {"[/foo]\x1b": "\x1b[2J"}]]},
    {"content": [{"type": "text", "text": HOSTILE}] * 1000},
    {"content": [{"type": "text", "text": "# a\n\n- [x](http://y)\n- **\x1b[2J**"}]},
    {"content": [LINK] * 300},
    text_result("[" * 100_000),
)


async def test_a_result_of_any_shape_opens() -> None:
    app = BareApp()
    async with app.run_test(size=(160, 40)) as pilot:
        for shape in SHAPES:
            opened = Opened(shape, app=app)
            await opened.open(pilot)
            for number, tab in enumerate(opened.screen.tabs):
                if tab.id in ("journal", "task"):
                    continue  # they are not about the result
                await opened.screen.show_tab(number)
                seen = "".join(
                    plain(opened.main.line(n)) for n in range(min(opened.main.line_count, 99))
                )
                assert not {"\x1b", "\u202e", "\x00"} & set(seen), shape
            await pilot.press("escape")
        assert app.is_running


async def test_any_window_will_do() -> None:
    opened = Opened({"content": [IMAGE, LINK], "structuredContent": [{"a": 1}, {"a": 2}]})
    async with opened.run(60, 15) as pilot:
        await opened.open(pilot)
        for size in ((12, 4), (1, 1), (60, 15)):
            await pilot.resize_terminal(*size)
            for number, _ in enumerate(opened.screen.tabs):
                await opened.screen.show_tab(number)
                await pilot.press("end", "down")
        assert opened.app.is_running


# --- while it is open ------------------------------------------------------------------------
async def test_the_journal_and_the_raw_task_are_live() -> None:
    opened = Opened(None, State.WORKING, "journal")
    journal = opened.fake.journals["k1"] = [JournalEntry(NOW, Event.SAVED)]
    async with opened.run(60, 15) as pilot:
        await opened.open(pilot)
        await until(pilot, lambda: "saved" in opened.text)
        for number in range(30):
            journal.append(JournalEntry(NOW, Event.MESSAGE, ServerText(f"step {number}")))
        opened.fake.put(a_task("k1", State.WORKING, label="nightly report", message="step 29"))
        await until(pilot, lambda: "step 29" in opened.text)
        assert opened.main.scroll_offset.y == opened.main.max_scroll_y > 0, "the end is followed"
        await pilot.press("home")
        journal.append(JournalEntry(NOW, Event.MESSAGE, ServerText("step 30")))
        opened.fake.put(a_task("k1", State.WORKING, label="nightly report", message="step 30"))
        await until(pilot, lambda: "step 30" in opened.text)
        assert opened.main.scroll_offset.y == 0, "whoever reads above is left there"
        await pilot.press("right_square_bracket")
        await until(pilot, lambda: '"step 30"' in opened.text)
        opened.fake.put(a_task("k1", State.WORKING, label="nightly report", message="step 31"))
        await until(pilot, lambda: '"step 31"' in opened.text)
        await until(pilot, lambda: not any(each.is_running for each in opened.app.workers))


def _tells(opened: Opened, *messages: str) -> None:
    """Let the task say something more."""
    lines = (JournalEntry(NOW, Event.MESSAGE, ServerText(message)) for message in messages)
    opened.fake.journals["k1"].extend(lines)
    view = a_task("k1", State.WORKING, label="nightly report", message=messages[-1])
    opened.fake.put(view)


async def test_the_journal_turned_round_follows_its_newest_line_at_the_top() -> None:
    opened = Opened(None, State.WORKING, "journal")
    opened.fake.journals["k1"] = [
        JournalEntry(NOW - 90, Event.STATUS, None, {"to": "working"}),
        JournalEntry(NOW - 60, Event.STATUS, None, {"to": "input_required"}),
        JournalEntry(NOW - 40, Event.STATUS, None, {"to": "working"}),
    ]
    chosen: list[Reading] = []
    opened.screen._read_as = chosen.append
    async with opened.run(60, 15) as pilot:
        await opened.open(pilot)
        _tells(opened, *(f"step {number}" for number in range(30)))
        await until(pilot, lambda: opened.text.endswith("step 29"))
        head = opened.fixed("viewer-head")
        assert "1 m so far: ● working 1 m · ◆ needs input 20 s" in head
        assert "●●●" not in head, "a small window has no room to draw it"
        await pilot.resize_terminal(60, 30)
        await until(pilot, lambda: "●●◆" in opened.fixed("viewer-head"))
        await pilot.press("S")
        await until(pilot, lambda: opened.text.split("\n")[0].endswith("step 29"))
        assert opened.main.scroll_offset.y == 0
        _tells(opened, "step 30")
        await until(pilot, lambda: opened.text.split("\n")[0].endswith("step 30"))
        assert opened.main.scroll_offset.y == 0, "the newest line is followed"
        await pilot.press("down", "down")
        above = plain(opened.main.line(2))
        _tells(opened, "step 31")
        await until(pilot, lambda: opened.text.split("\n")[0].endswith("step 31"))
        assert plain(opened.main.line(opened.main.scroll_offset.y)) == above, "who reads stays"
        await pilot.press("S")
        await until(pilot, lambda: opened.text.endswith("step 31"))
        assert opened.main.scroll_offset.y == opened.main.max_scroll_y > 0
        assert opened.screen.shown is not None
        assert opened.screen.shown.text().startswith("●●●"), "the times are saved with the journal"
    assert [each.newest_first for each in chosen] == [True, False]


async def test_a_journal_of_one_kind_or_in_utc_is_only_looked_at_so() -> None:
    opened = Opened(None, State.WORKING, "journal")
    opened.fake.journals["k1"] = [
        JournalEntry(NOW - 90, Event.CALL_SENT),
        JournalEntry(NOW - 60, Event.STATUS, None, {"to": "working"}),
    ]
    chosen: list[Reading] = []
    opened.screen._read_as = chosen.append
    async with opened.run(100, 20) as pilot:
        await opened.open(pilot)
        await until(pilot, lambda: "● working" in opened.text)
        assert "local time" in opened.fixed("viewer-status")
        await pilot.press("t")
        await until(pilot, lambda: "07:58:30Z › call sent" in opened.text)
        assert "UTC" in opened.fixed("viewer-status")
        await pilot.press("K")
        await until(pilot, lambda: "call sent" not in opened.text)
        assert "● working" in opened.text
        assert "states: 1 of 2 lines" in opened.fixed("viewer-head")
        assert opened.screen.shown is not None
        assert "call sent" in opened.screen.shown.text(), "what is saved is whole"
        await pilot.press("K")
        await until(pilot, lambda: "messages: 0 of 2 lines" in opened.fixed("viewer-head"))
        await until(pilot, lambda: not opened.text.strip())
        await pilot.press("f", "K", "K", "K")
        await until(pilot, lambda: "07:58:30Z › call sent" in opened.text)
        assert "2 lines" not in opened.fixed("viewer-head")
    assert [each.utc for each in chosen] == [True] * 6
    assert not any(each.absolute for each in chosen), "ages in the panel stay ages"


async def test_a_frozen_viewer_holds_still_and_goes_on_with_what_came() -> None:
    opened = Opened(text_result("all went well"), State.WORKING, "journal")
    opened.fake.journals["k1"] = [JournalEntry(NOW, Event.SAVED)]
    async with opened.run() as pilot:
        await opened.open(pilot)
        await until(pilot, lambda: "saved" in opened.text)
        assert "f freeze" in opened.fixed("viewer-status")
        await pilot.press("f")
        _tells(opened, "step 1")
        opened.fake.put(a_task("k1", State.COMPLETED, label="nightly report"))
        head = "‖ frozen just now, 2 changes since · f goes on  ● working  nightly report"
        await until(pilot, lambda: opened.fixed("viewer-head").startswith(head))
        await until(pilot, lambda: not any(each.is_running for each in opened.app.workers))
        assert "step 1" not in opened.text
        await pilot.press("f")
        await until(pilot, lambda: "step 1" in opened.text)
        assert opened.fixed("viewer-head").startswith("✓ completed  nightly report")
        assert "freeze" not in opened.fixed("viewer-status"), "what has ended does not move"
        assert opened.screen.tabs[0].id == "text"
        await pilot.press("f")
        assert "frozen" not in opened.fixed("viewer-head")


async def test_the_last_line_has_the_keys_that_do_something_to_what_is_shown() -> None:
    rows = [{"name": "unit", "n": 1}, {"name": "browser", "n": 2}]
    content = [{"type": "text", "text": "# Report\n\n- **bold**"}, IMAGE, LINK]
    opened = Opened({"content": content, "structuredContent": {"suites": rows}})
    usual = {"back", "find", "save", "copy", "pager", "editor", "help", "link"}
    own = {
        "markdown": set(),
        "text": {"wrap"},
        "structured": {"open"},
        "table": set(),
        "files": set(),  # an image
        "raw": {"open"},
        "journal": {"order", "kinds", "times"},
        "task": {"open"},
    }
    async with opened.run(150, 30) as pilot:
        await opened.open(pilot)
        for number, tab in enumerate(opened.screen.tabs, 1):
            await pilot.press(str(number))
            shown = {word for _, _, word in opened.screen._keys()}
            assert shown == usual | own[tab.id], tab.id
            if tab.id == "files":
                await pilot.press("end")
                assert "open" in {word for _, _, word in opened.screen._keys()}, "a link"
        await pilot.press("slash", *"unit", "enter")
        await until(pilot, lambda: "n next" in opened.fixed("viewer-status"))
    nothing = Opened(None, State.WORKING)
    async with nothing.run() as pilot:
        await nothing.open(pilot)
        await until(pilot, lambda: "no result yet" in nothing.text)
        assert {word for _, _, word in nothing.screen._keys()} == {"back", "freeze", "help"}


async def test_tabs_and_the_keys_of_the_last_line_can_be_clicked() -> None:
    opened = Opened({**text_result("said"), "structuredContent": {"n": 1}})
    async with opened.run(120, 30) as pilot:
        await opened.open(pilot)
        titles = opened.fixed("viewer-head").split("\n")[1]
        await pilot.click("#viewer-head", offset=(titles.index("Structured") + 1, 1))
        assert opened.kind == "JsonTree"
        keys = opened.fixed("viewer-status")
        await pilot.click("#viewer-status", offset=(keys.index("find") + 1, 0))
        assert opened.screen.asking
        await pilot.press("escape")
        await pilot.click("#viewer-status", offset=(keys.index("back") + 1, 0))
        await until(pilot, lambda: opened.app.screen is not opened.screen)


async def test_a_result_that_comes_while_the_viewer_is_open_is_shown() -> None:
    opened = Opened(text_result("all went well"), State.WORKING)
    async with opened.run() as pilot:
        await opened.open(pilot)
        await until(pilot, lambda: "no result yet" in opened.text)
        await pilot.press("slash", "x")
        opened.fake.put(a_task("k1", State.COMPLETED, label="nightly report"))
        await until(pilot, lambda: "completed" in opened.fixed("viewer-head"))
        assert opened.text == "all went well"
        await pilot.press("y")
        assert opened.screen.query_one(Input).value == "xy", "typing is not interrupted"
    assert not opened.fake.listeners


async def test_a_result_that_the_panel_has_read_is_not_read_again() -> None:
    class Away(FakeSupervisor):
        async def result(self, key: str) -> Any:
            raise OSError("the disk is away")

    view = a_task("k1", State.COMPLETED)
    doc = read_result(text_result("all went well"))
    fake = Away.of(view)
    screen = ResultScreen(fake, view, now=lambda: NOW, result=doc)
    app = BareApp()
    async with app.run_test() as pilot:
        await app.push_screen(screen)
        await until(pilot, lambda: "all went well" in whole_screen(app))
        fake.put(replace(view, quiet="for 1 m"))
        await until(pilot, lambda: not any(each.is_running for each in app.workers))
        assert "all went well" in whole_screen(app)


async def test_a_lost_result_is_told_as_lost() -> None:
    opened = Opened(None)
    async with opened.run() as pilot:
        await opened.open(pilot)
        await until(pilot, lambda: "was lost when the database was damaged" in opened.text)
        assert "sent no result" not in opened.fixed("viewer-head")


async def test_a_long_text_that_is_json_gets_its_tree_when_it_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(result_tabs, "QUICK", 20)
    opened = Opened(text_result('[{"name": "unit"}, {"name": "browser"}]'))
    async with opened.run() as pilot:
        await opened.open(pilot)
        await until(pilot, lambda: "Table" in opened.fixed("viewer-head"))
        assert "reading it as JSON" not in opened.fixed("viewer-head")
        assert opened.kind == "TextView", "the person stays where they were"
        assert [tab.id for tab in opened.screen.tabs[:3]] == ["text", "structured", "table"]
        monkeypatch.setattr(result_tabs, "LONGEST_JSON", 20)
        huge = Opened(text_result('[{"name": "unit"}, {"name": "browser"}]'), app=opened.app)
        await huge.open(pilot)
        assert "too long for a tree: | opens it in $PAGER" in huge.fixed("viewer-head")


# --- links, formats, keys --------------------------------------------------------------------
async def test_o_asks_for_the_only_link_and_lists_several() -> None:
    one = Opened(text_result("see https://one.example/page."))
    async with one.run() as pilot:
        await one.open(pilot)
        await pilot.press("o")
        await until(pilot, lambda: any(isinstance(each, LinkRequested) for each in one.messages))
        assert one.kind == "TextView"
        content = [IMAGE, LINK, *text_result("https://b.example")["content"]]
        several = Opened({"content": content}, app=one.app)
        await several.open(pilot)
        await pilot.press("o")
        assert several.kind == "FilesView"
        assert "o link" in several.fixed("viewer-status")
        await pilot.press("escape")
        none = Opened(text_result("no link"), app=one.app)
        await none.open(pilot)
        await pilot.press("o")
        assert any("there is no link here" in str(each.message) for each in _toasts(one))
    asked = {each.url for each in one.messages if isinstance(each, LinkRequested)}
    assert asked == {"https://one.example/page"}


async def test_a_table_is_saved_as_csv_or_json_and_an_embedded_text_as_itself(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    inner = {"uri": "file:///x/notes.md", "mimeType": "text/markdown", "text": "# notes"}
    rows = [{"name": "unit", "n": 1}, {"name": "browser", "n": 2}]
    content = [{"type": "resource", "resource": inner}]
    opened = Opened({"content": content, "structuredContent": rows})
    async with opened.run() as pilot:
        await opened.open(pilot)
        names = [tab.id for tab in opened.screen.tabs]
        await opened.screen.show_tab(names.index("table"))
        await pilot.press("w")
        assert opened.fixed("viewer-question") == "save as .csv or .json"
        assert opened.screen.query_one(Input).value == str(tmp_path / "nightly-report-k1.csv")
        await pilot.press("enter")
        saved = tmp_path / "nightly-report-k1.csv"
        await until(pilot, lambda: saved.exists() and saved.read_text().endswith("browser,2\n"))
        await pilot.press("w")
        opened.screen.query_one(Input).value = "rows.json"
        await pilot.press("enter")
        saved = tmp_path / "rows.json"
        await until(pilot, lambda: saved.exists() and saved.read_text().endswith("]\n"))
        assert json.loads(saved.read_text()) == rows
        await opened.screen.show_tab(names.index("files"))
        await until(pilot, lambda: "text/markdown · file:///x/notes.md  7 B" in opened.text)
        await pilot.press("w", "enter")
        saved = tmp_path / "notes.md"
        await until(pilot, lambda: saved.exists() and saved.read_text() == "# notes")
        await pilot.press("enter")
        await until(pilot, lambda: opened.app.screen is not opened.screen)


async def test_every_key_of_the_viewer_can_be_rebound() -> None:
    keys = {"viewer.wrap": "x", "viewer.number": ["a", "b"], "viewer.down": "s", "viewer.find": ","}
    opened = Opened(text_result("word " * 500))
    opened.app = KeyedApp(None, read_keymap(keys, COMMANDS))
    async with opened.run(80, 15) as pilot:
        await opened.open(pilot)
        await pilot.press("s", "s", "down", "j")
        assert opened.main.scroll_offset.y == 2
        await pilot.press("W")
        assert "not wrapped" not in opened.fixed("viewer-status")
        await pilot.press("x")
        assert "not wrapped" in opened.fixed("viewer-status")
        await pilot.press("b", "2")
        assert opened.kind == "JsonTree"
        await pilot.press("a", "comma")
        assert opened.kind == "TextView"
        assert opened.screen.asking


# --- large results ---------------------------------------------------------------------------
#: Seconds that a person feels.
_FELT = 0.05
#: Made only when they are wanted: so many objects would slow down every other test.
LARGE: dict[str, Callable[[], Any]] = {
    "one line of 5 MB": lambda: text_result("the quick brown fox " * 250_000),
    "200,000 lines": lambda: text_result("a line of text\n" * 200_000),
    "an image of 10 MB": lambda: {"content": [{**IMAGE, "data": "aGVsbG8h" * 1_750_000}]},
    "200,000 objects": lambda: {
        "content": [],
        "structuredContent": [{"id": n} for n in range(200_000)],
    },
}


@pytest.mark.parametrize("name", list(LARGE))
async def test_large_results_never_hold_up_the_keyboard(name: str) -> None:
    """Processor time, and the best of a few tries: other programs can only add to it."""
    result = LARGE[name]()
    worst = [await _held_up(result)]
    while worst[-1] > _FELT and len(worst) < 5:
        worst.append(await _held_up(result))
    assert min(worst) <= _FELT, worst


async def _held_up(result: Any) -> float:
    """Open, read and search a result; return the longest that a key waited for, in seconds."""
    opened = Opened(result)
    async with opened.run() as pilot:
        await pilot.pause()
        async with LagMeter() as lag:
            await opened.open(pilot)
            await until(pilot, lambda: all(each.indexed for each in opened.screen.query(TextView)))
            await pilot.press("end", "home")
            view: Any = opened.main
            view.find("nowhere")
            await until(pilot, lambda: "not found" in view.status)
    return lag.cpu - lag.collector


async def test_the_question_before_a_link_is_opened_shows_it_whole() -> None:
    app = BareApp()
    async with app.run_test(size=(100, 30)) as pilot:
        url = "https://reports.example.com/2026/" + "week-48/" * 12 + "\x1b[2Jend.pdf"
        await app.push_screen(OpenScreen(look_at(url), can_send=False))
        await pilot.pause()
        shown = "".join(line.strip(" │") for line in whole_screen(app).splitlines())
        assert "week-48/^[[2Jend.pdf" in shown
        assert "tells the server" not in shown
