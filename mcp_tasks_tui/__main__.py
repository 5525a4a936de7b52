"""Where the program starts: ``python -m mcp_tasks_tui``, and the script of that name."""

from __future__ import annotations

import gc
import os
import sys
from typing import NoReturn

#: By the usual thresholds the collector goes dozens of times through modules while they are
#: imported, a tenth of a start, and later stops the screen for a tenth of a second at a time. The
#: second number bounds what one look goes through while a large result is laid out.
COLLECTOR_THRESHOLDS = (10_000, 5, 200)
#: `Exit.INTERRUPTED`, which may not have been imported yet.
_INTERRUPTED = 130


def main() -> NoReturn:
    """Run the command line and end the process with its exit status."""
    if os.name == "nt":  # no terminals, locks and signals as this is built on
        sys.exit("mcp-tasks-tui runs on Linux and macOS; on Windows use it in WSL")
    gc.set_threshold(*COLLECTOR_THRESHOLDS)
    try:
        from mcp_tasks_tui.cli.main import main as run  # noqa: PLC0415 - after that

        run()
    except KeyboardInterrupt:  # Ctrl-C while it is imported, or just before it takes that itself
        sys.exit(_INTERRUPTED)


if __name__ == "__main__":
    main()
