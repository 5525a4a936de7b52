"""What is sent by the answering screen, and above all what is not."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from textual import events
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.protocol.errors import NoSuchTask, TimedOut, Unreachable
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.problems import AlreadyAnswered, AnswerUnconfirmed
from mcp_tasks_tui.ui.screens.answer_drafts import Drafts
from mcp_tasks_tui.ui.screens.answer_state import AnswerOutcome
from mcp_tasks_tui.ui.widgets.form_choices import InlineChoices
from mcp_tasks_tui.ui.widgets.form_text import AreaField, LineField
from tests.ui.answering import (
    COUNT,
    KEY,
    SAMPLING,
    AnswerApp,
    Browser,
    ask,
    form,
    page,
    settled,
    type_text,
    waiting,
)

SIZES = [(60, 15), (80, 24), (120, 40)]


@pytest.mark.parametrize("size", SIZES)
async def test_send_sends_what_was_typed_and_closes(size: tuple[int, int]) -> None:
    app = AnswerApp({"q": ask(count=COUNT, note={"type": "string"})})
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        await type_text(pilot, "4")
        await pilot.press("tab")
        await type_text(pilot, "a b")
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert app.sent() == [{"q": {"action": "accept", "content": {"count": 4, "note": "a b"}}}]
        assert app.outcomes == [AnswerOutcome(KEY, {"q": "accept"})]


@pytest.mark.parametrize("size", SIZES)
async def test_server_tool_task_and_message_are_in_view(size: tuple[int, int]) -> None:
    many = {f"field{n}": {"type": "string"} for n in range(30)}
    app = AnswerApp({"q": form({"type": "object", "properties": many})})
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        await pilot.press(*["tab"] * 20)
        await pilot.pause()
        shown = app.text()
        for word in ("builds", "region_build", KEY, "nightly", "How many?", "field20"):
            assert word in shown
        for button in ("Send", "Decline", "Dismiss"):
            assert button in shown
        assert "cancel" not in shown.lower()


@pytest.mark.parametrize(
    ("key", "action"), [("ctrl+n", "decline"), ("ctrl+l", "cancel")], ids=["decline", "dismiss"]
)
async def test_decline_and_dismiss_carry_no_content(key: str, action: str) -> None:
    app = AnswerApp({"q": ask(count=COUNT)})
    async with app.run_test() as pilot:
        await pilot.pause()
        await type_text(pilot, "4")
        await pilot.press(key)
        await settled(pilot)
        assert app.sent() == [{"q": {"action": action}}]


async def test_buttons_do_what_the_keys_do() -> None:
    app = AnswerApp({"q": ask(count=COUNT)})
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.click("#decline")
        await settled(pilot)
        assert app.sent() == [{"q": {"action": "decline"}}]


async def test_escape_sends_nothing_and_keeps_what_was_typed() -> None:
    app = AnswerApp({"q": ask(count=COUNT, name={"type": "string"})})
    async with app.run_test() as pilot:
        await pilot.pause()
        await type_text(pilot, "42")
        await pilot.press("escape")
        await settled(pilot)
        assert app.sent() == []
        assert app.outcomes == [AnswerOutcome(KEY, {})]
        app.open_answer()
        await pilot.pause()
        assert [each.value for each in app.answer.query(Input)] == ["42", ""]


async def test_quitting_sends_nothing() -> None:
    app = AnswerApp({"q": ask(count=COUNT)})
    async with app.run_test() as pilot:
        await pilot.pause()
        await type_text(pilot, "4")
    assert app.sent() == []


@pytest.mark.parametrize("size", SIZES)
async def test_errors_stand_beside_the_field_and_hold_sending_back(size: tuple[int, int]) -> None:
    app = AnswerApp({"q": ask(count=COUNT, name={"type": "string"})})
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        assert "✗" not in app.text(), "nobody is blamed before they typed"
        await type_text(pilot, "42xyz")
        assert "not a whole number" in app.text()
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert app.sent() == []
        assert "Not sent: see count, name" in app.text()
        focused = app.focused
        assert isinstance(focused, LineField)
        assert focused.value == "42xyz"
        await pilot.press(*["backspace"] * 5)
        await type_text(pilot, "7")
        assert "not a whole number" not in app.text()


async def test_enter_goes_on_and_does_not_send() -> None:
    app = AnswerApp({"q": ask(a=COUNT, b=COUNT)})
    async with app.run_test() as pilot:
        await pilot.pause()
        await type_text(pilot, "4\n5")
        assert [each.value for each in app.answer.query(Input)] == ["4", "5"]
        assert app.sent() == []


@pytest.mark.parametrize(
    ("keys", "content"),
    [
        ([], {}),
        (["space"], {"on": True}),
        (["right", "space"], {"on": False}),
        (["right", "space", "right", "space"], {}),
        (["space", "backspace"], {}),
    ],
)
async def test_an_unset_switch_is_not_no(keys: list[str], content: dict[str, Any]) -> None:
    app = AnswerApp({"q": ask(required=False, on={"type": "boolean"})})
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("right", *keys)
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert app.sent() == [{"q": {"action": "accept", "content": content}}]


async def test_a_required_switch_must_be_set() -> None:
    app = AnswerApp({"q": ask(on={"type": "boolean"})})
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert app.sent() == []
        assert "✗ needed" in app.text()


async def test_untouched_defaults_go_out_as_the_server_gave_them() -> None:
    app = AnswerApp(
        {
            "q": form(
                {
                    "type": "object",
                    "properties": {
                        "ok": {"type": "boolean", "default": True},
                        "n": {"type": "number", "default": 50},
                        "c": {"enum": ["a", "b"], "default": "b"},
                        "note": {"type": "string"},
                    },
                    "required": ["ok"],
                }
            )
        }
    )
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("ctrl+s")
        await settled(pilot)
        content = {"ok": True, "n": 50, "c": "b"}
        assert app.sent() == [{"q": {"action": "accept", "content": content}}]


@pytest.mark.parametrize("schema", [{"type": "object", "properties": {}}, {}, None])
async def test_a_question_without_fields_is_a_plain_yes_or_no(schema: Any) -> None:
    app = AnswerApp({"q": form(schema, "Delete all?")})
    async with app.run_test(size=(60, 15)) as pilot:
        await pilot.pause()
        assert "Delete all?" in app.text()
        assert "Nothing to fill in" in app.text()
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert app.sent() == [{"q": {"action": "accept", "content": {}}}]


async def test_choices_are_picked_and_counted() -> None:
    app = AnswerApp(
        {"q": ask(tags={"type": "array", "maxItems": 2, "items": {"enum": ["a", "b", "c"]}})}
    )
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("space", "right", "space", "right", "space")
        await pilot.pause()
        assert "pick at most 2; picked 3" in app.text()
        await pilot.press("space", "ctrl+s")
        await settled(pilot)
        assert app.sent() == [{"q": {"action": "accept", "content": {"tags": ["a", "b"]}}}]


@pytest.mark.parametrize(("required", "content"), [(True, {"c": "one"}), (False, {})])
async def test_an_optional_choice_can_be_taken_back(
    required: bool, content: dict[str, Any]
) -> None:
    app = AnswerApp({"q": ask(required=required, c={"enum": ["one", "two"]})})
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("space", "space", "ctrl+s")
        await settled(pilot)
        assert app.sent() == [{"q": {"action": "accept", "content": content}}]


async def test_choices_can_be_clicked() -> None:
    app = AnswerApp({"q": ask(c={"enum": ["one", "two", "three"]})})
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.click(InlineChoices, offset=(12, 0))
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert app.sent() == [{"q": {"action": "accept", "content": {"c": "two"}}}]


@pytest.mark.parametrize("size", [(60, 15), (120, 40)])
async def test_thousands_of_choices_are_searched(size: tuple[int, int]) -> None:
    zones = [f"zone/{n}" for n in range(5000)]
    app = AnswerApp({"q": ask(zone={"enum": zones})})
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        assert "5,000 of 5,000 match, 200 shown" in app.text()
        await type_text(pilot, "4321")
        assert "1 of 5,000 match" in app.text()
        await pilot.press("enter")
        await pilot.pause()
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert app.sent() == [{"q": {"action": "accept", "content": {"zone": "zone/4321"}}}]


async def test_several_of_many_are_taken_together_or_left() -> None:
    app = AnswerApp(
        {"q": ask(t={"type": "array", "items": {"enum": [f"t{n}" for n in range(50)]}})}
    )
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        await pilot.press("enter", "down", "down", "enter", "ctrl+s")
        await pilot.pause()
        assert app.sent() == [], "the list has the key, not the form under it"
        assert "2 picked: t0, t2" in app.text()
        await pilot.press("enter")
        await pilot.pause()
        await pilot.press("enter", "escape")
        await pilot.pause()
        assert "2 picked: t0, t2" in app.text()


async def test_json_is_checked_as_it_is_typed() -> None:
    app = AnswerApp({"q": ask(extra={"type": "object"})})
    async with app.run_test() as pilot:
        await pilot.pause()
        assert isinstance(app.focused, AreaField)
        app.focused.insert("{a: 1}")
        await pilot.pause()
        assert "not JSON" in app.text()
        app.focused.text = '{"a": [1]}'
        await pilot.pause()
        assert "✗" not in app.text()
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert app.sent() == [{"q": {"action": "accept", "content": {"extra": {"a": [1]}}}}]


async def test_pasted_lines_are_not_cut_off() -> None:
    app = AnswerApp({"q": ask(note={"type": "string"})})
    async with app.run_test() as pilot:
        await pilot.pause()
        assert app.focused is not None
        app.focused.post_message(events.Paste("one\r\ntwo"))
        await pilot.pause()
        await pilot.pause()
        assert isinstance(app.focused, AreaField)
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert app.sent() == [{"q": {"action": "accept", "content": {"note": "one\ntwo"}}}]


async def test_secrets_are_masked_with_a_warning_and_can_be_looked_at() -> None:
    app = AnswerApp({"q": ask(apiKey={"type": "string", "title": "API secret"})})
    async with app.run_test(size=(60, 15)) as pilot:
        await pilot.pause()
        await type_text(pilot, "hunter2")
        assert "hunter2" not in app.text()
        assert "MCP forbids servers" in app.text()
        await pilot.press("ctrl+r")
        await pilot.pause()
        assert "hunter2" in app.text()
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert app.sent() == [{"q": {"action": "accept", "content": {"apiKey": "hunter2"}}}]
        assert "hunter2" not in repr(app.drafts)
        assert app.drafts.waiting(KEY) == 0


async def test_a_completed_time_is_shown_before_it_goes_out() -> None:
    app = AnswerApp({"q": ask(when={"type": "string", "format": "date-time"})})
    async with app.run_test() as pilot:
        await pilot.pause()
        await type_text(pilot, "2026-09-01T10:00")
        assert "goes out as 2026-09-01T10:00:00" in app.text()


@pytest.mark.parametrize("hostile", ["[/", "[red]x[/red]", "[@click=app.quit]x[/]", "\x1b[2J"])
async def test_words_of_a_server_are_never_markup(hostile: str) -> None:
    schema = {
        "type": "object",
        "properties": {
            hostile: {"type": "string", "title": hostile, "description": hostile},
            "c": {"enum": [hostile, "b"]},
            "m": {"enum": [hostile, *map(str, range(20))], "default": hostile},
        },
    }
    app = AnswerApp({"a": form(schema, hostile), "b": page(f"https://a.example/{hostile}")})
    async with app.run_test(size=(80, 40)) as pilot:
        await pilot.pause()
        shown = hostile.replace("\x1b", "␛")
        assert app.text().count(shown) >= 5
        assert "\x1b" not in app.text()
        await pilot.press("ctrl+g")
        await pilot.pause()
        assert shown in app.text()


# --- several questions --------------------------------------------------------------------


async def test_one_of_several_is_answered_and_the_next_comes() -> None:
    app = AnswerApp({"b": ask(two=COUNT), "a": ask(one=COUNT)})
    async with app.run_test() as pilot:
        await pilot.pause()
        assert "Question 1 of 2" in app.text()
        await type_text(pilot, "1")
        await pilot.press("ctrl+s")
        await settled(pilot)
        [first] = app.sent()
        assert len(first) == 1
        assert app.outcomes == []
        assert "1 more to answer" in app.text()
        await type_text(pilot, "2")
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert len(app.sent()) == 2
        assert app.outcomes == [AnswerOutcome(KEY, {"a": "accept", "b": "accept"})]


async def test_several_ready_ones_go_together() -> None:
    app = AnswerApp({"a": ask(one=COUNT), "b": ask(two=COUNT), "c": ask(three=COUNT)})
    async with app.run_test(size=(60, 15)) as pilot:
        await pilot.pause()
        await type_text(pilot, "1")
        await pilot.press("ctrl+t")
        await settled(pilot)
        assert app.sent() == [], "one alone is not several"
        await pilot.press("ctrl+g")
        await type_text(pilot, "2")
        assert "Send 2 ^t" in app.text()
        await pilot.press("ctrl+t")
        await settled(pilot)
        assert app.sent() == [
            {
                "a": {"action": "accept", "content": {"one": 1}},
                "b": {"action": "accept", "content": {"two": 2}},
            }
        ]
        assert "Question 3 of 3" in app.text()


async def test_what_was_only_looked_at_is_never_sent_along() -> None:
    """A plain yes-or-no, and a form with nothing but defaults, take a Send of their own."""
    flag = {"type": "boolean", "default": True}
    app = AnswerApp(
        {
            "a": ask(one=COUNT),
            "b": form({}, "Delete all?"),
            "c": ask(required=False, on=flag),
            "d": ask(two=COUNT),
        }
    )
    async with app.run_test() as pilot:
        await pilot.pause()
        await type_text(pilot, "1")
        await pilot.press("ctrl+g", "ctrl+g", "ctrl+g")
        await pilot.pause()
        await type_text(pilot, "2")
        await pilot.press("ctrl+t")
        await settled(pilot)
        assert [sorted(each) for each in app.sent()] == [["a", "d"]]


async def test_the_order_stays_whatever_order_the_server_sends() -> None:
    app = AnswerApp({"b": ask(two=COUNT), "a": ask(one=COUNT)})
    async with app.run_test() as pilot:
        await pilot.pause()
        before = app.text()
        app.supervisor.put(waiting({"a": ask(one=COUNT), "b": ask(two=COUNT)}))
        await pilot.pause()
        assert app.text() == before


async def test_a_new_question_never_disturbs_typing() -> None:
    app = AnswerApp({"z": ask(count=COUNT)})
    async with app.run_test() as pilot:
        await pilot.pause()
        await type_text(pilot, "4")
        focused = app.focused
        app.supervisor.put(waiting({"a": ask(other=COUNT), "z": ask(count=COUNT)}))
        await pilot.pause()
        await type_text(pilot, "2")
        assert app.focused is focused
        assert isinstance(focused, Input)
        assert focused.value == "42"
        assert "Question 1 of 2" in app.text()


async def test_a_withdrawn_question_says_so_and_keeps_its_text() -> None:
    app = AnswerApp({"q": ask(count=COUNT)})
    async with app.run_test() as pilot:
        await pilot.pause()
        await type_text(pilot, "4")
        app.supervisor.put(waiting({}, state=State.COMPLETED))
        await pilot.pause()
        assert "No longer asked: the task is completed" in app.text()
        assert [each.value for each in app.answer.query(Input)] == ["4"]
        await pilot.press("ctrl+s", "ctrl+n", "ctrl+l")
        await settled(pilot)
        assert app.sent() == []


async def test_a_changed_question_is_read_again_on_request() -> None:
    app = AnswerApp({"q": ask(count=COUNT)})
    async with app.run_test() as pilot:
        await pilot.pause()
        await type_text(pilot, "40")
        app.supervisor.put(waiting({"q": ask(count=COUNT | {"maximum": 99})}))
        await pilot.pause()
        assert "has changed this question" in app.text()
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert app.sent() == []
        await pilot.press("ctrl+r")
        await pilot.pause()
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert app.sent() == [{"q": {"action": "accept", "content": {"count": 40}}}]


async def test_an_answered_question_is_sent_again_only_on_request() -> None:
    app = AnswerApp({"q": ask(count=COUNT)})
    app.supervisor.put(waiting({"q": ask(count=COUNT)}, answered=["q"]))
    async with app.run_test() as pilot:
        await pilot.pause()
        assert "Send again" in app.text()
        await type_text(pilot, "4")
        await pilot.press("ctrl+s")
        await settled(pilot)
        [asked] = app.supervisor.asked_for("answer")
        assert asked.value[1] is True


# --- sending goes wrong -------------------------------------------------------------------

FAULTS: list[tuple[Exception, str]] = [
    (NoSuchTask(-32602, ServerText("name [/] required"), None, 400), "Refused by the server"),
    (NoSuchTask(-32602, ServerText("name [/] required"), None, 400), "name [/] required"),
    (Unreachable("refused"), "Not sent: connection refused"),
    (TimedOut("total", 60), "Perhaps not delivered"),
    (AnswerUnconfirmed(TimedOut("silence", 30)), "Perhaps not delivered"),
    (AlreadyAnswered(["q"]), "Not sent: already answered"),
    (KeyError("x"), "a fault of this program"),
]


@pytest.mark.parametrize(("fault", "words"), FAULTS)
async def test_a_failed_send_brings_the_form_back_with_its_text(
    fault: Exception, words: str
) -> None:
    app = AnswerApp({"q": ask(count=COUNT)})
    app.supervisor.failures["answer"] = fault
    async with app.run_test(size=(60, 15)) as pilot:
        await pilot.pause()
        await type_text(pilot, "4")
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert words in " ".join(app.text().replace("│", " ").split())
        assert [each.value for each in app.answer.query(Input)] == ["4"]
        assert app.drafts.waiting(KEY) == 1
        del app.supervisor.failures["answer"]
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert app.outcomes == [AnswerOutcome(KEY, {"q": "accept"})]


async def test_while_it_is_sent_it_cannot_be_sent_again() -> None:
    app = AnswerApp({"q": ask(count=COUNT)})
    app.supervisor.gate = asyncio.Event()
    async with app.run_test() as pilot:
        await pilot.pause()
        await type_text(pilot, "4")
        await pilot.press("ctrl+s")
        while not app.sent():
            await pilot.pause()
        await pilot.press("ctrl+s", "ctrl+n")
        await pilot.pause()
        assert "Sending…" in app.text()
        assert len(app.sent()) == 1
        app.supervisor.gate.set()
        await settled(pilot)
        assert len(app.sent()) == 1


async def test_closing_while_it_is_sent_breaks_nothing_off() -> None:
    app = AnswerApp({"q": ask(count=COUNT)})
    app.supervisor.gate = asyncio.Event()
    app.supervisor.failures["answer"] = TimedOut("total", 60)
    async with app.run_test() as pilot:
        await pilot.pause()
        await type_text(pilot, "4")
        await pilot.press("ctrl+s")
        while not app.sent():
            await pilot.pause()
        await pilot.press("escape")
        await pilot.pause()
        app.supervisor.gate.set()
        await settled(pilot)
        [told] = app._notifications
        assert told.message.startswith("Perhaps not delivered")
        assert app.drafts.waiting(KEY) == 1


async def test_a_screen_above_has_all_the_keys() -> None:
    app = AnswerApp({"q": ask(count=COUNT)})
    async with app.run_test() as pilot:
        await pilot.pause()
        await type_text(pilot, "4")
        await app.push_screen(ModalScreen[None]())
        await pilot.press("ctrl+s", "ctrl+n", "ctrl+l", "enter", "5")
        await settled(pilot)
        app.pop_screen()
        await pilot.pause()
        assert app.sent() == []
        assert [each.value for each in app.answer.query(Input)] == ["4"]


async def test_read_only_sends_nothing() -> None:
    app = AnswerApp({"q": ask(count=COUNT), "u": page("https://a.example")}, read_only=True)
    async with app.run_test() as pilot:
        await pilot.pause()
        await type_text(pilot, "4")
        await pilot.press("ctrl+s", "ctrl+n", "ctrl+l", "ctrl+t")
        await settled(pilot)
        assert app.sent() == []


# --- pages and other kinds ----------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
async def test_a_page_is_opened_only_after_a_yes(size: tuple[int, int]) -> None:
    url = "https://mcp.example.com/connect?state=1"
    app = AnswerApp({"q": page(url)})
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        shown = app.text()
        assert shown.count("mcp.example.com") >= 2
        await pilot.press("o")
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        assert app.browser.opened == [], "the default is to go back"
        await pilot.press("o")
        await pilot.pause()
        await pilot.press("right", "enter")
        await settled(pilot)
        assert app.browser.opened == [url]
        assert app.sent() == [], "opening alone tells the server nothing"
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert app.sent() == [{"q": {"action": "accept"}}]


async def test_opening_and_sending_are_one_step_if_wanted() -> None:
    app = AnswerApp({"q": page("https://mcp.example.com/")})
    async with app.run_test() as pilot:
        await pilot.pause()
        assert "does not say that you are done" in " ".join(app.text().replace("│", " ").split())
        await pilot.press("o")
        await pilot.pause()
        await pilot.press("right", "right", "enter")
        await settled(pilot)
        assert app.browser.opened == ["https://mcp.example.com/"]
        assert app.sent() == [{"q": {"action": "accept"}}]


async def test_without_a_browser_nothing_is_sent_and_the_url_can_be_copied() -> None:
    app = AnswerApp({"q": page("https://mcp.example.com/")}, browser=Browser(works=False))
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("o")
        await pilot.pause()
        await pilot.press("right", "right", "enter")
        await settled(pilot)
        assert app.sent() == []
        assert "No browser could be started" in app.text()
        await pilot.press("y")
        assert app.copied == ["https://mcp.example.com/"]


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "https://a\u202eb.c"])
async def test_what_is_no_web_page_is_never_opened(url: str) -> None:
    app = AnswerApp({"q": page(url)})
    async with app.run_test() as pilot:
        await pilot.pause()
        assert "Not opened from here" in app.text()
        await pilot.press("o", "enter")
        await pilot.pause()
        assert app.browser.opened == []
        await pilot.press("ctrl+n")
        await settled(pilot)
        assert app.sent() == [{"q": {"action": "decline"}}]


async def test_an_answered_page_can_be_opened_again_and_is_not_asked_again() -> None:
    app = AnswerApp({"q": page("https://mcp.example.com/")})
    app.supervisor.put(waiting({"q": page("https://mcp.example.com/")}, answered=["q"]))
    async with app.run_test() as pilot:
        await pilot.pause()
        assert "waits until the page is finished" in app.text()
        await pilot.press("o")
        await pilot.pause()
        await pilot.press("right", "enter")
        await settled(pilot)
        assert app.browser.opened == ["https://mcp.example.com/"]
        assert app.sent() == []


async def test_other_kinds_are_shown_and_left_alone() -> None:
    app = AnswerApp({"a": SAMPLING, "b": ask(count=COUNT)})
    async with app.run_test(size=(60, 15)) as pilot:
        await pilot.pause()
        await pilot.press("ctrl+g")
        await pilot.pause()
        assert "sampling/createMessage" in app.text()
        await pilot.press("ctrl+s", "ctrl+n", "ctrl+l")
        await settled(pilot)
        assert app.sent() == []
        await pilot.click("#cancel-task")
        await pilot.pause()
        assert app.cancel_wanted == [KEY]
        await pilot.press("ctrl+g")
        await type_text(pilot, "4")
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert app.sent() == [{"b": {"action": "accept", "content": {"count": 4}}}]
        assert app.outcomes == [AnswerOutcome(KEY, {"b": "accept"})]


async def test_a_malformed_form_can_still_be_declined() -> None:
    app = AnswerApp({"q": form("what")})
    async with app.run_test() as pilot:
        await pilot.pause()
        assert "requestedSchema is not a schema" in app.text()
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert app.sent() == []
        await pilot.press("ctrl+n")
        await settled(pilot)
        assert app.sent() == [{"q": {"action": "decline"}}]


async def test_hundreds_of_fields_become_one_json_answer() -> None:
    app = AnswerApp(
        {"q": ask(required=False, **{f"f{n}": {"type": "string"} for n in range(3000)})}
    )
    async with app.run_test() as pilot:
        await pilot.pause()
        assert "3,000 fields are too many" in app.text()
        assert isinstance(app.focused, AreaField)
        app.focused.text = '{"f7": 1}'
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert app.sent() == []
        assert "f7: must be a text" in app.text()
        app.focused.text = '{"f7": "x"}'
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert app.sent() == [{"q": {"action": "accept", "content": {"f7": "x"}}}]


async def test_an_unknown_task_and_a_task_that_asks_nothing_only_close() -> None:
    app = AnswerApp({})
    async with app.run_test() as pilot:
        await pilot.pause()
        assert "The task asks nothing" in app.text()
        app.supervisor.put(waiting({"q": ask(count=COUNT)}))
        await pilot.pause()
        await type_text(pilot, "4")
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert app.sent() == [{"q": {"action": "accept", "content": {"count": 4}}}]


# --- drafts -------------------------------------------------------------------------------


def test_drafts_of_a_changed_question_keep_text_and_drop_picks() -> None:
    from mcp_tasks_tui.forms.reading import read_question
    from mcp_tasks_tui.forms.values import Picked

    old = read_question("q", ask(name={"type": "string"}, level={"enum": ["low", "high"]}))
    new = read_question("q", ask(name={"type": "string"}, level={"enum": ["high", "low"]}))
    drafts = Drafts()
    drafts.put(KEY, old, "name", "x")
    drafts.put(KEY, old, "level", Picked((0,)))
    assert drafts.entries(KEY, old) == {"name": "x", "level": Picked((0,))}
    assert drafts.entries(KEY, new) == {"name": "x"}
    assert drafts.entries("other", old) == {}
    assert drafts.entries(KEY, replace(new, key="r")) == {}


async def test_nothing_but_static_text_is_drawn_without_content() -> None:
    """Every Static of the screen has markup off, whatever it shows."""
    app = AnswerApp(
        {"a": ask(s={"type": "string"}), "u": page("http://a.example:81"), "x": SAMPLING}
    )
    async with app.run_test() as pilot:
        for _ in range(3):
            await pilot.press("ctrl+g")
            await pilot.pause()
        lines = list(app.answer.query(Static))
        assert len(lines) > 10
        assert not any(line._render_markup for line in lines)
