"""Columns fit themselves to the width; rows say what they must in few characters."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.view import Attention, Coverage, Reason, TaskView
from mcp_tasks_tui.supervise.words import short_age
from mcp_tasks_tui.ui.listing.columns import GAP, GUTTER, READ_NEXT, Column, Needs, fit
from mcp_tasks_tui.ui.listing.rows import Context, cell_of, cells, timed_columns
from mcp_tasks_tui.ui.looks.signs import ASCII, UNICODE
from tests.ui.fakes import NOW, a_task

_CONTEXT = Context(NOW, UNICODE)


def _text(view: TaskView, column: Column, context: Context = _CONTEXT) -> str:
    pieces = cell_of(view, column, context)
    return "".join(" " * piece.before + str(piece.text) for piece in pieces)


_needs = st.builds(
    Needs,
    st.integers(0, 60),
    st.integers(0, 60),
    progress=st.booleans(),
    read=st.booleans(),
    next=st.booleans(),
)


@given(st.integers(1, 300), _needs, st.booleans())
def test_columns_never_overlap_and_never_leave_the_width(
    width: int, needs: Needs, roomy: bool
) -> None:
    columns = fit(width, needs, roomy=roomy)
    first = [slot for slot in columns.slots if not slot.line]
    assert [slot.column for slot in first][:2] == [Column.STATE, Column.NAME]
    x = GUTTER
    for slot in first:
        assert slot.x == x
        assert slot.width > 0
        x += slot.width + GAP
    if width >= 40:
        assert x - GAP <= width
        assert Column.MESSAGE in {slot.column for slot in columns.slots}
    assert {slot.line for slot in columns.slots} == set(range(columns.lines))


def _columns(width: int, needs: Needs, *, roomy: bool = False) -> str:
    return " ".join(slot.column.value for slot in fit(width, needs, roomy=roomy).slots)


_PUSHED = Needs(name=20, server=12, read=False)
_POLLED = Needs(name=20, server=12)


@pytest.mark.parametrize(
    ("width", "needs", "columns"),
    [
        (40, _POLLED, "state task message"),
        (56, _POLLED, "state task % message"),
        (72, _POLLED, "state task % message read"),
        (74, _PUSHED, "state task server % message"),
        (80, _POLLED, "state task server % message read"),
        (80, _PUSHED, "state task server % message"),
        (100, _PUSHED, "state task server % message change"),
        (120, _PUSHED, "state task server % message change age read"),
        (160, _POLLED, "state task server % message change age read"),
    ],
)
def test_columns_join_by_priority(width: int, needs: Needs, columns: str) -> None:
    assert _columns(width, needs) == columns


@given(st.integers(40, 300), _needs)
def test_an_age_never_stands_where_the_last_change_would(width: int, needs: Needs) -> None:
    columns = fit(width, needs)
    if columns.slot(Column.AGE):
        assert columns.slot(Column.CHANGED)


def test_where_no_next_read_is_told_the_message_has_its_room() -> None:
    widths = []
    for told in (True, False):
        columns = fit(102, Needs(name=14, server=8, read=False, next=told, age=False))
        slots = (columns.slot(column) for column in (Column.READ, Column.MESSAGE))
        widths.append([slot.width for slot in slots if slot])
    assert widths == [[READ_NEXT, 32], [6, 37]]


@pytest.mark.parametrize(
    ("width", "needs", "widths"),
    [
        # In a small window names are whole and the message has the rest: not the same server in
        # every row, nor that each was read just now.
        (60, Needs(name=26, server=6, read=False), {"task": 26, "%": 4, "message": 12}),
        (74, Needs(name=13, server=8, read=False), {"server": 8, "%": 4, "message": 30}),
        (80, Needs(name=26, server=6, read=False), {"server": 6, "%": 4, "message": 25}),
        (99, Needs(name=26, server=6, read=False), {"%": 4, "message": 32, "change": 6}),
    ],
)
def test_names_are_whole_and_messages_readable_before_the_usual_is_told(
    width: int, needs: Needs, widths: dict[str, int]
) -> None:
    found = {slot.column.value: slot.width for slot in fit(width, needs).slots}
    assert found.items() >= widths.items()
    assert "read" not in found


@pytest.mark.parametrize("roomy", [False, True])
@pytest.mark.parametrize("width", range(40, 200, 8))
def test_the_longest_name_has_only_what_the_columns_of_all_rows_leave(
    width: int, roomy: bool
) -> None:
    usual = Needs(name=14, server=10)
    others, with_long = (
        {slot.column: slot.width for slot in fit(width, needs, roomy=roomy).slots}
        for needs in (usual, replace(usual, longest=40))
    )
    assert others.keys() == with_long.keys()
    assert with_long[Column.NAME] >= others[Column.NAME]
    assert with_long[Column.MESSAGE] >= min(others[Column.MESSAGE], 18)


def test_where_there_is_room_the_longest_name_is_whole() -> None:
    name = fit(200, Needs(name=13, server=10, longest=40)).slot(Column.NAME)
    assert name is not None
    assert name.width == 40


def test_ages_that_are_all_alike_leave_their_room_to_the_message() -> None:
    widths = []
    for age in (True, False):
        columns = fit(100, Needs(name=14, progress=False, read=False, next=False, age=age))
        message = columns.slot(Column.MESSAGE)
        assert message is not None
        widths.append((bool(columns.slot(Column.AGE)), message.width))
    assert widths == [(True, 50), (False, 55)]


def test_what_is_told_with_its_age_before_the_message_is_not_told_again() -> None:
    since = NOW - 1320
    waits, stuck, expiring = (
        a_task(
            state=State.INPUT_REQUIRED if reason is Reason.INPUT_REQUIRED else State.WORKING,
            requests={"q": {}} if reason is Reason.INPUT_REQUIRED else None,
            attention=[Attention(reason, since, "")],
            changed_at=since,
        )
        for reason in (Reason.INPUT_REQUIRED, Reason.STUCK, Reason.EXPIRING)
    )
    told = [_text(view, Column.CHANGED).strip() for view in (waits, stuck, expiring, a_task())]
    assert told == ["", "", "22m", "30s"]
    later = replace(stuck, snapshot=replace(stuck.snapshot, changed_at=NOW - 60))
    assert _text(later, Column.CHANGED).strip() == "1m"


@pytest.mark.parametrize(
    ("needs", "column"),
    [
        (Needs(name=20, server=0), Column.SERVER),
        (Needs(name=20, server=9, progress=False), Column.PROGRESS),
    ],
)
def test_a_column_that_says_nothing_is_left_out_however_wide_the_list_is(
    needs: Needs, column: Column
) -> None:
    assert fit(300, needs).slot(column) is None


def test_in_a_roomy_list_the_message_has_a_line_of_its_own() -> None:
    columns = fit(74, Needs(name=40, server=8, read=False), roomy=True)
    message = columns.slot(Column.MESSAGE)
    assert message is not None
    assert (message.line, message.x + message.width) == (1, 74)
    assert _columns(74, Needs(name=14, server=8, read=False), roomy=True) == (
        "state task server % change age read message"
    )


def test_a_server_without_a_name_is_its_host_and_port() -> None:
    url = "http://127.0.0.1:8765/mcp"
    assert _text(a_task(server=url, server_url=url), Column.SERVER) == "127.0.0.1:8765"
    assert _text(a_task(server="build", server_url=url), Column.SERVER) == "build"


def test_a_task_that_waits_for_its_server_looks_no_louder_than_one_that_runs() -> None:
    view = a_task(server="build", coverage=Coverage.PAUSED, live=False)
    pieces = [piece for column in Column for piece in cell_of(view, column, _CONTEXT)]
    assert {piece.style for piece in pieces} == {"quiet"}
    assert "paused" in {piece.text for piece in pieces}


def test_a_task_that_waits_for_its_server_says_so_beside_the_name_of_it() -> None:
    view = a_task(server="build", coverage=Coverage.PAUSED)
    assert _text(view, Column.SERVER) == "✗ build"
    assert _text(view, Column.SERVER, Context(NOW, ASCII)) == "x build"


@pytest.mark.parametrize(
    ("coverage", "widths", "message"),
    [
        (Coverage.HELD, {"read_width": 0}, "held · step 3"),
        (Coverage.PAUSED, {"read_width": 0}, "step 3"),
        (Coverage.PAUSED, {"read_width": 0, "server_width": 0}, "✗ builds · step 3"),
        (Coverage.PAUSED, {"server_width": 0}, "✗ builds · step 3"),
        (Coverage.PUSHED, {"read_width": 0}, "step 3"),
    ],
)
def test_what_no_column_says_of_the_reading_is_said_before_the_message(
    coverage: Coverage, widths: dict[str, int], message: str
) -> None:
    view = a_task(message="step 3", coverage=coverage)
    assert _text(view, Column.MESSAGE, Context(NOW, UNICODE, **widths)) == message


@pytest.mark.parametrize(
    ("state", "unicode", "plain"),
    [
        (State.WORKING, "● working", "* working"),
        (State.INPUT_REQUIRED, "◆ needs input", "? needs input"),
        (State.TOOL_ERROR, "▲ tool error", "! tool error"),
    ],
)
def test_a_state_is_a_sign_and_a_word(state: State, unicode: str, plain: str) -> None:
    view = a_task(state=state, requests={"q": {}} if state is State.INPUT_REQUIRED else None)
    assert _text(view, Column.STATE) == unicode
    assert _text(view, Column.STATE, Context(NOW, ASCII)) == plain


def test_a_stuck_task_looks_other_than_one_that_moves() -> None:
    moving, stuck = a_task(), a_task(attention=[Reason.STUCK])
    assert _text(stuck, Column.STATE) == "◐ stuck"
    assert _text(stuck, Column.STATE, Context(NOW, ASCII)) == "= stuck"
    styles = [cell_of(view, Column.STATE, _CONTEXT)[0].style for view in (moving, stuck)]
    assert styles == ["state-working", "state-input"]


def test_an_answered_task_does_not_look_as_if_it_waits() -> None:
    view = a_task(state=State.INPUT_REQUIRED, requests={"q": {}}, answered=["q"])
    assert _text(view, Column.STATE) == "◆ answered"
    assert _text(view, Column.MESSAGE) == "answer sent"


def test_what_was_only_saved_looks_other_than_what_was_read() -> None:
    read, saved = (a_task(state=State.WORKING, live=live) for live in (True, False))
    styles = [cell_of(view, Column.STATE, _CONTEXT)[0].style for view in (read, saved)]
    assert styles == ["state-working", "quiet"]


def _with_result(view: TaskView) -> TaskView:
    return replace(view, snapshot=replace(view.snapshot, result_text=ServerText("Pushed")))


@pytest.mark.parametrize(
    ("view", "message"),
    [
        (a_task(message="step 3/7"), "step 3/7"),
        (
            a_task(message="step 3", attention=[Attention(Reason.STUCK, NOW - 780, "quiet")]),
            "for 13m · step 3",
        ),
        (a_task(message="on", attention=[Attention(Reason.STUCK, NOW - 1, "quiet")]), "on"),
        (
            a_task(
                state=State.INPUT_REQUIRED,
                requests={"q": {"params": {"message": "Deploy?"}}},
                attention=[Attention(Reason.INPUT_REQUIRED, NOW - 60, "asks a question")],
            ),
            "waits 1m · Deploy?",
        ),
        (a_task(message="on", cancel_requested_at=NOW - 20), "cancel asked 20s · on"),
        (a_task(state=State.CANCELLED, message="on", cancel_requested_at=NOW - 20), "on"),
        (a_task(state=State.COMPLETED, message="98%", message_is_old=True), "last: 98%"),
        (a_task(state=State.CANCELLED, message="98%", message_is_old=True), "last: 98%"),
        (_with_result(a_task(state=State.COMPLETED, message="98%", message_is_old=True)), "Pushed"),
        (a_task(state=State.GONE, message="Waiting for approval"), "last: Waiting for approval"),
        (_with_result(a_task(state=State.TOOL_ERROR, message="98%")), "Pushed"),
        (_with_result(a_task(message="98%")), "98%"),
        (a_task(state=State.INPUT_REQUIRED, requests={"q": [1]}), ""),
    ],
)
def test_messages_say_first_what_wants_a_person(view: TaskView, message: str) -> None:
    assert _text(view, Column.MESSAGE) == message


def test_a_task_that_was_never_known_says_so() -> None:
    never = a_task(state=State.GONE, read_at=None, failures=3)
    assert _text(never, Column.MESSAGE).startswith("never known here: check the id")
    assert "never known" not in _text(a_task(state=State.GONE), Column.MESSAGE)


@pytest.mark.parametrize(
    ("view", "whole", "narrow"),
    [
        (a_task(read_at=NOW - 3, next_read_at=NOW + 2), "now    <10s", "now"),
        (a_task(read_at=NOW - 3, next_read_at=NOW - 1), "now    <10s", "now"),
        (a_task(read_at=NOW - 34, next_read_at=NOW + 26), "30s     30s", "30s"),
        (a_task(read_at=NOW - 34, next_read_at=NOW - 12), "30s     now", "30s"),
        (a_task(read_at=NOW - 34, next_read_at=None), "30s", "30s"),
        (a_task(read_at=NOW - 34, failures=4, next_read_at=None), "4x 30s", "4x 30s"),
        (a_task(read_at=NOW - 34, failures=4, next_read_at=NOW + 3), "4x 30s <10s", "4x 30s"),
        (a_task(read_at=NOW - 34, failures=12, next_read_at=NOW + 130), "12x 30s  3m", "12x"),
        (a_task(read_at=NOW - 3000, failures=120, next_read_at=NOW + 900), "120x    15m", "120x"),
        (a_task(held=True, next_read_at=NOW + 5), "held", "held"),
        (a_task(coverage=Coverage.PAUSED, next_read_at=NOW + 9), "paused <10s", "paused"),
        (a_task(coverage=Coverage.PAUSED, next_read_at=NOW + 31), "paused  <1m", "paused"),
        (a_task(coverage=Coverage.PAUSED, next_read_at=NOW + 130), "paused   3m", "paused"),
        (a_task(coverage=Coverage.PAUSED, next_read_at=None), "paused", "paused"),
        (a_task(coverage=Coverage.PUSHED, read_at=NOW - 59), "pushed", "pushed"),
        (
            a_task(coverage=Coverage.PUSHED, read_at=NOW - 59, failures=2, next_read_at=NOW + 20),
            "2x 50s  20s",
            "2x 50s",
        ),
        (a_task(read_at=None, next_read_at=NOW + 5), "never  <10s", "never"),
        (a_task(state=State.COMPLETED, next_read_at=NOW + 5), "", ""),
        (a_task(state=State.GONE, read_at=NOW - 75, next_read_at=None), "1m", "1m"),
    ],
)
def test_a_row_says_when_it_was_read_how_often_that_failed_and_when_it_is_read_next(
    view: TaskView, whole: str, narrow: str
) -> None:
    assert _text(view, Column.READ) == whole
    assert _text(view, Column.READ, Context(NOW, UNICODE, read_width=6)) == narrow


@given(
    st.integers(0, 10_000_000),
    st.integers(0, 5_000),
    st.floats(-100, 10_000_000),
    st.sampled_from((6, READ_NEXT)),
)
def test_what_is_said_of_the_reading_is_never_cut(
    age: int, failures: int, wait: float, width: int
) -> None:
    view = a_task(read_at=NOW - age, failures=failures, next_read_at=NOW + wait)
    text = _text(view, Column.READ, Context(NOW, UNICODE, read_width=width))
    assert len(text) <= width
    assert not failures or text.startswith(f"{failures}x")


def test_a_task_that_is_read_every_few_seconds_says_the_same_all_the_time() -> None:
    read = a_task(read_at=NOW, next_read_at=NOW + 9)
    told = {_text(read, Column.READ, Context(NOW + n / 4, UNICODE)) for n in range(39)}
    assert told == {"now    <10s"}


@pytest.mark.parametrize(
    "also", [[], [Reason.INPUT_REQUIRED], [Reason.STUCK], [Reason.CANCEL_UNANSWERED]]
)
def test_what_may_expire_says_how_soon_whatever_else_it_wants(also: list[Reason]) -> None:
    view = a_task(attention=[*also, Attention(Reason.EXPIRING, NOW - 240, "may expire in 4 m")])
    made = "2027-01-15T07:04:00Z"
    ending = replace(view.snapshot, ttl_ms=3_600_000, ttl_known=True, created_at=made)
    badge = _text(replace(view, snapshot=ending), Column.MESSAGE)
    assert badge == "expires in 4m"
    assert cell_of(view, Column.MESSAGE, _CONTEXT)[0].style == "expiring"


def test_the_percentage_is_that_of_every_other_place() -> None:
    assert _text(a_task(fraction=0.29), Column.PROGRESS).endswith(" 29%")
    assert _text(a_task(fraction=0.358), Column.PROGRESS).endswith(" 36%")


def test_progress_is_a_bar_where_there_is_room() -> None:
    view = a_task(fraction=0.45)
    assert _text(view, Column.PROGRESS, Context(NOW, UNICODE, progress_width=4)) == " 45%"
    assert _text(view, Column.PROGRESS, Context(NOW, ASCII, progress_width=15)) == "####=-----  45%"
    assert _text(a_task(state=State.COMPLETED, fraction=1.0), Column.PROGRESS) == ""


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("# Capacity report", "Capacity report"),
        ("> - **All good**: `12` of 12", "All good: 12 of 12"),
        ("#1 of 3 * 4 - 5", "#1 of 3 * 4 - 5"),
        ("* __init__.py", "__init__.py"),
        ("# ", "# "),
        ("** **", "** **"),
    ],
)
def test_of_a_result_words_are_shown_and_no_marks_of_markdown(line: str, shown: str) -> None:
    view = a_task(state=State.COMPLETED)
    view = replace(view, snapshot=replace(view.snapshot, result_text=ServerText(line)))
    assert _text(view, Column.MESSAGE).strip() == shown.strip()


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "now"), (9.9, "now"), (10, "10s"), (59, "50s"), (60, "1m")]
)
def test_ages_change_seldom(seconds: float, text: str) -> None:
    assert short_age(seconds) == text


def test_a_change_that_nobody_saw_says_how_its_time_is_known() -> None:
    view = a_task(state=State.COMPLETED, changed_at=NOW - 360)
    claimed = replace(view.snapshot, changed_unseen=True, changed_claimed=True)
    noticed = replace(claimed, changed_claimed=False)
    told = [
        _text(replace(view, snapshot=each), Column.CHANGED, Context(NOW, signs))
        for each in (view.snapshot, claimed, noticed)
        for signs in (UNICODE, ASCII)
    ]
    assert [each.strip() for each in told] == ["6m", "6m", "≈6m", "~6m", ">6m", ">6m"]


def test_only_columns_with_times_are_looked_at_when_time_passes() -> None:
    layout = fit(160, _POLLED)
    view = a_task(message="step 3", fraction=0.5)
    now, later = (cells(view, layout, Context(at, UNICODE)) for at in (NOW, NOW + 4000))
    differing = [place for place, (a, b) in enumerate(zip(now, later, strict=True)) if a != b]
    assert set(differing) <= set(timed_columns(layout))
    assert differing
