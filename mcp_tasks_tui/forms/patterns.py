"""Does a text fit a schema's `pattern`? In bounded time, whatever the pattern is.

A pattern comes from a server and may be built to take for ever in a backtracking engine. This
one follows all alternatives at once (a Thompson automaton), so its work grows with pattern
length times text length, and that product has a limit too. What it cannot read or afford is
:class:`NotChecked`, never a guess.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from mcp_tasks_tui.forms.pattern_syntax import (
    Assert,
    Done,
    Fork,
    Lookaround,
    NotChecked,
    Step,
    Take,
    is_word,
    read_pattern,
)

__all__ = ["NotChecked", "fits"]

_MAX_STEPS = 100_000


def fits(pattern: str, text: str) -> bool:
    """Tell whether `pattern` is found anywhere in `text` (JSON Schema: it is not anchored).

    Raises:
        NotChecked: the pattern is not understood, or the check would cost too much.
    """
    program = _compiled(pattern)
    if isinstance(program, str):
        raise NotChecked(program)
    return _Run(text).search(program)


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> tuple[Step, ...] | str:
    """Return the program, or in words why there is none."""
    try:
        return read_pattern(pattern)
    except NotChecked as error:
        return str(error)


@dataclass(slots=True)
class _Run:
    text: str
    left: int = field(default=_MAX_STEPS)

    def search(self, program: tuple[Step, ...]) -> bool:
        return self._run(program, 0, anywhere=True)

    def _run(self, program: tuple[Step, ...], start: int, *, anywhere: bool) -> bool:
        waiting: list[int] = [0]
        for at in range(start, len(self.text) + 1):
            if anywhere and at > start:
                waiting.append(0)
            takers = self._reach(program, waiting, at)
            if takers is None:
                return True
            if at == len(self.text) or not (takers or anywhere):
                return False
            char = self.text[at]
            waiting = [pc + 1 for pc, take in takers if take.accepts(char)]
        return False

    def _reach(
        self, program: tuple[Step, ...], waiting: list[int], at: int
    ) -> list[tuple[int, Take]] | None:
        """Follow everything that needs no character; None where the end is reached."""
        seen: set[int] = set()
        takers: list[tuple[int, Take]] = []
        while waiting:
            pc = waiting.pop()
            if pc in seen:
                continue
            seen.add(pc)
            self.left -= 1
            if self.left < 0:
                raise NotChecked("the pattern takes too long to be checked here")
            step = program[pc]
            if isinstance(step, Done):
                return None
            if isinstance(step, Take):
                takers.append((pc, step))
            elif isinstance(step, Fork):
                waiting += (step.first, step.second)
            elif self._holds(step, at):
                waiting.append(pc + 1)
        return takers

    def _holds(self, step: Assert | Lookaround, at: int) -> bool:
        if isinstance(step, Lookaround):
            return self._run(step.program, at, anywhere=False) is step.wanted
        if step.at == "^":
            return at == 0
        if step.at == "$":
            return at == len(self.text)
        before = at > 0 and is_word(self.text[at - 1])
        after = at < len(self.text) and is_word(self.text[at])
        return (before is not after) is (step.at == "b")
