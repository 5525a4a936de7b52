from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.supervise.arrange import RECENT
from mcp_tasks_tui.supervise.view import Attention, Coverage, Progress, Reason
from mcp_tasks_tui.ui.commands.keymap import read_keymap
from mcp_tasks_tui.ui.commands.vocabulary import COMMANDS
from mcp_tasks_tui.ui.widgets.lines.pieces import Tone, plain, width_of
from mcp_tasks_tui.ui.widgets.wall.card import card
from mcp_tasks_tui.ui.widgets.wall.grid import grid_for, on_the_wall, page_of
from mcp_tasks_tui.ui.widgets.wall.letters import fitting_size, letters, rows_of, width
from mcp_tasks_tui.ui.widgets.wall.wall import Wall
from tests.ui.bare import BareApp, KeyedApp, until
from tests.ui.fakes import NOW, a_task

if TYPE_CHECKING:
    from textual.message import Message

    from mcp_tasks_tui.supervise.view import TaskView

HOSTILE = "\x1b[2J[/foo][@click=app.quit]x[/]\u202e処理\n\n" * 50


# --- which, where --------------------------------------------------------------------------
def keys(views: list[TaskView]) -> list[str]:
    return [view.key for view in views]


_STUCK = Attention(
    Reason.STUCK, NOW - 240, "stuck: nothing has changed for 4 m", "nothing has changed"
)


def test_the_most_urgent_first_and_the_rest_never_moves() -> None:
    views = [
        a_task("old", saved_at=NOW - 900),
        a_task("new", saved_at=NOW - 5),
        a_task("stuck", attention=[Reason.STUCK]),
        a_task("asks", State.INPUT_REQUIRED, attention=[Reason.INPUT_REQUIRED]),
        a_task(
            "longer", State.INPUT_REQUIRED, attention=[Attention(Reason.INPUT_REQUIRED, 1, "x")]
        ),
    ]
    order = ["longer", "asks", "stuck", "old", "new"]
    assert keys(on_the_wall(views, NOW)) == order
    assert keys(on_the_wall(reversed(views), NOW)) == order


def test_what_failed_or_got_lost_comes_before_what_runs_and_after_what_wants_a_person() -> None:
    views = [
        a_task("runs"),
        a_task("cancelled", State.CANCELLED, changed_at=NOW - 10),
        a_task("failed", State.FAILED, changed_at=NOW - 10),
        a_task("gone", State.GONE, changed_at=NOW - 10, saved_at=NOW - 900),
        a_task("stuck", attention=[Reason.STUCK]),
    ]
    assert keys(on_the_wall(views, NOW)) == ["stuck", "gone", "failed", "runs", "cancelled"]


def test_what_ended_stays_a_while_behind_what_runs() -> None:
    views = [
        a_task("done", State.COMPLETED, changed_at=NOW - 10),
        a_task("long-done", State.COMPLETED, changed_at=NOW - RECENT - 1),
        a_task("runs"),
        a_task("hidden", archived_at=NOW),
    ]
    assert keys(on_the_wall(views, NOW)) == ["runs", "done"]


def test_a_task_alone_stays_whatever_became_of_it() -> None:
    assert keys(on_the_wall([a_task("k", State.FAILED, changed_at=NOW - 9999)], NOW)) == ["k"]


