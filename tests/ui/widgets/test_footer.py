"""The last line: what matters for the task on the left, what holds anywhere on the right."""

from __future__ import annotations

import pytest

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.supervise.tally import Tally
from mcp_tasks_tui.supervise.view import Reason, TaskView
from mcp_tasks_tui.ui.commands.footer_keys import footer_keys
from mcp_tasks_tui.ui.commands.keymap import read_keymap
from mcp_tasks_tui.ui.commands.model import Place
from mcp_tasks_tui.ui.commands.vocabulary import available
from mcp_tasks_tui.ui.widgets.footer import Footer
from tests.ui.fakes import a_task

_KEYMAP = read_keymap({}, available(read_only=False))
_RUNS = a_task("runs")
_ASKS = a_task("asks", State.INPUT_REQUIRED, requests={"q": {}}, attention=[Reason.INPUT_REQUIRED])
_DONE, _GONE = a_task("done", State.COMPLETED), a_task("gone", State.GONE)


def _line(view: TaskView | None, width: int, here: Place = Place.MAIN, *, of: int = 9) -> str:
    """The last line in a window so wide, where the list has the first `of` of these tasks."""
    tally = Tally()
    tally.take([_ASKS, _RUNS, _DONE, _GONE][:of])
    footer = Footer(_KEYMAP, plain=False)
    footer.show(footer_keys(_KEYMAP, view, here, tally.counts()))
    return footer.line(width)


@pytest.mark.parametrize(
    ("width", "program"),
    [
        (160, "s sort  i next question  ! trouble  / filter  v wall  n new  ? help  q quit"),
        (120, "! trouble  / filter  v wall  n new  ? help  q quit"),
        (80, "! trouble  / filter  n new  ? help  q quit"),
        (60, "/ filter  ? help  q quit"),
        (40, "? help  q quit"),
    ],
)
def test_keys_of_the_program_stay_where_they_are_whatever_is_under_the_cursor(
    width: int, program: str
) -> None:
    for view in (_RUNS, _ASKS, _DONE, _GONE):
        line = _line(view, width)
        assert line.startswith(" enter open  ")
        assert line.endswith(f"  {program} ")
        assert len(line) == width


@pytest.mark.parametrize(
    ("view", "keys"),
    [
        (_RUNS, "enter open  c cancel  r poll  p hold  d archive"),
        (_ASKS, "enter open  u answer  c cancel  r poll  p hold"),
        (_DONE, "enter open  w save  d archive  e edit  space mark"),
        # There is nothing to save.
        (_GONE, "enter open  p hold  d archive  e edit"),
    ],
)
def test_on_the_left_are_keys_that_make_sense_for_the_task(view: TaskView, keys: str) -> None:
    assert _line(view, 120).startswith(f" {keys}  ")


def test_in_the_smallest_window_the_ways_out_stay_longest() -> None:
    assert _line(_ASKS, 60).startswith(" enter open  u answer  c cancel  ")
    assert _line(_ASKS, 30) == " enter open    ? help  q quit "
    assert _line(_ASKS, 16) == " ? help  q quit "


def test_with_nothing_to_look_at_it_tells_where_tasks_come_from() -> None:
    for width in (40, 120):
        assert _line(None, width, of=0).strip() == "n new  a add  ? help  q quit"


def test_while_nothing_wants_a_person_no_key_leads_there() -> None:
    tally = Tally()
    tally.take([_RUNS])
    keys = footer_keys(_KEYMAP, _RUNS, Place.MAIN, tally.counts())
    assert "task.next_attention" not in {key.command.id for key in keys}


def test_in_the_panel_its_own_keys_come_after_those_of_the_task() -> None:
    line = _line(_ASKS, 80, Place.PANEL)
    assert line.startswith(" esc back  u answer  c cancel  ")
    assert line.endswith("  ? help "), "q leads back, as in the viewer"
    assert line.count("esc ") == 1
    assert _line(_ASKS, 160, Place.PANEL).count("J raw") == 1
    assert _line(_ASKS, 80, Place.WALL).startswith(" esc back  u answer  c cancel  ")
    assert _line(_ASKS, 80, Place.WALL).endswith("  ? help ")


def test_while_tasks_are_marked_the_left_has_the_keys_that_act_on_them() -> None:
    tally = Tally()
    tally.take([_ASKS, _RUNS, _DONE])
    footer = Footer(_KEYMAP, plain=False)
    keys = footer_keys(_KEYMAP, _DONE, Place.MAIN, tally.counts(), marked=[_RUNS, _DONE])
    footer.show(keys, " 2 marked:")
    line = footer.line(120)
    assert line.startswith(" 2 marked: c cancel  r poll  p hold  d archive  e edit  ")
    assert "open" not in line
    assert len(line) == 120
    assert footer.line(60).startswith(" 2 marked: c cancel  r poll  ")
