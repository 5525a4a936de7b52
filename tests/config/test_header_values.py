"""What header values name, and what a person should not write into one."""

from __future__ import annotations

import pytest

from mcp_tasks_tui.config.header_values import expand, is_plain_secret, with_variable
from mcp_tasks_tui.config.model import ConfigError


def test_header_templates_are_filled_from_the_environment() -> None:
    assert expand("Bearer ${A}${B}", {"A": "x", "B": "y"}) == "Bearer xy"
    assert expand("cost: $5 {A}", {}) == "cost: $5 {A}"
    with pytest.raises(ConfigError, match="MISSING is not set"):
        expand("${MISSING}", {})


def test_a_reference_is_no_secret() -> None:
    assert is_plain_secret("Authorization", "Bearer x")
    assert not is_plain_secret("Authorization", "Bearer ${TOKEN}")
    assert not is_plain_secret("Accept-Language", "en")


@pytest.mark.parametrize(
    ("value", "advised"),
    [
        ("Bearer abcdef123", "Bearer ${T}"),
        ("  basic dXNlcjpwYXNz", "basic ${T}"),
        ("Token  x y", "Token  ${T}"),
        ("abcdef123", "${T}"),
        ("my secret words", "${T}"),
        ("Bearer", "${T}"),
        ("", "${T}"),
    ],
)
def test_a_variable_takes_the_place_of_the_secret_and_not_of_its_scheme(
    value: str, advised: str
) -> None:
    assert with_variable(value, "T") == advised
