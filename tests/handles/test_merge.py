"""Savings in any order, any number of times, give one and the same handle; nothing is lost."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_tasks_tui.handles.ledger import overlay
from mcp_tasks_tui.handles.merge import Kept
from mcp_tasks_tui.handles.model import HandleDraft
from mcp_tasks_tui.handles.receipts import SAVED, Receipt
from tests.handles.util import URL

_TEXT = st.none() | st.text(min_size=1, max_size=4)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=4,
)
_RECEIPTS = st.builds(
    Receipt,
    event=st.just(SAVED),
    at=st.integers(0, 9).map(float),
    draft=st.builds(
        HandleDraft,
        server_url=st.just(URL),
        task_id=st.just("t1"),
        tool=_TEXT,
        arguments=_JSON,
        label=_TEXT,
        note=_TEXT,
        tags=st.lists(st.text(min_size=1, max_size=2), max_size=3).map(tuple),
        saved_by=_TEXT,
        extra=st.dictionaries(st.sampled_from(["a", "b", "c"]), _JSON, max_size=3),
    ),
)


def _kept(receipts: list[Receipt]) -> Kept:
    return overlay([], receipts)[URL, "t1"]


@settings(max_examples=80, deadline=None)
@given(st.lists(_RECEIPTS, min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_the_order_and_the_number_of_savings_do_not_matter(
    receipts: list[Receipt], random: Any
) -> None:
    shuffled = [*receipts, *random.sample(receipts, random.randint(0, len(receipts)))]
    random.shuffle(shuffled)
    assert _kept(shuffled) == _kept(receipts)


@settings(max_examples=80, deadline=None)
@given(st.lists(_RECEIPTS, min_size=1, max_size=5))
def test_whatever_any_saving_said_is_still_said(receipts: list[Receipt]) -> None:
    handle = _kept(receipts).handle
    drafts = [receipt.draft for receipt in receipts]
    for name in ("tool", "arguments", "label", "note", "saved_by"):
        said = [getattr(one, name) for one in drafts if getattr(one, name) is not None]
        assert getattr(handle, name) in (said or [None])
    assert set(handle.tags) == {tag for one in drafts for tag in one.tags}
    assert set(handle.extra) == {name for one in drafts for name in one.extra}
    assert handle.saved_at == min(receipt.at for receipt in receipts)
