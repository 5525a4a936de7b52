"""One vocabulary feeds keys, footer, help and palette; keys are rebound without surprises."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.supervise.view import TaskView
from mcp_tasks_tui.ui.commands.keymap import Keymap, read_keymap
from mcp_tasks_tui.ui.commands.model import Place
from mcp_tasks_tui.ui.commands.vocabulary import BY_ID, COMMANDS, available, emphasis
from tests.ui.fakes import NOW, a_task

_WRITE = "keys: task.cancel: write a key, a list of keys, or nothing to unbind"


def _read(wanted: dict[str, Any], *, read_only: bool = False) -> Keymap:
    return read_keymap(wanted, available(read_only=read_only))


def test_the_vocabulary_is_sound() -> None:
    assert not [name for name, count in Counter(c.id for c in COMMANDS).items() if count > 1]
    assert not _read({}).problems
    for command in COMMANDS:
        assert command.title
        assert command.help
        assert command.keys
        assert "[" not in command.title + command.help + command.short


def test_nothing_that_ends_or_sends_sits_on_a_control_key_alone() -> None:
    # Where text is typed only control keys are left to send with.
    for command in (each for each in COMMANDS if each.place is Place.MAIN):
        if command.sends or command.id in ("task.archive", "task.hold"):
            assert not any(key.startswith("ctrl+") for key in command.keys)


def test_every_command_has_a_plain_key_as_terminals_differ() -> None:
    reading = [each for each in COMMANDS if each.place not in (Place.ANSWER, Place.FORM)]
    plain = {command.id for command in reading if any("+" not in key for key in command.keys)}
    assert {command.id for command in reading} - plain == {"program.palette", "program.suspend"}


def test_keys_are_checked_in_their_place() -> None:
    keymap = _read({"panel.pin": "t", "viewer.save": "u"})
    assert keymap.of("panel.pin") == ("t",)
    assert keymap.of("panel.times") == ()
    assert keymap.of("viewer.save") == keymap.of("task.answer") == ("u",)
    assert keymap.problems == (
        "keys: t is wanted by panel.pin and by panel.times; panel.pin has it",
    )


def test_read_only_takes_away_what_sends() -> None:
    left = {command.id for command in available(read_only=True)}
    assert {command.id for command in COMMANDS} - left == {
        "task.answer",
        "task.cancel",
        "program.new_call",
        "answer.send",
        "answer.decline",
        "answer.dismiss",
        "answer.together",
    }
    keymap = _read({"task.cancel": "x"}, read_only=True)
    assert (keymap.of("task.cancel"), keymap.problems) == ((), ())


@pytest.mark.parametrize(
    ("value", "keys"),
    [
        ("x", ("x",)),
        ("x,K", ("x", "K")),
        (["x", "ctrl+k"], ("x", "ctrl+k")),
        ("?", ("question_mark",)),
        (",", ("comma",)),
        (" ", ("space",)),
        ("", ()),
        ([], ()),
    ],
)
def test_keys_are_rebound_added_and_taken_away(value: object, keys: tuple[str, ...]) -> None:
    wanted = {"task.cancel": value}
    if keys in (("question_mark",), ("space",), ("K",)):
        wanted |= {"program.help": "", "list.mark": ""}
    keymap = _read(wanted)
    assert keymap.of("task.cancel") == keys
    assert not keymap.problems


def test_a_clash_names_both_and_the_wish_wins_over_the_default() -> None:
    keymap = _read({"task.cancel": "u"})
    assert keymap.of("task.cancel") == ("u",)
    assert keymap.of("task.answer") == ()
    assert keymap.problems == (
        "keys: u is wanted by task.cancel and by task.answer; task.cancel has it",
    )


def test_two_wishes_for_one_key_clash_too() -> None:
    keymap = _read({"task.cancel": "x", "task.poll": "x"})
    assert (keymap.of("task.cancel"), keymap.of("task.poll")) == (("x",), ())
    assert len(keymap.problems) == 1


def test_moving_a_default_away_frees_its_key() -> None:
    keymap = _read({"task.cancel": "u", "task.answer": "U"})
    assert (keymap.of("task.cancel"), keymap.of("task.answer")) == (("u",), ("U",))
    assert not keymap.problems


@pytest.mark.parametrize(
    ("wanted", "problem"),
    [
        ({"task.cancl": "x"}, "keys: no command is called task.cancl; did you mean task.cancel?"),
        ({"zz": "x"}, "keys: no command is called zz; the help screen lists the commands"),
        (
            {"task.cancel": 7},
            "keys: task.cancel: write a key, a list of keys, or nothing to unbind",
        ),
        (
            {"task.cancel": [7]},
            "keys: task.cancel: write a key, a list of keys, or nothing to unbind",
        ),
        (
            {"task.cancel": "x, F5"},
            "keys: task.cancel: no key is called F5; did you mean f5?",
        ),
    ],
)
def test_what_cannot_be_followed_keeps_its_default(wanted: dict[str, Any], problem: str) -> None:
    keymap = _read(wanted)
    assert keymap.problems == (problem,)
    assert keymap.of("task.cancel") == ("c",)


@pytest.mark.parametrize(
    ("view", "first"),
    [
        (a_task(), "task.open"),
        (a_task(state=State.INPUT_REQUIRED, requests={"q": {}}), "task.answer"),
        (a_task(cancel_requested_at=NOW), "task.open"),
        (None, "program.new_call"),
    ],
)
def test_what_matters_now_comes_first(view: TaskView | None, first: str) -> None:
    assert emphasis(view)[0] == first
    assert set(emphasis(view)) <= BY_ID.keys()


_DONE = a_task(state=State.COMPLETED)
_LOST = replace(_DONE, snapshot=replace(_DONE.snapshot, has_result=False, result_lost=True))


@pytest.mark.parametrize(
    ("command", "view", "why"),
    [
        ("task.cancel", a_task(state=State.COMPLETED), "it has ended"),
        ("task.cancel", a_task(state=State.GONE), "its server does not know it any more"),
        (
            "task.cancel",
            a_task(state=State.GONE, read_at=None),
            "never known here: check the id, the server and the sign-in",
        ),
        ("task.cancel", a_task(), None),
        ("task.answer", a_task(), "it asks nothing"),
        ("task.archive", a_task(archived_at=NOW), None),
        ("task.save_result", a_task(), "it has no result yet"),
        ("task.save_result", a_task(state=State.CANCELLED), "it has no result"),
        (
            "task.save_result",
            _LOST,
            "its result was lost with a damaged database; a poll asks its server for it again",
        ),
        ("task.save_result", a_task(state=State.COMPLETED), None),
        ("task.hold", a_task(state=State.FAILED), "it has ended"),
    ],
)
def test_a_command_says_why_a_task_is_none_for_it(
    command: str, view: TaskView, why: str | None
) -> None:
    assert BY_ID[command].unfit(view) == why
