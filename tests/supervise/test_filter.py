"""The filter grammar: what it finds, and what it says when it cannot be read."""

from __future__ import annotations

import contextlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.supervise.filter import FilterError, parse_filter, unclosed
from mcp_tasks_tui.supervise.view import Reason
from tests.supervise.samples import NOON, a_view

TASKS = [
    a_view(
        "build1", label="Docs build", tool="slow_build", tags=("nightly", "docs"), server="prod"
    ),
    a_view(
        "build2", label="Site build", tool="slow_build", tags=("nightly-x",), message="Step 3/10"
    ),
    a_view(
        "ask1",
        state=State.INPUT_REQUIRED,
        tool="ask_form",
        note='says "hello there" often',
        attention=(Reason.INPUT_REQUIRED, Reason.EXPIRING),
    ),
    a_view("stuck1", tool="never_ends", attention=(Reason.STUCK,), held=True),
    a_view("fail1", state=State.FAILED, tool="fails", attention=(Reason.READ_FAILING,)),
    a_view("done1", tool=None, state=State.COMPLETED, label="Straße ΣΊΣΥΦΟΣ", archived_at=NOON),
    a_view(
        "gone1",
        tool=None,
        state=State.GONE,
        task_id="id:with:colons",
        server_url="https://far.example/mcp",
    ),
    a_view("err1", tool=None, state=State.TOOL_ERROR),
    a_view("odd1", tool=None, state=State.UNKNOWN),
    a_view("can1", tool=None, state=State.CANCELLED),
]
ALL = [view.key for view in TASKS]


def found(text: str) -> list[str]:
    matches = parse_filter(text)
    return [view.key for view in TASKS if matches(view)]


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("", ALL),
        ("   ", ALL),
        ('""', ALL),
        # Words: all of them, anywhere, in any case
        ("build", ["build1", "build2"]),
        ("BUILD docs", ["build1"]),
        ("docs build", ["build1"]),
        ("step", ["build2"]),
        ("3/10", ["build2"]),
        ("hello", ["ask1"]),
        ("prod", ["build1"]),
        ("far.example", ["gone1"]),
        ("task-err1", ["err1"]),
        ("nightly-x", ["build2"]),
        ("STRASSE", ["done1"]),
        ("σίσυφος", ["done1"]),
        ("nothing-like-it", []),
        # Phrases
        ('"docs build"', ["build1"]),
        ('"build docs"', []),
        (r'"says \"hello there\""', ["ask1"]),
        ('"hello th', ["ask1"]),
        ('"id:with"', ["gone1"]),
        # Words that only look like fields
        ("https://far.example/mcp", ["gone1"]),
        ("12:30", []),
        # Fields
        ("state:failed", ["fail1"]),
        ("STATE:Failed", ["fail1"]),
        ("state:input-required", ["ask1"]),
        ("state:fail", ["fail1"]),
        # … and as the screen says it
        ("state:needs", ["ask1"]),
        ('state:"needs input"', ["ask1"]),
        ("state:needs-input,stuck", ["ask1", "stuck1"]),
        ("state:failed,gone", ["fail1", "gone1"]),
        ("state:tool_error", ["err1"]),
        ("state:unknown", ["odd1"]),
        ("server:prod", ["build1"]),
        ("server:far.example", ["gone1"]),
        ("tool:slow", ["build1", "build2"]),
        ("tag:nightly", ["build1"]),
        ("tag:NIGHTLY-X,docs", ["build1", "build2"]),
        ('tool:"slow_build"', ["build1", "build2"]),
        # Flags
        ("is:waiting", ["ask1"]),
        ("is:expiring", ["ask1"]),
        ("is:stuck", ["stuck1"]),
        ("is:failing", ["fail1"]),
        ("is:attention", ["ask1", "stuck1", "fail1"]),
        ("is:held", ["stuck1"]),
        ("is:gone", ["gone1"]),
        ("is:archived", ["done1"]),
        ("is:ended", ["fail1", "done1", "gone1", "err1", "can1"]),
        ("is:running", ["build1", "build2", "ask1", "stuck1", "odd1"]),
        ("is:stuck,waiting", ["ask1", "stuck1"]),
        # Negation, and everything together
        ("-is:ended -tool:slow", ["ask1", "stuck1", "odd1"]),
        ("build -docs", ["build2"]),
        ('-"docs build" tool:slow_build', ["build2"]),
        ("-state:failed,gone is:ended", ["done1", "err1", "can1"]),
        ("is:running is:ended", []),
        ("tag:nightly -step docs", ["build1"]),
        ("-", ALL),
    ],
)
def test_what_is_found(text: str, keys: list[str]) -> None:
    assert sorted(found(text)) == sorted(keys)


