"""Percent, rate and ETA out of status messages.

The protocol has no number for progress, only free text, so what is found here is derived and
shown as such. A wrong bar is worse than none: numbers that may mean something else (a date, a
version, a retry count, a processor's load) give none.
"""

from __future__ import annotations

import re
from enum import IntEnum
from operator import itemgetter
from typing import TYPE_CHECKING

from mcp_tasks_tui.records import altered, record
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.view import Progress

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Only the beginning of a message is looked at.
LOOK_AT = 400
_AROUND = 32
#: A percentage is beside the step that is counted within one step, and within so much.
_BESIDE = 0.1
_KEPT_POINTS = 12
_LONGEST_ETA = 30 * 86_400.0
#: An estimate holds while progress stands still for no longer than this many of its usual gaps,
#: and at least for so many seconds.
_PATIENCE, _LEAST_PATIENCE = 2.0, 15.0

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
#: A message without any of these is not searched: most have none.
_PERCENT_SIGNS = ("%", "percent", "per cent", "pct")
_SHARE = r"(?i)\bprogress[ ]?[:=]?[ ]?(?P<share>0?\.[0-9]{1,6}|1\.0{1,6})(?![\w%/.]|[ ]\w)"

_STAGE_IN_BRACKETS = r"\[ *(?:[A-Za-z][\w.-]{0,20} +)?$"
_WORDS_AFTER = r"[)\]]?((?: [A-Za-z]{1,20}){1,3})"
_RETRY_IN = r"(?i)\b(?:attempt|retry|retrying|try) in [0-9.]{1,6} ?[a-z]{0,7}[ (]*$"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What words beside the numbers mean. A count of steps stands above a percentage beside it.
_STEPS = _words(
    "step steps stage stages phase phases epoch epochs part parts pass passes round rounds"
    " iteration iterations iter task tasks table tables migration migrations module modules layer"
    " layers file files page pages batch batches chunk chunks"
)
#: What is gone through from its start to its end, each time: a percentage is of this one.
_SWEPT = _words("epoch epochs pass passes round rounds iteration iterations iter")
_WHOLE = _words("overall total altogether")
#: Before numbers that are a date, an identity, a place in a queue, a rating, ...
_OTHER_BEFORE = _words(
    "on since until till by date dated due between before after jan feb mar apr may jun june jul"
    " july aug sep sept oct nov dec version ver release rfc iso ticket tickets issue issues pr"
    " attempt attempts retry retries retrying tries try rate rated rating ratings score scored"
    " scores ratio aspect odds position priority severity temperature speed port ports worker"
    " workers thread threads rank ranks gpu gpus node nodes core cores proc procs process python"
    " to-chk ir-chk to-check load line took cost costs eta quota limit timeout"
)
#: Right after them: times, rates, recipes, votes.
_OTHER_AFTER = _words("s ms sec secs min mins h hr hrs fps rpm px bit bits cup cups majority")
_TIMES = _words("sec secs seconds min mins minutes hr hrs hours day days")
#: A percentage of these is the reading of a gauge, not progress.
_GAUGES = _words(
    "acc accuracy val_acc precision recall f1 loss confidence probability similarity match"
    " coverage covered using cpu gpu memory mem ram swap disk heap usage used utilisation"
    " utilization util load battery humidity volume opacity zoom quality threshold limit quota"
    " budget uptime availability hit hits discount saving savings saved reduced reduction increase"
    " increased decrease decreased up down faster slower smaller larger bigger cheaper less more"
    " than top under over below above least most error errors failure failed failures rate full"
    " free packet interest tax cache cached idle throttled bandwidth growth chance success"
)
_GAUGES_AFTER = _GAUGES | {"traffic", "users", "requests", "time"}
_FILLERS = _words("is at of by was to now the")
#: Within three words after: what is counted is no progress.
_BAD = _words(
    "failed failing failure failures error errors skipped missing invalid corrupt infected rejected"
    " dropped broken unhealthy healthy busy idle free available active online star stars point"
    " points second seconds minute minutes hour hours day days am pm"
)
_LEFT = _words("left remaining remain go pending queued")
_ORDER = itemgetter(0, 1)
_IDIOMS = {("24", "7"), ("9", "11"), ("50", "50"), ("7", "24"), ("1", "1")}
_SCALE = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}


