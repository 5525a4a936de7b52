"""What was typed into forms and not sent yet. It lives in memory only: never on disk, never in a
log."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_tasks_tui.forms.model import Form
    from mcp_tasks_tui.forms.values import Entry

    #: Where a form belongs: a task and one of its questions, a server and one of its tools.
    Place = tuple[str, str]


@dataclass(slots=True, eq=False, repr=False)
class _Filled:
    asked: Any
    entries: dict[str, Entry] = field(default_factory=dict)


class Typed:
    """Entries by the place of a form, and by field: of the fields that hold something else than
    before a person came to them."""

    def __init__(self) -> None:
        self._forms: dict[Place, _Filled] = {}

    def __repr__(self) -> str:
        return f"<what was typed into {len(self._forms)} forms>"

    def put(self, place: Place, asked: Any, form: Form | None, name: str, entry: Entry) -> None:
        """Remember what one field holds. `asked` is what the form was made of."""
        filled = self._forms.get(place)
        if filled is None or filled.asked != asked:
            filled = _Filled(asked, dict(self.entries(place, asked, form)))
            self._forms[place] = filled
        if _is_untouched(form, name, entry):
            filled.entries.pop(name, None)
        else:
            filled.entries[name] = entry
        if not filled.entries:
            del self._forms[place]

    def entries(self, place: Place, asked: Any, form: Form | None) -> Mapping[str, Entry]:
        """Return what was entered before, as far as it still fits the form.

        Where another thing is asked since, only typed text is kept: a picked place in another list
        of choices would be another answer.
        """
        filled = self._forms.get(place)
        if filled is None or form is None:
            return {}
        unchanged = filled.asked == asked
        return {
            name: entry
            for name, entry in filled.entries.items()
            if _still_fits(form, name, entry) and (unchanged or isinstance(entry, str))
        }

    def forget(self, place: Place) -> None:
        self._forms.pop(place, None)

    def move(self, place: Place, to: Typed) -> None:
        """Hand what was entered at a place to another, unless that has something there."""
        filled = self._forms.pop(place, None)
        if filled is not None:
            to._forms.setdefault(place, filled)

    def filled(self) -> Sequence[Place]:
        """Return where something is entered."""
        return list(self._forms)


def _is_untouched(form: Form | None, name: str, entry: Entry) -> bool:
    """Tell whether a field holds what it holds where nobody has been to it."""
    from mcp_tasks_tui.forms.values import Picked, initial  # noqa: PLC0415 - start-up time

    fields = form.fields if form is not None else ()
    before = next((initial(each) for each in fields if each.name == name), None)
    return entry == before or (before is None and entry in ("", Picked()))


def _still_fits(form: Form, name: str, entry: Entry) -> bool:
    from mcp_tasks_tui.forms.values import fits_kind  # noqa: PLC0415 - start-up time

    return any(each.name == name and fits_kind(each, entry) for each in form.fields)
