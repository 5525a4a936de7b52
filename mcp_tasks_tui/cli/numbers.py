"""Numbers on the command line, refused in plain words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from typing import NoReturn


def as_typed(number: float) -> str:
    """Return a number as a person writes it: ``2``, ``0.3``."""
    return f"{number:.15g}"


class Number(click.FloatRange):
    """A finite number within bounds. The name is what a refusal calls it."""

    name = "number"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self._refuse(value, param, ctx)
        return number

    def _refuse(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> NoReturn:
        self.fail(f"{value!r} is not a valid {self.name}.", param, ctx)


class WholeNumber(click.IntRange):
    """A whole number within bounds."""

    name = "whole number"
