"""Pasted text is text: no key, no sequence, whatever is in it and however it arrives."""

from __future__ import annotations

import time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from textual import events
from textual.message import Message

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


class _Line:
    """A link to a terminal whose time is told by the test."""

    def __init__(self) -> None:
        self.now = 100.0
        self.parser = GuardedParser(monotonic=lambda: self.now)

    def send(self, *pieces: str, after: float = 0.0) -> list[str]:
        """What comes out of `pieces` that come one right behind the other, `after` a silence."""
        return [*self.silent(after), *words(told(self.parser, *pieces))]

    def silent(self, seconds: float) -> list[str]:
        """What comes out of a silence: the reader looks ten times a second."""
        came = []
        for _ in range(round(seconds * 10)):
            self.now += 0.1001
            came += words(list(self.parser.tick()))
        return came


def test_what_was_pasted_so_far_is_handed_on_when_the_rest_does_not_come() -> None:
    line = _Line()
    assert line.send(f"{START}half\x1b[2") == []
    assert line.silent(1.5) == []
    assert line.silent(1.0) == [repr("half[2")]


@pytest.mark.parametrize("pieces", [("cyEd",), ("c", "yE", "d"), ("\x1b[31m", "cyEd"), ("c", "y")])
@pytest.mark.parametrize("stalls", [1, 2])
def test_the_rest_of_a_paste_that_stalled_is_text_as_well(
    pieces: tuple[str, ...], stalls: int
) -> None:
    line = _Line()
    line.send(f"{START}half")
    came = [word for _ in range(stalls) for word in line.send(*pieces, after=30)]
    came += line.send(f"end{END}j")
    text = "".join(pieces).replace("\x1b", "")
    assert came == [repr("half"), *[repr(text)] * (stalls - 1), repr(f"{text}end"), "j"]
    assert line.send("cy") == ["c", "y"]


@pytest.mark.parametrize("pieces", [(END,), ("\x1b", "[20", "1~")])
def test_of_a_paste_that_was_handed_on_only_the_end_may_be_left(pieces: tuple[str, ...]) -> None:
    line = _Line()
    assert line.send(f"{START}whole", *pieces, after=0) == [repr("whole")]
    line.send(f"{START}whole")
    assert line.send(*pieces, after=3) == [repr("whole")]
    assert line.send("jk") == ["j", "k"]


def test_where_the_end_is_lost_a_person_at_the_keyboard_is_heard() -> None:
    line = _Line()
    line.send(f"{START}half")
    assert line.send("\x1b[I\x1b[<35;1;1M", "j", after=3) == [repr("half")]
    assert line.send("\x1b[", after=0.2) == ["j"]
    assert line.send("A") == []
    assert line.silent(0.2) == ["up"]
    assert line.send("jk") == ["j", "k"], "keys are keys again"


def test_after_a_paste_that_stalled_another_one_is_whole() -> None:
    line = _Line()
    line.send(f"{START}half")
    assert line.send(f"{START}new{END}j", after=3) == [repr("half"), repr("new"), "j"]


def test_megabytes_of_escapes_take_no_longer_than_text() -> None:
    feed = PasteFilter()
    feed.feed(START)
    before = time.process_time()
    for _ in range(500):
        assert feed.feed("\x1b\x1b[\x1b[20" * 512) != ""
    assert time.process_time() - before < 2.0
    assert feed.feed(END).endswith(END)
