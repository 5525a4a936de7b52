"""What is written beside the drawing, while Textual's writer runs and while it stands still."""

from __future__ import annotations

import threading
from io import StringIO
from typing import TYPE_CHECKING, Any, cast

from textual.drivers._writer_thread import MAX_QUEUED_WRITES, WriterThread

from mcp_tasks_tui.ui.terminal.output import Beside, set_mouse

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import App

#: Seconds after which something stands still for good.
_HANGS = 20.0


class _Driver:
    """Writes as Textual's driver for terminals does."""

    def __init__(self) -> None:
        self.out = StringIO()
        self.start()

    def start(self) -> None:
        self._writer_thread = WriterThread(self.out)
        self._writer_thread.start()

    def stop(self) -> None:
        self._writer_thread.stop()

    def write(self, data: str) -> None:
        self._writer_thread.write(data)

    def _disable_mouse_support(self) -> None:
        self.write("<mouse off>")


class _App:
    def __init__(self, driver: _Driver | None) -> None:
        self._driver = driver


def _app(driver: _Driver | None) -> App[Any]:
    return cast("App[Any]", _App(driver))


def _ends(work: Callable[[], None]) -> bool:
    """Tell whether `work` comes to its end."""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(_HANGS)
    return not thread.is_alive()


def test_while_the_writer_stands_still_nothing_waits_and_the_newest_of_each_kind_is_kept() -> None:
    driver = _Driver()
    app = _app(driver)
    beside = Beside(app)
    beside.write("<first>", "call")
    driver.stop()
    assert driver.out.getvalue() == "<first>"

    def write_much() -> None:
        for number in range(3 * MAX_QUEUED_WRITES):
            beside.write(f"<call {number}>", "call")
            beside.write(f"<copy {number}>", "clipboard")
            set_mouse(app, on=False)

    assert not beside.can_write
    assert _ends(write_much)
    driver.start()
    beside.write_kept()
    beside.write_kept()
    driver.stop()
    last = 3 * MAX_QUEUED_WRITES - 1
    assert driver.out.getvalue() == f"<first><call {last}><copy {last}>"


def test_what_is_written_once_the_writer_runs_again_comes_behind_what_was_kept() -> None:
    driver = _Driver()
    beside = Beside(_app(driver))
    driver.stop()
    beside.write("<copy>", "clipboard")
    driver.start()
    beside.write("<call>", "call")
    driver.stop()
    assert driver.out.getvalue() == "<copy><call>"


def test_without_a_terminal_it_is_kept() -> None:
    assert not Beside(_app(None)).can_write
    Beside(_app(None)).write("<call>", "call")