@record
class Track:
    """The way a task's progress took: the newest value with its rate, and the points behind it.

    `points` are (seconds, fraction), oldest first, of one run without a step back.
    """

    progress: Progress
    points: tuple[tuple[float, float], ...]


class _Rank(IntEnum):
    """Which of several finds in one message tells of the whole work, best first."""

    WHOLE = 0
    SWEEP = 1
    STEP = 2
    BRACKET = 3
    PLAIN = 4


#: Rank, place in the message, what it says: the lowest is the best.
_Found = tuple[_Rank, int, Progress]


def parse(message: ServerText | str | None) -> Progress | None:
    """Return what `message` says of progress, None where it says nothing that is sure."""
    if not message:
        return None
    raw = message.raw if isinstance(message, ServerText) else message
    text = raw[:LOOK_AT].replace("\xa0", " ").replace("\t", " ")
    if not re.search(_DIGIT, text):
        return None
    counts, percents = list(_counts(text)), [*_percents(text), *_shares(text)]
    agreed = _agreed(counts, percents) if counts and percents else None
    return agreed or _best([*counts, *percents])


def _best(found: list[_Found]) -> Progress | None:
    return min(found, key=_ORDER)[2] if found else None


def _agreed(counts: list[_Found], percents: list[_Found]) -> Progress | None:
    """Return the one progress that a count and a percentage of the same message make."""
    of, _, percent = min(percents, key=_ORDER)
    if of is _Rank.WHOLE:
        return next((count for _, _, count in counts if _equal(count, percent)), None)
    inner = len(counts) > 1 and any(_equal(count, percent) for _, _, count in counts)
    for rank, _, count in sorted(counts, key=_ORDER):
        if _equal(count, percent):
            return count
        stepping = rank in (_Rank.STEP, _Rank.SWEEP)
        if rank is not _Rank.SWEEP and not inner and _near(count, percent):
            return altered(percent, text=f"{count.text}, {percent.text}")
        if stepping and count.total and (count.done or 0) >= 1:
            return _inside_step(count.done or 0, count.total, count.text, percent)
    return None


def _equal(count: Progress, percent: Progress) -> bool:
    return abs(count.fraction - percent.fraction) < 0.01


def _near(count: Progress, percent: Progress) -> bool:
    """Whether a percentage is the whole's: where the step that is counted is, or next to it.

    With few steps next to it is nearly everywhere, and that proves nothing.
    """
    step = 1 / (count.total or 1.0)
    beside = min(step, _BESIDE)
    return count.fraction - step - beside <= percent.fraction <= count.fraction + beside


def _inside_step(done: float, total: float, text: str, percent: Progress) -> Progress:
    """Return where "Epoch 3/10: 45%" is: two are done, and so much of the third."""
    done = done - 1 + percent.fraction
    return Progress(done / total, f"{text}, {percent.text}", done, total)


def track(previous: Track | None, progress: Progress | None, at: float) -> Track | None:
    """Return the way with what was read at `at` (seconds, any clock that does not go back).

    A message without progress changes nothing; a message that goes back, counts something else,
    or a clock that goes back starts anew. Time left runs down while nothing moves, and there is
    no estimate once that lasts longer than is usual.
    """
    if progress is None:
        return previous
    if previous is None or _starts_anew(previous, progress, at):
        return Track(progress, ((at, progress.fraction),))
    points = previous.points
    if progress.fraction > points[-1][1]:
        points = (*points, (at, progress.fraction))[-_KEPT_POINTS:]
    return Track(_with_rate(progress, points, at), points)


def without_estimate(progress: Progress | None) -> Progress | None:
    """Return what the message says and nothing of what follows from its pace."""
    if progress is None or progress.rate is progress.eta is None:
        return progress
    return altered(progress, rate=None, eta=None)


