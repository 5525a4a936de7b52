"""A server's Markdown as lines.

Trusted: structure (headings, lists, quotes, code, tables, emphasis). Not trusted: where things
lead. A link is its text followed by its whole target in plain sight, never something to click,
and never OSC 8, which hides the target; an image is named, never fetched; HTML is shown as the
text that it is. Every piece of text is cleaned, so that no rendering can steer the terminal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len

from mcp_tasks_tui.ui.widgets.lines.pieces import (
    BLANK,
    Line,
    Piece,
    Tone,
    fit,
    flat,
    piece,
    width_of,
    wrap,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from markdown_it.token import Token

#: Longer texts are shown as they are: a person reads them in an editor.
LONGEST = 262_144
_DEEPEST = 100
#: Cells that any row of a table fits into.
_UNBOUNDED = 1_000_000
_HEADINGS = {"h1": "█ ", "h2": "▌ "}


def markdown_lines(text: str, width: int) -> list[Line]:
    """Return `text` rendered for `width` cells; text that cannot be parsed as it is."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 - start-up does not wait for a parser

    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": _DEEPEST})
    parser.enable(["table", "strikethrough"])
    try:
        tokens = parser.parse(text[:LONGEST])
    except Exception:  # noqa: BLE001 - a parser's fault with hostile text must not hide the text
        return wrap([piece(text, limit=LONGEST)], width)
    writer = _Writer(max(width, 8))
    writer.write(tokens)
    return writer.lines or wrap([piece(text, limit=LONGEST)], width)


class _Writer:
    def __init__(self, width: int) -> None:
        self.width = width
        self.lines: list[Line] = []
        #: What stands before each line of the open block quotes and lists.
        self._margins: list[str] = []
        self._bullet = ""
        self._counters: list[int | None] = []
        self._heading: str | None = None
        self._row: list[str] | None = None
        self._table: list[list[str]] = []
        #: Which columns of the open table are written from the right.
        self._from_right: list[bool] = []
        self._blocks: dict[str, Callable[[Token], None]] = {
            "heading_open": self._open_heading,
            "heading_close": self._close_heading,
            "paragraph_close": self._close_paragraph,
            "inline": self._inline,
            "fence": self._code,
            "code_block": self._code,
            "html_block": self._code,
            "hr": self._rule,
            "blockquote_open": lambda _: self._margins.append("▎ "),
            "blockquote_close": self._pop_margin,
            "bullet_list_open": lambda _: self._counters.append(None),
            "bullet_list_close": self._close_list,
            "ordered_list_open": self._open_numbers,
            "ordered_list_close": self._close_list,
            "list_item_open": self._open_item,
            "list_item_close": self._pop_margin,
            "table_open": self._open_table,
            "th_open": self._open_heading_cell,
            "table_close": self._close_table,
            "tr_open": self._open_row,
            "tr_close": self._close_row,
        }

    def write(self, tokens: Sequence[Token]) -> None:
        for token in tokens:
            handler = self._blocks.get(token.type)
            if handler is not None:
                handler(token)
        while self.lines and not self.lines[-1]:
            self.lines.pop()

    # --- blocks --------------------------------------------------------------------------
    def _add(self, pieces: Sequence[Piece]) -> None:
        margin = "".join(self._margins)
        if self._bullet:
            first = margin[: -len(self._bullet)] + self._bullet
            self._bullet = ""
        else:
            first = margin
        room = max(self.width - len(margin), 8)
        for number, line in enumerate(wrap(pieces, room)):
            lead = first if number == 0 else margin
            self.lines.append((Piece(lead, Tone.MUTED), *line) if lead else line)

    def _gap(self) -> None:
        if self.lines and self.lines[-1]:
            self.lines.append(BLANK)

    def _open_heading(self, token: Token) -> None:
        self._gap()
        self._heading = token.tag

    def _close_heading(self, _: Token) -> None:
        self._heading = None
        self._gap()

    def _close_paragraph(self, token: Token) -> None:
        if not token.hidden:
            self._gap()

    def _inline(self, token: Token) -> None:
        pieces = _spans(token.children or [])
        if self._row is not None:
            self._row.append("".join(each.text for each in pieces).replace("\n", " "))
        elif self._heading is not None:
            lead = _HEADINGS.get(self._heading, "▪ ")
            text = Piece("".join(each.text for each in pieces), Tone.STRONG)
            self._add([Piece(lead, Tone.NAME), text])
        else:
            self._add(pieces)

    def _code(self, token: Token) -> None:
        margin = Piece("".join(self._margins) + "│ ", Tone.RULE)
        for raw in token.content.rstrip("\n").split("\n"):
            for line in wrap([Piece(flat(raw), Tone.CODE)], self.width - len(margin.text)):
                self.lines.append((margin, *line))
        self._gap()

    def _rule(self, _: Token) -> None:
        self.lines.append((Piece("─" * self.width, Tone.RULE),))

    def _pop_margin(self, _: Token) -> None:
        self._margins.pop()

    def _open_numbers(self, token: Token) -> None:
        start = token.attrGet("start")
        self._counters.append(int(start) if start is not None else 1)

    def _open_item(self, _: Token) -> None:
        number = self._counters[-1]
        if number is None:
            self._bullet = "• "
        else:
            self._bullet = f"{number}. "
            self._counters[-1] = number + 1
        self._margins.append(" " * len(self._bullet))

    def _close_list(self, _: Token) -> None:
        self._counters.pop()
        if not self._counters:
            self._gap()

    # --- tables --------------------------------------------------------------------------
    def _open_table(self, _: Token) -> None:
        self._table.clear()
        self._from_right.clear()

    def _open_heading_cell(self, token: Token) -> None:
        self._from_right.append(token.attrGet("style") == "text-align:right")

    def _open_row(self, _: Token) -> None:
        self._row = []

    def _close_row(self, _: Token) -> None:
        self._table.append(self._row or [])
        self._row = None

    def _close_table(self, _: Token) -> None:
        edges = max((len(row) for row in self._table), default=1) - 1
        needed = sum(column_widths(self._table, _UNBOUNDED))
        joint = " │ " if needed + 3 * edges <= self.width else "│"  # blanks before words
        widths = column_widths(self._table, max(self.width - len(joint) * edges, edges + 1))
        for number, row in enumerate(self._table):
            tone = Tone.STRONG if number == 0 else Tone.PLAIN
            self.lines.append(table_line(row, widths, joint, tone, self._from_right))
            if number == 0:
                crossing = joint.replace(" ", "─").replace("│", "┼")
                rule = crossing.join("─" * width for width in widths)
                self.lines.append((Piece(rule, Tone.RULE),))
        self._gap()


