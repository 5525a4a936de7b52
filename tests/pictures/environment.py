"""Nothing of this machine gets into a picture."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

_OF_THIS_MACHINE = ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "TEXTUAL_THEME", "COLUMNS", "LINES")
_EVERYWHERE = {"TZ": "UTC", "TERM": "xterm-256color", "TEXTUAL_ANIMATIONS": "none"}


@contextmanager
def as_everywhere() -> Iterator[None]:
    """Let no colours and no time zone of this machine in; all is as before afterwards."""
    try:
        with patch.dict(os.environ, _EVERYWHERE):
            for name in _OF_THIS_MACHINE:
                os.environ.pop(name, None)
            time.tzset()
            yield
    finally:
        time.tzset()
