"""Makes every picture of `screenshots/` anew: ``python -m tests.pictures [NAME...]``.

With ``--text`` it is the text pictures, which every test run compares with what the window shows.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Collection
from pathlib import Path

from tests.pictures import texts
from tests.pictures.console import CONSOLE_SHOTS, take_console
from tests.pictures.environment import as_everywhere
from tests.pictures.shots import REELS, take

_FOLDER = Path(__file__).resolve().parents[2] / "screenshots"


def main() -> int:
    pictures = [shot.name for reel in REELS for shot in reel.shots] + list(CONSOLE_SHOTS)
    parser = argparse.ArgumentParser(prog="python -m tests.pictures", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(pictures)}")
    parser.add_argument("--text", action="store_true", help=f"of {', '.join(texts.SCENES)}")
    parser.add_argument("--to", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    known = list(texts.SCENES) if options.text else pictures
    if unknown := set(options.names) - set(known):
        parser.error(f"no picture is called {', '.join(sorted(unknown))}")
    names = frozenset(options.names or known)
    if options.text:
        asyncio.run(write_texts(options.to or texts.FOLDER, names))
    else:
        asyncio.run(make(options.to or _FOLDER, names))
    return 0


async def write_texts(folder: Path, names: Collection[str]) -> None:
    """Write the text pictures of these names into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in sorted(names):
        for path, shown in (await texts.taken(name)).items():
            _write(folder / path.name, shown)


async def make(folder: Path, names: frozenset[str]) -> None:
    """Write the pictures of these names into the folder."""
    with as_everywhere():
        folder.mkdir(parents=True, exist_ok=True)
        for reel in REELS:
            if names.isdisjoint(shot.name for shot in reel.shots):
                continue
            async for name, svg in take(reel):
                if name in names:
                    _write(folder / f"{name}.svg", svg)
        if not names.isdisjoint(CONSOLE_SHOTS):
            async for name, svg in take_console():
                if name in names:
                    _write(folder / f"{name}.svg", svg)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    sys.stderr.write(f"{path.name}  {len(text):,} characters\n")


if __name__ == "__main__":
    sys.exit(main())
