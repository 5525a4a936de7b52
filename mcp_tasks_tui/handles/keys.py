"""Local keys: short, typeable, and the same again when a database is filled anew.

A key is made from the handle's identity, so that it does not depend on luck or order. It starts
with a letter (nothing takes it for a number or an option), has no vowels (no words) and none of
the characters that are mistaken for one another.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_LETTERS = "bcdfghjkmnpqrstvwxz"
ALPHABET = _LETTERS + "23456789"
MIN_LENGTH = 4
_TRIES_PER_LENGTH = 8


def candidates(server_url: str, task_id: str) -> Iterator[str]:
    """Yield ever more keys for a task, shortest first; the first free one is its key."""
    import hashlib  # noqa: PLC0415 - listing what is saved does without it

    for number in count():
        identity = f"{number}\0{server_url}\0{task_id}".encode("utf-8", "surrogatepass")
        value = int.from_bytes(hashlib.sha256(identity).digest(), "big")
        value, first = divmod(value, len(_LETTERS))
        chars = [_LETTERS[first]]
        for _ in range(MIN_LENGTH + number // _TRIES_PER_LENGTH - 1):
            value, index = divmod(value, len(ALPHABET))
            chars.append(ALPHABET[index])
        yield "".join(chars)


def choose(server_url: str, task_id: str, wanted: str | None, taken: Callable[[str], bool]) -> str:
    """Return the key for a task: the one it had before if that is free, else a new one."""
    if wanted and is_key(wanted) and not taken(wanted):
        return wanted
    return next(key for key in candidates(server_url, task_id) if not taken(key))


def is_key(text: str) -> bool:
    """Tell whether `text` has the form of a whole key."""
    return MIN_LENGTH <= len(text) <= 12 and text[0] in _LETTERS and is_prefix(text)


def is_prefix(text: str) -> bool:
    """Tell whether `text` could be the beginning of a key."""
    return bool(text) and not set(text) - set(ALPHABET)
