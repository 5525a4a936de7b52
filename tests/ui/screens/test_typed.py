"""What counts as filled in: what a person changed and did not change back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mcp_tasks_tui.forms.reading import read_form
from mcp_tasks_tui.forms.values import Picked, initial
from mcp_tasks_tui.ui.screens.typed import Typed

if TYPE_CHECKING:
    from mcp_tasks_tui.forms.values import Entry

_LEVEL = {"type": "string", "enum": ["low", "high"]}
_REGIONS = {"type": "array", "items": _LEVEL}
_PLACE = ("server", "tool")
_OTHER = ("server", "other")


@pytest.mark.parametrize(
    ("schema", "changed", "back"),
    [
        ({"type": "boolean", "default": False}, True, False),
        ({"type": "boolean", "default": True}, False, True),
        ({"type": "boolean"}, False, None),
        ({"type": "string"}, "main", ""),
        ({"type": "string", "default": "main"}, "", "main"),
        ({"type": "integer", "default": 3}, "4", "3"),
        (_LEVEL, Picked((1,)), Picked()),
        ({**_LEVEL, "default": "high"}, Picked((0,)), Picked((1,))),
        (_REGIONS, Picked((0, 1)), Picked()),
        ({**_REGIONS, "default": ["low"]}, Picked(), Picked((0,))),
    ],
)
def test_a_field_that_was_changed_back_is_not_filled_in(
    schema: dict[str, Any], changed: Entry, back: Entry
) -> None:
    asked = {"type": "object", "properties": {"one": schema, "two": {"type": "string"}}}
    form = read_form(asked)
    typed = Typed()
    typed.put(_PLACE, asked, form, "one", changed)
    assert typed.filled() == [_PLACE]
    assert typed.entries(_PLACE, asked, form) == {"one": changed}
    typed.put(_PLACE, asked, form, "two", "x")
    typed.put(_PLACE, asked, form, "one", back)
    assert typed.entries(_PLACE, asked, form) == {"two": "x"}
    typed.put(_PLACE, asked, form, "two", "")
    assert typed.filled() == []
    field = next(each for each in form.fields if each.name == "one")
    assert initial(field) in (back, None), "it is shown as it was"


def test_what_is_handed_on_goes_before_nothing_that_is_there() -> None:
    asked = {"type": "object", "properties": {"one": {"type": "boolean", "default": False}}}
    form = read_form(asked)
    typed, to = Typed(), Typed()
    for entry in (True, False):
        to.put(_PLACE, asked, form, "one", entry)  # and changed back: nothing is there
    typed.put(_PLACE, asked, form, "one", True)
    typed.put(_OTHER, asked, form, "one", True)
    typed.move(_PLACE, to)
    assert typed.filled() == [_OTHER]
    assert to.entries(_PLACE, asked, form) == {"one": True}