def _starts_anew(previous: Track, progress: Progress, at: float) -> bool:
    last_at, last_fraction = previous.points[-1]
    other = progress.total != previous.progress.total
    return other or progress.fraction < last_fraction or at < last_at


def _with_rate(progress: Progress, points: tuple[tuple[float, float], ...], at: float) -> Progress:
    (first_at, first), (last_at, last) = points[0], points[-1]
    passed, still = last_at - first_at, at - last_at
    if passed <= 0 or last <= first:
        return progress
    if still > max(_LEAST_PATIENCE, _PATIENCE * passed / (len(points) - 1)):
        return progress  # nothing supports an estimate any more
    speed = (last - first) / passed
    eta = (1 - last) / speed - still
    return altered(
        progress,
        rate=speed * (progress.total or 1.0),
        eta=eta if 0 <= eta <= _LONGEST_ETA else None,
    )


@record
class _Around:
    """The words beside a number, in lower case: the last one before, up to three after."""

    text_before: str
    before: str
    after: tuple[str, ...]

    @property
    def other(self) -> bool:
        if self.before in _OTHER_BEFORE or self.before in _GAUGES:
            return True
        if self.after and self.after[0] in _OTHER_AFTER:
            return True
        named = next((word for word in self.after if word not in _FILLERS), "")
        return named in _GAUGES_AFTER or re.search(_RETRY_IN, self.text_before) is not None

    @property
    def bad(self) -> bool:
        return not _BAD.isdisjoint(self.after)

    @property
    def left(self) -> bool:
        return not _LEFT.isdisjoint(self.after)

    @property
    def whole(self) -> bool:
        return self.before in _WHOLE or not _WHOLE.isdisjoint(self.after)


def _around(text: str, match: re.Match[str]) -> _Around:
    start, end = match.span()
    before = text[max(start - _AROUND, 0) : start]
    words = before.rstrip(" #:=~<>([").lower().split(" ")[-3:]
    while len(words) > 1 and words[-1] in _FILLERS:
        words.pop()
    after = re.match(_WORDS_AFTER, text[end : end + 3 * _AROUND])
    return _Around(
        before,
        words[-1].strip("#:=~<>()[]{},;|'\""),
        tuple(after[1].lower().split()) if after else (),
    )


def _counts(text: str) -> Iterator[_Found]:
    for match in re.finditer(_COUNT, text):
        around = _around(text, match)
        step = around.before in _STEPS
        if around.bad or (not step and (around.other or _is_idiom(match, around))):
            continue
        if progress := _count(match, step=step, left=around.left):
            yield _rank(around), match.start(), progress


def _is_idiom(match: re.Match[str], around: _Around) -> bool:
    if match["noun"] and match["noun"].strip().lower() in _TIMES:
        return True
    pair = match["done"], match["total"]
    return "/" in match["join"] and pair in _IDIOMS and not around.text_before


def _rank(around: _Around) -> _Rank:
    if around.before in _STEPS:
        return _Rank.SWEEP if around.before in _SWEPT else _Rank.STEP
    staged = re.search(_STAGE_IN_BRACKETS, around.text_before)
    return _Rank.BRACKET if staged else _Rank.PLAIN


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
    if not any(sign in text for sign in _PERCENT_SIGNS):
        return
    for match in re.finditer(_PERCENT, text):
        around = _around(text, match)
        percent = float(match["percent"].replace(",", "."))
        if around.other or around.bad or percent > 100:
            continue
        if around.left:
            percent = 100 - percent
        rank = _Rank.WHOLE if around.whole else _Rank.PLAIN
        yield rank, match.start(), Progress(percent / 100, f"{_short(percent)}%")


def _shares(text: str) -> Iterator[_Found]:
    if "progress" not in text.lower():
        return
    for match in re.finditer(_SHARE, text):
        share = float(match["share"])
        yield _Rank.PLAIN, match.start(), Progress(share, f"{_short(share * 100)}%")


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
