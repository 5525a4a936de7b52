"""Which key does what: the defaults, changed by the settings, checked for clashes by ourselves."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from textual.binding import Binding, BindingsMap

from mcp_tasks_tui.records import record
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.spelling import nearest
from mcp_tasks_tui.ui.commands.key_names import spelled, unknown_key
from mcp_tasks_tui.ui.commands.model import Place
from mcp_tasks_tui.ui.commands.vocabulary import BY_ID, COMMANDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Set

    from textual.dom import DOMNode

    from mcp_tasks_tui.ui.commands.model import Command

_SHOWN = {
    "question_mark": "?",
    "slash": "/",
    "plus": "+",
    "minus": "-",
    "exclamation_mark": "!",
    "escape": "esc",
    "pagedown": "pgdn",
    "pageup": "pgup",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "vertical_line": "|",
    "comma": ",",
    "greater_than_sign": ">",
    "less_than_sign": "<",
    "down": "↓",
    "up": "↑",
    "left": "←",
    "right": "→",
}
_PLAIN = {"down": "down", "up": "up", "left": "left", "right": "right"}


@record
class KeyFault:
    """What cannot be followed of the setting of `command_id`: a clean line for a person."""

    command_id: str
    text: str


@record
class Keymap:
    """Command id -> its keys in Textual's spelling, and what could not be followed."""

    keys: Mapping[str, tuple[str, ...]]
    faults: tuple[KeyFault, ...] = ()
    commands: Mapping[str, Command] = field(default_factory=lambda: BY_ID)

    @property
    def problems(self) -> tuple[str, ...]:
        return tuple(f"keys: {fault.text}" for fault in self.faults)

    def of(self, command_id: str) -> tuple[str, ...]:
        return self.keys.get(command_id, ())

    def label(self, command_id: str, *, plain: bool = False) -> str:
        """Return the first key of a command as a person reads it, empty where it has none."""
        keys = self.of(command_id)
        return shown(keys[0], plain=plain) if keys else ""

    def at(self, place: Place) -> Keymap:
        """Return what the keys do at a place of the main screen: its own come first there."""
        taken = self.taken_at(place)
        if not taken:
            return self
        keys = {
            name: keys
            if self.commands[name].place is not Place.MAIN
            else tuple(key for key in keys if key not in taken)
            for name, keys in self.keys.items()
        }
        return replace(self, keys=keys)

    def taken_at(self, place: Place) -> Set[str]:
        """Return the keys that a place takes from the main screen around it."""
        if place is Place.MAIN:
            return frozenset()
        commands = self.commands
        own = (keys for name, keys in self.keys.items() if commands[name].place is place)
        return frozenset(key for keys in own for key in keys)

    def labels(self, command_id: str, *, plain: bool = False) -> str:
        """Return all keys of a command as a person reads them."""
        keys = [shown(key, plain=plain) for key in self.of(command_id)]
        if self.commands[command_id].numbered and len(keys) > 2:
            return f"{keys[0]} … {keys[-1]}"
        return " ".join(keys)


def shown(key: str, *, plain: bool = False) -> str:
    if plain and key in _PLAIN:
        return _PLAIN[key]
    if key.startswith("ctrl+"):
        return f"^{shown(key.removeprefix('ctrl+'), plain=plain)}"
    return _SHOWN.get(key, key)


def read_keymap(wanted: Mapping[str, Any], commands: Iterable[Command]) -> Keymap:
    """Return the keymap that the ``[keys]`` of the settings ask for.

    A value is a key, several keys (a list, or one text with commas), or nothing (an empty text or
    list) to leave the command without one. What cannot be followed keeps its default and is
    named in `faults`: a typing mistake in the settings must not lock anybody out.
    """
    known = {command.id: command for command in commands}
    faults: list[KeyFault] = []
    rebound: dict[str, tuple[str, ...]] = {}
    for name, value in wanted.items():
        if name not in BY_ID:
            faults.append(KeyFault(str(name), _unknown(str(name))))
        elif (written := _keys(value)) is None:
            words = f"{name}: write a key, a list of keys, or nothing to unbind"
            faults.append(KeyFault(name, words))
        elif unknown := [key for key in written if spelled(key) is None]:
            faults.extend(KeyFault(name, f"{name}: {unknown_key(key)}") for key in unknown)
        elif name in known:
            rebound[name] = tuple(dict.fromkeys(filter(None, map(spelled, written))))
    taken: dict[tuple[Place, str], str] = {}
    result: dict[str, tuple[str, ...]] = {}
    # What a person asked for comes first; a default gives way to it, and both are named.
    for command in sorted(known.values(), key=lambda each: each.id not in rebound):
        keys = rebound.get(command.id, command.keys)
        place = command.place
        owners = {key: taken.setdefault((place, key), command.id) for key in keys}
        free = tuple(key for key, owner in owners.items() if owner == command.id)
        faults.extend(
            _clash(key, owner, command.id, rebound)
            for key, owner in owners.items()
            if owner != command.id
        )
        result[command.id] = free
    return Keymap(result, tuple(faults), known)


