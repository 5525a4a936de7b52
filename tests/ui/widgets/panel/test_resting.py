"""A panel that nothing happens to rests, and never longer than what it tells is right."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from mcp_tasks_tui.handles.model import Event, JournalEntry, State
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.view import Attention, Progress, Reason
from mcp_tasks_tui.ui.widgets.lines.pieces import plain
from mcp_tasks_tui.ui.widgets.panel.facts import PanelFacts
from mcp_tasks_tui.ui.widgets.panel.panel import TaskPanel
from mcp_tasks_tui.ui.widgets.panel.resting import rests_until
from mcp_tasks_tui.ui.widgets.panel.sections import Sections
from tests.ui.bare import BareApp, until
from tests.ui.fakes import NOW, FakeSupervisor, a_task

if TYPE_CHECKING:
    from mcp_tasks_tui.supervise.view import TaskView

_ASKS = {"q": {"method": "elicitation/create", "params": {"message": "Deploy?"}}}
_DRAWN = "▁▂▃▄▅▆▇█"


def moving() -> TaskView:
    view = a_task(message="62/100", next_read_at=NOW + 33.5, saved_at=NOW - 7.25)
    known = replace(
        view.snapshot,
        last_message_at=NOW - 3.5,
        usual_gap=20.375,
        created_at="2027-01-15T07:59:21Z",
        last_updated_at="2027-01-15T07:59:57Z",
        ttl_ms=140_000,
        ttl_known=True,
    )
    return replace(view, progress=Progress(0.62, "62/100", 62, 100, 0.5, 76), snapshot=known)


def failing() -> TaskView:
    view = a_task(
        message="busy",
        failures=3,
        error="HTTP 502",
        read_at=NOW - 1.75,
        cancel_requested_at=NOW - 12.5,
        archived_at=NOW - 4.25,
        attention=[Attention(Reason.READ_FAILING, NOW - 8.5, "HTTP 502")],
    )
    read = replace(view.snapshot.read, at=NOW - 5.125)
    return replace(view, snapshot=replace(view.snapshot, read=read))


def gone() -> TaskView:
    view = a_task(state=State.GONE)
    return replace(view, snapshot=replace(view.snapshot, gone_at=NOW - 3.375))


def asking() -> TaskView:
    return a_task(state=State.INPUT_REQUIRED, requests=_ASKS, attention=[Reason.INPUT_REQUIRED])


def answered() -> TaskView:
    view = a_task(state=State.INPUT_REQUIRED, requests=_ASKS, answered=["q"])
    return replace(view, snapshot=replace(view.snapshot, answer_sent_at=NOW - 2.625))


JOURNAL = (
    JournalEntry(NOW - 41.5, Event.SAVED),
    JournalEntry(NOW - 40.25, Event.STATUS, None, {"to": "working"}),
    *(JournalEntry(NOW - 30 + 3.75 * n, Event.MESSAGE, ServerText(f"{n}%")) for n in range(5)),
    JournalEntry(
        NOW - 6.5, Event.STATUS, None, {"to": "input_required", "claimed_at": NOW - 9.875}
    ),
)


def told(facts: PanelFacts) -> list[str]:
    """All that is told in words: what is drawn of the time that passes may be a little behind."""
    sections = Sections().of(facts, raw=False)
    lines = [plain(line) for section in sections for line in section.lines]
    drawn = {*_DRAWN, "●", "◆"}
    return [line for line in lines if not {*_DRAWN} & {*line} and not {*line} <= drawn]


@pytest.mark.parametrize(
    "view",
    [moving(), failing(), gone(), asking(), answered(), a_task(state=State.COMPLETED)],
    ids=["moving", "failing", "gone", "asking", "answered", "completed"],
)
@pytest.mark.parametrize("width", [40, 90])
@pytest.mark.parametrize("begin", [0.0, 3_550.0, 86_380.0])
def test_nothing_that_is_told_changes_before_its_time(
    view: TaskView, width: int, begin: float
) -> None:
    now, end = NOW + begin, NOW + begin + 100
    facts = PanelFacts(view, now, width, 40, journal=JOURNAL)
    facts = replace(facts, history=((NOW - 30.0, 0.1), (NOW - 20.0, 0.2), (NOW - 3.5, 0.62)))
    while now < end:
        facts = replace(facts, now=now)
        shown, rests = told(facts), rests_until(facts, 40)
        assert now < rests <= now + 10
        for later in (now + 0.25, (now + rests) / 2, rests - 0.25):
            if now < later < rests:
                assert told(replace(facts, now=later)) == shown
        now = rests


async def test_a_second_in_which_no_time_moves_on_builds_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = NOW
    view = a_task(message="Step 1", read_at=NOW)
    fake = FakeSupervisor.of(view)
    fake.journals["k1"] = [JournalEntry(NOW - 600, Event.SAVED)]
    panel = TaskPanel(fake, now=lambda: now)
    async with BareApp(panel).run_test(size=(60, 30)) as pilot:
        panel.show(view)
        await until(pilot, lambda: "› saved" in panel.shown_text)
        await until(pilot, lambda: not list(pilot.app.workers))
        built: list[float] = []
        build = panel._sections.of

        def counted(facts: PanelFacts, *, raw: bool) -> object:
            built.append(facts.now - NOW)
            return build(facts, raw=raw)

        monkeypatch.setattr(panel._sections, "of", counted)
        for _ in range(20):
            now += 1
            panel._tick()
            shown = panel.shown_text
            panel._sections.clear()
            panel._draw()
            assert built.pop() == now - NOW
            assert panel.shown_text == shown
        assert 2 <= len(built) <= 5, "of twenty"
        await pilot.press("f")
        built.clear()
        for _ in range(20):
            now += 1
            panel._tick()
        assert "frozen 20 s ago" in panel.shown_text
        assert len(built) == 2
        now -= 3600
        panel._tick()
        assert len(built) == 3, "a clock that was set back moves times as well"
