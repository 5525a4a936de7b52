"""What the locale says of the terminal, and plain signs for one that knows no others."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Our own signs, for a terminal that knows ASCII only.
_PLAIN = {"…": "~", "·": "-", "≈": "~", "⟨": "<", "⟩": ">", "✗": "x", "–": "-", "—": "-"}
#: Encoding and error handler that write plain signs. ASCII by another name: click takes a stream
#: that calls itself so for a mistake, and writes UTF-8 to it.
PLAIN_ASCII = "plain-ascii"
PLAIN_SIGNS = "plain-signs"


def wants_ascii(environ: Mapping[str, str]) -> bool:
    """Tell whether the locale says that the terminal knows no other characters: it is ``C``, or
    names a charset that is not UTF-8. One that says nothing is taken for UTF-8."""
    said = (environ.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    locale = next((each for each in said if each), "")
    charset = locale.partition(".")[2].partition("@")[0]
    if not charset:
        return locale in ("C", "POSIX")
    return charset.lower().replace("-", "") != "utf8"


def _plainly(error: UnicodeError) -> tuple[str | bytes, int]:
    """Write one character that an encoding does not have: plainly, or as an escape."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    char = error.object[error.start]
    plain = _PLAIN.get(char)
    if plain is None:
        plain = char.encode("ascii", "backslashreplace").decode("ascii")
    return plain, error.start + 1


def _find(name: str) -> codecs.CodecInfo | None:
    if name != PLAIN_ASCII.replace("-", "_"):
        return None
    same = codecs.lookup("ascii")
    return codecs.CodecInfo(
        same.encode,
        same.decode,
        same.streamreader,
        same.streamwriter,
        same.incrementalencoder,
        same.incrementaldecoder,
        name=PLAIN_ASCII,
    )


codecs.register(_find)
codecs.register_error(PLAIN_SIGNS, _plainly)
