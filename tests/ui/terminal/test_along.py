"""What sends a form counts only by itself: a text that comes as keys sends nothing."""

from __future__ import annotations

import pytest
from textual import events

from mcp_tasks_tui.ui.terminal import along
from tests.ui.bare import until
from tests.ui.terminal.typed_at_once import post, running, values


@pytest.mark.parametrize("after", [0.04, 1.0])
async def test_a_text_that_comes_as_keys_sends_nothing_and_a_key_after_it_does(
    monkeypatch: pytest.MonkeyPatch, after: float
) -> None:
    async with running() as (app, fake, pilot):
        post(app, "u")
        await until(pilot, lambda: len(values(app)) >= 4)
        monkeypatch.setattr(along, "TOGETHER", 0.03)
        typed = [
            events.Key(*key) for key in (("a", "a"), ("b", "b"), ("ctrl+s", "\x13"), ("c", "c"))
        ]
        for number, key in enumerate(typed):
            key.time = typed[0].time + 0.001 * number
            app.post_message(key)
        await until(pilot, lambda: values(app)[-4:] == ["abc", "", "", ""])
        [told] = [each.message for each in app._notifications]
        assert told == "^s came along with a text: once more if it is meant"
        assert fake.asked_for("answer") == []
        meant = events.Key("ctrl+s", None)
        meant.time = typed[-1].time + after
        app.post_message(meant)
        await until(pilot, lambda: bool(fake.asked_for("answer")))
