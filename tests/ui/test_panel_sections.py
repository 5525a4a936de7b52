from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from mcp_tasks_tui.handles.model import AnswerRecord, AnswerState, Event, JournalEntry, State
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.view import Attention, Coverage, Progress, Reason
from mcp_tasks_tui.ui.widgets.panel_about import about_section, notes_section, raw_section
from mcp_tasks_tui.ui.widgets.panel_facts import (
    Loaded,
    PanelFacts,
    Section,
    joined,
    time_per_state,
)
from mcp_tasks_tui.ui.widgets.panel_history import ProgressHistory, graph, sampled
from mcp_tasks_tui.ui.widgets.panel_input import input_section
from mcp_tasks_tui.ui.widgets.panel_journal import journal_section
from mcp_tasks_tui.ui.widgets.panel_layout import laid_out
from mcp_tasks_tui.ui.widgets.panel_lines import Line, Piece, Tone, plain, width_of, wrap
from mcp_tasks_tui.ui.widgets.panel_pace import pace
from mcp_tasks_tui.ui.widgets.panel_result import error_section, result_section
from mcp_tasks_tui.ui.widgets.panel_status import activity, status_section
from mcp_tasks_tui.ui.widgets.result_model import read_result
from mcp_tasks_tui.ui.widgets.wall_card import card
from tests.ui.fakes import NOW, a_task

if TYPE_CHECKING:
    from mcp_tasks_tui.supervise.view import TaskView

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
    assert "reading   59 s ago · pushed" in shown
    assert "read 59 s" not in shown


def test_what_the_server_says_what_we_asked_and_what_we_assume_look_different() -> None:
    view = a_task(message="Compiling 62/100", cancel_requested_at=NOW - 125)
    view = replace(view, progress=Progress(0.62, "62/100", 62, 100, 0.5, 76))
    section = status_section(facts(view))
    shown = text(section)
    assert "server" in shown
    assert "we asked  cancel requested 2 m ago: not stopped yet" in shown
    assert "we assume 1 m left · 30 per min" in shown
    said = [tones(section, word) for word in ("server    ", "we asked", "we assume")]
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
    view = a_task(attention=[Attention(Reason.INPUT_REQUIRED, NOW - 240, "asks a question")])
    said = "attention asks a question  4 m ago"  # the state says that it needs input
    assert said in text(status_section(facts(view)))


def test_attention_that_tells_its_time_tells_it_once() -> None:
    why = "stuck, server says: last update 4 m ago"
    shown = text(status_section(facts(a_task(attention=[Attention(Reason.STUCK, NOW - 240, why)]))))
    assert f"attention {why}" in shown
    assert shown.count("4 m ago") == 1


def test_the_alarm_for_an_end_has_words_of_its_own() -> None:
    view = a_task()
    lasting = replace(view.snapshot, ttl_ms=3_600_000, created_at="2027-01-15T07:30:00Z")
    calm = text(status_section(facts(replace(view, snapshot=lasting))))
    assert "kept 30 m more" in calm
    assert "expire" not in calm
    alarm = (Attention(Reason.EXPIRING, NOW, "may expire in 30 m (its time to live is 1 h 00 m)"),)
    shown = text(status_section(facts(replace(view, snapshot=lasting, attention=alarm))))
    assert shown.count("30 m") == 1


