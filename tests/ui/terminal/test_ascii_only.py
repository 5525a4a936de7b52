"""Without our signs: every screen is drawn in ASCII, as wide as before."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from mcp_tasks_tui.config.model import ScreenConfig
from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.sanitize import clean
from mcp_tasks_tui.supervise.server_view import Health
from mcp_tasks_tui.supervise.view import Reason
from mcp_tasks_tui.supervise.words import STATES, STUCK
from mcp_tasks_tui.ui.app import TasksApp
from mcp_tasks_tui.ui.terminal.ascii_only import in_ascii
from tests.ui.bare import until, whole_screen
from tests.ui.fakes import NOW, FakeSupervisor, a_server, a_task

_OURS = "━╸─█▌▎░│┼▸▾•·≈…‹›↗▣▪⠋⠙⠸⠴⠦⠇▁▂▃▄▅▆▇╭╮╰╯├┤═║╔╗»↓↑␛␡⟨⟩‖\ufffd"
_QUESTION = {
    "method": "elicitation/create",
    "params": {
        "message": "Deploy?",
        "requestedSchema": {
            "type": "object",
            "properties": {
                "sure": {"type": "boolean"},
                "region": {"type": "string", "enum": ["eu", "us"]},
                "when": {"type": "string", "format": "date"},
            },
        },
    },
}


@pytest.mark.parametrize("sign", [*_OURS, *(state.glyph for state in (*STATES.values(), STUCK))])
def test_every_sign_has_an_ascii_sign_of_the_same_width(sign: str) -> None:
    assert in_ascii(sign).isascii()
    assert cell_len(in_ascii(sign)) == cell_len(sign) == 1


def test_what_a_server_hides_is_marked_in_ascii_too() -> None:
    assert in_ascii(clean("a\u202eb")) == "a<U+202E>b"
    assert in_ascii(clean("a\x1b[2J\x07\x9b\ud800")) == "a^[[2J^G<U+009B>?"


@given(st.text(st.characters(max_codepoint=0x9F)))
def test_control_characters_say_which_they_are_on_as_many_cells(raw: str) -> None:
    shown = clean(raw)
    plain = in_ascii(shown)
    assert plain.isascii()
    assert cell_len(plain) == cell_len(shown)
    assert plain.count("?") == raw.count("?") + raw.count("\x7f")


def test_letters_of_any_script_stay() -> None:
    assert in_ascii("Größe 日本 ● é") == "Größe 日本 * é"


async def test_a_locale_without_utf_8_is_enough() -> None:
    fake = FakeSupervisor.of(a_task("t1", label="build"))
    app = TasksApp(fake, now=lambda: NOW, environ={"LANG": "C", "TERM": "screen"})
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "* working     build" in whole_screen(app))
        assert whole_screen(app).isascii()


async def test_every_screen_is_drawn_in_ascii() -> None:
    fake = FakeSupervisor.of(
        a_task("t1", State.INPUT_REQUIRED, label="release", requests={"q": _QUESTION}),
        a_task("t2", label="build", fraction=0.4, message="4 of 10", attention=[Reason.STUCK]),
        a_task("t3", State.COMPLETED, label="report"),
        servers=[a_server(), a_server("http://b/mcp", "billing", Health.DOWN, "refused")],
    )
    fake.results["t3"] = {"content": [{"type": "text", "text": "# Head\n\n- one\n- two"}]}
    config = ScreenConfig(ascii=True, animations=False)
    app = TasksApp(fake, config=config, now=lambda: NOW, environ={})
    ways = {
        "list": ("home",),
        "help": ("question_mark",),
        "cancel": ("escape", "c"),
        "answer": ("escape", "u"),
        "wall": ("escape", "v"),
        "new call": ("v", "n"),
        "edit": ("escape", "e"),
        "result": ("escape", "end", "enter", "enter"),
    }
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.engine.loaded)
        for name, keys in ways.items():
            await pilot.press(*keys)
            await pilot.pause()
            drawn = whole_screen(app)
            assert drawn.isascii(), (name, {each for each in drawn if not each.isascii()})
