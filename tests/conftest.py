"""Every test has a home of its own and an environment that says nothing about this machine."""

from __future__ import annotations

import gc
import itertools
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from mcp_tasks_tui.demo.scenes import Stage
from tests.commandline import Cli, commandline
from tests.serving import demo_servers

# Properties are about values: how busy the machine is at that moment is not one of them.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")

_NEUTRAL = ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "TEXTUAL_THEME", "TMUX", "STY", "COLUMNS")
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name a test by the beginning of a long value: nobody reads a hundred thousand brackets."""
    if isinstance(val, str | bytes) and len(val) > 80:
        return f"{val[:40]!r}... {len(val)}"
    return None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the third-party server, which is slow to start: all of its tests are then one
    process's, and share one."""
    items.sort(key=lambda item: item.get_closest_marker("peer") is None)


def pytest_collection_finish() -> None:
    """Keep the garbage collector from looking through all modules and tests again and again, and
    through a screen several times while it is built."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(5_000, 20, 10)


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Paths for homes, one for each test: thousands that need none do not pay for a folder."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def neutral_environment(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Point the program's home to a folder that is not there yet; return its path."""
    home = next(homes)
    monkeypatch.setenv("MCP_TASKS_TUI_HOME", str(home))
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    monkeypatch.setenv("TZ", "UTC")
    for name in _NEUTRAL:
        monkeypatch.delenv(name, raising=False)
    for name in _PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    return home


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Cli]:
    """Run one command in this process, in this test's home; its log ends with the test."""
    yield commandline(capsys, monkeypatch)
    logger = logging.getLogger("mcp_tasks_tui")
    logger.setLevel(logging.NOTSET)
    for handler in logger.handlers[:]:
        logger.removeHandler(handler)
        handler.close()


@pytest.fixture(scope="session")
def stage() -> Iterator[Stage]:
    """The demo's servers in a process of their own, up for the whole session."""
    with demo_servers() as stage:
        yield stage