def test_a_message_from_before_the_state_says_so() -> None:
    view = replace(a_task(state=State.COMPLETED, message="Writing"), message_is_old=True)
    assert "server    said before: Writing" in text(status_section(facts(view)))
    assert "before" not in text(status_section(facts(replace(view, message_is_old=False))))


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
    assert said[0].startswith("server    ⠋ word")
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
    assert 'says "rejected␛[2J"' in text(status_section(facts(view)))


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
    ("ttl", "created", "said"),
    [
        (3_600_000, "2027-01-15T07:30:00Z", "kept 30 m more"),
        (60_000, "2027-01-15T07:30:00Z", "kept longer than its time to live, by 29 m"),
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
    assert ("we assume" in shown) is (said is not None)
    assert said is None or f"we assume {said}" in shown


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
        (4.796 / 60, Progress(0.1, "10%"), "480 % per min"),
        (0.0799, Progress(0.1, "10%"), "479 % per min"),
        (0.04 / 60, Progress(0.1, "10%"), "4 % per min"),
        (0.004 / 60, Progress(0.1, "10%"), "24 % per h"),
        (1e-9, Progress(0.1, "10%"), "0 % per day"),
    ],
)
def test_a_pace_is_told_in_numbers_that_people_say(
    rate: float, progress: Progress, said: str
) -> None:
    assert pace(rate, progress) == said


@pytest.mark.parametrize("width", [43, 58, 60, 120])
def test_an_age_is_told_once_and_never_broken(width: int) -> None:
    view = a_task(coverage=Coverage.POLLED, read_at=NOW - 6, next_read_at=NOW + 65)
    lines = [plain(line) for line in status_section(facts(view, width=width)).lines]
    soon = "next in 1 m" if width > 45 else "next 1 m"
    assert f"reading   6 s ago · polled · {soon}" in lines
    for room in range(24, 60):
        said = wrap(joined([Piece("quiet for 4 m"), Piece("0 s ago"), Piece("9,5 kB")]), room)
        shown = [plain(line).strip() for line in said]
        words = " ".join(shown).replace(" ·", "").split("  ")
        assert "quiet for 4 m 0 s ago 9,5 kB" in words
        assert not any(line.startswith("·") or line[:1] in "smak" for line in shown)


def test_what_a_server_keeps_a_task_for_is_its_claim() -> None:
    view = a_task()
    snapshot = replace(view.snapshot, ttl_ms=3_600_000, ttl_known=True)
    shown = text(about_section(facts(replace(view, snapshot=snapshot))))
    assert "kept for  1 h 00 m  the server's claim" in shown


# --- input ---------------------------------------------------------------------------------
FORM = {
    "method": "elicitation/create",
    "params": {
        "mode": "form",
        "message": "Deploy?",
        "requestedSchema": {"type": "object", "properties": {"ok": {"type": "boolean"}}},
    },
}
URL = {"method": "elicitation/create", "params": {"mode": "url", "message": "Sign in", "url": "x"}}


def test_open_questions_say_how_to_answer_and_what_kind_they_are() -> None:
    odd = {"a": FORM, "b": URL, "c": {"method": "sampling/createMessage"}, "d": 7, "e": None}
    section = input_section(facts(a_task(state=State.INPUT_REQUIRED, requests=odd)))
    shown = text(section)
    assert section is not None
    assert section.aside == "5 questions open"
    assert "Deploy?" in shown
    assert "form with 1 field · a" in shown
    assert "opens a page · b" in shown
    assert "sampling/createMessage: cannot be answered here · c" in shown
    assert "u answers" in shown


def test_keys_that_do_nothing_are_not_named() -> None:
    view = a_task(state=State.INPUT_REQUIRED, requests={"a": FORM})
    assert "x answers; nothing is sent before" in text(input_section(facts(view, answer_key="x")))
    silent = text(input_section(facts(view, answer_key="")))
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
    assert lines[0].split("› ")[1] == "saved"
    assert any("‹ Step 1 of 3" in line for line in lines)
    assert any("‹ asks for input: Deploy? (k1)" in line for line in lines)
    assert any("› answer sent (k1)" in line for line in lines)
    assert any("· server lost" in line for line in lines)
    assert lines[-2].endswith("‹ ▲ tool error  done")
    assert lines[-1] == "working 13 m · input required 1 m"


