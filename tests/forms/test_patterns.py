"""Patterns of a server: the answer is right, or it is "not checked", and it comes soon."""

from __future__ import annotations

import contextlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks_tui.forms.patterns import NotChecked, fits


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("abc", "xabcx", "ab"),
        ("^a", "ab", "ba"),
        ("a$", "ba", "a\n"),
        ("^$", "", "a"),
        ("^a.c$", "axc", "a\nc"),
        ("^(cat|dog)s?$", "dogs", "cow"),
        ("^[A-Z]{2}[0-9]{3,}$", "AB1234", "AB12"),
        ("^[^@\\s]+@[^@\\s]+$", "a@b", "a b@c"),
        ("^a{2}$", "aa", "aaa"),
        ("^a{2,3}?$", "aaa", "aaaa"),
        ("^a{,3}$", "a{,3}", "aaa"),
        ("^\\d+$", "42", "٤٢"),
        ("^\\w+$", "a_1", "é"),
        ("^[\\w.-]+$", "a.b-c", "a b"),
        ("^[a\\]b]+$", "a]b", "a[b"),
        ("^\\S+\\s\\S+$", "a\u00a0b", "ab"),
        ("\\bcat\\b", "a cat.", "concat"),
        ("\\Bcat", "concat", "a cat"),
        ("^(?=.*[A-Z])(?=.*\\d).{8,}$", "Abcdefg1", "abcdefg1"),
        ("^(?!root$)[a-z]+$", "rooter", "root"),
        ("^(?:ab)+$", "abab", "aba"),
        ("^(?<year>\\d{4})$", "2026", "26"),
        ("^\\x41\\u0042\\u{43}\\t$", "ABC\t", "ABC"),
        ("^\\p{Lu}\\p{L}*$", "Éa", "éa"),
        ("^\\P{L}$", "1", "a"),
        ("^[\\p{L}\\d]+$", "é1", "-"),
        ("^\\cJ$", "\n", "J"),
        ("^a*?b$", "aab", "aac"),
        ("^(a*)*$", "aaa", "b"),
        ("^[^]$", "\n", ""),
        ("a|^$", "", "b"),
        ("^[a-c-]+$", "a-c", "d"),
        ("^[\\d-x]+$", "1-x", "a"),
        ("^1\\.0$", "1.0", "1x0"),
        ("^}{$", "}{", "{}"),
        ("^[\\b]$", "\b", "b"),
    ],
)
def test_fits(pattern: str, yes: str, no: str) -> None:
    assert fits(pattern, yes)
    assert not fits(pattern, no)


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("(a)\\1", "refers back"),
        ("(?<=a)b", "looks behind"),
        ("(?<x>a)\\k<x>", "refers back"),
        ("(", "'(' too many"),
        (")", "')' too many"),
        ("[a", "'[' too many"),
        ("*a", "repeats nothing"),
        ("a\\", "ends in a backslash"),
        ("(?i)a", "unknown kind"),
        ("a{3,2}", "wrong way round"),
        ("\\p{Script=Greek}", "not known here"),
        ("\\u{110000}", "does not exist"),
        ("a" * 2000, "too long"),
        ("((a{90}){90}){90}", "too often"),
        ("(" * 100 + ")" * 100, "too deep"),
    ],
)
def test_what_is_not_understood_is_said(pattern: str, why: str) -> None:
    with pytest.raises(NotChecked, match=re.escape(why)):
        fits(pattern, "aaa")


@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|a)*$", "^(.*)*x$", "(a+a+)+y"])
def test_catastrophic_patterns_come_to_an_end(pattern: str) -> None:
    assert not fits(pattern, "a" * 2_000 + "b")


def test_what_costs_too_much_is_not_checked() -> None:
    with pytest.raises(NotChecked, match="too long"):
        fits("(a?){500}" + "(?=.*b)" * 3, "a" * 100_000)


@given(st.text(alphabet="ab(|)*+?.[]^$\\d{}1,-", max_size=12), st.text(alphabet="ab1-", max_size=8))
def test_agrees_with_the_standard_library(pattern: str, text: str) -> None:
    try:
        expected = re.search(pattern, text, re.ASCII) is not None
    except (re.error, OverflowError, FutureWarning):
        return
    if re.search(r"\\$|\$|\{|\[\]|\[\^\]|[*+?]\+|\\\d|\[.*[\[&~|-]", pattern):
        return  # dialects differ there on purpose
    with contextlib.suppress(NotChecked):
        assert fits(pattern, text) is expected


@given(st.text(max_size=40), st.text(max_size=40))
def test_no_pattern_breaks_it(pattern: str, text: str) -> None:
    with contextlib.suppress(NotChecked):
        assert fits(pattern, text) in (True, False)
