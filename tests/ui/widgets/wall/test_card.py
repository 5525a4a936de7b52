"""A card: what is seen from afar, what is read from near, and nothing twice."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.supervise.view import Attention, Progress, Reason
from mcp_tasks_tui.ui.widgets.lines.pieces import Tone, plain, width_of
from mcp_tasks_tui.ui.widgets.wall.card import card
from mcp_tasks_tui.ui.widgets.wall.letters import fitting_size, letters, rows_of, width
from tests.ui.fakes import NOW, a_task
from tests.ui.widgets.wall.cards import HOSTILE, shown

_STUCK = Attention(
    Reason.STUCK, NOW - 240, "stuck: nothing has changed for 4 m", "nothing has changed"
)


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
    never = " ".join(shown(a_task(state=State.GONE, read_at=None)).split())
    assert "never known here: check the id" in never
    assert "any more" not in never


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
