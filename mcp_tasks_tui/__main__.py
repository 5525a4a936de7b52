"""Where the program starts: ``python -m mcp_tasks_tui``, and the script of that name."""

from __future__ import annotations

import gc
from typing import NoReturn

#: By the usual thresholds the collector goes dozens of times through modules while they are
#: imported, a tenth of a start, and later stops the screen for a tenth of a second at a time.
COLLECTOR_THRESHOLDS = (10_000, 20, 50)


def main() -> NoReturn:
    """Run the command line and end the process with its exit status."""
    gc.set_threshold(*COLLECTOR_THRESHOLDS)
    from mcp_tasks_tui.cli.main import main as run  # noqa: PLC0415 - after that

    run()


if __name__ == "__main__":
    main()
