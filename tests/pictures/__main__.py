"""Makes every picture of `screenshots/` anew: ``python -m tests.pictures [NAME...]``."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
from pathlib import Path

from tests.pictures.console import CONSOLE_SHOTS, take_console
from tests.pictures.shots import REELS, take

_FOLDER = Path(__file__).resolve().parents[2] / "screenshots"


def main() -> int:
    known = [shot.name for reel in REELS for shot in reel.shots] + list(CONSOLE_SHOTS)
    parser = argparse.ArgumentParser(prog="python -m tests.pictures", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(known)}")
    parser.add_argument("--to", type=Path, default=_FOLDER, metavar="FOLDER")
    options = parser.parse_args()
    if unknown := set(options.names) - set(known):
        parser.error(f"no picture is called {', '.join(sorted(unknown))}")
    asyncio.run(make(options.to, frozenset(options.names or known)))
    return 0


async def make(folder: Path, names: frozenset[str]) -> None:
    """Write the pictures of these names into the folder."""
    neutral_environment()
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


def neutral_environment() -> None:
    """Let nothing of this machine into a picture: no colours, no time zone of its own."""
    for name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "TEXTUAL_THEME", "COLUMNS", "LINES"):
        os.environ.pop(name, None)
    os.environ |= {"TZ": "UTC", "TERM": "xterm-256color", "TEXTUAL_ANIMATIONS": "none"}
    time.tzset()


def _write(path: Path, svg: str) -> None:
    path.write_text(svg, encoding="utf-8")
    sys.stderr.write(f"{path.name}  {len(svg) // 1024} kB\n")


if __name__ == "__main__":
    sys.exit(main())
