from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks_tui.protocol.sse import Event, EventStreamParser, EventTooLarge


def _parse(*chunks: bytes, limit: int = 10_000) -> list[Event]:
    parser = EventStreamParser(limit)
    events = [event for chunk in chunks for event in parser.feed(chunk)]
    return [*events, *parser.finish()]


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        (b"data: a\n\n", [("message", b"a")]),
        (b"data: a\r\n\r\n", [("message", b"a")]),
        (b"data: a\r\r", [("message", b"a")]),
        (b"data:a\n\n", [("message", b"a")]),
        (b"data:  a\n\n", [("message", b" a")]),
        (b": ping\r\n\r\ndata: a\n\n", [("message", b"a")]),
        (b"data: {\ndata: }\n\n", [("message", b"{\n}")]),
        (b"event: other\ndata: a\n\ndata: b\n\n", [("other", b"a"), ("message", b"b")]),
        (b"data: a\nid: 1\nretry: 5\nnonsense\nfoo: bar\n\n", [("message", b"a")]),
        (b"data:\n\ndata\n\nevent: x\n\n", []),
        (b"\xef\xbb\xbfdata: a\n\n", [("message", b"a")]),
        (b"\n\n\r\n", []),
        (b"data: last", [("message", b"last")]),
        (b"data: last\n", [("message", b"last")]),
        (b"", []),
        ("data: \u2028é\n\n".encode(), [("message", "\u2028é".encode())]),
        (b"data: a\x0bb\x0cc\x1cd\x85\n\n", [("message", b"a\x0bb\x0cc\x1cd\x85")]),
        (b"Data: a\n\n", []),
    ],
)
def test_streams_of_every_shape(stream: bytes, events: list[tuple[str, bytes]]) -> None:
    assert [(event.kind, event.data) for event in _parse(stream)] == events


@given(
    st.lists(
        st.sampled_from(
            [b"data: ", b"data", b"event: x", b": c", b"\r", b"\n", b"\r\n", "é→𝄞".encode(), b"{}"]
        )
    ).map(b"".join),
    st.data(),
)
def test_where_the_chunks_are_cut_makes_no_difference(stream: bytes, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)))))
    edges = [0, *cuts, len(stream)]
    chunks = [stream[a:b] for a, b in pairwise(edges)]
    assert _parse(*chunks) == _parse(stream)


def test_an_event_comes_as_soon_as_its_blank_line() -> None:
    parser = EventStreamParser(100)
    assert parser.feed(b"data: a\r\n\r") == [Event("message", b"a")]
    assert parser.feed(b"\ndata: b\n") == []
    assert parser.feed(b"\n") == [Event("message", b"b")]


@pytest.mark.parametrize(
    "piece", [b"x" * 10, b"data: aaaa\n", b"data:\n", b": " + b"c" * 20, b"event: " + b"e" * 20]
)
def test_what_is_held_for_one_event_is_bounded(piece: bytes) -> None:
    with pytest.raises(EventTooLarge):
        _parse(*[piece] * 200, limit=100)


def test_a_long_stream_of_small_events_and_comments_is_no_trouble() -> None:
    parser = EventStreamParser(100)
    for _ in range(500):
        assert parser.feed(b": keep-alive\n\n") == []
        assert len(parser.feed(b"event: message\ndata: " + b"y" * 50 + b"\n\n")) == 1
