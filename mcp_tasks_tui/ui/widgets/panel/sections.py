"""The sections of the panel, each built again only where it shows something else than before."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mcp_tasks_tui.ui.widgets.panel.about import (
    about_section,
    about_shows,
    claims_section,
    notes_section,
    raw_section,
    raw_shows,
)
from mcp_tasks_tui.ui.widgets.panel.input import input_section, input_shows
from mcp_tasks_tui.ui.widgets.panel.journal import journal_section, journal_shows
from mcp_tasks_tui.ui.widgets.panel.result import error_section, result_section
from mcp_tasks_tui.ui.widgets.panel.status import status_section

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_tasks_tui.ui.widgets.panel.facts import PanelFacts, Section

#: Journal lines that the panel shows at least and at most; the viewer shows all.
_JOURNAL_LEAST, _JOURNAL_MOST = 6, 60


class Sections:
    """Only the top of a panel changes with every second: the rest is kept."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[object, Section | None]] = {}
        #: Lines that the journal had room for.
        self.room = _JOURNAL_MOST

    def clear(self) -> None:
        """Forget what was built: it is of another task."""
        self._kept.clear()

    def of(self, facts: PanelFacts, *, raw: bool) -> list[Section]:
        """Return all sections of a task; `raw`: also the one of raw values, which may be large."""
        keys = (facts.open_key, facts.poll_key)
        size = (facts.width, facts.height, facts.absolute, facts.utc, keys)
        result = (facts.result, facts.result_loaded, size)
        asks = (input_shows(facts), facts.answer_key, size)
        error = (facts.view.snapshot.error, facts.view.state, size)
        above = [
            self._once("input", asks, input_section, facts),
            self._once("error", error, error_section, facts),
            self._once("result", result, result_section, facts),
        ]
        about = (about_shows(facts), size)
        values = self._once("raw", (raw_shows(facts), size), raw_section, facts) if raw else None
        below = [
            self._once("about", about, about_section, facts),
            self._once("claims", about, claims_section, facts),
            self._once("notes", (facts.view.snapshot.notes, size), notes_section, facts),
            values,
        ]
        status = status_section(facts)
        used = sum(len(each.lines) + 2 for each in (status, *above, *below) if each is not None)
        least = max(_JOURNAL_LEAST, facts.height // 3)
        room = self.room = min(max(facts.height - used, least), _JOURNAL_MOST)
        order = (room, facts.newest_first, facts.kind)
        told = (facts.journal, facts.trouble, journal_shows(facts, room), order, size)
        journal = self._once("journal", told, partial(journal_section, room=room), facts)
        return [each for each in (status, *above, journal, *below) if each is not None]

    def _once(
        self,
        name: str,
        inputs: object,
        build: Callable[[PanelFacts], Section | None],
        facts: PanelFacts,
    ) -> Section | None:
        """Build a section only when what it is made of, or a time that it shows, has changed."""
        kept = self._kept.get(name)
        if kept is not None and _same(kept[0], inputs):
            return kept[1]
        section = build(facts)
        self._kept[name] = (inputs, section)
        return section


def _same(old: object, new: object) -> bool:
    """Compare by identity inside: an equal but new result or snapshot is costly to compare."""
    if isinstance(old, tuple) and isinstance(new, tuple) and len(old) == len(new):
        return all(_same(left, right) for left, right in zip(old, new, strict=True))
    return old is new or (isinstance(old, int | str) and old == new)
