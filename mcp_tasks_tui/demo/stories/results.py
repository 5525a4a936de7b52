"""Work whose result is the point: of every content kind, very large, or hostile."""

from __future__ import annotations

import base64
import math
import random
import struct
import zlib
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.demo.tools import Result, Tool, arguments_schema, form, result, tell, text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_tasks_tui.demo.tasks import Work

_REPORT = """\
# Capacity report, week 48

Traffic grew by **12 %**; two services need attention before the holidays.

| service  | requests/s | p99 ms | headroom |
|----------|-----------:|-------:|---------:|
| checkout |      1,840 |    212 |     18 % |
| search   |      6,310 |     94 |     41 % |
| mail     |        120 |    510 |     63 % |

## What to do

1. Give **checkout** two more hosts before 12 December.
2. Look at the `mail` queue: 510 ms is twice the agreed value.

```sql
SELECT service, max(p99) FROM latency WHERE week = 48 GROUP BY service;
```
"""
_FIGURES = {
    "week": 48,
    "growth": 0.12,
    "services": [
        {"name": "checkout", "rps": 1840, "p99": 212, "headroom": 0.18, "ok": False},
        {"name": "search", "rps": 6310, "p99": 94, "headroom": 0.41, "ok": True},
        {"name": "mail", "rps": 120, "p99": 510, "headroom": 0.63, "ok": None},
    ],
}
LARGE_BYTES = 5 * 1024 * 1024

#: One line per way to play tricks on a terminal, a log or a markup renderer.
HOSTILE_LINES = (
    "red until the end of the world: \x1b[31mred \x1b[5mblinking",
    "clear the screen: \x1b[2J\x1b[H and the scrollback \x1b[3J",
    "a new window title: \x1b]0;pwned\x07 and the clipboard \x1b]52;c;cm0gLXJmIH4=\x07",
    "a link that lies: \x1b]8;;https://evil.example\x1b\\your bank\x1b]8;;\x1b\\",
    "one-byte controls: \x9b31m \x9d0;title\x9c bell \x07 nul \x00 backspace \x08\x08\x08",
    "right to left: invoice\u202egpj.exe and isolates \u2066\u2067mixed\u2069\u2069",
    "nothing to see: zero\u200bwidth\u200d join\u2060er \ufeff and soft\u00adhyphen",
    "tags: \U000e0041\U000e0042\U000e0043 variation \ufe0f lone surrogate \ud800",
    "stacked: Z\u0351\u036b\u0343\u036aa\u0342\u036bl\u034f\u0317g\u0323\u0323o\u034e\u031f",
    "markup: [bold red]warning[/] [@click=app.quit]press me[/] [link=https://evil.example]x[/link]",
    "unbalanced markup: [/] [/bold] [[[ ]] [red",
    "line ends: \r overwritten \x0b \x0c \x85 \u2028 \u2029 done",
    "wide: \u4e16\u754c \U0001f469\u200d\U0001f469\u200d\U0001f467 \uff57\uff49\uff44\uff45",
)


