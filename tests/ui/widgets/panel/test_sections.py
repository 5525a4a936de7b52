from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from mcp_tasks_tui.handles.model import AnswerRecord, AnswerState, Event, JournalEntry, State
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.results import read_result
from mcp_tasks_tui.supervise.view import Attention, Coverage, Progress, Reason
from mcp_tasks_tui.ui.widgets.lines.pieces import Line, Tone, plain, width_of
from mcp_tasks_tui.ui.widgets.panel.about import (
    about_section,
    claims_section,
    notes_section,
    raw_section,
)
from mcp_tasks_tui.ui.widgets.panel.facts import Loaded, PanelFacts, Section, time_left
from mcp_tasks_tui.ui.widgets.panel.history import JournalProgress, ProgressHistory, graph, sampled
from mcp_tasks_tui.ui.widgets.panel.input import input_section
from mcp_tasks_tui.ui.widgets.panel.journal import Skipped, condensed, journal_section
from mcp_tasks_tui.ui.widgets.panel.kinds import Kind, of_kind
from mcp_tasks_tui.ui.widgets.panel.layout import laid_out
from mcp_tasks_tui.ui.widgets.panel.pace import pace
from mcp_tasks_tui.ui.widgets.panel.result import error_section, result_section
from mcp_tasks_tui.ui.widgets.panel.status import activity, status_section
from mcp_tasks_tui.ui.widgets.panel.times import stretches, timeline
from mcp_tasks_tui.ui.widgets.wall.card import card
from tests.ui.fakes import NOW, a_task

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_tasks_tui.supervise.view import TaskView

FORM = {
    "method": "elicitation/create",
    "params": {
        "mode": "form",
        "message": "Deploy?",
        "requestedSchema": {"type": "object", "properties": {"ok": {"type": "boolean"}}},
    },
}
URL = {"method": "elicitation/create", "params": {"mode": "url", "message": "Sign in", "url": "x"}}
HOSTILE = "\x1b[2J[/foo][@click=app.quit]x[/]\u202e"


def facts(view: TaskView, **changes: Any) -> PanelFacts:
    return replace(PanelFacts(view, NOW, 90, 40, answer_key="u", open_key="enter"), **changes)


def text(section: Section | None) -> str:
    assert section is not None
    return "\n".join(plain(line) for line in section.lines)


def tones(section: Section, words: str) -> set[Tone]:
    return {each.tone for line in section.lines for each in line if each.text.startswith(words)}


# --- where it stands -----------------------------------------------------------------------
@pytest.mark.parametrize(
    ("gap", "still_for", "told"),
    [
        (None, 59, True),
        (None, 61, False),
        (5.0, 14, True),
        (5.0, 16, False),
        (60.0, 119, True),
        (60.0, 121, False),
    ],
)
def test_progress_that_stands_still_promises_no_end(
    gap: float | None, still_for: float, told: bool
) -> None:
    view = a_task(message="62/100", changed_at=NOW - still_for)
    view = replace(
        view,
        progress=Progress(0.62, "62/100", 62, 100, 0.5, 6),
        snapshot=replace(view.snapshot, usual_gap=gap, last_message_at=NOW - still_for),
    )
    assert (" left" in text(status_section(facts(view)))) is told
    assert (" left" in "".join(plain(line) for line in card(view, 60, 12, NOW))) is told


def test_a_pushed_task_says_so_instead_of_an_age_that_looks_stale() -> None:
    shown = text(status_section(facts(a_task(coverage=Coverage.PUSHED, read_at=NOW - 59))))
    assert "read      50 s ago (pushed)" in shown
    assert "read 59 s" not in shown


def test_what_the_server_says_what_we_asked_and_what_we_assume_look_different() -> None:
    view = a_task(message="Compiling 62/100", cancel_requested_at=NOW - 125)
    view = replace(view, progress=Progress(0.62, "62/100", 62, 100, 0.5, 76))
    section = status_section(facts(view))
    shown = text(section)
    assert "message   ⠋ Compiling 62/100" in shown
    assert "we asked  cancel requested 2 m ago: not stopped yet" in shown
    assert "estimate  ≈ 2 m left · ≈ 30 per min" in shown
    said = [tones(section, word) for word in ("message", "we asked", "estimate")]
    assert said == [{Tone.SERVER}, {Tone.ASKED}, {Tone.ASSUMED}]


def test_a_cancelled_task_is_not_waited_for_any_more() -> None:
    ended = a_task(state=State.COMPLETED, cancel_requested_at=NOW - 9)
    assert "it ended by itself first" in text(status_section(facts(ended)))
    stopped = a_task(state=State.CANCELLED, cancel_requested_at=NOW - 9)
    assert "not stopped" not in text(status_section(facts(stopped)))


def test_what_is_only_last_known_says_so() -> None:
    shown = text(status_section(facts(a_task(live=False))))
    assert "last known, not confirmed since this program started" in shown
    assert "last known" not in text(status_section(facts(a_task(live=True))))


def test_a_failed_read_leaves_the_state_and_says_why() -> None:
    view = a_task(message="busy", failures=4, error="HTTP 502 Bad Gateway")
    shown = text(status_section(facts(view)))
    assert "● working" in shown
    assert "4 failed reads" in shown
    assert "HTTP 502 Bad Gateway" in shown


