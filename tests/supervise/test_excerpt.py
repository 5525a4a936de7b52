"""One line of a result, whatever a server calls a result."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.excerpt import excerpt

_ODD: tuple[Any, ...] = (None, {}, [], "text", 7)


def text(words: Any) -> dict[str, Any]:
    return {"type": "text", "text": words}


@pytest.mark.parametrize(
    ("result", "line"),
    [
        ({"content": [text("\n  Pushed web:1.4 \nin 3 m")]}, "Pushed web:1.4"),
        ({"content": [{"type": "image", "data": "x"}, text(" \n"), text("two")]}, "two"),
        ({"content": [text("x" * 5_000)]}, "x" * 160),
        ({"content": [text("\n" * 5_000 + "far below")]}, None),
        ({"content": [{"type": "audio", "text": "no"}, "text", None, text(7)]}, None),
        *(({"content": odd}, None) for odd in _ODD),
        *((odd, None) for odd in _ODD),
    ],
)
def test_the_first_line_of_text_tells_how_it_ended(result: Any, line: str | None) -> None:
    assert excerpt(result) == (None if line is None else ServerText(line))
