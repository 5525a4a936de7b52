"""JSON that others wrote, as values that everything behind can bear. Pure.

What Python reads and nothing else does is kept as text: ``NaN``, ``Infinity``, ``1e999``. No
line is refused for them, and what is written later is JSON again.
"""

from __future__ import annotations

import json
import math
from typing import Any

from mcp_tasks_tui import patient_json

#: Nesting (levels) that is kept. Deeper values could be read and then not be written again.
MAX_DEPTH = 200
#: Times beyond (seconds since the epoch, or before; the year 5138) are none: no clock gives them.
END_OF_TIME = 1e11


def _number(text: str) -> float | str:
    value = float(text)
    return value if math.isfinite(value) else text


DECODER = json.JSONDecoder(parse_constant=str, parse_float=_number)


def parse(data: bytes) -> Any:
    """Return the JSON value in `data` (UTF-8, with or without a BOM).

    Raises:
        ValueError: it is no JSON, or nested deeper than is kept.
    """
    try:
        value = DECODER.decode(data.decode("utf-8-sig", "surrogatepass"))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if data.count(b"{") + data.count(b"[") > MAX_DEPTH and is_too_deep(value):
        raise ValueError("nested too deeply")
    return value


def read_patiently(text: str) -> Any:
    """Return the JSON value in a text that may be large; other threads run meanwhile.

    Raises:
        ValueError, RecursionError: it is no JSON; it is nested too deeply.
    """
    return patient_json.read_patiently(text, parse_float=_number, parse_constant=str)


def is_too_deep(value: Any) -> bool:
    """Tell whether a value is nested deeper than is kept."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [inner for item in level for inner in _items(item)]
        if not level:
            return False
    return True


def time_of(value: object) -> float | None:
    """Return a JSON number as seconds since the epoch, None where it is no time."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return float(value) if -END_OF_TIME < value < END_OF_TIME else None


def _items(value: Any) -> list[Any]:
    """Return what is inside a value and can have something inside itself."""
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list):
        return []
    return [item for item in value if isinstance(item, dict | list)]