@given(st.integers(1, 60), st.integers(1, 250), st.integers(1, 80))
def test_panels_fill_the_window_without_overlap(count: int, w: int, h: int) -> None:
    grid = grid_for(count, w, h)
    shown = min(count, grid.capacity)
    for row in range(-(-shown // grid.columns)):
        places = [
            grid.place(row * grid.columns + n, shown) for n in range(grid.columns_in(row, shown))
        ]
        assert sum(width for _, _, width, _ in places) == w
        assert {(y, high) for _, y, _, high in places} == {grid.row(row)}
    assert sum(grid.row(n)[1] for n in range(grid.rows)) == h
    assert all(grid.row_at(y) < grid.rows for y in range(h))


def test_the_last_row_is_filled_by_those_that_are_in_it() -> None:
    grid = grid_for(3, 120, 38)
    assert (grid.columns, grid.rows) == (2, 2)
    assert [grid.place(n, 3) for n in range(3)] == [
        (0, 0, 60, 19),
        (60, 0, 60, 19),
        (0, 19, 120, 19),
    ]


@pytest.mark.parametrize(
    ("count", "size", "shape"),
    [
        (1, (160, 50), (1, 1)),
        (2, (160, 50), (2, 1)),
        (4, (160, 50), (2, 2)),
        (90, (100, 30), (2, 3)),
        (10, (100, 30), (2, 5)),
        (28, (160, 49), (4, 7)),
        (60, (160, 49), (4, 4)),
        (60, (120, 38), (3, 3)),
        (60, (80, 22), (2, 2)),
        (60, (60, 13), (1, 2)),
    ],
)
def test_as_large_as_they_can_be(count: int, size: tuple[int, int], shape: tuple[int, int]) -> None:
    grid = grid_for(count, *size)
    assert (grid.columns, grid.rows) == shape


def test_pages() -> None:
    assert page_of(["a", "b", "c"], 0, 2) == (0, ["a", "b"])
    assert page_of(["a", "b", "c"], 9, 2) == (1, ["c"])
    assert page_of([], 3, 2) == (0, [])


# --- one panel -----------------------------------------------------------------------------
def shown(view: TaskView, w: int = 60, h: int = 20) -> str:
    return "\n".join(plain(line) for line in card(view, w, h, NOW))


def test_a_panel_says_title_how_far_message_and_when_it_ends() -> None:
    view = a_task(label="build", message="Compiling 62/100", cancel_requested_at=NOW - 60)
    view = replace(view, progress=Progress(0.62, "62/100", eta=122))
    lines = shown(view).splitlines()
    assert lines[0].strip().split() == ["●", "build", "≈", "2", "m", "left"]
    for words in ("Compiling", "we asked: cancel requested 1 m ago", letters("62%", 4)[0], "━"):
        assert words in "\n".join(lines)
    assert "62%" not in "".join(lines)
    small = shown(view, 36, 7).splitlines()
    assert small[0].split()[:2] == ["●", "WORKING"]
    assert small[1].strip() == "build"
    assert small[2].rstrip().endswith("≈ 62%")  # there is no room for it in large


def test_the_name_is_whole_before_the_words_around_its_time() -> None:
    asks = [Attention(Reason.INPUT_REQUIRED, NOW - 40, "asks a question")]
    view = a_task(state=State.INPUT_REQUIRED, label="Release checkout 2.4.0", attention=asks)
    view = replace(view, open_requests=("q",))
    for cells, band in (
        (40, "◆ Release checkout 2.4.0 waits 40 s"),
        (34, "◆ Release checkout 2.4.0 40 s"),
    ):
        assert " ".join(shown(view, cells, 12).splitlines()[0].split()) == band


def test_what_is_only_last_known_says_so_from_afar() -> None:
    assert "last known" in shown(a_task(live=False)).splitlines()[0]
    assert "last known" not in shown(a_task(state=State.FAILED, live=False))


def test_what_waits_for_a_person_says_for_how_long() -> None:
    asks = [Attention(Reason.INPUT_REQUIRED, NOW - 240, "asks a question")]
    view = a_task(state=State.INPUT_REQUIRED, saved_at=NOW - 3600, attention=asks)
    view = replace(view, open_requests=("q",))
    assert shown(view).splitlines()[0].rstrip().endswith(" waits 4 m")
    runs = shown(a_task(saved_at=NOW - 3600), 60, 7)
    assert runs.splitlines()[0].rstrip().endswith(" for 1 h 00 m")


QUESTION = {"method": "elicitation/create", "params": {"message": "Where does 2.4.0 go?"}}


@pytest.mark.parametrize(("asked", "said"), [(["q"], "Where"), (["q", "r", "s"], "1 of 3: Where")])
@pytest.mark.parametrize("size", [(60, 20), (34, 6)])
def test_what_is_asked_stands_on_the_wall(
    asked: list[str], said: str, size: tuple[int, int]
) -> None:
    asks = [Attention(Reason.INPUT_REQUIRED, NOW - 240, "asks a question")]
    requests = dict.fromkeys(asked, QUESTION)
    view = a_task(
        state=State.INPUT_REQUIRED, attention=asks, requests=requests, message="2.4.0 is ready"
    )
    text = " ".join(shown(view, *size).split())
    assert f"{said} does 2.4.0 go?" in text
    assert "asks a question" not in text
    silent = replace(view, open_requests=())
    assert "asks a question" in shown(silent, *size)


def test_what_is_stuck_is_told_from_what_asks_by_its_band_and_its_letters() -> None:
    view = a_task(attention=[_STUCK], fraction=0.15)
    lines = card(view, 60, 20, NOW)
    band = plain(lines[0]).strip()
    assert band.startswith("━ ◐ build ━━━")
    assert band.endswith("━ for 4 m ━")
    asks = card(a_task(state=State.INPUT_REQUIRED), 60, 20, NOW)
    assert {each.tone for each in lines[0][1:-1]} == {Tone.NEED}
    assert {each.tone for each in asks[0][1:-1]} == {Tone.BAND_NEED}
    assert letters("STUCK", 3)[0] in shown(view)
    inks = [
        {each.tone for line in made for each in line if "█" in each.text} for made in (lines, asks)
    ]
    assert not inks[0] & inks[1]
    assert " ≈ 15%" in shown(view)
    assert " nothing has changed " in shown(view)
    assert shown(view).count(" 4 m") == 1  # the band says for how long
    assert "stuck: nothing" not in shown(view)  # the letters say so


@pytest.mark.parametrize("word", ["STUCK", "ERROR", "ASKS"])
def test_words_on_panels_of_a_third_of_the_window_are_of_one_size(word: str) -> None:
    view = {
        "STUCK": a_task(attention=[_STUCK]),
        "ERROR": a_task(state=State.TOOL_ERROR),
        "ASKS": a_task(state=State.INPUT_REQUIRED),
    }[word]
    assert letters(word, 2)[0] in shown(view, 40, 12)
    assert letters(word, 2)[0] not in shown(view, 39, 12) or word == "ASKS"


def test_what_is_stuck_by_its_servers_word_tells_that_time_alone() -> None:
    brief = "server says: last update 4 m ago"
    said = Attention(Reason.STUCK, NOW - 240, f"stuck, {brief}", brief, claimed=True)
    text = shown(a_task(attention=[said]))
    assert " server says: last update 4 m ago" in text
    assert text.count("4 m") == 1


def test_the_time_of_what_is_stuck_and_only_last_known_stands_in_its_words() -> None:
    assert " nothing has changed for 4 m" in shown(a_task(attention=[_STUCK], live=False))


def test_other_trouble_is_named_in_the_band_and_told_once() -> None:
    brief = "cancel requested 4 m ago"
    late = Attention(Reason.CANCEL_UNANSWERED, NOW - 240, f"not stopping: {brief}", brief)
    slow = a_task(attention=[late], fraction=0.15, cancel_requested_at=NOW - 240)
    assert shown(slow).splitlines()[0].rstrip().endswith("━ not stopping ━")
    assert shown(slow).count("cancel requested") == 1
    assert letters("15%", 4)[0] in shown(slow)
    assert "WORKING, NOT STOPPING" in shown(slow, 60, 7)


def test_a_task_is_gone_since_it_was_missed() -> None:
    view = a_task(state=State.GONE, changed_at=NOW - 7200)
    view = replace(view, snapshot=replace(view.snapshot, gone_at=NOW - 120))
    assert shown(view).splitlines()[0].rstrip().endswith("2 m ago")
    assert "its server does not know it any more" in shown(view)


@pytest.mark.parametrize(
    ("claimed", "told"), [(None, " 6 m ago"), (True, "≈ 6 m ago"), (False, "noticed 6 m ago")]
)
def test_an_end_that_nobody_saw_says_how_its_time_is_known(claimed: bool | None, told: str) -> None:
    view = a_task(state=State.COMPLETED, changed_at=NOW - 360)
    known = replace(
        view.snapshot, changed_unseen=claimed is not None, changed_claimed=bool(claimed)
    )
    assert shown(replace(view, snapshot=known)).splitlines()[0].rstrip().endswith(told)


def test_one_task_alone_is_read_from_across_the_room() -> None:
    view = a_task(label="Build checkout 2.4.0", message="Scanning: 81%", changed_at=NOW)
    view = replace(view, progress=Progress(0.81, "81%", eta=9))
    kiosk = shown(view, 160, 48)
    for text, size in (("BUILD CHECKOUT 2.4.0", 2), ("81%", 9), ("≈ 10 s left", 2)):
        assert letters(text, size)[0].rstrip() in kiosk, text
    smaller = shown(view, 120, 37)
    for text, size in (("BUILD CHECKOUT", 2), ("2.4.0", 2), ("81%", 5)):
        assert letters(text, size)[0].rstrip() in smaller
    assert "≈ 10 s left" in smaller
    assert "Build a thing with a very long name" in shown(
        replace(view, handle=replace(view.handle, label="Build a thing with a very long name")),
        100,
        40,
    )


def test_the_graph_stands_where_there_is_room_for_it() -> None:
    view = a_task(message="30%", fraction=0.3)
    history = [(NOW - 60, 0.1), (NOW - 30, 0.2), (NOW, 0.3)]
    for size, there in (((60, 20), True), ((40, 16), True), ((34, 5), False)):
        text = "\n".join(plain(line) for line in card(view, *size, NOW, history=history))
        assert ("10% → 30% in 1 m" in text) is there


def red(view: TaskView) -> str:
    lines = card(view, 60, 20, NOW)
    return " ".join(each.text for line in lines for each in line if each.tone is Tone.BAD)


def test_a_failure_says_why_in_red() -> None:
    view = a_task(state=State.FAILED, label="Sync")
    told = replace(view, snapshot=replace(view.snapshot, error={"message": "No space left"}))
    assert "No space left" in red(told)
    silent = a_task(state=State.FAILED, message="Worker lost: no heartbeat for 30 s")
    assert "Worker lost: no heartbeat for 30 s" in red(silent)
    assert "no error detail" not in shown(silent)
    assert "the server gave no error detail" in shown(view)


def test_a_working_panel_keeps_its_letters_while_messages_of_any_length_come() -> None:
    long = "Scanning for known vulnerabilities in every layer of the image"
    for size in ((40, 9), (40, 12)):
        rows = {
            sum(
                bool(set(line) & set("█▀▄"))
                for line in shown(a_task(message=m, fraction=0.5), *size).splitlines()
            )
            for m in ("", "short", long)
        }
        assert len(rows) == 1


@pytest.mark.parametrize("message", ["No space left", " No space left\n", "space left"])
def test_a_failure_is_told_once(message: str) -> None:
    view = a_task(state=State.FAILED, message=message)
    view = replace(view, snapshot=replace(view.snapshot, error={"message": "No space left"}))
    assert shown(view).count("space left") == 1


def test_a_failure_has_the_lines_that_nothing_else_needs() -> None:
    error = "Connection to db-replica-2.internal:5432 was reset"
    view = a_task(state=State.FAILED, message=error)
    view = replace(view, snapshot=replace(view.snapshot, error={"code": 1, "message": error}))
    lines = [line.strip() for line in shown(view, 40, 9).splitlines()]
    assert "Connection to" in lines
    assert "db-replica-2.internal:5432 was reset" in lines


def test_a_message_that_says_more_than_the_error_stays() -> None:
    view = a_task(state=State.FAILED, message="disk 9 of node 4")
    view = replace(view, snapshot=replace(view.snapshot, error={"message": "No space left"}))
    assert "No space left" in shown(view)
    assert "disk 9 of node 4" in shown(view)


def test_a_message_from_before_the_state_says_so() -> None:
    view = replace(a_task(state=State.COMPLETED, message="62/100"), message_is_old=True)
    assert "last said: 62/100" in shown(view)
    assert "last said" not in shown(replace(view, message_is_old=False))


def test_the_estimate_is_not_cut() -> None:
    view = replace(
        a_task(message="9/10", coverage=Coverage.PUSHED),
        progress=Progress(0.9, "9/10", eta=59),
    )
    for cells in (34, 60):
        assert shown(view, cells).splitlines()[0].rstrip().endswith("≈ 1 m left")


def test_a_long_message_hangs_under_itself_and_not_under_the_mark() -> None:
    lines = shown(a_task(message="word " * 30), 34).splitlines()
    said = [line[1:] for line in lines if "word" in line]
    assert len(said) > 2
    assert said[0].startswith("⠋ word")
    assert all(line.startswith("  word") for line in said[1:])


@pytest.mark.parametrize("state", list(State))
@pytest.mark.parametrize("size", [(200, 60), (60, 20), (34, 6), (10, 3), (4, 1)])
@pytest.mark.parametrize("fraction", [None, 0.0, 0.5, 1.0])
def test_every_panel_fills_its_rectangle_exactly(
    state: State, size: tuple[int, int], fraction: float | None
) -> None:
    view = a_task(
        state=state,
        label=HOSTILE,
        message=HOSTILE,
        fraction=fraction,
        attention=[Attention(Reason.STUCK, NOW, "quiet for 12 m")],
        cancel_requested_at=NOW - 5,
    )
    history = [(NOW - 60, 0.1), (NOW - 30, 0.3)]
    lines = card(view, *size, NOW, history=history, selected=True)
    assert len(lines) == size[1]
    assert {width_of(line) for line in lines} == {size[0]}
    assert not {"\x1b", "\u202e", "\n"} & set("".join(plain(line) for line in lines))


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ((60, 20), letters("ASKS", 3)),
        ((60, 12), letters("ASKS", 2)),
        ((36, 12), letters("ASKS", 2)),
        ((24, 12), letters("ASKS", 1)),
        ((60, 8), letters("ASKS", 2)),
        ((60, 7), []),
        ((12, 12), []),
    ],
)
def test_the_state_is_written_as_large_as_it_fits(
    size: tuple[int, int], expected: list[str]
) -> None:
    lines = [plain(line) for line in card(a_task(state=State.INPUT_REQUIRED), *size, NOW)]
    written = [line[1:].rstrip() for line in lines if set(line) & set("█▀▄")]
    assert written == [line.rstrip() for line in expected]


