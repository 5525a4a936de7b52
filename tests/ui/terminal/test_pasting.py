"""Pasted text is text: no key, no sequence, whatever is in it and however it arrives."""

from __future__ import annotations

import time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from textual import events
from textual.message import Message

from mcp_tasks_tui.ui.terminal import pasting
from mcp_tasks_tui.ui.terminal.pasting import END, START, GuardedParser, PasteFilter

_LOG = "log: \x1b[31mFAILED: c y and so on\x1b[0m\x00"
_PLAIN = "log: [31mFAILED: c y and so on[0m"


def told(parser: GuardedParser, *pieces: str) -> list[Message]:
    return [message for piece in pieces for message in parser.feed(piece)]


def words(messages: list[Message]) -> list[str]:
    """Keys by their name, pastes by their text in quotes."""
    return [
        message.key if isinstance(message, events.Key) else repr(message.text)
        for message in messages
        if isinstance(message, (events.Key, events.Paste))
    ]


def test_a_coloured_line_is_pasted_as_text() -> None:
    messages = told(GuardedParser(), f"j{START}{_LOG}{END}k")
    assert words(messages) == ["j", repr(_PLAIN), "k"]


@given(st.integers(1, 12), st.text("ab\x1b[0;~1m2\n\x00", max_size=30))
def test_pieces_of_any_length_give_the_same(length: int, pasted: str) -> None:
    assume(END not in pasted)
    sent = f"j{START}{pasted}{END}k\x1b[A"
    pieces = [sent[at : at + length] for at in range(0, len(sent), length)]
    whole, cut = PasteFilter(), PasteFilter()
    assert "".join(map(cut.feed, pieces)) == whole.feed(sent)
    assert cut.pasting is whole.pasting is False
    messages = told(GuardedParser(), *pieces)
    assert [each.key for each in messages if isinstance(each, events.Key)] == ["j", "k", "up"]


@given(st.text("ab\x1b[201~\x00\x9b\r\n\t", max_size=60))
def test_what_is_typed_passes_as_it_comes(typed: str) -> None:
    feed = PasteFilter()
    assert "".join(map(feed.feed, typed)) == typed
    assert not feed.pasting


def test_blanks_and_lines_of_a_paste_stay() -> None:
    assert PasteFilter().feed(f"{START}a\tb\r\nc\x1b\x07{END}") == f"{START}a\tb\r\nc{END}"


def test_a_paste_whose_end_is_lost_is_over_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    parser = GuardedParser()
    assert words(told(parser, f"{START}half\x1b[2")) == []
    assert list(parser.tick()) == []
    monkeypatch.setattr(pasting, "PATIENCE", -1.0)
    assert words(list(parser.tick())) == [repr("half[2")]
    assert words(told(parser, "q")) == ["q"]


def test_megabytes_of_escapes_take_no_longer_than_text() -> None:
    feed = PasteFilter()
    feed.feed(START)
    before = time.process_time()
    for _ in range(500):
        assert feed.feed("\x1b\x1b[\x1b[20" * 512) != ""
    assert time.process_time() - before < 2.0
    assert feed.feed(END).endswith(END)