def test_attention_says_why_and_since_when() -> None:
    silent = "says it needs input, but does not say which"
    why = Attention(Reason.INPUT_REQUIRED, NOW - 240, silent)
    view = a_task(state=State.INPUT_REQUIRED, attention=[why])
    assert f"attention {silent}  4 m ago" in text(status_section(facts(view)))
    asks = replace(view, open_requests=("q",))  # the state says so, and the questions follow
    assert "attention" not in text(status_section(facts(asks)))


def test_attention_that_tells_its_time_tells_it_once() -> None:
    why = "stuck, server says: last update 4 m ago"
    shown = text(status_section(facts(a_task(attention=[Attention(Reason.STUCK, NOW - 240, why)]))))
    assert f"attention {why}" in shown
    assert shown.count("4 m ago") == 1


def test_the_alarm_for_an_end_has_words_of_its_own() -> None:
    view = a_task()
    lasting = replace(view.snapshot, ttl_ms=3_600_000, created_at="2027-01-15T07:30:00Z")
    calm = text(status_section(facts(replace(view, snapshot=lasting))))
    assert "expires   in ≈ 30 m" in calm
    alarm = (Attention(Reason.EXPIRING, NOW, "may expire in 30 m (its time to live is 1 h 00 m)"),)
    section = status_section(facts(replace(view, snapshot=lasting, attention=alarm)))
    assert text(section).count("30 m") == 1
    assert tones(section, "expires") == {Tone.WARN}


def test_a_message_from_before_the_state_says_so() -> None:
    view = replace(a_task(state=State.COMPLETED, message="Writing"), message_is_old=True)
    assert "last said Writing" in text(status_section(facts(view)))
    fresh = text(status_section(facts(replace(view, message_is_old=False))))
    assert "message   Writing" in fresh


def test_what_failed_is_said_once_by_the_error() -> None:
    view = a_task(state=State.FAILED, message="No space left")
    failed = replace(view, snapshot=replace(view.snapshot, error={"message": "No space left"}))
    assert "No space" not in text(status_section(facts(failed)))
    assert "No space" in text(error_section(facts(failed)))
    other = replace(view, snapshot=replace(view.snapshot, error={"message": "exit 1"}))
    assert "No space" in text(status_section(facts(other)))


def test_a_long_message_hangs_under_itself_and_not_under_its_mark() -> None:
    section = status_section(facts(a_task(message="word " * 30), width=43))
    said = [plain(line) for line in section.lines if "word" in plain(line)]
    assert said[0].startswith("message   ⠋ word")
    assert {line.index("word") for line in said} == {12}


def test_a_task_that_stands_still_is_quiet_until_it_is_stuck() -> None:
    quiet = replace(a_task("t1"), quiet="quiet for 4 m")
    assert "quiet for 4 m" in text(status_section(facts(quiet)))
    stuck = replace(quiet, attention=(Attention(Reason.STUCK, NOW - 240, "stuck: nothing moves"),))
    assert "quiet" not in text(status_section(facts(stuck)))


def test_polling_that_a_person_holds_is_something_we_asked() -> None:
    view = a_task(coverage=Coverage.HELD, held=True, next_read_at=None)
    assert "we asked  polling held" in text(status_section(facts(view)))


def test_an_unknown_state_is_shown_in_the_servers_word() -> None:
    view = a_task(state=State.UNKNOWN)
    view = replace(view, snapshot=replace(view.snapshot, status="rejected\x1b[2J"))
    assert 'state     "rejected^[[2J", a state that MCP does not name' in text(
        status_section(facts(view))
    )


@pytest.mark.parametrize(
    "message", ["", " \n ", "x" * 20_000, "one\ntwo\n" * 500, HOSTILE, "処理" * 99]
)
@pytest.mark.parametrize("width", [16, 30, 58, 120])
def test_any_message_fits_and_is_clean(message: str, width: int) -> None:
    view = a_task(message=message, fraction=0.3, label="l" * 200)
    section = status_section(facts(view, width=width))
    assert len(section.lines) < 24
    assert all(width_of(line) <= width for line in section.lines)
    assert not {"\x1b", "\u202e", "\n"} & set("".join(plain(line) for line in section.lines))


def test_the_mark_moves_only_when_something_arrives() -> None:
    view = a_task(message="busy")
    later = replace(view, snapshot=replace(view.snapshot, message_changes=1))
    assert activity(view) == activity(replace(view, reading=True))
    assert activity(view) != activity(later)


@pytest.mark.parametrize(
    ("view", "sign"),
    [
        (a_task(state=State.INPUT_REQUIRED, requests={"a": FORM}), "◆"),
        (a_task(attention=[Reason.STUCK]), "◐"),
        (replace(a_task(), quiet="quiet for 4 m"), "●"),
        (a_task(live=False), "●"),
    ],
)
def test_only_what_works_and_is_fresh_has_a_mark_that_moves(view: TaskView, sign: str) -> None:
    later = replace(view, snapshot=replace(view.snapshot, message_changes=1))
    assert activity(view) == activity(later) == sign


