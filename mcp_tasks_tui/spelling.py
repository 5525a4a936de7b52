"""What somebody may have meant to type."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


#: Share of the letters of both words that have to be the same, in their order.
_NEAR = 0.7


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that `word` most looks like, if any is near: a slip of the hand, and
    not merely some of the same letters."""
    import difflib  # noqa: PLC0415 - only for a mistake

    found = difflib.get_close_matches(word, list(known), n=1, cutoff=_NEAR)
    return found[0] if found else None
