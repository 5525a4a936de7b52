"""What the README says is there, is there: commands, options, keys, settings, exits, links."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import re
import shlex
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path

import click
import pytest

from mcp_tasks_tui.cli.exits import Exit
from mcp_tasks_tui.cli.main import cli
from mcp_tasks_tui.config.loading import load_config
from mcp_tasks_tui.config.model import EngineConfig, ScreenConfig, WireConfig
from mcp_tasks_tui.demo.lifecycles import LIFECYCLES
from mcp_tasks_tui.demo.scenes import SCENES
from mcp_tasks_tui.handles.api import save_handle
from mcp_tasks_tui.handles.model import Event, JournalEntry
from mcp_tasks_tui.supervise.filter import parse_filter
from mcp_tasks_tui.supervise.history import entry_to_json
from mcp_tasks_tui.supervise.view import to_json
from mcp_tasks_tui.supervise.words import STATES, STUCK
from mcp_tasks_tui.ui.commands.keymap import read_keymap, shown
from mcp_tasks_tui.ui.commands.model import Place
from mcp_tasks_tui.ui.commands.vocabulary import COMMANDS
from tests.supervise.samples import a_view

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROGRAM = "mcp-tasks-tui"

_BLOCKS = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`([^`]+)`")


def blocks(language: str) -> list[str]:
    found = [text for kind, text in _BLOCKS.findall(README) if kind == language]
    assert found, f"no block of {language}"
    return found


def table(first_head: str) -> list[list[str]]:
    """The rows of the table whose head begins with that cell."""
    lines = README.splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith(f"| {first_head} |"))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split(" | ")])
    return rows


def command_lines() -> list[list[str]]:
    """What the shell blocks call: the words after the program's name, one list for each call."""
    calls: list[list[str]] = []
    for block in blocks("sh"):
        for line in block.replace("\\\n", " ").splitlines():
            lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;")
            lexer.whitespace_split = True
            words: list[str] | None = None
            for word in lexer:
                if word == PROGRAM or word.endswith(f"/{PROGRAM}"):
                    calls.append(words := [])
                elif set(word) <= set("|&;"):
                    words = None
                elif words is not None:
                    words.append(word)
    assert len(calls) > 10
    return calls


def command_of(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that the words begin with, and the words after it."""
    command: click.Command = cli
    rest = list(words)
    while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
        found = command.get_command(click.Context(command), rest.pop(0))
        assert found is not None, f"no such command: {words}"
        command = found
    return command, rest


def options_of(command: click.Command) -> set[str]:
    names = {name for each in command.params for name in (*each.opts, *each.secondary_opts)}
    return names | {"--help", "-h"}


@pytest.mark.parametrize("words", command_lines(), ids=" ".join)
def test_every_command_line_uses_what_there_is(words: list[str]) -> None:
    command, rest = command_of(words)

    unknown = {word for word in rest if word.startswith("-")} - options_of(command)

    assert not unknown


def test_the_table_of_commands_names_all_commands_and_only_options_that_they_have() -> None:
    named = set()
    for cell, does in table("command"):
        if PROGRAM not in cell and "python" not in cell and "pytest" not in cell:
            commands = [code.split()[0] for code in _CODE.findall(cell)]
            options = {word for code in _CODE.findall(does) for word in code.split()}
            known: set[str] = set()
            for name in commands:
                known |= options_of(command_of([name])[0])
            assert {word for word in options if word.startswith("-")} <= known, cell
            named |= set(commands)
    assert isinstance(cli, click.Group)
    assert named == set(cli.list_commands(click.Context(cli)))


def test_the_table_of_keys_is_the_vocabulary() -> None:
    told = [(cell, does) for cell, does in table("key") if does]

    assert sorted(told) == sorted(
        (
            " ".join(f"`{shown(key)}`" for key in command.keys),
            f"**{command.title}**: {command.help}",
        )
        for command in COMMANDS
        if command.place is Place.MAIN
    )


def test_the_settings_are_all_there_with_their_defaults(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    [text] = blocks("toml")
    path.write_text(text, encoding="utf-8")

    config = load_config(path)

    assert config.engine == EngineConfig()
    assert config.wire == WireConfig()
    assert asdict(config.screen) | {"theme": None, "keys": {}} == asdict(ScreenConfig())
    assert read_keymap(config.screen.keys, COMMANDS).problems == ()
    [server] = config.servers
    assert server.headers
    assert server.token_command
    told = set(re.findall(r"^(\w+) = ", text, re.MULTILINE))
    sections = asdict(EngineConfig()) | asdict(WireConfig()) | asdict(ScreenConfig())
    settings = sections | asdict(server)
    assert told == settings.keys() - {"keys", "name"}


def test_every_exit_status_is_explained() -> None:
    told = [int(number) for cell, _ in table("exit") for number in cell.split(",")]

    assert sorted(told) == sorted(Exit)


def test_the_fields_of_a_task_are_those_that_are_printed() -> None:
    told = [name for cell, _ in table("field") for name in _CODE.findall(cell)]

    assert sorted(told) == sorted(to_json(a_view()))


def test_the_fields_of_a_journal_line_are_those_that_are_printed() -> None:
    [told] = re.findall(r"its `journal`, oldest first: a list of (.+)\.$", README, re.MULTILINE)
    line = JournalEntry(at=0.0, event=Event.INPUT_ASKED, data={"keys": ["a"]})

    assert _CODE.findall(told) == list(entry_to_json(line))


def test_signs_and_words_of_the_states() -> None:
    told = {cells[0]: cells[1] for cells in table("sign")}

    for state in STATES.values():
        assert state.word in told[state.glyph]
    assert STUCK.word in told[STUCK.glyph]
    assert len(told) == len(STATES) + 1


def test_filters_parse() -> None:
    rows = table("write")
    flags = [flag for cell, meaning in rows if "is:" in cell for flag in _CODE.findall(meaning)]
    assert flags
    for text in [*(text for cell, _ in rows for text in _CODE.findall(cell)), *flags]:
        assert parse_filter(text if text not in flags else f"is:{text}").text


def test_scenes_and_lifecycles_are_there() -> None:
    pairs = [pair for words in command_lines() for pair in pairwise(words)]
    only = {value for option, value in pairs if option == "--only"}
    scenes = {value for option, value in pairs if option == "--scene"}
    assert only
    assert only <= LIFECYCLES.keys()
    assert scenes
    assert scenes <= SCENES.keys()


def test_modules_that_are_run_are_there() -> None:
    modules = {*re.findall(r"python -m ([\w.]+)", README)} - {"venv"}
    assert modules
    assert not [module for module in modules if importlib.util.find_spec(module) is None]


def test_python_is_python_and_saves_as_the_function_wants_it() -> None:
    nodes = [node for block in blocks("python") for node in ast.walk(ast.parse(block))]
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    saves = [node for node in calls if getattr(node.func, "id", "") == "save_handle"]
    assert saves
    for node in saves:
        keywords = {str(each.arg): None for each in node.keywords}
        inspect.signature(save_handle).bind(*node.args, **keywords)


def test_relative_links_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert links
    for link in links:
        assert "://" in link or (ROOT / link).is_file(), link
