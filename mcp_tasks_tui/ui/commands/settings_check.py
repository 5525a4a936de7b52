"""What the settings ask of the screen that it cannot do; it shows itself as it can all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.config.lines import line_of
from mcp_tasks_tui.ui.commands.keymap import read_keymap
from mcp_tasks_tui.ui.commands.vocabulary import COMMANDS
from mcp_tasks_tui.ui.looks.theme import unknown_theme

if TYPE_CHECKING:
    from pathlib import Path

    from mcp_tasks_tui.config.model import ScreenConfig


def wrong_on_screen(screen: ScreenConfig, path: Path, text: str) -> list[tuple[str, str]]:
    """Return what is wrong, ``theme`` or ``keys``, and a line that names file, line and key.

    `text` is that of the settings file at `path`, from which `screen` was read.
    """
    found: list[tuple[str, str]] = []
    if screen.theme is not None and (words := unknown_theme(screen.theme)):
        place = _place(path, text, ("screen", "theme"))
        found.append(("theme", f"{place}: screen.theme: {words}"))
    for fault in read_keymap(screen.keys, COMMANDS).faults:
        place = _place(path, text, ("keys", fault.command_id))
        found.append(("keys", f"{place}: keys: {fault.text}"))
    return found


def wrong_in_file(screen: ScreenConfig, path: Path) -> list[str] | None:
    """Return the lines for what is wrong, None where the file cannot be read (any more)."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    return [told for _, told in wrong_on_screen(screen, path, text)]


def _place(path: Path, text: str, where: tuple[str, ...]) -> str:
    line = line_of(text, where)
    return f"{path}, line {line}" if line else str(path)
