"""Textual's style sheets are parsed once for all tests, not once more for each app."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.css.stylesheet import Stylesheet

if TYPE_CHECKING:
    from textual.css.model import RuleSet

_parse = Stylesheet._parse_rules
_parsed: dict[Any, list[RuleSet]] = {}


def parse_once(sheet: Stylesheet, *source: Any, **where: Any) -> list[RuleSet]:
    """Return the rules of a source under the variables of a theme. Rules are never changed."""
    key = (tuple(sheet._variables.items()), source, tuple(where.items()))
    if key not in _parsed:
        _parsed[key] = _parse(sheet, *source, **where)
    return _parsed[key]
