"""How the servers are told above the list: whether they are well, why not, how their news come."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import pytest

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.supervise.filter import parse_filter
from mcp_tasks_tui.supervise.server_view import Health, ServerView
from mcp_tasks_tui.supervise.tally import Tally
from mcp_tasks_tui.supervise.view import Reason
from mcp_tasks_tui.ui.commands.keymap import read_keymap
from mcp_tasks_tui.ui.commands.vocabulary import COMMANDS
from mcp_tasks_tui.ui.looks.signs import glyphs
from mcp_tasks_tui.ui.widgets.header import Header, _bits, _servers
from mcp_tasks_tui.ui.widgets.server_lines import ServerLines
from tests.ui.bare import KeyedApp, whole_screen
from tests.ui.fakes import NOW, a_task

if TYPE_CHECKING:
    from textual.geometry import Region


def a_server(
    name: str, *, pushed: bool = False, held: bool = False, health: Health = Health.OK
) -> ServerView:
    url = f"http://{name}.example/mcp"
    return ServerView(url=url, name=name or url, health=health, pushed=pushed, held=held)


@pytest.mark.parametrize(
    ("servers", "told"),
    [
        ([a_server("a")], "1 server ok: polled"),
        ([a_server("a", pushed=True), a_server("b", pushed=True)], "2 servers ok: pushed"),
        ([a_server("a", pushed=True), a_server("b")], "2 servers ok: a pushed, b polled"),
        ([a_server("a", pushed=True, held=True)], "1 server ok: held"),
        ([a_server("a", held=True), a_server("b")], "2 servers ok: b polled, a held"),
        (
            [*(a_server(name, pushed=True) for name in "abc"), a_server("d")],
            "4 servers ok: a b c pushed, d polled",
        ),
        ([a_server("a"), a_server("b", health=Health.UNKNOWN)], "2 servers not all asked yet"),
        ([a_server("a"), a_server("b", health=Health.DOWN)], "✗ 1 of 2 servers ill"),
    ],
)
def test_each_server_says_whether_it_is_pushed_or_polled(
    servers: list[ServerView], told: str
) -> None:
    assert _servers(servers, glyphs(ascii_only=False)).text == told


@pytest.mark.parametrize(
    ("ascii_only", "told"),
    [
        (False, ["2 tasks", "● 1 working", "◐ 1 stuck"]),
        (True, ["2 tasks", "* 1 working", "= 1 stuck"]),
    ],
)
def test_what_is_stuck_is_counted_by_its_own_sign_and_not_twice(
    ascii_only: bool, told: list[str]
) -> None:
    views = [a_task("t1"), a_task("t2", attention=[Reason.STUCK])]
    tally = Tally()
    tally.take(views)
    bits = _bits(tally.counts(), [], glyphs(ascii_only=ascii_only))
    assert [bit.text for bit in bits] == told
    shown = [{view.key for view in views if parse_filter(bit.filter or "")(view)} for bit in bits]
    assert shown == [{"t1", "t2"}, {"t1"}, {"t2"}]


def test_where_all_that_work_are_stuck_none_is_counted_as_working() -> None:
    tally = Tally()
    tally.take([a_task(attention=[Reason.STUCK])])
    bits = _bits(tally.counts(), [], glyphs(ascii_only=False))
    assert [bit.text for bit in bits] == ["1 task", "◐ 1 stuck"]


def _in_a_window(width: int, **modes: Any) -> str:
    """The first line in a window so wide, as a person sees it."""
    states = [State.INPUT_REQUIRED, *[State.WORKING] * 3, State.FAILED, *[State.COMPLETED] * 4]
    views = [a_task(f"t{n}", state) for n, state in enumerate(states)]
    views.append(a_task("stuck", attention=[Reason.STUCK]))
    views.append(
        a_task("ends", State.INPUT_REQUIRED, attention=[Reason.INPUT_REQUIRED, Reason.EXPIRING])
    )
    tally = Tally()
    tally.take(views)
    header = Header(glyphs(ascii_only=False), read_only=False)
    servers = [a_server("demo", pushed=True), a_server("edge")]
    header.show(tally.counts(), servers, **modes)
    return header.line(width)


@pytest.mark.parametrize(
    ("width", "told"),
    [
        (
            140,
            " 11 tasks  ◆ 2 need input  ● 3 working  ◐ 1 stuck  ! 1 expiring  ✗ 1 failed  "
            "✓ 4 completed  2 servers ok: demo pushed, edge polled",
        ),
        (
            110,
            " 11 tasks  ◆ 2 need input  ● 3 working  ◐ 1 stuck  ! 1 expiring  ✗ 1 failed  "
            "✓ 4 completed  2 servers ok",
        ),
        (80, " ◆ 2 need input  ● 3 working  ◐ 1 stuck  ! 1 expiring  ✗ 1 failed  ✓4"),
        (60, " ◆ 2 need input  ●3  ◐ 1 stuck  ! 1 expiring  ✗1  ✓4"),
        (40, " ◆2  ●3  ◐1  ! 1 expiring  ✗1  ✓4"),
        (30, " ◆2  ●3  ◐1  !1  ✗1  ✓4"),
        (20, " ◆2  ●3  ◐1  !1  …"),
    ],
)
def test_words_go_before_counts_and_nothing_is_cut(width: int, told: str) -> None:
    assert _in_a_window(width).rstrip() == told


def test_counts_keep_their_place_whatever_the_modes_are() -> None:
    usual = _in_a_window(80).rstrip()
    marked = _in_a_window(100, list_state="2 tasks marked")
    assert marked.startswith(usual[:-1])
    assert marked.endswith(" 2 tasks marked ")
    assert len(marked) == 100
    assert _in_a_window(60, arranged="sorted by label", list_state="frozen +3 changed") == (
        " ◆2  ●3  ◐1  ! 1 expiring  ✗1  ✓4         frozen +3 changed "
    )
    assert "sorted by label" in _in_a_window(140, arranged="sorted by label")


_REFUSED = "connection refused: nothing listens there"


@pytest.mark.parametrize(
    ("width", "told"),
    [
        (120, f"✗ media  down for 40 s · {_REFUSED} · 20 open tasks · next try in 30 s"),
        (86, f"✗ media  down for 40 s · {_REFUSED} · 20 open tasks"),
        (60, "✗ media  down for 40 s · connection refused: nothing liste…"),
        (36, "✗ media  down for 40 s · connectio…"),
        (30, "✗ media  down for 40 s"),
        (12, "✗ media d…"),
    ],
)
def test_why_a_server_is_ill_is_said_before_what_waits_for_it(width: int, told: str) -> None:
    server = replace(
        a_server("media", health=Health.DOWN),
        text=_REFUSED,
        since=NOW - 41,
        retry_at=NOW + 21.5,
        open_tasks=20,
    )
    shown = ServerLines(glyphs(ascii_only=False))
    shown.show_servers([server], now=NOW, width=width)
    assert " ".join(shown.text.plain.split()) == " ".join(told.split())


def test_no_try_is_promised_while_polling_is_held() -> None:
    shown = ServerLines(glyphs(ascii_only=False))
    server = replace(a_server("media", health=Health.DOWN), retry_at=NOW + 10, open_tasks=2)
    for held in (False, True):
        shown.show_servers([replace(server, held=held)], now=NOW, width=120)
        assert ("next try in 10 s" in shown.text.plain) is not held
        assert ("polling held" in shown.text.plain) is held


class _CountedLines(ServerLines):
    """Counts how often everything around it is laid out anew."""

    layouts = 0

    def refresh(
        self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False
    ) -> Self:
        self.layouts += layout
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)


async def test_what_is_around_the_lines_is_left_alone_while_only_time_passes() -> None:
    """Else all scrollbars are drawn anew each time: kilobytes while nothing happens."""
    shown = _CountedLines(glyphs(ascii_only=False))
    media = replace(a_server("media", health=Health.DOWN), since=NOW, open_tasks=3)
    app = KeyedApp(shown, read_keymap({}, COMMANDS))
    async with app.run_test(size=(60, 5)) as pilot:
        shown.show_servers([media], now=NOW, width=60)
        await pilot.pause()
        assert whole_screen(app).startswith(" ✗ media down since just now · 3 open tasks")
        laid_out = shown.layouts
        for seconds in (20, 40):
            shown.show_servers([media], now=NOW + seconds, width=60)
            await pilot.pause()
            assert whole_screen(app).startswith(f" ✗ media down for {seconds} s · 3 open tasks")
        assert shown.layouts == laid_out
        shown.show_servers([media, replace(media, name="ledger")], now=NOW + 40, width=60)
        await pilot.pause()
        assert "ledger down for 40 s" in whole_screen(app)
        shown.show_servers([], now=NOW + 40, width=60)
        await pilot.pause()
        assert not whole_screen(app).strip()


def test_the_next_try_is_never_said_to_be_in_no_time() -> None:
    shown = ServerLines(glyphs(ascii_only=False))
    server = replace(a_server("media", health=Health.DOWN), retry_at=NOW + 0.4, open_tasks=1)
    shown.show_servers([server], now=NOW, width=120)
    assert "next try in 10 s" in shown.text.plain


@pytest.mark.parametrize(
    ("held", "told"),
    [
        (
            False,
            "✗ ledger sign-in needed for 17 m · renew its token · 3 open tasks · "
            "tried by itself in 50 s",
        ),
        (True, "✗ ledger sign-in needed for 17 m, polling held · renew its token · 3 open tasks"),
    ],
)
def test_each_trouble_of_a_server_has_its_own_time(held: bool, told: str) -> None:
    shown = ServerLines(glyphs(ascii_only=False))
    server = replace(
        a_server("ledger", health=Health.AUTH),
        text="renew its token",
        since=NOW - 17 * 60,
        retry_at=NOW + 41,
        open_tasks=3,
        held=held,
    )
    shown.show_servers([server], now=NOW, width=130)
    assert " ".join(shown.text.plain.split()) == told