def test_of_a_task_that_is_gone_the_top_says_so_in_words_without_its_id() -> None:
    view = a_task(
        state=State.GONE,
        failures=3,
        error="not known to this server: Task 8f00cc3c",
        message="Copying",
    )
    section = status_section(facts(view))
    assert "last said Copying" in text(section)
    assert "read      just now · 3 reads in a row found no such task" in text(section)
    assert "8f00cc3c" not in text(section)
    assert Tone.BAD not in {each.tone for line in section.lines for each in line}


def test_what_ended_is_not_read_any_more_and_says_below_when_it_was() -> None:
    view = a_task(state=State.FAILED)
    assert "read" not in text(status_section(facts(view)))
    assert "read      just now" in text(about_section(facts(view)))


@pytest.mark.parametrize(
    ("ttl", "created", "said"),
    [
        (3_600_000, "2027-01-15T07:30:00Z", "in ≈ 30 m"),
        (60_000, "2027-01-15T07:30:00Z", "≈ 29 m overdue"),
        (0, "2027-01-15T07:30:00Z", None),
        (-1, "2027-01-15T07:30:00Z", None),
        (None, "2027-01-15T07:30:00Z", None),
        (3_600_000, "yesterday", None),
    ],
)
def test_the_time_to_live_is_only_ever_a_guess(
    ttl: int | None, created: str, said: str | None
) -> None:
    view = a_task()
    snapshot = replace(view.snapshot, ttl_ms=ttl, ttl_known=True, created_at=created)
    shown = text(status_section(facts(replace(view, snapshot=snapshot))))
    assert ("expires" in shown) is (said is not None)
    assert said is None or f"expires   {said}" in shown


@pytest.mark.parametrize(
    ("rate", "progress", "said"),
    [
        (1410.4, Progress(0.1, "9/9", 9, 9), "1,410 per s"),
        (1.0, Progress(0.1, "9/9", 9, 9), "1 per s"),
        (2.53, Progress(0.1, "9/9", 9, 9), "2.5 per s"),
        (0.5, Progress(0.1, "9/9", 9, 9), "30 per min"),
        (0.01, Progress(0.1, "9/9", 9, 9), "36 per h"),
        (0.0001, Progress(0.1, "9/9", 9, 9), "8.6 per day"),
        (2.5, Progress(0.1, "1/10 MB", 1, 10), "2.5 MB per s"),
        (0.1, Progress(0.1, "3/10, 45%", 2.4, 10), "6 per min"),
        (4.796 / 60, Progress(0.1, "10%"), "8 % per s"),
        (0.016, Progress(0.1, "10%"), "1.6 % per s"),
        (0.04 / 60, Progress(0.1, "10%"), "4 % per min"),
        (0.004 / 60, Progress(0.1, "10%"), "24 % per h"),
        (1e-9, Progress(0.1, "10%"), "0 % per day"),
    ],
)
def test_a_pace_is_told_in_numbers_that_people_say(
    rate: float, progress: Progress, said: str
) -> None:
    assert pace(rate, progress) == said


@pytest.mark.parametrize("width", [37, 39, 45, 58, 120])
def test_how_it_is_read_keeps_its_rows_whatever_the_clock_says(width: int) -> None:
    rows = set()
    for age, due in ((0.2, 0.4), (6, 65), (59, 9.9), (3599, 3599)):
        view = a_task(coverage=Coverage.POLLED, read_at=NOW - age, next_read_at=NOW + due)
        lines = [plain(line) for line in status_section(facts(view, width=width)).lines]
        rows.add(len(lines))
        assert not any(line.rstrip().endswith("·") for line in lines)
    assert len(rows) == 1
    view = a_task(coverage=Coverage.POLLED, read_at=NOW - 6, next_read_at=NOW + 65)
    shown = text(status_section(facts(view, width=width)))
    two = "read      just now\nnext read in 2 m"
    one = "read      just now · next in 2 m"
    assert (one if width > 40 else two) in shown
    assert "next read now" in text(status_section(facts(replace(view, reading=True), width=37)))


def test_when_it_is_read_again_is_never_told_without_its_label() -> None:
    failing = a_task(failures=3, error="HTTP 502", next_read_at=NOW + 65)
    gone = replace(a_task(state=State.GONE, failures=3), next_read_at=NOW + 300)
    for view in (failing, gone):
        lines = text(status_section(facts(view, width=60))).splitlines()
        (again,) = [line for line in lines if "next" in line]
        other = "next try  in " if view is failing else "next read in "
        assert again.startswith(("read      ", other))
    assert "next try" in text(status_section(facts(failing, width=60)))


LONG = "Sync region eu-north from the primary to both of its replicas"


@pytest.mark.parametrize(("width", "lines"), [(37, 3), (45, 3), (61, 2), (100, 1)])
def test_a_title_is_whole_where_there_are_lines_for_it(width: int, lines: int) -> None:
    journals = [
        (JournalEntry(NOW - seconds, Event.STATUS, None, {"to": "working"}),)
        for seconds in (0, 59, 86_399)
    ]
    for journal in journals:
        section = status_section(facts(a_task(label=LONG), width=width, journal=journal))
        head = [plain(line) for line in section.lines[:lines]]
        assert head[0].startswith("● working")
        assert LONG in " ".join(head)
        assert all("…" not in line for line in head)
        assert width_of(section.lines[0]) <= width


