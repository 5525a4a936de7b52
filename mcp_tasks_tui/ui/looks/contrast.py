"""How well a colour can be read on others (WCAG 2.2), and the nearest one that can. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.color import Color

if TYPE_CHECKING:
    from collections.abc import Iterable

_STEPS = 40
_WHITE, _BLACK = Color(255, 255, 255), Color(0, 0, 0)


def contrast(one: Color, other: Color) -> float:
    """Return the contrast ratio of two opaque colours: 1 (none) to 21."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def legible(color: Color, grounds: Iterable[tuple[Color, float]]) -> Color:
    """Return the colour nearest to `color` that has each ground's contrast with it.

    It is made lighter or darker, whichever the first ground calls for, and keeps its hue as far as
    that goes.
    """
    needed = list(grounds)
    ground = needed[0][0]
    end = _WHITE if contrast(_WHITE, ground) > contrast(_BLACK, ground) else _BLACK
    tried = (color.blend(end, step / _STEPS) for step in range(_STEPS + 1))
    good = (one for one in tried if all(contrast(one, on) >= least for on, least in needed))
    return next(good, end)


def _luminance(color: Color) -> float:
    red, green, blue = (_linear(channel / 255) for channel in color.rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(share: float) -> float:
    return share / 12.92 if share <= 0.04045 else float(((share + 0.055) / 1.055) ** 2.4)
