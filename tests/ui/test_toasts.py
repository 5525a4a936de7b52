"""Toasts: one of a kind at a time."""

from __future__ import annotations

from textual.notifications import Notifications

from mcp_tasks_tui.ui.toasts import Toasts


class _Rack:
    def __init__(self) -> None:
        self.shown = Notifications()
        self.drawn = 0
        self.toasts = Toasts(lambda: self.shown, self.draw, seconds=60)

    def draw(self) -> None:
        self.drawn += 1

    @property
    def texts(self) -> list[str]:
        return [each.message for each in self.shown]


def test_a_toast_takes_the_place_of_an_earlier_one_of_its_kind() -> None:
    rack = _Rack()
    rack.toasts.show("8 tasks are stuck", "warning", "stuck")
    rack.toasts.show("reading one now", "information", "outcome")
    rack.toasts.show("10 tasks are stuck", "warning", "stuck")
    assert rack.texts == ["reading one now", "10 tasks are stuck"]
    assert rack.drawn == 3


def test_the_same_words_are_shown_once_and_other_ones_beside_them() -> None:
    rack = _Rack()
    for text in ("one: refused", "two: refused", "one: refused"):
        rack.toasts.show(text, "error")
    assert rack.texts == ["two: refused", "one: refused"]


def test_text_of_a_server_is_one_clean_line_and_never_markup() -> None:
    rack = _Rack()
    rack.toasts.show("[red]a[/red]\x1b[2J\nb", "error")
    (toast,) = rack.shown
    assert not toast.markup
    assert "\x1b" not in toast.message
    assert "\n" not in toast.message
    assert toast.message.startswith("[red]a[/red]")
