"""Links in what a server wrote: text like any other, until a person asks to open one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_tasks_tui.supervise.results import Part, PartKind

if TYPE_CHECKING:
    from mcp_tasks_tui.supervise.results import ResultDoc

#: Of a longer text only the beginning is searched, and no more links than this are listed.
_SEARCHED = 262_144
_MOST = 100
_LINK = re.compile(r"https?://[^\s<>\"'`|\\^{}\x00-\x20\x7f-\x9f]+", re.IGNORECASE)
#: What stands behind a link in a sentence and is not part of it.
_AFTER = ".,;:!?*_"


def all_links(doc: ResultDoc) -> tuple[Part, ...]:
    """Return the links that are content of their own, then those written in its texts, each once.

    Only http and https are looked for: nothing else is ever opened.
    """
    links = list(doc.links)
    known = {part.uri for part in links}
    for part in doc.parts:
        if part.kind is not PartKind.TEXT:
            continue
        for match in _LINK.finditer(part.text, 0, _SEARCHED):
            url = _without_what_follows(match.group())
            if url not in known and len(links) < _MOST:
                known.add(url)
                links.append(Part(PartKind.LINK, "link", uri=url, text="written in the text"))
    return tuple(links)


def _without_what_follows(found: str) -> str:
    """Take away the end of the sentence, and a bracket or parenthesis that was open before."""
    while True:
        url = found.rstrip(_AFTER)
        if url.endswith(")") and url.count(")") > url.count("("):
            url = url[:-1]
        if url.endswith("]") and url.count("]") > url.count("["):
            url = url[:-1]
        if url == found:
            return url
        found = url