@pytest.mark.parametrize(
    ("text", "position", "says"),
    [
        ("stat:failed", 0, "did you mean state:?"),
        ("build sever:prod", 6, "did you mean server:?"),
        ("-bogus:1", 0, "state:, server:, tool:, tag:, is:"),
        ("label:x", 0, '"label:x"'),
        ("is:stock", 3, "did you mean is:stuck?"),
        ("x is:", 5, "waiting, stuck, expiring"),
        ("is:nonsense", 3, "known are waiting, stuck"),
        ("state:done", 6, "known are working, input_required"),
        ("state:faild", 6, "did you mean failed?"),
        ("state:c", 6, "completed, cancelled"),
        ("tag:", 4, "needs a value"),
        ("tag:,,", 4, "needs a value"),
        ('tool:""', 5, "needs a value"),
    ],
)
def test_what_cannot_be_read_says_where_and_what_is_known(
    text: str, position: int, says: str
) -> None:
    with pytest.raises(FilterError) as caught:
        parse_filter(text)
    assert caught.value.position == position
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("text", "brief", "unfinished"),
    [
        ("stat:failed", 'No field "stat". Did you mean state:?', False),
        ("label:x", 'is:; quoted, "label:x" is found as text.', False),
        ("is:stock", "No is:stock. Did you mean is:stuck?", False),
        ("state:faild", 'No state "faild". Did you mean failed?', False),
        # More letters may make these right.
        ("is:", "is: waiting, stuck, expiring", True),
        ("is:st", "is: stuck", True),
        ("is:a", "is: attention, archived", True),
        ("state:c", "may mean completed, cancelled", True),
        ("tag:", "needs a value", True),
    ],
)
def test_the_same_in_fewer_words_while_one_types(text: str, brief: str, unfinished: bool) -> None:
    with pytest.raises(FilterError) as caught:
        parse_filter(text)
    assert brief in caught.value.brief
    assert caught.value.unfinished is unfinished


def test_who_names_archived_tasks_wants_to_see_them() -> None:
    assert parse_filter("is:archived").names_archived
    assert parse_filter("-IS:ARCHIVED").names_archived
    assert parse_filter("is:ended,archived").names_archived
    assert not parse_filter("archived is:ended").names_archived


PIECES = st.sampled_from(
    ["is:", "state:", "tag:", "x:", "-", '"', "\\", ",", " ", "\n", "a", "stuck", "://", "é", "--"]
)


@given(st.lists(PIECES).map("".join) | st.text())
def test_every_text_is_a_filter_or_a_filter_error(text: str) -> None:
    try:
        position = 0
        assert all(parse_filter(text)(view) in (True, False) for view in TASKS[:3])
    except FilterError as error:
        position = error.position
    assert 0 <= position <= len(text)


@given(st.from_regex(r"[^\s\\\":-][^\s\\\":]*", fullmatch=True))
def test_a_word_finds_what_contains_it_and_minus_the_rest(word: str) -> None:
    view = a_view(label=f"before {word} after")
    assert parse_filter(word)(view)
    assert not parse_filter(f"-{word}")(view)
    assert parse_filter(f'"before {word}"')(view)


def test_ten_thousand_tasks_are_filtered_while_typing() -> None:
    views = [
        a_view(f"k{number}", label=f"build {number}", message="x" * 200) for number in range(10_000)
    ]
    matches = parse_filter("is:running build 99 -docs")
    started = time.process_time()
    assert len([view for view in views if matches(view)]) > 100
    assert time.process_time() - started < 0.5


def test_a_long_hostile_filter_costs_nothing() -> None:
    started = time.process_time()
    for text in (
        '"' + "\\" * 20_001,
        "a:" * 10_000,
        "-" * 20_000,
        '"' * 20_000,
        "is:stuck " * 2_000,
    ):
        with contextlib.suppress(FilterError):
            parse_filter(text)
    assert time.process_time() - started < 0.5


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ('"shut"', None),
        ("plain", None),
        ('""', None),
        ('"open', 0),
        ('a tag:"open', 6),
        ('"shut" "', 7),
        ('"tail\\', 0),
        ('"an escaped \\" is no end', 0),
    ],
)
def test_a_quote_without_an_end_is_known(text: str, position: int | None) -> None:
    assert parse_filter(text).open_quote == position
    mistake = unclosed(parse_filter(text))
    assert (mistake and mistake.position) == position
    assert mistake is None or str(mistake) == f"the quote is not closed: {text[position:]}"
