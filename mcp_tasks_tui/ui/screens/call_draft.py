"""Calls that were filled in and not sent. They live in memory only: never on disk, never in a
log."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mcp_tasks_tui.records import record
from mcp_tasks_tui.ui.screens.typed import Typed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_tasks_tui.forms.model import Form
    from mcp_tasks_tui.forms.values import Entry
    from mcp_tasks_tui.protocol.messages import Tool
    from mcp_tasks_tui.ui.screens.typed import Place


@record
class LastTool:
    """The tool that was filled in last: the server as it was typed, its URL, the tool's name."""

    server: str
    url: str
    tool: str


@dataclass(slots=True, eq=False, repr=False)
class TakenDraft:
    """What was filled in for a call that is being sent."""

    last: LastTool
    label: str
    typed: Typed = field(default_factory=Typed)


class CallDraft:
    """What the dialog that calls a tool begins with. One object serves the whole program."""

    def __init__(self) -> None:
        #: The server as a person typed it; empty where they took the one that was offered.
        self.server = ""
        self.label = ""
        self._last: LastTool | None = None
        self._typed = Typed()

    def __repr__(self) -> str:
        return "<CallDraft>"

    def filled(self) -> Sequence[Place]:
        """Return for which tools something was filled in: the URL of the server, and the name."""
        filled = list(self._typed.filled())
        last = self.last()
        if last is not None and (last.url, last.tool) not in filled:
            filled.append((last.url, last.tool))
        return filled

    def chose(self, server: str, url: str, tool: str) -> None:
        """A person went to the arguments of a tool."""
        self._last = LastTool(server, url, tool)

    def last(self) -> LastTool | None:
        """Return the tool to go on with: the last one, where something was filled in for it."""
        last = self._last
        if last is None:
            return None
        typed = self.label or (last.url, last.tool) in self._typed.filled()
        return last if typed else None

    def put(self, url: str, tool: Tool, form: Form, name: str, entry: Entry) -> None:
        """Remember what one field of a tool's arguments holds."""
        self._typed.put((url, tool.name), tool.input_schema, form, name, entry)

    def entries(self, url: str, tool: Tool, form: Form) -> Mapping[str, Entry]:
        """Return what was entered before, as far as it still fits the tool."""
        return self._typed.entries((url, tool.name), tool.input_schema, form)

    def take(self) -> TakenDraft | None:
        """Take out what was filled in for the last tool: it is being sent."""
        if self._last is None:
            return None
        taken = TakenDraft(self._last, self.label)
        self._typed.move((self._last.url, self._last.tool), taken.typed)
        self._last, self.label, self.server = None, "", ""
        return taken

    def put_back(self, taken: TakenDraft) -> None:
        """It was not sent, or was refused; what was filled in since goes before it."""
        taken.typed.move((taken.last.url, taken.last.tool), self._typed)
        if self.last() is None:
            self._last, self.label = taken.last, taken.label