def test_the_end_of_a_task_comes_nearer_between_two_reads() -> None:
    view = replace(a_task(changed_at=NOW), progress=Progress(0.5, "1/2", 1, 2, 0.1, 60))
    seen = view.snapshot.observed_at
    assert seen is not None
    assert [time_left(view, seen + later) for later in (0, 5, 10)] == [60, 55, 50]
    late = replace(view, progress=Progress(0.99, "1/2", 1, 2, 0.1, 3))
    assert time_left(late, seen + 10) == 0.0


def test_clock_times_stand_everywhere_or_nowhere() -> None:
    journal = (JournalEntry(NOW - 30, Event.STATUS, None, {"to": "working"}),)
    view = a_task(message="62/100", changed_at=NOW)
    view = replace(view, progress=Progress(0.62, "62/100", 62, 100, 0.5, 76))
    lasting = replace(view.snapshot, ttl_ms=3_600_000, created_at="2027-01-15T07:30:00Z")
    view = replace(view, snapshot=replace(lasting, last_message_at=NOW))
    aged = text(status_section(facts(view, journal=journal)))
    clocked = text(status_section(facts(view, journal=journal, absolute=True)))
    for words in ("for 30 s", "≈ 2 m left", "in ≈ 30 m", "just now", "next in 10 s"):
        assert words in aged
        assert words not in clocked
    for words in ("since ", "≈ done at ", "at ≈ ", "next at "):
        assert words in clocked


def test_what_a_server_claims_stands_apart_from_what_we_know() -> None:
    view = a_task()
    snapshot = replace(view.snapshot, ttl_ms=3_600_000, ttl_known=True)
    known = facts(replace(view, snapshot=snapshot))
    assert "saved     10 m ago" in text(about_section(known))
    assert text(claims_section(known)) == "poll every 5 s · keeps it 1 h"


UUID = "68c11a4c-000d-4274-89b1-ad51f04e7e4f"


@pytest.mark.parametrize(
    ("width", "said"),
    [(60, f"task id   {UUID}"), (39, f"task id\n  {UUID}"), (36, f"task id\n{UUID}")],
)
def test_an_id_is_whole_on_one_line_to_be_copied(width: int, said: str) -> None:
    assert said in text(about_section(facts(a_task(task_id=UUID), width=width)))
    long = "x" * 100
    shown = text(about_section(facts(a_task(task_id=long), width=width)))
    assert long in shown.replace("\n", "")


# --- input ---------------------------------------------------------------------------------
def test_what_a_task_asks_comes_first_with_its_kind_and_the_key_that_answers() -> None:
    asks = [Attention(Reason.INPUT_REQUIRED, NOW - 40, "asks a question")]
    view = a_task(
        state=State.INPUT_REQUIRED, requests={"a": FORM}, attention=asks, message="Waiting for you"
    )
    head, *lines = text(status_section(facts(view))).splitlines()
    assert head.startswith("◆ needs input")
    assert head.endswith(" waits 40 s")
    fresh = replace(view, attention=(Attention(Reason.INPUT_REQUIRED, NOW - 4, "asks"),))
    assert text(status_section(facts(fresh))).splitlines()[0].endswith(" asked just now")
    assert lines[:2] == ["Deploy?", "1 field · u answers"]
    assert lines[2].startswith("read ")
    assert "Waiting" not in "".join(lines)
    assert input_section(facts(view)) is None  # all of it is above


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("Waiting for approval", False),
        ("awaiting input…", False),
        ("Input required", False),
        ("deploy?", False),
        ("Waiting for 3 of 9 shards", True),
        ("Copied 12 tables", True),
    ],
)
def test_a_message_that_only_says_that_it_waits_is_left_out(message: str, told: bool) -> None:
    view = a_task(state=State.INPUT_REQUIRED, requests={"a": FORM}, message=message)
    assert (message in text(status_section(facts(view)))) is told
    assert message in text(status_section(facts(a_task(message=message))))


def test_several_questions_say_what_kind_they_are_three_of_them_on_top() -> None:
    odd = {"a": FORM, "b": URL, "c": {"method": "sampling/createMessage"}, "d": 7, "e": None}
    view = a_task(state=State.INPUT_REQUIRED, requests=odd)
    top, section = text(status_section(facts(view))), input_section(facts(view))
    assert section is not None
    assert section.aside == "5 questions open"
    assert "1 Deploy?\n  1 field · a" in top
    assert "2 Sign in\n  opens a page · b" in top
    assert "sampling/createMessage: cannot be answered here · c" in top
    assert "2 more below · u answers" in top
    assert "4 asks without a message" in text(section)
    assert "· e" in text(section)


def test_keys_that_do_nothing_are_not_named() -> None:
    view = a_task(state=State.INPUT_REQUIRED, requests={"a": FORM})
    assert "x answers" in text(status_section(facts(view, answer_key="x")))
    silent = text(status_section(facts(view, answer_key="")))
    assert "Deploy?" in silent
    assert "answers" not in silent
    assert raw_section(facts(view)).aside == "enter opens"
    assert raw_section(facts(view, open_key="")).aside == ""


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (AnswerState.INTENDED, "may have been sent; nobody saw whether it arrived"),
        (AnswerState.SENT, "sent, not acknowledged yet"),
        (AnswerState.ACKNOWLEDGED, "sent and acknowledged"),
        (AnswerState.REFUSED, "refused by the server"),
    ],
)
def test_answers_say_how_far_they_got(state: AnswerState, words: str) -> None:
    view = a_task(state=State.INPUT_REQUIRED, requests={"a": FORM}, answered=["a"])
    view = replace(view, answers={"a": AnswerRecord("a", "h", state, "accept", NOW - 60)})
    shown = text(input_section(facts(view, width=120)))
    assert words in shown
    assert ("the server still asks" in shown) == (state is not AnswerState.REFUSED)


