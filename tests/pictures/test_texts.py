"""The window shows what it showed: where that is meant to change, the texts are made anew."""

from __future__ import annotations

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
