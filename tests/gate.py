"""The quality gate, the same for everyone and for CI: `python -m tests.gate [STEP]...`.

Lint and format (ruff), types (mypy strict), imports (import-linter), tests (pytest, warnings as
errors); all of them, or those that are named. Each runs even after another has failed; the exit
status says whether any did.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
BIN = Path(sysconfig.get_path("scripts"))

STEPS: dict[str, list[str]] = {
    "lint": [str(BIN / "ruff"), "check"],
    "format": [str(BIN / "ruff"), "format", "--check"],
    "types": [str(BIN / "mypy")],
    "imports": [str(BIN / "lint-imports")],
    "tests": [sys.executable, "-m", "pytest", "-q"],
}


def main(wanted: list[str]) -> int:
    unknown = set(wanted) - STEPS.keys()
    if unknown:
        print(f"no step {', '.join(sorted(unknown))}; there are {', '.join(STEPS)}")
        return 2
    failed = []
    for name in wanted or STEPS:
        command = STEPS[name]
        print(f"== {name}: {' '.join([Path(command[0]).name, *command[1:]])}", flush=True)
        started = time.monotonic()
        if subprocess.run(command, cwd=ROOT, check=False).returncode != 0:
            failed.append(name)
        print(f"   {time.monotonic() - started:.1f} s", flush=True)
    print(f"gate: {'failed: ' + ', '.join(failed) if failed else 'all passed'}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
