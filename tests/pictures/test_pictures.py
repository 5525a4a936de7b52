"""The pictures of the documentation can be made, and are the same each time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mcp_tasks_tui.demo.scenes import SCENES
from tests.pictures.__main__ import make
from tests.pictures.console import CONSOLE_SHOTS
from tests.pictures.shots import REELS, Reel, Shot, take
from tests.pictures.svg import tidy

_TASK_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}")
_KEPT = Path(__file__).resolve().parents[2] / "screenshots"


async def test_a_picture_is_the_same_twice_and_shows_no_task_id() -> None:
    reel = Reel(SCENES["tour"], 4.0, (Shot("short", task="Build checkout 2.4.0"),))

    pictures = [[svg async for _, svg in take(reel)] for _ in range(2)]

    assert pictures[0] == pictures[1]
    svg = pictures[0][0]
    assert "Build&#160;checkout&#160;2" in svg
    assert "Pulling" in svg
    assert "••••" in svg
    assert not _TASK_ID.search(svg)


def test_an_id_is_masked_whole_as_its_beginning_and_as_the_end_of_a_broken_line() -> None:
    secret = "8f14e45f-ceea-467e"

    masked = tidy(f"<a>{secret}</a><a>8f14e45f-ce…</a><a>467e</a><a>8f14</a>", secrets=[secret])

    assert masked == f"<a>{'•' * 18}</a><a>{'•' * 11}…</a><a>••••</a><a>8f14</a>\n"


def test_blanks_before_a_text_become_its_place() -> None:
    text = '<text class="r1" x="12.2" y="20" textLength="48.8" clip-path="url(#c)">{}</text>'

    moved = tidy(text.format("&#160;&#160;ab"))

    assert moved == (
        '<text class="r1" x="36.6" y="20" textLength="24.4" clip-path="url(#c)">ab</text>\n'
    )


def test_every_picture_is_kept_and_no_other() -> None:
    named = {shot.name for reel in REELS for shot in reel.shots} | set(CONSOLE_SHOTS)

    assert {path.stem for path in _KEPT.glob("*.svg")} == named | {"tour"}


@pytest.mark.slow
async def test_all_pictures_are_the_same_twice(tmp_path: Path) -> None:
    named = frozenset(shot.name for reel in REELS for shot in reel.shots) | set(CONSOLE_SHOTS)
    first, second = tmp_path / "first", tmp_path / "second"

    await make(first, named)
    await make(second, named)

    for path in sorted(first.iterdir()):
        assert path.read_bytes() == (second / path.name).read_bytes(), path.name