@pytest.mark.parametrize(
    ("state", "word"),
    [
        (State.INPUT_REQUIRED, "ASKS"),
        (State.COMPLETED, "DONE"),
        (State.TOOL_ERROR, "ERROR"),
        (State.FAILED, "FAIL"),
        (State.CANCELLED, "STOP"),
        (State.GONE, "GONE"),
    ],
)
def test_a_state_has_one_word_however_large_the_panel_is(state: State, word: str) -> None:
    for size in ((200, 60), (60, 20), (44, 12), (36, 9)):
        text = shown(a_task(state=state), *size)
        assert any(letters(word, each)[0].rstrip() in text for each in range(1, 11)), size


def test_what_was_answered_asks_no_more() -> None:
    view = a_task(state=State.INPUT_REQUIRED, requests={"q": QUESTION}, answered=["q"])
    assert letters("SENT", 3)[0].rstrip() in shown(view)


def test_large_letters_fit_or_are_left_out() -> None:
    assert fitting_size("62%", 24, 5) == 2
    assert fitting_size("62%", 36, 8) == 3
    assert fitting_size("62%", 48, 10) == 4
    assert fitting_size("62%", 20, 5) == 1
    assert fitting_size("62%", 100, 2) == 0
    assert fitting_size("処理", 500, 50) == 0
    assert fitting_size("", 500, 50) == 0
    assert fitting_size("62%", 100, -3) == 0
    assert letters("7s", 1) == ["▀▀█  ▄▄", "  █ ▀ ▄", "  ▀ ▀▀ "]
    for size in (1, 2, 3, 4, 10):
        assert {len(line) for line in letters("62%", size)} == {width("62%", size)}
        assert len(letters("62%", size)) == rows_of(size)


