"""The graph of progress: what was seen when, with its pauses and steps back."""

from __future__ import annotations

from mcp_tasks_tui.handles.model import Event
from mcp_tasks_tui.ui.widgets.lines.pieces import plain, width_of
from mcp_tasks_tui.ui.widgets.panel.history import JournalProgress, ProgressHistory, graph, sampled
from tests.ui.fakes import NOW, a_task
from tests.ui.widgets.panel.sheet import entry


def test_the_graph_shows_what_was_seen_when() -> None:
    points = [(NOW - 300, 0.25), (NOW - 60, 0.5)]
    assert sampled(points, NOW, 10, 600) == [None] * 4 + [0.25] * 4 + [0.5] * 2
    assert sampled([], NOW, 3, 600) == [None, None, None]
    assert sampled(points, NOW, 0, 600) == []
    said = (entry(400, Event.MESSAGE, "10%"), entry(350, Event.MESSAGE, "?"), entry(9, Event.SAVED))
    told = JournalProgress()
    assert told.before(points, said) == ((NOW - 400, 0.1), *points)
    late = (entry(100, Event.MESSAGE, "40%"),)
    assert told.before(points, late) == tuple(points)
    assert told.before((), late) == ((NOW - 100, 0.4),)
    assert told.before((), ()) == ()


def test_the_graph_covers_what_was_seen_and_says_how_long_that_is() -> None:
    assert graph([(NOW - 40, 0.1), (NOW - 20, 0.5)], NOW, 40) == ()
    points = [(NOW - 60, 0.1), (NOW - 40, 0.5), (NOW, 0.9)]
    assert plain(graph(points, NOW, 39)) == "▁▁▁▁▁▁▁▅▅▅▅▅▅▅▅▅▅▅▅▅▅█ 10% → 90% in 1 m"
    assert graph([(NOW - 4, 0.1), (NOW - 2, 0.2), (NOW, 0.3)], NOW, 40) == ()
    short = plain(graph([(NOW - 19, 0.1), (NOW - 4, 0.2), (NOW, 0.3)], NOW, 40))
    assert short.endswith(" in 10 s")
    long = [(NOW - 9000, 0.1), *points]
    assert "in 10 m" in plain(graph(long, NOW, 40))
    assert graph(points, NOW, 5) == ()
    assert all(width_of(graph(points, NOW, width)) <= width for width in range(80))


def test_the_graph_shows_pauses_and_steps_back() -> None:
    back = [(NOW - 60, 0.2), (NOW - 40, 0.8), (NOW - 20, 0.4)]
    assert plain(graph(back, NOW, 39)).startswith("▁▁▁▁▁▁▁███████▃▃▃▃▃▃▃▃ 20% → 40%")
    still = [(NOW - 600, 0.3), (NOW - 500, 0.3), (NOW - 400, 0.3)]
    assert plain(graph(still, NOW, 39)).endswith("▁ no change in 10 m")


def test_progress_is_remembered_within_bounds() -> None:
    history = ProgressHistory()
    for number in range(300):
        view = a_task(f"k{number}", fraction=0.5, changed_at=NOW)
        history.note(view)
        history.note(view)
    history.note(a_task("k299", fraction=0.7, changed_at=NOW + 9))
    assert history.of("k0") == ()
    assert history.of("k299") == ((NOW, 0.5), (NOW + 9, 0.7))
