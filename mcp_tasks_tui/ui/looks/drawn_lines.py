"""What is drawn is gone from memory as soon as nothing shows it any more.

Textual keeps drawn lines in places of its own, in each of which they outlive what they were drawn
for. A screen that moves draws many thousands of them in an hour, and every screen that is opened
some hundreds.

* A line keeps what was made of it. Where that is the line itself, as for each that is drawn in one
  piece, it holds itself: only the garbage collector finds it, or nobody once it has grown old.
* A widget's lines are held by a table that was meant for two colours.
* Tables of pieces and of styles are sixteen times as long as any screen needs.
"""

from __future__ import annotations

from functools import cache, lru_cache, wraps
from typing import TYPE_CHECKING, Any

from rich.segment import Segment
from textual._styles_cache import StylesCache
from textual.strip import Strip

if TYPE_CHECKING:
    from collections.abc import Callable

#: Entries of a table of Textual's or Rich's that has more.
_ENTRIES = 1024


@cache  # once
def free_lines_at_once() -> None:
    """Let nothing hold what was drawn. Only the classes of Textual and Rich can be told so; where
    a later version has another way, it is left to it."""
    _let_none_hold_itself("divide", "_divide_cache")
    _let_none_hold_itself("crop_extend", "_crop_extend_cache")
    _of_two_colours_alone()
    _shorten(Segment, "_split_cells")
    _shorten(Strip, "render_ansi")


def _let_none_hold_itself(name: str, kept_in: str) -> None:
    method: Callable[..., Any] = getattr(Strip, name)

    @wraps(method)
    def made(strip: Strip, *arguments: Any) -> Any:
        result = method(strip, *arguments)
        if result is strip or (type(result) is list and result and result[0] is strip):
            getattr(strip, kept_in).clear()
        return result

    setattr(Strip, name, made)


def _of_two_colours_alone() -> None:
    """The table is of all widgets: it must not be asked, and so hold, for one of them."""
    table = StylesCache.__dict__.get("get_inner_outer")
    made = getattr(table, "__wrapped__", None)
    if made is not None:
        of_colours = lru_cache(_ENTRIES)(lambda *colours: made(StylesCache, *colours))
        setattr(StylesCache, "get_inner_outer", staticmethod(of_colours))  # noqa: B010


def _shorten(owner: type, name: str) -> None:
    table = getattr(owner.__dict__.get(name), "__func__", None)
    made = getattr(table, "__wrapped__", None)
    if made is not None:
        shorter: Any = lru_cache(_ENTRIES)(made)
        setattr(owner, name, classmethod(shorter))
