"""Starts the browser, as a program of its own: ``python -m mcp_tasks_tui.ui.terminal.browser``.

It reads the URL from its input: a link may let in whoever has it, and everybody on the machine can
read the arguments of a program. Those of a browser are its own; no browser takes a URL otherwise.

Finding out which browser there is runs other programs, and a browser inherits the streams of
whoever starts it. Here nobody waits at a screen for the one, and the streams lead nowhere.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import webbrowser
from pathlib import PurePath

#: Seconds after which what was started is taken to have come up: some run until they are closed.
_SOON = 3.0
#: They would need a terminal, and there is none to spare.
_IN_A_TERMINAL = frozenset({"elinks", "links", "links2", "lynx", "w3m", "www-browser"})


def start(url: str) -> bool:
    """Hand `url` to the browser that the environment names; tell whether that went well."""
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return False
    if not isinstance(browser, webbrowser.GenericBrowser):
        return browser.open(url)
    words = [*shlex.split(browser.name), *(each.replace("%s", url) for each in browser.args)]
    if PurePath(words[0]).name in _IN_A_TERMINAL:
        return False
    try:
        started = subprocess.Popen(words, start_new_session=True)  # noqa: S603 - the person's browser
        return started.wait(_SOON) == 0
    except subprocess.TimeoutExpired:
        return True
    except OSError:
        return False


def main() -> int:
    url = sys.stdin.buffer.read().decode("utf-8", "surrogatepass")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())  # what a browser inherits
    return 0 if start(url) else 1


if __name__ == "__main__":
    sys.exit(main())
