"""Whether the checks of one scenario are what is expected; a rule about values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_GOOD = frozenset({"SUCCESS", "INFO"})


@dataclass(frozen=True, slots=True)
class Verdict:
    """Counts of one scenario, and a line for each thing that is wrong with it."""

    passed: int
    excused: int
    faults: tuple[str, ...]


def judge(checks: Sequence[Mapping[str, Any]] | None, excuses: Mapping[str, str]) -> Verdict:
    """Hold a scenario's checks against the reasons for what may be skipped.

    Args:
        checks: the `checks.json` of the suite; None where there is none.
        excuses: `id` or `id/name` of a check -> why it may be other than passed.
    """
    if not checks:
        return Verdict(0, 0, ("did not run: there are no results",))
    counts: Counter[str] = Counter()
    faults: list[str] = []
    used: set[str] = set()
    for check in checks:
        status = str(check.get("status"))
        if status in _GOOD:
            counts["passed"] += status == "SUCCESS"
            continue
        names = {str(check.get("id")), f"{check.get('id')}/{check.get('name')}"}
        excuse = names & excuses.keys()
        if excuse and status == "SKIPPED":
            used |= excuse
            counts["excused"] += 1
            continue
        words = check.get("errorMessage") or check.get("description")
        faults.append(f"{status} {check.get('id')}/{check.get('name')}: {words}")
    faults += [f"{name} is excused, but was not skipped" for name in sorted(excuses.keys() - used)]
    if not counts["passed"] and not counts["excused"]:
        faults.append("did not run: no check passed")
    return Verdict(counts["passed"], counts["excused"], tuple(faults))
