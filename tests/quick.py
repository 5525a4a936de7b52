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


def quick_settings(config: Config) -> EngineSettings:
    """Return the settings of `config`, polling at most ten times as fast."""
    return replace(
        engine_settings(config),
        min_poll=0.05,
        default_poll=min(config.engine.default_poll, 0.5),
        poll_floor=0.05,
        poll_now_gap=0.1,
        backoff_base=0.2,
        backoff_cap=1.0,
        first_spacing=0.02,
        alert_window=0.5,
        gone_poll=0.5,
    )


def make_quick(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(compose, "engine_settings", quick_settings)


if __name__ == "__main__":
    from mcp_tasks_tui.cli.main import main
    from mcp_tasks_tui.ui import alerts, terminal

    vars(compose)["engine_settings"] = quick_settings
    alerts.WINDOW = 0.5
    terminal._PATIENCE = 0.5
    main()
