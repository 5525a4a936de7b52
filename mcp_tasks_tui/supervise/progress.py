"""Percent, rate and ETA out of status messages.

The protocol has no number for progress, only free text, so what is found here is derived and
shown as such. A wrong bar is worse than none: numbers that may mean something else (a date, a
version, a retry count, a processor's load) give none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import IntEnum
from operator import itemgetter
from typing import TYPE_CHECKING

from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.view import Progress

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Only the beginning of a message is looked at.
LOOK_AT = 400
_AROUND = 32
_KEPT_POINTS = 12
_LONGEST_ETA = 30 * 86_400.0

# Patterns are text, compiled when the first message is read: start-up.
# Every quantifier over a class that could meet itself again is bounded: time is linear.
_NUMBER = r"[0-9]{1,15}(?:[,_][0-9]{3}){0,5}(?:[.][0-9]{1,9}|,[0-9]{1,2}(?![0-9]))?"
_UNIT = r"(?:[kKMGTP]i?(?:[Bb]|bytes)?|[Bb]|bytes)(?!\w)"
_DIGIT = r"[0-9]"
_COUNT = (
    rf"(?<![\w.,/:%+#@-])(?P<done>{_NUMBER})(?:[ ]?(?P<done_unit>{_UNIT}))?"
    r"(?P<noun>[ ](?!out\b|of\b)[A-Za-z]{2,16})?"
    r"(?P<join>[ ]{0,3}/[ ]{0,3}|[ ](?:out[ ])?of[ ](?:the[ ]|about[ ]|~[ ]?)?)"
    rf"(?P<total>{_NUMBER})(?:[ ]?(?P<total_unit>{_UNIT}))?"
    r"(?![\w/%]|[.,:][0-9]|-[0-9A-Za-z])"
)
_PERCENT = (
    r"(?<![\w.,/:+#@-])(?P<percent>[0-9]{1,3}(?:[.,][0-9]{1,6})?)"
    r"(?:[ ]?%(?![\w%])|[ ](?:percent|per[ ]cent|pct)\b)"
)
_SHARE = r"(?i)\bprogress[ ]?[:=]?[ ]?(?P<share>0?\.[0-9]{1,6}|1\.0{1,6})(?![\w%/.]|[ ]\w)"

# What stands before a count that makes it a count of steps, above any percentage beside it.
_STEP_BEFORE = (
    r"(?i)(?:^|[^A-Za-z])(?:steps?|stages?|phases?|epochs?|parts?|pass|passes|rounds?|iterations?|iter"
    r"|tasks?|tables?|migrations?|modules?|levels?|layers?|files?|pages?|batch(?:es)?|chunks?)"
    r"[ ]?[#:=]?[ ]?[\[(]?[ ]*$"
)
_BRACKET_BEFORE = r"(?i)\[[ ]*(?:[a-z][\w.-]{0,20}[ ]+)?$"
# What stands before numbers that are something else.
_OTHER_BEFORE = (
    r"(?i)(?:^|[^A-Za-z])(?:on|since|until|till|by|dated?|due|between|before|after|version|ver|release"
    r"|attempts?|retry|retries|retrying|tries|try|rated?|ratings?|score[ds]?|ratio|aspect|odds"
    r"|ports?|workers?|threads?|ranks?|gpus?|nodes?|cores?|procs?|process|python|to-chk|ir-chk"
    r"|to-check|load|line|took|costs?|eta|quota|limit|timeout)"
    r"[ ]?[#:=]?[ ]?[\[(]?[ ]*$"
)
# A percentage of something that is no progress: before it within three words, or after it.
_GAUGE = (
    r"(?:acc|accuracy|val_acc|precision|recall|f1|loss|confidence|probability|similarity|match"
    r"|coverage|covered|cpu|gpu|memory|mem|ram|swap|disk|heap|usage|used|utili[sz]ation|util|load"
    r"|battery|humidity|volume|opacity|zoom|quality|threshold|limit|quota|budget|uptime"
    r"|availability|hit|hits|discount|savings?|saved|reduced|reduction|increased?|decreased?"
    r"|up|down|faster|slower|smaller|larger|bigger|cheaper|less|more|than|top|under|over|below"
    r"|above|least|most|error|errors|failure|failed|failures|rate|full|free|packet|interest|tax"
    r"|cached?|idle|throttled|bandwidth|growth|chance|success)"
)
_GAUGE_BEFORE = (
    rf"(?i)(?:^|[^A-Za-z]){_GAUGE}(?:[ ](?:is|at|of|by|was|to|now)){{0,2}}"
    r"[ ]?[:=~<>]{0,2}[ ]?\(?$"
)
_GAUGE_AFTER = rf"(?i)^[ ](?:of[ ](?:the[ ])?)?(?:{_GAUGE}|traffic|users|requests|time)\b"
_BAD_AFTER = (
    r"(?i)^[)\]]?[ ](?:[A-Za-z]+[ ]){0,2}"
    r"(?:failed|failing|failures?|errors?|skipped|unhealthy|broken|stars?|points?|seconds?|minutes?|hours?|am|pm)\b"
)
_LEFT_AFTER = (
    r"(?i)^[)\]]?[ ](?:[A-Za-z]+[ ]){0,2}(?:left|remaining|remain|to[ ]go|pending|queued)\b"
)
_IDIOMS = {("24", "7"), ("9", "11"), ("50", "50"), ("7", "24"), ("1", "1")}
_SCALE = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}


@dataclass(frozen=True, slots=True)
class Track:
    """The way a task's progress took: the newest value with its rate, and the points behind it.

    `points` are (seconds, fraction), oldest first, of one run without a step back.
    """

    progress: Progress
    points: tuple[tuple[float, float], ...]


class _Rank(IntEnum):
    """Which of several finds in one message tells of the whole work, best first."""

    STEP = 0
    BRACKET = 1
    PERCENT = 2
    SIZE = 3
    COUNT = 4


_Found = tuple[_Rank, Progress]


def parse(message: ServerText | str | None) -> Progress | None:
    """Return what `message` says of progress, None where it says nothing that is sure."""
    if not message:
        return None
    raw = message.raw if isinstance(message, ServerText) else message
    text = raw[:LOOK_AT].replace("\xa0", " ").replace("\t", " ")
    if not re.search(_DIGIT, text):
        return None
    counts, percents = list(_counts(text)), [*_percents(text), *_shares(text)]
    if not counts or not percents:
        return _best(counts or percents)
    return _agreed(counts, percents[0][1]) or _best([*counts, *percents])


def _best(found: list[_Found]) -> Progress | None:
    return min(found, key=itemgetter(0))[1] if found else None


def _agreed(found: list[_Found], percent: Progress) -> Progress | None:
    """Return the one progress that a count and a percentage of the same message make."""
    for rank, count in sorted(found, key=itemgetter(0)):
        if abs(count.fraction - percent.fraction) < 0.01:
            return count
        if rank is _Rank.STEP and count.done and count.total and count.done >= 1:
            # "Epoch 3/10: 45%": two are done, and so much of the third.
            done = count.done - 1 + percent.fraction
            return Progress(done / count.total, f"{count.text}, {percent.text}", done, count.total)
    return None


def track(previous: Track | None, progress: Progress | None, at: float) -> Track | None:
    """Return the way with what was read at `at` (seconds, any clock that does not go back).

    A message without progress changes nothing; a message that goes back, counts something else,
    or a clock that goes back starts anew.
    """
    if progress is None:
        return previous
    if previous is None or _starts_anew(previous, progress, at):
        return Track(progress, ((at, progress.fraction),))
    points = previous.points
    if progress.fraction > points[-1][1]:
        points = (*points, (at, progress.fraction))[-_KEPT_POINTS:]
    return Track(_with_rate(progress, points, at), points)


def _starts_anew(previous: Track, progress: Progress, at: float) -> bool:
    last_at, last_fraction = previous.points[-1]
    other = progress.total != previous.progress.total
    return other or progress.fraction < last_fraction or at < last_at


def _with_rate(progress: Progress, points: tuple[tuple[float, float], ...], at: float) -> Progress:
    first_at, first = points[0]
    # Measured up to now, not to the last point: a rate sinks while nothing moves.
    passed, gained = at - first_at, points[-1][1] - first
    if passed <= 0 or gained <= 0:
        return progress
    speed = gained / passed
    eta = (1 - progress.fraction) / speed
    return replace(
        progress,
        rate=speed * (progress.total or 1.0),
        eta=eta if eta <= _LONGEST_ETA else None,
    )


def _counts(text: str) -> Iterator[_Found]:
    for match in re.finditer(_COUNT, text):
        before = text[max(match.start() - _AROUND, 0) : match.start()]
        after = text[match.end() : match.end() + _AROUND]
        step = re.search(_STEP_BEFORE, before) is not None
        if not re.search(_BAD_AFTER, after) and (step or not _is_other(match, before)):
            progress = _count(match, step=step, left=re.search(_LEFT_AFTER, after) is not None)
            if progress:
                yield _rank(match, before, step=step), progress


def _is_other(match: re.Match[str], before: str) -> bool:
    if re.search(_OTHER_BEFORE, before):
        return True
    return "/" in match["join"] and (match["done"], match["total"]) in _IDIOMS and not before


def _rank(match: re.Match[str], before: str, *, step: bool) -> _Rank:
    if step:
        return _Rank.STEP
    if re.search(_BRACKET_BEFORE, before):
        return _Rank.BRACKET
    return _Rank.SIZE if match["total_unit"] else _Rank.COUNT


def _count(match: re.Match[str], *, step: bool, left: bool) -> Progress | None:
    done_unit, total_unit = (
        match["done_unit"] or match["total_unit"] or "",
        match["total_unit"] or "",
    )
    sized = bool(total_unit)
    if match["done_unit"] and not sized:
        return None
    if not sized and not step and "." in match["done"] + match["total"]:
        return None  # versions are written so; sizes have a unit
    scale = _bytes(total_unit)
    total = _number(match["total"], sized=sized)
    done = _number(match["done"], sized=sized) * _bytes(done_unit) / scale
    if left:
        done = total - done
    if total <= 0 or not 0 <= done <= total:
        return None
    unit = f" {total_unit}" if sized else ""
    return Progress(done / total, f"{_short(done)}/{_short(total)}{unit}", done, total)


def _percents(text: str) -> Iterator[_Found]:
    for match in re.finditer(_PERCENT, text):
        before = text[max(match.start() - _AROUND, 0) : match.start()]
        after = text[match.end() : match.end() + _AROUND]
        other = _OTHER_BEFORE, _GAUGE_BEFORE
        if any(re.search(one, before) for one in other) or re.search(_GAUGE_AFTER, after):
            continue
        percent = float(match["percent"].replace(",", "."))
        if re.search(_LEFT_AFTER, after):
            percent = 100 - percent
        if 0 <= percent <= 100 and not re.search(_BAD_AFTER, after):
            yield _Rank.PERCENT, Progress(percent / 100, f"{_short(percent)}%")


def _shares(text: str) -> Iterator[_Found]:
    for match in re.finditer(_SHARE, text):
        share = float(match["share"])
        yield _Rank.PERCENT, Progress(share, f"{_short(share * 100)}%")


def _number(text: str, *, sized: bool) -> float:
    text = text.replace("_", "")
    whole, comma, decimals = text.rpartition(",")
    if comma and sized and "." not in text and "," not in whole and len(decimals) < 3:
        return float(f"{whole}.{decimals}")
    return float(text.replace(",", ""))


def _bytes(unit: str) -> float:
    if not unit or unit[0] in "Bb":
        return 1.0
    base = 1024.0 if unit[1:2] == "i" else 1000.0
    return base ** _SCALE[unit[0].lower()]


def _short(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"
