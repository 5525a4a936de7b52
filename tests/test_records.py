"""Records are dataclasses in all that their users see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, field, fields, replace

import pytest

from mcp_tasks_tui.records import altered, record


@record
class Point:
    x: int
    y: int = 0
    tags: Mapping[str, int] = field(default_factory=dict)


@record
class Other:
    x: int
    y: int = 0


@record
class Named:
    name: str

    def __str__(self) -> str:
        return self.name


def test_records_are_equal_and_hashed_by_their_fields() -> None:
    assert Point(1) == Point(1, 0, {})
    assert Point(1) != Point(2)
    other: object = Other(1)
    assert other != Point(1)
    assert {Other(1), Other(1, 0), Other(2)} == {Other(1), Other(2)}
    assert Named("a") == Named("a")
    with pytest.raises(TypeError, match="unhashable"):
        hash(Point(1))


def test_the_tools_for_dataclasses_work_on_them() -> None:
    assert replace(Point(1, 2), x=3) == Point(3, 2)
    assert asdict(Point(1)) == {"x": 1, "y": 0, "tags": {}}
    assert [one.name for one in fields(Point)] == ["x", "y", "tags"]
    assert Point(1).tags is not Point(1).tags, "defaults are made anew"


def test_they_take_no_other_attributes_and_tell_what_they_are() -> None:
    with pytest.raises(AttributeError):
        Other(1).z = 1  # type: ignore[attr-defined] # that is what fails
    assert repr(Other(1)) == "Other(x=1, y=0)"
    assert (repr(Named("a")), str(Named("a"))) == ("Named(name='a')", "a")


def test_altered_is_replace() -> None:
    tags = {"a": 1}
    assert altered(Point(1, 2, tags), x=3) == replace(Point(1, 2, tags), x=3)
    assert altered(Point(1, 2, tags), tags={}, y=5) == Point(1, 5, {})
    before = Point(1)
    assert altered(before).tags is before.tags
    assert altered(Named("a"), name="bc") == Named("bc")
    with pytest.raises(KeyError):
        altered(Point(1), z=1)