def refused_keys(keymap: Keymap, wanted: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the keys of the main screen whose commands `keymap` was made without.

    `wanted` is what that keymap was read from; keys that do something else are not in it.
    """
    whole = read_keymap(wanted, COMMANDS)
    main = [command.id for command in COMMANDS if command.place is Place.MAIN]
    used = {key for command_id in main for key in keymap.of(command_id)}
    left_out = (command_id for command_id in main if command_id not in keymap.commands)
    return tuple(key for each in left_out for key in whole.of(each) if key not in used)


#: What holds where nothing is set.
STANDARD = read_keymap({}, COMMANDS)


def keymap_of(node: DOMNode) -> Keymap:
    """Return the keymap of the app that `node` is in."""
    found = getattr(node.app, "keymap", STANDARD)
    return found if isinstance(found, Keymap) else STANDARD


def with_key(node: DOMNode, words: str, command_id: str) -> str:
    """Return the words on a button with the key that does the same."""
    key = keymap_of(node).label(command_id)
    return f"{words} {key}".strip()


def bind_place(node: DOMNode, place: Place, *, priority: bool = False) -> Keymap:
    """Bind the commands of a place on `node`, by the keymap of its app; return that.

    With `priority` control keys come before the fields of a form, which have their own.
    """
    keymap = keymap_of(node)
    ids = [command.id for command in keymap.commands.values() if command.place is place]
    bind(node, keymap, ids, priority=priority)
    return keymap


def bind(
    node: DOMNode, keymap: Keymap, command_ids: Iterable[str], *, priority: bool = False
) -> None:
    """Bind the keys of commands on `node`, for its action ``command``.

    The action of a numbered command is told which of its keys it was, from 0.
    Textual's own keymap lets a default silently lose its key to another command, so bindings are
    made from our checked one.
    """
    bindings = [
        Binding(
            key,
            action_of(command_id, number if keymap.commands[command_id].numbered else None),
            keymap.commands[command_id].title,
            show=False,
            priority=priority and key.startswith("ctrl+"),
        )
        for command_id in command_ids
        for number, key in enumerate(keymap.of(command_id))
    ]
    node._bindings = BindingsMap.merge([BindingsMap(bindings), node._bindings])


def action_of(command_id: str, number: int | None = None) -> str:
    return f"command('{command_id}')" if number is None else f"command('{command_id}', {number})"


#: The actions of the commands that do no more than a step of a cursor.
STEPS = frozenset(action_of(command.id) for command in COMMANDS if command.steps)


def _clash(key: str, owner: str, loser: str, rebound: Mapping[str, object]) -> KeyFault:
    words = f"{shown(key)} is wanted by {owner} and by {loser}; {owner} has it"
    return KeyFault(loser if loser in rebound else owner, words)


def _unknown(name: str) -> str:
    near = nearest(name, BY_ID)
    hint = f"; did you mean {near}?" if near else "; the help screen lists the commands"
    return f"no command is called {one_line(name, 60)}{hint}"


def _keys(value: Any) -> list[str] | None:
    """Return the keys that a setting names, as they are written; None where it is no such list."""
    parts = value.split(",") if isinstance(value, str) and value != "," else value
    if not isinstance(parts, list | tuple | str) or not all(isinstance(p, str) for p in parts):
        return None
    return [key for part in parts if (key := "space" if part == " " else part.strip())]