def test_a_task_that_never_asked_has_no_such_section() -> None:
    assert input_section(facts(a_task())) is None


# --- the journal ---------------------------------------------------------------------------
def entry(seconds: float, event: Event, said: str | None = None, **data: Any) -> JournalEntry:
    return JournalEntry(NOW - seconds, event, None if said is None else ServerText(said), data)


JOURNAL = (
    entry(900, Event.SAVED),
    entry(880, Event.STATUS, None, **{"from": None, "to": "working"}),
    entry(600, Event.MESSAGE, "Step 1 of 3"),
    entry(500, Event.INPUT_ASKED, "Deploy?", key="k1"),
    entry(500, Event.STATUS, None, **{"from": "working", "to": "input_required"}),
    entry(440, Event.INPUT_ANSWERED, None, key="k1", action="accept"),
    entry(420, Event.STATUS, None, **{"from": "input_required", "to": "working"}),
    entry(300, Event.SERVER_LOST),
    entry(20, Event.STATUS, "done", **{"from": "working", "to": "completed", "tool_error": True}),
)


def test_the_journal_tells_who_did_what_newest_last() -> None:
    view = a_task(state=State.TOOL_ERROR)
    lines = text(journal_section(facts(view, journal=JOURNAL), 20)).splitlines()
    assert lines[2].split("› ")[1] == "saved"
    assert any("‹ Step 1 of 3" in line for line in lines)
    assert any("‹ asks for input: Deploy? (k1)" in line for line in lines)
    assert any("› answer sent (k1)" in line for line in lines)
    assert any("· server lost" in line for line in lines)
    assert lines[-1].endswith("‹ ▲ tool error  done")


def test_a_lost_result_says_how_to_ask_for_it_again() -> None:
    lost = read_result(None, was_kept=True)
    view = a_task(state=State.COMPLETED)
    known = replace(facts(view), result=lost, result_loaded=Loaded.READY, poll_key="r")
    section = result_section(known)
    assert section is not None
    assert section.aside == "lost"
    assert "was lost when the database was damaged" in text(section)
    assert "r asks the server for it again" in text(section)
    unbound = result_section(replace(known, poll_key=""))
    assert unbound is not None
    assert "asks the server" not in text(unbound)


def test_ages_or_clock_times() -> None:
    view = a_task()
    aged = text(journal_section(facts(view, journal=JOURNAL), 20))
    clocked = text(journal_section(facts(view, journal=JOURNAL, absolute=True), 20))
    assert "15 m ago" in aged
    assert "15 m ago" not in clocked
    assert clocked.splitlines()[-1].strip()[2] == ":"
    narrow = text(journal_section(facts(view, journal=JOURNAL, width=39), 20)).splitlines()
    assert " 15m › saved" in narrow
    hours = facts(view, journal=JOURNAL, width=39, absolute=True, now=NOW + 86_400)
    assert "01-15 07:45 › saved" in text(journal_section(hours, 20))
    past_midnight = replace(JOURNAL[-1], at=NOW + 86_399)
    two_days = replace(hours, journal=(*JOURNAL, past_midnight), width=80)
    signs = {line.find("‹") for line in text(journal_section(two_days, 20)).splitlines()}
    assert signs - {-1} == {17}, "times of one day and of several have one column"


@pytest.fixture
def _far_from_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as changed:
        changed.setenv("TZ", "UTC-05:30")  # as POSIX writes what is ahead by so much
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("_far_from_utc")
def test_clock_times_tell_whose_they_are() -> None:
    view = a_task()
    local = facts(view, journal=JOURNAL, absolute=True)
    utc = replace(local, utc=True)
    assert "saved     13:20:00" in text(about_section(local))
    assert "saved     07:50:00Z" in text(about_section(utc))
    section = journal_section(local, 20)
    assert section.aside == "local time"
    assert "13:15:00 › saved" in text(section)
    section = journal_section(replace(utc, newest_first=True), 20)
    assert section.aside == "newest first · UTC"
    assert "07:45:00Z › saved" in text(section)
    assert journal_section(replace(utc, absolute=False), 20).aside == ""


@pytest.mark.parametrize(("width", "saved"), [(39, "01-15 07:45Z ›"), (80, "2027-01-15 07:45Z ›")])
def test_the_journal_has_room_for_the_sign_of_utc(width: int, saved: str) -> None:
    hours = facts(a_task(), journal=JOURNAL, width=width, absolute=True, utc=True)
    section = journal_section(replace(hours, now=NOW + 86_400), 20)
    signs = {line.find(sign) for line in text(section).splitlines() for sign in "‹›"}
    assert signs - {-1} == {len(saved) - 1}
    assert saved in text(section)