def test_ages_or_clock_times() -> None:
    view = a_task()
    aged = text(journal_section(facts(view, journal=JOURNAL), 20))
    clocked = text(journal_section(facts(view, journal=JOURNAL, absolute=True), 20))
    assert "15 m ago" in aged
    assert "15 m ago" not in clocked
    assert clocked.splitlines()[0].strip()[2] == ":"


def test_a_long_journal_says_how_much_is_hidden() -> None:
    many = tuple(entry(500 - i, Event.MESSAGE, f"step {i}") for i in range(300))
    lines = text(journal_section(facts(a_task(), journal=many), 10)).splitlines()
    assert len(lines) == 11
    assert "290 earlier lines" in lines[0]
    assert lines[-1].endswith("step 299")


def test_time_in_each_state_stops_when_the_task_ends() -> None:
    assert time_per_state(JOURNAL, NOW, ended=True) == [
        ("working", 780.0),
        ("input_required", 80.0),
    ]
    assert time_per_state(JOURNAL[:3], NOW, ended=False) == [("working", 880.0)]
    assert time_per_state((), NOW, ended=False) == []


@pytest.mark.parametrize("event", list(Event))
@pytest.mark.parametrize("data", [{}, {"to": 7, "key": None, "action": [], "said": {}, "kept": 1}])
def test_every_event_can_be_told_whatever_its_data(event: Event, data: dict[str, Any]) -> None:
    odd = (JournalEntry(NOW - 5, event, ServerText(HOSTILE), data),)
    section = journal_section(facts(a_task(), journal=odd, width=40), 5)
    shown = text(section)
    assert "5 s ago" in shown
    assert "\x1b" not in shown
    assert all(width_of(line) <= 40 for line in section.lines)


# --- result and error ----------------------------------------------------------------------
@pytest.mark.parametrize(
    ("error", "said"),
    [
        ({"code": -32603, "message": "boom\x1b[2J", "data": {"at": 7}}, ["boom␛[2J", "at: 7"]),
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


def test_a_failed_task_with_a_result_shows_both() -> None:
    view = a_task(state=State.FAILED, message="Build failed")
    view = replace(view, snapshot=replace(view.snapshot, has_result=True))
    doc = read_result({"isError": True, "content": [{"type": "text", "text": "3 errors"}]})
    shown = text(result_section(facts(view, result=doc, result_loaded=Loaded.READY)))
    assert "3 errors" in shown
    assert "reports an error (isError)" in shown
    assert error_section(facts(view)) is not None


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
        ({"content": [{"type": "text", "text": HOSTILE}]}, "␛[2J[/foo][@click=app.quit]x[/]"),
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
    assert 'created   "yesterday␇"' in text(about_section(facts(view)))


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


def test_the_graph_covers_what_was_seen_and_says_how_long_that_is() -> None:
    assert graph([(NOW - 40, 0.1), (NOW - 20, 0.5)], NOW, 40) == ()
    points = [(NOW - 60, 0.1), (NOW - 40, 0.5), (NOW, 0.9)]
    shown = plain(graph(points, NOW, 40))
    assert shown.endswith(" last 1 m")
    assert shown[0] == "▁"
    assert graph([(NOW - 4, 0.1), (NOW - 2, 0.2), (NOW, 0.3)], NOW, 40) == ()
    assert plain(graph([(NOW - 9, 0.1), (NOW - 4, 0.2), (NOW, 0.3)], NOW, 40)).endswith(" last 9 s")
    assert "last 10 m" in plain(graph([(NOW - 9000, 0.1), *points], NOW, 40))
    assert graph(points, NOW, 5) == ()


def test_progress_is_remembered_within_bounds() -> None:
    history = ProgressHistory()
    for number in range(300):
        view = a_task(f"k{number}", fraction=0.5, changed_at=NOW)
        history.note(view)
        history.note(view)
    history.note(a_task("k299", fraction=0.7, changed_at=NOW + 9))
    assert history.of("k0") == ()
    assert history.of("k299") == ((NOW, 0.5), (NOW + 9, 0.7))