# --- the wall ------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("size", "in_large"),
    [((118, 36), True), ((60, 12), True), ((40, 8), True), ((40, 7), False), ((34, 4), False)],
)
def test_how_far_it_is_stands_there_once_and_as_a_guess(
    size: tuple[int, int], in_large: bool
) -> None:
    lines = shown(a_task(fraction=0.42, message="Epoch 4"), *size).splitlines()
    assert ("≈ 42%" in "".join(lines)) is not in_large
    assert sum("≈ " in line for line in lines) == 1
    written = [line for line in lines if set(line) & set("█▀▄") and "░" not in line]
    assert bool(written) is in_large


def test_a_task_that_ended_on_its_way_tells_beside_the_bar_how_far_it_came() -> None:
    text = shown(a_task(state=State.FAILED, fraction=0.42), 60, 12)
    assert text.count("≈ 42%") == 1
    assert "≈" not in text.splitlines()[0]


async def test_a_single_task_fills_the_wall_and_many_are_paged() -> None:
    wall = Wall(now=lambda: NOW)
    async with BareApp(wall).run_test(size=(100, 31)) as pilot:
        wall.focus()
        wall.show([a_task("k0")])
        assert wall.shown == ["k0"]
        wall.show([a_task(f"k{n:02}", saved_at=NOW + n) for n in range(25)])
        assert wall.pages == 5
        assert wall.shown == [f"k{n:02}" for n in range(6)]
        await pilot.press("pagedown")
        assert wall.shown == [f"k{n:02}" for n in range(6, 12)]
        await pilot.press(*["right_square_bracket"] * 4)
        assert wall.shown == ["k24"]
        await pilot.press(*["pageup"] * 4, "up", "up", "up", "up")
        assert wall.selected == "k00"
        wall.show([])
        assert wall.shown == []
        assert wall.selected == ""