def test_a_journal_of_one_kind_says_so_and_how_much_it_leaves_out() -> None:
    shown = facts(a_task(), journal=JOURNAL)
    every = journal_section(shown, 20)
    assert (every.title, every.aside) == ("Journal", "")
    for kind in Kind:
        section = journal_section(replace(shown, kind=kind, newest_first=True), 20)
        entries = of_kind(JOURNAL, kind)
        assert section.title == f"Journal: {kind.value}"
        assert section.aside == f"{len(entries)} of {len(JOURNAL)} shown · newest first"
        signs = [line for line in text(section).splitlines() if {*line} & {*"‹›·"}]
        assert len(signs) >= len(entries)
    quiet = replace(shown, journal=(entry(65, Event.SAVED),), kind=Kind.TROUBLE)
    assert text(journal_section(quiet, 20)) == "nothing of this kind"


def test_ages_in_the_journal_rest_for_ten_seconds() -> None:
    def shown(now: float, width: int) -> str:
        section = journal_section(facts(a_task(), journal=JOURNAL[-1:], now=now, width=width), 9)
        return text(section)

    for width, first, then in ((39, " now", " 10s"), (90, "now", "10 s ago")):
        ages = [shown(NOW - 20 + second, width) for second in range(20)]
        assert len(set(ages)) == 2
        assert first in ages[0]
        assert then in ages[-1]


def test_a_time_stands_once_in_the_journal_for_all_that_happened_then() -> None:
    many = (entry(65, Event.SAVED), entry(61, Event.CALL_SENT), entry(5, Event.MESSAGE, "go"))
    for newest_first, said in (
        (False, ["1 m ago › saved", "› call sent", "now ‹ go"]),
        (True, ["now ‹ go", "1 m ago › call sent", "› saved"]),
    ):
        section = journal_section(facts(a_task(), journal=many, newest_first=newest_first), 20)
        assert [line.strip() for line in text(section).splitlines()] == said
        assert Tone.ASKED not in tones(section, "saved") | tones(section, "call sent")


def test_a_question_that_is_open_is_told_above_and_not_once_more_in_the_journal() -> None:
    asked = (entry(40, Event.INPUT_ASKED, "Deploy?", key="a"),)
    view = a_task(state=State.INPUT_REQUIRED, requests={"a": FORM})
    assert "asks for input (a)" in text(journal_section(facts(view, journal=asked), 20))
    over = replace(view, open_requests=())
    assert "asks for input: Deploy? (a)" in text(journal_section(facts(over, journal=asked), 20))


def test_the_first_ten_seconds_of_a_task_are_no_history() -> None:
    began = (entry(8, Event.STATUS, to="working"), entry(4, Event.STATUS, to="input_required"))
    view = a_task(state=State.INPUT_REQUIRED)
    assert "so far" not in text(journal_section(facts(view, journal=began), 20))
    later = facts(view, journal=began, now=NOW + 10)
    assert "10 s so far: ● working a moment · ◆ needs input 10 s" in text(
        journal_section(later, 20)
    )


def test_a_long_journal_says_how_much_is_hidden() -> None:
    many = tuple(entry(500 - i, Event.MESSAGE, f"step {i}") for i in range(300))
    lines = text(journal_section(facts(a_task(), journal=many), 10)).splitlines()
    assert len(lines) == 10
    assert lines[0].strip() == "… 291 messages: enter shows all"
    held = tuple(entry(500 - i, Event.HELD) for i in range(300))
    lines = text(journal_section(facts(a_task(), journal=held), 10)).splitlines()
    assert lines[0] == "290 earlier lines: enter shows all"
    assert len(lines) == 11
    assert lines[-1].endswith("polling held")


def test_of_many_messages_the_last_are_told_and_all_that_came_between() -> None:
    def run(start: float, count: int) -> list[JournalEntry]:
        return [entry(start - i, Event.MESSAGE, f"at {start - i:g}") for i in range(count)]

    journal = (
        entry(900, Event.SAVED),
        *run(800, 40),
        entry(500, Event.INPUT_ASKED, "Deploy?", key="k1"),
        entry(440, Event.INPUT_ANSWERED, None, key="k1", action="accept"),
        *run(400, 40),
    )
    lines = text(journal_section(facts(a_task(), journal=journal), 12)).splitlines()
    said = [line.strip().partition(" ago ")[2] or line.strip() for line in lines]
    assert said == [
        "› saved",
        "… 39 messages: enter shows all",
        "‹ at 761",
        "‹ asks for input: Deploy? (k1)",
        "› answer sent (k1)",
        "… 34 messages",
        *(f"‹ at {number}" for number in range(366, 360, -1)),
    ]
    assert condensed(journal, 100) == list(journal)
    told = [each for each in condensed(journal, 12) if isinstance(each, JournalEntry)]
    skipped = [each for each in condensed(journal, 12) if isinstance(each, Skipped)]
    assert len(told) + sum(each.count for each in skipped) == len(journal)


# --- time spent ----------------------------------------------------------------------------
def seen_in(journal: tuple[JournalEntry, ...], *, ended: bool) -> list[tuple[State, float]]:
    return [(each.state, each.seconds) for each in stretches(journal, NOW, ended=ended)]