def _png(width: int, height: int) -> bytes:
    """A small picture: a colour gradient."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        checksum = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + checksum

    rows = b"".join(
        b"\0" + bytes(v for x in range(width) for v in (x * 4 % 256, y * 4 % 256, 160))
        for y in range(height)
    )
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def _wav(seconds: float, rate: int = 8000) -> bytes:
    """A small sound: 440 Hz."""
    samples = bytes(
        128 + int(60 * math.sin(2 * math.pi * 440 * n / rate)) for n in range(int(seconds * rate))
    )
    form_chunk = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, rate, rate, 1, 8)
    data = struct.pack("<4sI", b"data", len(samples)) + samples
    return struct.pack("<4sI4s", b"RIFF", 4 + len(form_chunk) + len(data), b"WAVE") + (
        form_chunk + data
    )


def _blob(kind: str, mime_type: str, data: bytes) -> dict[str, Any]:
    return {"type": kind, "data": base64.b64encode(data).decode(), "mimeType": mime_type}


async def write_report(work: Work, _arguments: Mapping[str, Any]) -> Result:
    await tell(
        work,
        (
            ("Reading metrics: 1 of 4", 4),
            ("Reading metrics: 3 of 4", 4),
            ("Drawing charts: 75%", 4),
            ("Writing", 3),
        ),
    )
    return result(
        text(_REPORT),
        _blob("image", "image/png", _png(64, 64)),
        _blob("audio", "audio/wav", _wav(0.5)),
        {
            "type": "resource_link",
            "uri": "https://reports.example.com/2026/week-48.pdf",
            "name": "week-48.pdf",
            "description": "The same report, for printing",
            "mimeType": "application/pdf",
        },
        {
            "type": "resource",
            "resource": {
                "uri": "file:///reports/week-48.csv",
                "mimeType": "text/csv",
                "text": "service,rps,p99\ncheckout,1840,212\nsearch,6310,94\nmail,120,510\n",
            },
        },
        structured=_FIGURES,
    )


async def export_log(work: Work, arguments: Mapping[str, Any]) -> Result:
    size = int(arguments.get("bytes", LARGE_BYTES))
    for part in range(1, 6):
        work.say(f"Exported {size * part / 5 / 1024**2:.0f} MB of {size / 1024**2:.0f} MB")
        await work.sleep(3)
    lines: list[str] = []
    length = 0
    source = random.Random(48)  # noqa: S311 - the same log each time
    paths = ("/cart", "/checkout", "/search?q=lamp", "/login", "/static/app.js")
    while length < size:
        second = len(lines) // 40
        line = (
            f"2026-11-29T{second // 3600 % 24:02}:{second // 60 % 60:02}:{second % 60:02}Z "
            f"{source.choice(('INFO', 'INFO', 'INFO', 'WARN'))} {source.choice(paths)} "
            f"{source.choice((200, 200, 304, 404))} {source.randint(2, 900)} ms"
        )
        lines.append(line)
        length += len(line) + 1
    return result(text("\n".join(lines)), structured={"lines": len(lines), "bytes": length})


async def read_mailbox(work: Work, _arguments: Mapping[str, Any]) -> Result:
    """Text as an attacker would send it, in every place that a server can put text."""
    for number, line in enumerate(HOSTILE_LINES, start=1):
        work.say(f"{number} of {len(HOSTILE_LINES)} {line}")
        await work.sleep(1.5)
    work.say("one very long line " + "\u2588" * 4000)
    await work.sleep(1.5)
    question = form(
        "\x1b[2JReply to \u202egnp.exe\u202c? [bold]Really?[/bold]\x07",
        {
            "choice[red]": {
                "type": "string",
                "title": "\x1b]0;title\x07Choice \u202e(esrever)",
                "description": "[@click=app.quit]description[/]\x00",
                "enum": ["yes\x1b[31m", "no[/]", "\u202esiht"],
            }
        },
    )
    await work.ask_one("hostile\x1b[31m[bold]", question, "Waiting \x1b[5mfor you")
    return result(
        text("\n".join(HOSTILE_LINES)), structured={"\x1b[31mkey[red]": list(HOSTILE_LINES)}
    )


TOOLS = (
    Tool(
        "write_report",
        "Write report",
        "Its result has every kind of content: Markdown, an image, a sound, links, JSON.",
        arguments_schema(),
        write_report,
    ),
    Tool(
        "export_log",
        "Export log",
        "Its result is a text of 5 MB.",
        arguments_schema(
            {
                "bytes": {
                    "type": "integer",
                    "title": "Size in bytes",
                    "minimum": 1,
                    "maximum": 4 * LARGE_BYTES,
                    "default": LARGE_BYTES,
                }
            }
        ),
        export_log,
    ),
    Tool(
        "read_mailbox",
        "Read mailbox",
        "Sends control characters, reversed text and markup wherever text can be put.",
        arguments_schema(),
        read_mailbox,
    ),
)
