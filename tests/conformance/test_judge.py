from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.client_driver import SCENARIOS
from tests.conformance.judge import judge
from tests.conformance.run import CORE_SCENARIOS, TASKS_SCENARIOS


def check(status: str, check_id: str = "a", name: str = "A") -> dict[str, Any]:
    return {"id": check_id, "name": name, "status": status, "description": "words"}


def test_passed_checks_are_counted() -> None:
    verdict = judge([check("SUCCESS"), check("INFO", "b")], {})
    assert (verdict.passed, verdict.excused, verdict.faults) == (1, 0, ())


@pytest.mark.parametrize("status", ["FAILURE", "SKIPPED", "WARNING"])
def test_anything_but_a_pass_is_a_fault(status: str) -> None:
    verdict = judge([check("SUCCESS"), check(status, "b", "B")], {})
    assert verdict.faults == (f"{status} b/B: words",)


@pytest.mark.parametrize("excuse", ["b", "b/B"])
def test_a_skipped_check_can_be_excused_by_its_id_or_by_id_and_name(excuse: str) -> None:
    verdict = judge([check("SUCCESS"), check("SKIPPED", "b", "B")], {excuse: "because"})
    assert (verdict.excused, verdict.faults) == (1, ())


def test_a_failure_cannot_be_excused() -> None:
    verdict = judge([check("SUCCESS"), check("FAILURE", "b", "B")], {"b": "because"})
    assert verdict.faults == ("FAILURE b/B: words", "b is excused, but was not skipped")


def test_an_excuse_that_is_not_needed_any_longer_is_a_fault() -> None:
    verdict = judge([check("SUCCESS")], {"a": "because"})
    assert verdict.faults == ("a is excused, but was not skipped",)


@pytest.mark.parametrize("checks", [None, [], [check("INFO")]])
def test_a_scenario_that_did_not_run_is_a_fault(checks: list[dict[str, Any]] | None) -> None:
    [fault] = judge(checks, {}).faults
    assert fault.startswith("did not run")


def test_the_excuses_are_for_scenarios_that_are_run() -> None:
    expected = tomllib.loads((Path(__file__).parent / "expected.toml").read_text())
    assert expected["server"].keys() <= {*TASKS_SCENARIOS, *CORE_SCENARIOS}
    assert expected["client"].keys() <= SCENARIOS.keys()