def test_time_in_each_state_stops_when_the_task_ends() -> None:
    both = [(State.WORKING, 380.0), (State.INPUT_REQUIRED, 80.0), (State.WORKING, 400.0)]
    assert seen_in(JOURNAL, ended=True) == both
    assert seen_in(JOURNAL[:3], ended=False) == [(State.WORKING, 880.0)]
    assert seen_in((), ended=False) == []
    gone = (*JOURNAL[:3], entry(100, Event.GONE))
    assert seen_in(gone, ended=True) == [(State.WORKING, 780.0)]
    back = (*gone, entry(50, Event.BACK))
    assert seen_in(back, ended=False) == [(State.WORKING, 780.0), (State.WORKING, 50.0)]


def test_time_in_each_state_stands_above_the_journal_in_words_and_signs() -> None:
    view = a_task(state=State.TOOL_ERROR)
    line, said, *_ = text(journal_section(facts(view, journal=JOURNAL, width=39), 20)).splitlines()
    assert line == "●" * 17 + "◆" * 4 + "●" * 18
    assert said == "took 14 m: ● working 13 m"
    running = journal_section(facts(a_task(), journal=JOURNAL[:-1], width=90), 20)
    words = "14 m so far: ● working 13 m · ◆ needs input 1 m"
    assert text(running).splitlines()[1] == words
    alone = journal_section(facts(a_task(), journal=JOURNAL[:3], width=90), 20)
    assert "working" not in text(alone).splitlines()[0]  # the top of the panel says so
    assert len(text(alone).splitlines()) == 3


def status(seconds_ago: float, to: str, **how: Any) -> JournalEntry:
    return JournalEntry(NOW - seconds_ago, Event.STATUS, None, {"to": to, **how})


BEGAN = status(960, "working")
CLAIMED = status(60, "completed", unseen=True, unseen_for=900.0, claimed_at=NOW - 600)
NOTICED = status(60, "completed", unseen=True, unseen_for=890.0)


@pytest.mark.parametrize(
    ("journal", "top", "took", "line"),
    [
        ((BEGAN, status(60, "completed")), "1 m ago", "took 15 m", "completed"),
        (
            (BEGAN, CLAIMED),
            "≈ 10 m ago",
            "took ≈ 6 m",
            "completed (≈ 9 m before, by the server's clock)",
        ),
        (
            (BEGAN, NOTICED),
            "noticed 1 m ago",
            "took at most 15 m: ● working 10 s · ○ not seen 14 m",
            "completed (noticed after 14 m without a look)",
        ),
        (
            (status(5, "completed", unseen=True, claimed_at=NOW - 600, created_at=NOW - 960),),
            "≈ 10 m ago",
            "took ≈ 6 m",
            "completed (≈ 9 m before, by the server's clock)",
        ),
    ],
    ids=["seen", "by the server", "only noticed", "first seen ended"],
)
def test_an_end_that_nobody_saw_is_not_told_as_if_it_were_seen(
    journal: tuple[JournalEntry, ...], top: str, took: str, line: str
) -> None:
    asked = facts(a_task(state=State.COMPLETED), journal=journal)
    assert plain(status_section(asked).lines[0]).endswith(f" {top}")
    told = text(journal_section(asked, 20)).splitlines()
    assert took in told
    assert told[-1].endswith(line)


def test_a_task_that_is_gone_is_so_since_it_was_missed_and_its_question_was_not_answered() -> None:
    asks = {"q": {"params": {"message": "Approve it?\x1b[2J"}}}
    view = a_task(state=State.GONE, requests=asks, changed_at=NOW - 120)
    view = replace(view, open_requests=())
    asked = facts(view, journal=(status(600, "input_required"),))
    assert plain(status_section(asked).lines[0]).endswith(" 2 m ago")
    section = input_section(asked)
    assert section is not None
    assert section.aside == "1 question not answered"
    assert text(section) == "· Approve it?^[[2J"


def test_a_question_that_was_found_late_says_since_when_by_the_server() -> None:
    late = status(5, "input_required", unseen=True, unseen_for=600.0, claimed_at=NOW - 300)
    view = a_task(state=State.INPUT_REQUIRED)
    assert plain(status_section(facts(view, journal=(late,))).lines[0]).endswith("≈ for 5 m")
    found = status(45, "input_required", unseen=True, unseen_for=600.0)
    asked = facts(view, journal=(found,))
    assert plain(status_section(asked).lines[0]).endswith("seen 40 s ago")


@pytest.mark.parametrize("width", [1, 2, 5, 39, 400])
def test_each_state_has_its_share_of_the_line_of_time(width: int) -> None:
    seen = stretches(JOURNAL, NOW, ended=True)
    line = timeline(seen, width)
    assert width_of(line) == (0 if width < 6 else min(width, 120))
    assert all(each.text for each in line)
    assert timeline(seen[:1], width) == ()


@pytest.mark.parametrize("event", list(Event))
@pytest.mark.parametrize("data", [{}, {"to": 7, "key": None, "action": [], "said": {}, "kept": 1}])
def test_every_event_can_be_told_whatever_its_data(event: Event, data: dict[str, Any]) -> None:
    odd = (JournalEntry(NOW - 5, event, ServerText(HOSTILE), data),)
    section = journal_section(facts(a_task(), journal=odd, width=40), 5)
    shown = text(section)
    assert " now " in shown
    assert "\x1b" not in shown
    assert all(width_of(line) <= 40 for line in section.lines)


