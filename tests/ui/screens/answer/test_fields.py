"""Each kind of field, filled in by keys, mouse and paste: the exact JSON that goes out."""

from __future__ import annotations

from typing import Any

import pytest
from textual import events

from mcp_tasks_tui.ui.widgets.form.choices import InlineChoices
from mcp_tasks_tui.ui.widgets.form.text import AreaField
from tests.ui.screens.answer.answering import (
    COUNT,
    KEY,
    AnswerApp,
    ask,
    form,
    settled,
    type_text,
)


@pytest.mark.parametrize(
    ("keys", "content"),
    [
        ([], {}),
        (["right"], {"on": True}),
        (["right", "space"], {"on": True}),
        (["left"], {"on": False}),
        (["right", "right"], {"on": False}),
        (["right", "right", "right"], {}),
        (["right", "backspace"], {}),
    ],
)
async def test_an_unset_switch_is_not_no(keys: list[str], content: dict[str, Any]) -> None:
    app = AnswerApp({"q": ask(required=False, on={"type": "boolean"})})
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press(*keys)
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert app.sent() == [{"q": {"action": "accept", "content": content}}]


@pytest.mark.parametrize(
    ("schema", "keys", "sent"),
    [
        ({"type": "boolean", "default": False}, ["left"], True),
        ({"type": "boolean", "default": True}, ["right"], False),
        ({"type": "boolean", "default": True}, ["down", "up"], True),
        ({"enum": ["a", "b", "c"]}, ["right"], "b"),
        ({"enum": ["a", "b", "c"]}, ["left"], "c"),
        ({"enum": ["a", "b", "c"], "default": "b"}, ["down"], "c"),
        ({"enum": ["a", "b", "c"], "default": "b"}, ["down", "space", "enter"], "c"),
    ],
)
async def test_what_the_arrows_highlight_is_what_is_sent(
    schema: dict[str, Any], keys: list[str], sent: Any
) -> None:
    app = AnswerApp({"q": ask(field=schema)})
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press(*keys, "ctrl+s")
        await settled(pilot)
        assert app.sent() == [{"q": {"action": "accept", "content": {"field": sent}}}]


async def test_of_several_choices_the_arrows_mark_none() -> None:
    app = AnswerApp({"q": ask(tags={"type": "array", "items": {"enum": ["a", "b", "c"]}})})
    async with app.run_test() as pilot:
        await pilot.pause()
        assert "arrows move, space marks" in app.text()
        await pilot.press("right", "right", "space", "left", "ctrl+s")
        await settled(pilot)
        assert app.sent() == [{"q": {"action": "accept", "content": {"tags": ["c"]}}}]


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
async def test_an_optional_choice_can_be_taken_back_with_the_mouse(
    required: bool, content: dict[str, Any]
) -> None:
    app = AnswerApp({"q": ask(required=required, c={"enum": ["one", "two"]})})
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.click(InlineChoices, offset=(1, 0))
        await pilot.click(InlineChoices, offset=(1, 0))
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert app.sent() == [{"q": {"action": "accept", "content": content}}]


async def test_an_optional_choice_can_be_taken_back_and_says_how() -> None:
    app = AnswerApp({"q": ask(required=False, c={"enum": ["one", "two"]})})
    async with app.run_test() as pilot:
        await pilot.pause()
        assert "backspace picks none" in app.text()
        await pilot.press("space", "space", "backspace", "ctrl+s")
        await settled(pilot)
        assert app.sent() == [{"q": {"action": "accept", "content": {}}}]


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


async def test_the_bar_is_at_the_field_that_one_is_in_and_at_no_other() -> None:
    app = AnswerApp({"q": ask(count=COUNT, name={"type": "string"})})
    async with app.run_test() as pilot:
        await pilot.pause()
        await type_text(pilot, "77")
        assert "▌ count" in app.text()
        await pilot.press("tab")
        await pilot.pause()
        lines = app.text().splitlines()
        assert any("✗" in line for line in lines)
        assert not any("▌" in line for line in lines if "count" in line or "✗" in line)
        assert any("▌ name" in line for line in lines)
