"""Keys that only move a cursor are known as such, by whatever name their action has."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from textual import events
from textual.widgets import Input, OptionList, TextArea

from mcp_tasks_tui.ui.commands.keymap import bind, read_keymap
from mcp_tasks_tui.ui.commands.vocabulary import COMMANDS
from mcp_tasks_tui.ui.terminal.in_order import keeps
from mcp_tasks_tui.ui.widgets.form.choices import InlineChoices
from mcp_tasks_tui.ui.widgets.lines.view import LineView
from tests.ui.bare import BareApp

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.widget import Widget

_CURSOR = re.compile(r"\w+\.(?:(?:page_)?(?:down|up)|left|right|first|last)|list\.mark")
_COMMANDS = [each for each in COMMANDS if _CURSOR.fullmatch(each.id)]


async def test_a_key_of_a_command_that_moves_a_cursor_is_a_step() -> None:
    app = BareApp(LineView())
    async with app.run_test():
        field = app.screen.query_one(LineView)
        for command in _COMMANDS:
            bind(field, read_keymap({}, [command]), [command.id])
        keys = {key for command in _COMMANDS for key in command.keys}
        assert {"j", "space", "h"} <= keys
        assert {key: keeps(field, events.Key(key, None)) for key in keys} == dict.fromkeys(
            keys, "step"
        )
        for command in COMMANDS:
            assert command.steps is (command in _COMMANDS), command.id


@pytest.mark.parametrize(
    ("field", "keys"),
    [
        (Input, "left right home end backspace delete ctrl+w ctrl+u ctrl+k"),
        (TextArea, "left right up down home end pageup pagedown backspace delete ctrl+u"),
        (OptionList, "up down home end pageup pagedown"),
        (lambda: InlineChoices(("a", "b"), (), several=False), "up down left right"),
        (LineView, "up down home end pageup pagedown j k"),
    ],
)
async def test_a_key_that_moves_the_cursor_of_a_field_is_a_step(
    field: Callable[[], Widget], keys: str
) -> None:
    app = BareApp(widget := field())
    async with app.run_test():
        how = {key: keeps(widget, events.Key(key, None)) for key in keys.split()}
        assert how == dict.fromkeys(how, "step")
        assert keeps(widget, events.Key("tab", None)) == ""