# --- result and error ----------------------------------------------------------------------
@pytest.mark.parametrize(
    ("error", "said"),
    [
        ({"code": -32603, "message": "boom\x1b[2J", "data": {"at": 7}}, ["boom^[[2J", "at: 7"]),
        ("boom", ["boom", "the error is bare text"]),
        (None, ["the server gave no error detail"]),
        ([1, 2], ["the error is not an object", "0: 1"]),
        ({"code": 3}, ["the error has no message"]),
        ({"message": "m", "hint": "try"}, ["m", 'hint: "try"']),
    ],
)
def test_a_failed_task_shows_code_message_and_data(error: Any, said: list[str]) -> None:
    view = a_task(state=State.FAILED)
    view = replace(view, snapshot=replace(view.snapshot, error=error))
    shown = text(error_section(facts(view)))
    for words in said:
        assert words in shown


def test_a_failure_that_only_its_message_explains_is_told_by_it_in_red() -> None:
    view = a_task(state=State.FAILED, message="Worker lost: no heartbeat for 30 s")
    assert error_section(facts(view)) is None
    assert tones(status_section(facts(view)), "Worker lost") == {Tone.BAD}


def test_a_failed_task_with_a_result_shows_both() -> None:
    view = a_task(state=State.FAILED, message="Build failed")
    view = replace(view, snapshot=replace(view.snapshot, has_result=True))
    doc = read_result({"isError": True, "content": [{"type": "text", "text": "3 errors"}]})
    shown = text(result_section(facts(view, result=doc, result_loaded=Loaded.READY)))
    assert "3 errors" in shown
    assert "reports an error (isError)" in shown
    assert "Build failed" in text(status_section(facts(view)))


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (None, "the server sent no result"),
        ("text", "the result is bare text"),
        ([1, 2], "the result is a list, not an object"),
        ({}, "neither content nor structured content"),
        ({"content": "text"}, "content is not a list"),
        ({"content": [None, 7, {"type": "x"}]}, "item of an unknown kind"),
        ({"content": [], "structuredContent": {"a": 1}}, "a: 1"),
        ({"content": [{"type": "text", "text": HOSTILE}]}, "^[[2J[/foo][@click=app.quit]x[/]"),
    ],
)
def test_a_result_of_any_shape_is_shown(result: Any, said: str) -> None:
    view = a_task(state=State.COMPLETED)
    doc = read_result(result)
    shown = text(result_section(facts(view, result=doc, result_loaded=Loaded.READY)))
    assert said in shown


def test_what_is_not_read_yet_says_so() -> None:
    assert "reading" in text(result_section(facts(a_task(state=State.COMPLETED))))
    assert result_section(facts(a_task())) is None
    failed = facts(a_task(state=State.COMPLETED), result_loaded=Loaded.FAILED)
    assert "could not be read" in text(result_section(failed))


# --- what it is ----------------------------------------------------------------------------
def test_what_it_is() -> None:
    view = a_task(
        note="watch it", tags=["a", "b"], arguments={"deep": {"x": [1, 2]}, "text": "[red]x[/red]"}
    )
    shown = text(about_section(facts(view)))
    for words in (
        "build",
        "task-t1",
        "watch it",
        "a b",
        "http://127.0.0.1:8900/mcp",
        "[red]x[/red]",
    ):
        assert words in shown


def test_a_timestamp_that_is_none_is_shown_as_it_came() -> None:
    view = a_task()
    view = replace(view, snapshot=replace(view.snapshot, created_at="yesterday\x07"))
    assert 'created "yesterday^G"' in text(claims_section(facts(view)))


def test_protocol_notes_and_raw_values() -> None:
    view = a_task(message="m")
    assert notes_section(facts(view)) is None
    view = replace(view, snapshot=replace(view.snapshot, notes=("ttl is a string",)))
    assert "ttl is a string" in text(notes_section(facts(view)))
    assert 'statusMessage: "m"' in text(raw_section(facts(view)))


# --- layout and history --------------------------------------------------------------------
def test_folded_sections_keep_their_headings() -> None:
    line: Line = ()
    sections = [Section("status", "", (line,)), Section("a", "A", (line, line)), Section("b", "B")]
    open_ = laid_out(sections, 30, airy=False)
    folded = laid_out(sections, 30, folded={"a"}, airy=False)
    assert len(open_.lines) - len(folded.lines) == 2
    assert open_.heading_at(open_.headings["b"]) == "b"
    assert plain(folded.lines[folded.headings["a"]]).startswith("▸ A")


@pytest.mark.parametrize(
    ("width", "heading"),
    [
        (44, "▾ Result ── text 289 B, 1 file · enter opens"),
        (41, "▾ Result ───────── text 289 B, 1 file"),
        (20, "▾ Result ───────────"),
        (6, "▾ Res…"),
    ],
)
def test_a_narrow_heading_leaves_whole_facts_out(width: int, heading: str) -> None:
    section = Section("result", "Result", (), "text 289 B, 1 file · enter opens")
    (line,) = laid_out([section], width).lines
    assert width_of(line) <= width
    assert plain(line).replace("─", "") == heading.replace("─", "")


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