def column_widths(rows: Sequence[Sequence[str]], room: int) -> list[int]:
    """Share `room` cells among columns: each what it needs, the widest ones give way."""
    columns = max((len(row) for row in rows), default=0)
    needs = [
        max((cell_len(row[number]) for row in rows if number < len(row)), default=1) or 1
        for number in range(columns)
    ]
    while sum(needs) > room and max(needs, default=0) > 4:
        widest = max(range(columns), key=needs.__getitem__)
        needs[widest] -= max(1, (sum(needs) - room) // columns)
        needs[widest] = max(needs[widest], 4)
    return needs


def table_line(
    row: Sequence[str],
    widths: Sequence[int],
    joint: str,
    tone: Tone = Tone.PLAIN,
    from_right: Sequence[bool] = (),
) -> Line:
    pieces: list[Piece] = []
    for number, width in enumerate(widths):
        if number:
            pieces.append(Piece(joint, Tone.RULE))
        cell = fit((Piece(row[number] if number < len(row) else "", tone),), width)
        room = Piece(" " * max(0, width - width_of(cell)))
        right = number < len(from_right) and from_right[number]
        pieces += (room, *cell) if right else (*cell, room)
    return tuple(each for each in pieces if each.text)


# --- spans -------------------------------------------------------------------------------
_MARKS = {
    "strong_open": Tone.STRONG,
    "em_open": Tone.EMPHASIS,
    "s_open": Tone.MUTED,
    "link_open": Tone.LINK,
}
_CLOSED = {"strong_close", "em_close", "s_close", "link_close"}
_BREAKS = {"softbreak": " ", "hardbreak": "\n"}


def _spans(tokens: Sequence[Token]) -> list[Piece]:
    tones: list[Tone] = [Tone.PLAIN]
    targets: list[str] = []
    pieces: list[Piece] = []
    for token in tokens:
        if token.type in _MARKS:
            tones.append(_MARKS[token.type])
            if token.type == "link_open":
                targets.append(str(token.attrGet("href") or ""))
        elif token.type in _CLOSED:
            tones.pop()
            if token.type == "link_close":
                pieces.append(piece(f" ({targets.pop()})", Tone.MUTED))
        elif token.type in _BREAKS:
            pieces.append(Piece(_BREAKS[token.type]))
        elif token.type == "image":
            pieces.append(piece(f"[image: {token.content}] ({token.attrGet('src')})", Tone.MUTED))
        elif token.type == "code_inline":
            pieces.append(piece(token.content, Tone.CODE, LONGEST))
        else:
            pieces += _after(pieces, piece(token.content, tones[-1], LONGEST))
    return pieces


#: It never begins a line: it belongs to the word before it, whatever that looks like.
_CLOSING = ".,;:!?)]}\"'»”"


def _after(before: list[Piece], said: Piece) -> list[Piece]:
    """Return a text without the punctuation at its beginning, which goes to the target before."""
    rest = said.text.lstrip(_CLOSING)
    closing = said.text[: len(said.text) - len(rest)]
    if closing and before and before[-1].text.endswith(")"):
        before[-1] = Piece(before[-1].text + closing, before[-1].tone)
        return [Piece(rest, said.tone)] if rest else []
    return [said]
