"""Which keys there are, by the names that a person may write."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events
from textual._xterm_parser import XTermParser

from mcp_tasks_tui.config.model import ScreenConfig
from mcp_tasks_tui.ui.commands.key_names import spelled, unknown_key
from mcp_tasks_tui.ui.commands.settings_check import wrong_in_file
from mcp_tasks_tui.ui.commands.vocabulary import COMMANDS


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("?", "question_mark"),
        ("+", "plus"),
        (",", "comma"),
        ("-", "minus"),
        ("A", "A"),
        ("ä", "ä"),
        ("f24", "f24"),
        ("space", "space"),
        ("full_stop", "full_stop"),
        ("ctrl++", "ctrl+plus"),
        ("ctrl+?", "ctrl+question_mark"),
        ("ctrl+@", "ctrl+@"),
        ("shift+tab", "shift+tab"),
        ("shift+ctrl+left", "ctrl+shift+left"),
        ("alt+enter", "alt+enter"),
    ],
)
def test_a_key_is_known_by_its_names(written: str, key: str) -> None:
    assert spelled(written) == key


def test_our_own_keys_are_spelled_as_they_come() -> None:
    keys = [key for command in COMMANDS for key in command.keys]
    assert [spelled(key) for key in keys] == keys


@pytest.mark.parametrize(
    "sequence",
    [
        *("\x00", "\x1c", "\x1f", "\x01", "?", "+", "\x1b[97;6u", "\x1b[1;6D", "\x1b[63;5u"),
        *("\x1bA", "\x1b[32;5u", "\x1b[Z", "\x1b[97;7u", "\x1b[57376u", "\x1b[15~", "\x1bOP"),
        *("\r", "\x7f"),
    ],
)
def test_what_a_terminal_sends_can_be_written(sequence: str) -> None:
    parser = XTermParser()
    sent = [*parser.feed(sequence), *parser.feed("")]
    keys = [event.key for event in sent if isinstance(event, events.Key)]
    assert keys
    assert [spelled(key) for key in keys] == keys


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        ("ctrl+foo+bar", "write one character, or a name such as escape, f5, ctrl+x"),
        ("", "write one character, or a name such as escape, f5, ctrl+x"),
        ("ctrl+", "did you mean "),
        ("\x01", "write one character"),
        ("<any>", "write one character"),
        ("F5", "did you mean f5?"),
        ("esc", "did you mean escape?"),
        ("escpae", "did you mean escape?"),
        ("^x", "did you mean ctrl+x?"),
        ("Ctrl+X", "did you mean ctrl+x?"),
        ("shift+a", "did you mean A?"),
        ("ctrl+return", "did you mean ctrl+enter?"),
        ("↓", "did you mean down?"),
    ],
)
def test_of_another_name_is_said_what_may_be_meant(written: str, hint: str) -> None:
    assert spelled(written) is None
    assert f"; {hint}" in unknown_key(written)


def test_a_mistake_has_its_place_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('[keys]\n"list.freeze" = "ctrl+foo+bar"\n', encoding="utf-8")
    screen = ScreenConfig(keys={"list.freeze": "ctrl+foo+bar"})
    told = wrong_in_file(screen, path)
    assert told is not None
    (line,) = told
    assert line.startswith(f"{path}, line 2: keys: list.freeze: no key is called ctrl+foo+bar; ")
    assert wrong_in_file(screen, tmp_path / "none.toml") is None