def test_how_fresh_it_is_is_told_only_where_it_is_older_than_it_should_be() -> None:
    assert "read" not in shown(a_task())
    assert "read" not in shown(a_task(read_at=NOW - 300, next_read_at=NOW + 300))  # as planned
    late = a_task(read_at=NOW - 300, next_read_at=NOW - 30)
    assert "read 5 m ago" in shown(late)
    assert "read 40 s ago" in shown(a_task(read_at=NOW - 42, live=False))
    assert "never read" in shown(a_task(read_at=None))
    assert "read just now, 2 failed reads" in shown(a_task(failures=2, error="HTTP 502"))
    held = a_task(coverage=Coverage.HELD, held=True, read_at=NOW - 120)
    assert "read 2 m ago, polling held" in shown(held)


async def test_only_the_lines_that_changed_are_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    now = NOW
    wall = Wall(now=lambda: now)
    views = [a_task(f"k{n}", message="m", saved_at=NOW + n) for n in range(4)]
    async with BareApp(wall).run_test(size=(100, 31)) as pilot:
        wall.show(views)
        await pilot.pause()
        drawn: list[Any] = []
        monkeypatch.setattr(wall, "refresh", lambda *regions, **_: drawn.extend(regions))
        wall.show(views)
        assert drawn == []
        wall.show([*views[:3], replace(views[3], live=False)])
        band, *_, how_fresh = drawn  # last known, a mark that rests, read just now
        assert len(drawn) <= 4
        assert (band.width, band.height, how_fresh.width, how_fresh.height) == (50, 1, 50, 1)
        assert band.x == how_fresh.x == 50
        drawn.clear()
        now += 0.5  # within one second nothing is made anew
        cards = wall._cards
        wall.show([*views[:3], replace(views[3], live=False)])
        assert [wall._cards[key] is cards[key] for key in wall.shown] == [True, True, True, False]
        assert drawn == []


