"""How things look: the style of a state (besides its sign and word), and the signs we draw."""

from __future__ import annotations

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.records import record
from mcp_tasks_tui.supervise.server_view import Health
from mcp_tasks_tui.supervise.view import Coverage, TaskView
from mcp_tasks_tui.supervise.words import is_stuck

STATE_STYLES: dict[State, str] = {
    State.WORKING: "state-working",
    State.INPUT_REQUIRED: "state-input",
    State.COMPLETED: "state-completed",
    State.TOOL_ERROR: "state-failed",
    State.FAILED: "state-failed",
    State.CANCELLED: "state-cancelled",
    State.GONE: "state-gone",
    State.UNKNOWN: "state-unknown",
}

#: The style of a task that is stuck: it wants a person.
STUCK_STYLE = "state-input"

HEALTH_STYLES: dict[Health, str] = {
    Health.UNKNOWN: "state-unknown",
    Health.OK: "state-completed",
    Health.DOWN: "state-failed",
    Health.AUTH: "state-input",
    Health.LIMITED: "state-input",
    Health.BROKEN: "state-failed",
    Health.FORGOT: "state-gone",
    Health.UNUSABLE: "state-failed",
}


@record
class Glyphs:
    """The signs that are drawn, in one of two sets."""

    plain: bool
    ellipsis: str
    bar_full: str
    bar_part: str
    bar_empty: str
    marked: str
    changed: str
    dot: str
    rule: str
    about: str
    rising: str
    falling: str
    #: In place of the two: nothing moves.
    still: str

    def bar(self, fraction: float, width: int) -> str:
        """Return a bar of `width` cells, `fraction` (0..1) of it full."""
        halves = round(max(0.0, min(1.0, fraction)) * width * 2)
        full, part = divmod(halves, 2)
        empty = width - full - part
        return f"{self.bar_full * full}{self.bar_part * part}{self.bar_empty * empty}"


UNICODE = Glyphs(
    plain=False,
    ellipsis="…",
    bar_full="█",
    bar_part="▌",
    bar_empty="░",
    marked="»",
    changed="▎",
    dot=" · ",
    rule="─",
    about="≈",
    rising="↑",
    falling="↓",
    still="‖",
)
ASCII = Glyphs(
    plain=True,
    ellipsis="~",
    bar_full="#",
    bar_part="=",
    bar_empty="-",
    marked="+",
    changed="|",
    dot=" | ",
    rule="-",
    about="~",
    rising="^",
    falling="v",
    still="|",
)


def glyphs(*, ascii_only: bool) -> Glyphs:
    return ASCII if ascii_only else UNICODE


def view_style(view: TaskView) -> str:
    """Return the style of a task's state: see :func:`~mcp_tasks_tui.supervise.words.view_glyph`."""
    return STUCK_STYLE if is_stuck(view) else STATE_STYLES[view.state]


def answered(view: TaskView) -> bool:
    """Every open question was answered by us; the server has not said that it took it."""
    return view.state is State.INPUT_REQUIRED and bool(view.answers) and not view.open_requests


def awaits_cancel(view: TaskView) -> bool:
    """A cancel was asked for and no end has been seen: it is a wish until then."""
    return view.snapshot.cancel_requested_at is not None and not view.state.ended


def watched(view: TaskView) -> bool:
    """News of the task is expected by itself."""
    return view.coverage in (Coverage.POLLED, Coverage.PUSHED)


def unwell_sign(glyphs: Glyphs) -> str:
    """Return the sign of a server that is not well."""
    return "x" if glyphs.plain else "✗"
