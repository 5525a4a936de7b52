"""Where in the settings file something is."""

from __future__ import annotations

import pytest

from mcp_tasks_tui.config.lines import line_of

_TEXT = """\
# min_poll = 1
[servers."b c"]
url = "x"
headers = { url = "y" }

[servers.a.headers]
H = "1"
[ engine ]
min_poll = 1
screen.mouse = true
[keys]
"task.cancel" = "x"
"""


@pytest.mark.parametrize(
    ("where", "line"),
    [
        (("servers",), 2),
        (("servers", "b c"), 2),
        (("servers", "b c", "url"), 3),
        (("servers", "b c", "headers", "url"), 4),
        (("servers", "a"), 6),
        (("servers", "a", "headers", "H"), 7),
        (("engine", "min_poll"), 9),
        (("engine", "screen", "mouse"), 10),
        (("keys", "task.cancel"), 12),
        (("keys", "task.copy"), None),
    ],
)
def test_a_key_is_looked_for_in_its_own_table(where: tuple[str, ...], line: int | None) -> None:
    assert line_of(_TEXT, where) == line