async def test_what_ended_leaves_by_itself_when_its_time_is_over() -> None:
    now = NOW
    wall = Wall(now=lambda: now)
    views = [a_task("k0"), a_task("k1", State.COMPLETED, changed_at=NOW)]
    async with BareApp(wall).run_test(size=(100, 31)) as pilot:
        wall.show(views)
        assert wall.shown == ["k0", "k1"]
        now = NOW + RECENT + 1
        await until(pilot, lambda: wall.shown == ["k0"])


async def test_the_cursor_stays_with_its_task_and_enter_opens_it() -> None:
    wall = Wall(now=lambda: NOW)
    seen: list[Message] = []
    views = [a_task(f"k{n}", saved_at=NOW + n) for n in range(4)]
    async with BareApp(wall).run_test(size=(100, 31), message_hook=seen.append) as pilot:
        wall.focus()
        wall.show(views)
        await pilot.press("right", "down")
        assert wall.selected == "k3"
        wall.show([*views, a_task("urgent", attention=[Reason.STUCK])])
        assert wall.shown[0] == "urgent"
        assert wall.selected == "k3"
        await pilot.press("enter")
        await pilot.pause()
    assert {each.key for each in seen if isinstance(each, Wall.Opened)} == {"k3"}


@pytest.mark.parametrize("size", [(160, 50), (60, 15), (40, 10), (3, 2), (1, 1)])
async def test_any_size_and_hostile_everything(size: tuple[int, int]) -> None:
    wall = Wall(now=lambda: NOW)
    app = BareApp(wall)
    async with app.run_test(size=size) as pilot:
        wall.focus()
        wall.show([a_task(f"k{n}", label=HOSTILE, message=HOSTILE, fraction=0.2) for n in range(9)])
        await pilot.press("down", "right", "pagedown")
        await pilot.click(wall, offset=(0, 0))
        await pilot.resize_terminal(80, 24)
        await pilot.resize_terminal(*size)
        assert app.is_running


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, ["page 1 of 5, pgup pgdn turn", "enter opens · v list"]),
        ({"wall.next": "f8", "wall.previous": "f7", "wall.open": ""}, ["f7 f8 turn", "  v list"]),
    ],
)
async def test_the_last_line_names_the_keys_as_they_are_bound(
    settings: dict[str, str], said: list[str]
) -> None:
    wall = Wall(now=lambda: NOW)
    async with KeyedApp(wall, read_keymap(settings, COMMANDS)).run_test(size=(100, 31)):
        wall.show([a_task(f"k{n:02}") for n in range(25)])
        foot = wall.render_line(30).text
        assert [words for words in said if words not in foot] == []
