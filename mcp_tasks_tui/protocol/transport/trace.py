"""How each request ended, for `--debug`. Nothing of headers, parameters, ids or answers."""

from __future__ import annotations

import logging
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mcp_tasks_tui.protocol.errors import RequestError, RpcError
from mcp_tasks_tui.urls import short_url

if TYPE_CHECKING:
    from collections.abc import Iterator

_log = logging.getLogger(__name__)


@contextmanager
def traced(url: str, method: str) -> Iterator[None]:
    """Log one line at debug level when the block ends: method, server, outcome, milliseconds."""
    if not _log.isEnabledFor(logging.DEBUG):
        yield
        return
    started = time.monotonic()
    outcome = "stopped by us"
    try:
        yield
        outcome = "answered"
    except RpcError as error:
        # The server's words may repeat an id: only the code is told.
        outcome = f"{error.kind} {error.shown_code} (HTTP {error.http_status})"
        raise
    except RequestError as error:
        outcome = error.kind
        raise
    finally:
        spent = (time.monotonic() - started) * 1000
        _log.debug("%s %s: %s, %.0f ms", method, short_url(url), outcome, spent)
