"""Calls that were sent and left no handle: the reminder of them, and its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.supervise import words
from mcp_tasks_tui.ui.actions import FAILURES

if TYPE_CHECKING:
    from mcp_tasks_tui.supervise.supervisor import Supervisor
    from mcp_tasks_tui.ui.actions import Stage
    from mcp_tasks_tui.ui.servers import KnownServers

FORGET = "program.forget_calls"


def reminder(supervisor: Supervisor, servers: KnownServers, now: float, key: str) -> str:
    """Return one line about them, empty where there are none; `key` is that of `FORGET`."""
    intents = supervisor.orphan_intents()
    ended_by = f"`{key}`" if key else words.FORGET_CALLS
    return words.lost_calls(intents, servers.called, now, ended_by=ended_by)


async def forget(stage: Stage, supervisor: Supervisor, servers: KnownServers, now: float) -> None:
    """Show what may have started unseen, and end the reminder where a person says so."""
    from mcp_tasks_tui.ui.screens.confirm import ConfirmScreen  # noqa: PLC0415 - when it is asked

    try:
        intents = await supervisor.find_orphan_intents()
    except FAILURES as error:
        stage.say(str(error), "error")
        return
    if not intents:
        stage.say("no call is lost: each left a handle, or its end is known")
        return
    calls = words.counted(len(intents), "call")
    sure = await stage.ask(
        ConfirmScreen(
            f"Forget {calls} that left no handle?",
            [words.lost_call(one, servers.called(one.server_url), now) for one in intents],
            yes="Forget",
            no="Keep the reminder",
            hint="Work that they started goes on; only its server may know of it.",
        )
    )
    if not sure:
        return
    try:
        for one in intents:
            await supervisor.dismiss_intent(one.intent_id)
    except FAILURES as error:
        stage.say(str(error), "error")
    else:
        stage.say(f"forgot {calls}")
