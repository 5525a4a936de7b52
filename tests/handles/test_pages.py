"""Rows read page by page are those that SQLite has written, and noise is none."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pytest

from mcp_tasks_tui.handles import pages


def _file(path: Path, page_bytes: int) -> bytes:
    """Rows of every kind of value, small and larger than a page, with and without a number."""
    raw = sqlite3.connect(path)
    raw.execute(f"PRAGMA page_size = {page_bytes}")
    raw.execute("CREATE TABLE numbered (id INTEGER PRIMARY KEY, version, body)")
    raw.execute("CREATE TABLE named (a, b, body, PRIMARY KEY (a, b)) WITHOUT ROWID")
    raw.executemany("INSERT INTO numbered VALUES (?, ?, ?)", map(_row, range(400)))
    raw.executemany(
        "INSERT INTO named VALUES (?, ?, ?)",
        ((n % 9, n, "y" * (n * 37 % 5000)) for n in range(400)),
    )
    raw.commit()
    raw.close()
    return path.read_bytes()


def _row(number: int) -> tuple[int, pages.Value, pages.Value]:
    values: tuple[pages.Value, ...] = (None, 0, 1, -1, 300, 1 << 20, -(1 << 40), 1 << 60, 2.5, "z")
    body = b"\0\xff" * number if number % 5 == 0 else "x" * (number * 31 % 9000)
    return number, values[number % len(values)], body


@pytest.mark.parametrize("page_bytes", [512, 4096, 65536])
def test_every_row_is_found_as_it_was_written(tmp_path: Path, page_bytes: int) -> None:
    found = list(pages.rows(_file(tmp_path / "a.db", page_bytes)))
    numbered = {row.number: row.values[1:] for row in found if row.values[0] is None}
    named = {row.values[:2]: row.values[2] for row in found if row.number is None}
    assert numbered == {number: _row(number)[1:] for number in range(400)}
    assert named == {(n % 9, n): "y" * (n * 37 % 5000) for n in range(400)}


def test_noise_in_a_file_costs_what_it_covers_and_no_more(tmp_path: Path) -> None:
    data = bytearray(_file(tmp_path / "a.db", 4096))
    before = sum(1 for _ in pages.rows(bytes(data)))
    dice = random.Random(5)
    for _ in range(30):
        data[dice.randrange(4096, len(data))] ^= 0xFF
    assert before // 2 < sum(1 for _ in pages.rows(bytes(data))) <= before + 30


@pytest.mark.parametrize("size", [0, 1, 100, 4096, 40960])
def test_what_is_no_database_is_read_to_its_end(size: int) -> None:
    list(pages.rows(bytes([0x0D]) * size))
    for seed in range(20):
        list(pages.rows(random.Random(seed).randbytes(size)))
