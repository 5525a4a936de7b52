"""Completion scripts for bash, zsh and fish, written out of the commands themselves. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mcp_tasks_tui.records import record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

PROGRAM = "mcp-tasks-tui"


@record
class Entry:
    """A command, by its path (empty: the program itself): its help, options and next words."""

    help: str
    #: Option -> its help.
    options: Mapping[str, str]
    words: Mapping[str, str]


#: Path of a command ("servers add") -> what can follow it.
Entries = dict[str, Entry]


def collect(root: click.Context) -> Entries:
    """Walk the commands below `root`."""
    return dict(_walk(root.command, root, ""))


def _walk(command: click.Command, ctx: click.Context, path: str) -> Iterator[tuple[str, Entry]]:
    options = {
        name: _plain(option.help)
        for option in command.get_params(ctx)
        if isinstance(option, click.Option) and not option.hidden
        for name in option.opts
        if name.startswith("--")
    }
    below: dict[str, click.Command] = {}
    if isinstance(command, click.Group):
        for name in command.list_commands(ctx):
            if (found := command.get_command(ctx, name)) is not None:
                below[name] = found
    words = {name: _plain(one.get_short_help_str(80)) for name, one in below.items()}
    yield path, Entry(_plain(command.get_short_help_str(80)), options, words)
    for name, one in below.items():
        yield from _walk(one, click.Context(one, parent=ctx), f"{path} {name}".strip())


def _plain(text: str | None) -> str:
    """Help as it can stand inside single quotes of any shell."""
    return (text or "").replace("'", "").replace("\n", " ").replace(":", " ").strip()


def bash(entries: Entries) -> str:
    cases = "\n".join(
        f"    '{path}') words='{' '.join([*entry.words, *entry.options])}' ;;"
        for path, entry in entries.items()
    )
    return f"""# {PROGRAM}: completion for bash
_mcp_tasks_tui() {{
  local path='' words='' word current=${{COMP_WORDS[COMP_CWORD]}}
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$path $word" in
{_known_paths(entries)}) path="${{path:+$path }}$word" ;;
    esac
  done
  case "$path" in
{cases}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _mcp_tasks_tui {PROGRAM}
"""


def _known_paths(entries: Entries) -> str:
    patterns = (f"' {path}'" if " " not in path else f"'{path}'" for path in entries if path)
    return "      " + "|".join(patterns)


def zsh(entries: Entries) -> str:
    cases = "\n".join(
        f"    '{path}') words=({' '.join(_described(entry))}) ;;" for path, entry in entries.items()
    )
    return f"""#compdef {PROGRAM}
# {PROGRAM}: completion for zsh
_mcp_tasks_tui() {{
  local -a taken words
  local path='' word
  taken=("${{(@)words[2,CURRENT-1]}}")
  for word in $taken; do
    case "$path $word" in
{_known_paths(entries)}) path="${{path:+$path }}$word" ;;
    esac
  done
  case "$path" in
{cases}
  esac
  _describe -t commands '{PROGRAM}' words || _files
}}
compdef _mcp_tasks_tui {PROGRAM}
"""


def _described(entry: Entry) -> Iterator[str]:
    for name, line in {**entry.words, **entry.options}.items():
        yield f"'{name}:{line}'"


def fish(entries: Entries) -> str:
    lines = [f"# {PROGRAM}: completion for fish"]
    for path, entry in entries.items():
        condition = _fish_condition(path, entry)
        for word, line in entry.words.items():
            lines.append(f"complete -c {PROGRAM} -n '{condition}' -f -a {word} -d '{line}'")
        for option, line in entry.options.items():
            name = option.removeprefix("--")
            lines.append(f"complete -c {PROGRAM} -n '{condition}' -l {name} -d '{line}'")
    return "\n".join(lines) + "\n"


def _fish_condition(path: str, entry: Entry) -> str:
    if not path:
        return "__fish_use_subcommand"
    seen = " ; and ".join(f"__fish_seen_subcommand_from {word}" for word in path.split())
    if entry.words:
        return f"{seen} ; and not __fish_seen_subcommand_from {' '.join(entry.words)}"
    return seen


SHELLS: dict[str, Callable[[Entries], str]] = {"bash": bash, "zsh": zsh, "fish": fish}
