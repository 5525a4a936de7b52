from __future__ import annotations

import gc
import weakref

from mcp_tasks_tui.collector import collector_paused, look_again, set_aside


class _Ring:
    """Garbage that only the collector can find."""

    def __init__(self) -> None:
        self.itself = self


def test_what_was_set_aside_is_found_once_it_is_garbage_and_the_rest_is_set_aside_again() -> None:
    ring = _Ring()
    gone = weakref.ref(ring)
    set_aside()
    kept = gc.get_freeze_count()
    del ring
    gc.collect()
    assert gone() is not None, "set aside: no collection goes through it"
    look_again()
    assert gc.get_freeze_count() == 0
    gc.collect(1)
    assert gc.get_freeze_count() == 0, "only a full collection has gone through everything"
    gc.collect()
    assert gone() is None
    assert gc.get_freeze_count() > kept / 2


def test_a_paused_collector_goes_on_only_where_it_was_on() -> None:
    with collector_paused():
        assert not gc.isenabled()
        with collector_paused():
            pass
        assert not gc.isenabled(), "the inner pause ends before the outer one"
    assert gc.isenabled()
