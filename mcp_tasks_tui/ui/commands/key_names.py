"""The names of keys: which there are, and what a person may have meant by another one."""

from __future__ import annotations

from textual._keyboard_protocol import FUNCTIONAL_KEYS
from textual.binding import Binding, BindingsMap
from textual.keys import REPLACED_KEYS, Keys, key_to_character

from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.spelling import nearest

_MODIFIERS = frozenset({"alt", "ctrl", "hyper", "meta", "shift", "super"})
#: Textual knows them, and no terminal sends them: ``return`` comes as ``enter``.
_NEVER_SENT = frozenset({Keys.ControlSpace, Keys.Return})
_WHOLE = frozenset(
    key.value for key in Keys if key not in _NEVER_SENT and not key.value.startswith("<")
)
_NAMED = frozenset(FUNCTIONAL_KEYS.values()) | {key for key in _WHOLE if "+" not in key}
#: Other words for a key; some are what we show.
_ALSO_CALLED = {
    "esc": "escape",
    "pgdn": "pagedown",
    "pgup": "pageup",
    "return": "enter",
    "del": "delete",
    "ins": "insert",
    "↓": "down",
    "↑": "up",
    "←": "left",
    "→": "right",
}


def spelled(key: str) -> str | None:
    """Return Textual's spelling of a key, ``question_mark`` for ``?``; None where there is none
    that a terminal could send."""
    if key in _WHOLE:
        return key
    modifiers, base = _apart(key)
    if not modifiers <= _MODIFIERS or base in _ALSO_CALLED:
        return None
    is_character = len(base) == 1 or (base not in _NAMED and _names_character(base))
    if not is_character and base not in _NAMED:
        return None
    if len(base) == 1 and not base.isprintable():
        return None
    if is_character and modifiers and (base.isupper() or modifiers == {"shift"}):
        return None  # shift is in the character, or a modifier like the others
    return "+".join([*sorted(modifiers), character_key(base) if len(base) == 1 else base])


def unknown_key(key: str) -> str:
    """Say that there is no such key, and what may have been meant."""
    meant = _meant(key)
    hint = (
        f"did you mean {meant}?"
        if meant
        else "write one character, or a name such as escape, f5, ctrl+x"
    )
    return f"no key is called {one_line(key, 60)}; {hint}"


def character_key(character: str) -> str:
    """Return Textual's name of a single character."""
    if character == ",":
        return "comma"  # between keys it would part them
    return next(iter(BindingsMap([Binding(character, "nothing", "")]).key_to_bindings))


def _apart(key: str) -> tuple[frozenset[str], str]:
    """Return the modifiers of a key, and the key itself; a plus parts them, and is a key too."""
    before, _, base = key.rpartition("+")
    if key == "+" or key.endswith("++"):
        before, base = key[:-2], "+"
    return frozenset(before.split("+") if before else ()), base


def _names_character(name: str) -> bool:
    character = key_to_character(REPLACED_KEYS.get(name, name))
    return character is not None and character.isprintable() and character_key(character) == name


def _meant(key: str) -> str | None:
    modifiers, base = _apart(key.lower().replace("^", "ctrl+", 1) if len(key) > 1 else key)
    if modifiers == {"shift"} and len(base) == 1:
        return base.upper()
    again = "+".join([*sorted(modifiers), _ALSO_CALLED.get(base, base)])
    return again if spelled(again) else nearest(again, sorted(_WHOLE | _NAMED))
