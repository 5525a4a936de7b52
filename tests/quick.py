"""The program with the times of its engine short enough for a test.

Nothing else of it is otherwise. In the test's own process `make_quick` does that, in a process
of its own ``python -m tests.quick ARGUMENTS`` runs it so.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mcp_tasks_tui.cli import compose
from mcp_tasks_tui.cli.settings import engine_settings

if TYPE_CHECKING:
    import pytest

    from mcp_tasks_tui.config.model import Config
    from mcp_tasks_tui.supervise.settings import EngineSettings


def quickened(settings: EngineSettings) -> EngineSettings:
    """Return them with short times, seconds: what a busy machine needs is for a test to wait.

    `default_poll` stays above the quarter of a second in which not-founds count as one.
    """
    return replace(
        settings,
        min_poll=0.05,
        default_poll=min(settings.default_poll, 0.3),
        poll_floor=0.05,
        poll_now_gap=0.05,
        backoff_base=0.2,
        backoff_cap=0.5,
        first_spacing=0.01,
        alert_window=0.5,
        gone_poll=0.5,
    )


def quick_settings(config: Config) -> EngineSettings:
    return quickened(engine_settings(config))


def make_quick(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(compose, "engine_settings", quick_settings)


if __name__ == "__main__":
    from mcp_tasks_tui.cli.main import main
    from mcp_tasks_tui.ui import alerts
    from mcp_tasks_tui.ui.terminal import output as terminal
    from mcp_tasks_tui.ui.terminal import pasting

    vars(compose)["engine_settings"] = quick_settings
    alerts.WINDOW = 0.5
    terminal._PATIENCE = 0.5
    pasting.PATIENCE = 0.3
    main()
