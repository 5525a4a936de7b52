from __future__ import annotations

import gc
import weakref
from typing import TYPE_CHECKING

import pytest

from mcp_tasks_tui.collector import clear_away, collector_paused, set_aside

if TYPE_CHECKING:
    from collections.abc import Iterator


class _Ring:
    """Garbage that only the collector can find."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def by_hand() -> Iterator[None]:
    """No collection but those that are asked for."""
    with collector_paused():
        yield


def _garbage() -> weakref.ref[_Ring]:
    return weakref.ref(_Ring())


@pytest.mark.usefixtures("by_hand")
def test_what_is_set_aside_is_gone_through_no_more() -> None:
    ring = _Ring()
    left = weakref.ref(ring)
    set_aside()
    del ring
    gc.collect()
    assert left() is not None


@pytest.mark.usefixtures("by_hand")
def test_what_was_left_behind_is_found_with_a_look_at_what_is_young() -> None:
    looked: list[int] = []
    left = _garbage()

    def note(phase: str, info: dict[str, int]) -> None:
        looked.extend([info["generation"]] * (phase == "stop"))

    gc.callbacks.append(note)
    try:
        clear_away(left)
    finally:
        gc.callbacks.remove(note)
    assert left() is None
    assert looked == [1]


@pytest.mark.usefixtures("by_hand")
def test_what_has_grown_old_is_found_too() -> None:
    ring = _Ring()
    left = weakref.ref(ring)
    gc.collect()
    del ring
    gc.collect(1)
    assert left() is not None
    clear_away(left)
    assert left() is None


def test_a_paused_collector_goes_on_only_where_it_was_on() -> None:
    with collector_paused():
        assert not gc.isenabled()
        with collector_paused():
            pass
        assert not gc.isenabled(), "the inner pause ends before the outer one"
    assert gc.isenabled()
