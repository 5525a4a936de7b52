"""Which process wrote something, and whether it still lives: a number alone is reused."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

_SEPARATOR = "|"
_HIGHEST_PID = 2**31 - 1


def process_token() -> str:
    """Return what tells this process from every other one: host, boot, number, start time."""
    return _token(os.getpid())


def is_alive(token: str) -> bool | None:
    """Tell whether the process of a token still runs; None where this host cannot know."""
    try:
        host, boot, pid, start = token.split(_SEPARATOR)
        number = int(pid)
    except ValueError:
        return False
    if host != _host():
        return None
    if not 0 < number <= _HIGHEST_PID:
        return False
    if boot != _boot():
        return False
    return _exists(number) and (not start or start == _started(number))


@lru_cache(maxsize=1)
def _token(pid: int) -> str:
    return _SEPARATOR.join((_host(), _boot(), str(pid), _started(pid)))


@lru_cache(maxsize=1)
def _host() -> str:
    return os.uname().nodename.replace(_SEPARATOR, "_")


@lru_cache(maxsize=1)
def _boot() -> str:
    return _read("/proc/sys/kernel/random/boot_id").strip()


def _started(pid: int) -> str:
    """Start time in clock ticks after boot, "" where the system does not tell."""
    fields = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return fields[19] if len(fields) > 19 else ""


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
