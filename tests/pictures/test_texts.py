"""The window shows what it showed: where that is meant to change, the texts are made anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pictures.texts import FOLDER, SCENES, difference, file_of, taken

# Fixtures: an app is waited for exactly as long as it has something to do.
from tests.ui.conftest import exact_waiting, sheets_are_parsed_once  # noqa: F401 - used by pytest


@pytest.mark.parametrize("name", list(SCENES))
async def test_the_window_shows_what_is_kept(name: str) -> None:
    told = [
        found for path, shown in (await taken(name)).items() if (found := difference(path, shown))
    ]

    assert not told, "\n".join(
        (*told, "", f"If this is meant: python -m tests.pictures --text {name}")
    )


def test_every_text_is_of_a_scene() -> None:
    named = {file_of(name, size).name for name, scene in SCENES.items() for size in scene.sizes}

    assert {path.name for path in FOLDER.iterdir()} == named


def test_a_difference_is_told_line_by_line(tmp_path: Path) -> None:
    kept = tmp_path / "list.80x24.txt"
    assert "+ 3 tasks" in difference(kept, " 3 tasks\n"), "nothing is kept of it yet"
    kept.write_text(" 2 tasks\n ● working\n", encoding="utf-8")

    assert difference(kept, " 2 tasks\n ● working\n") == ""
    told = difference(kept, " 2 tasks\n ✓ completed\n").splitlines()

    assert told[:2] == ["--- kept: list.80x24.txt", "+++ shown now"]
    assert told[3:] == ["  2 tasks", "- ● working", "+ ✓ completed"]
