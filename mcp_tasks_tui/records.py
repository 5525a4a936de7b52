"""Records: dataclasses that are cheap to define and cheap to make.

Each command defines some dozens of them when it starts, and opening the screen makes tens of
thousands. `dataclass(frozen=True)` compiles seven methods for every class and sets every field
through `object.__setattr__`. Here a type checker sees frozen dataclasses and holds us to it; at
run time only `__init__` is compiled, it sets the fields plainly, and the rest is shared.

All values of `handles`, `config`, `supervise`, `ui` and `cli` are records: they are defined before
the first screen. `protocol` and `forms` are loaded after it, and `demo` stands alone: theirs are
plain frozen dataclasses. What changes in place is a dataclass without `eq` and `repr`, which
nothing asks for and each of which is compiled.

`dataclasses.replace` is the way to a changed copy, and mypy checks its fields. `altered` is the
same at a fraction of the price, for what is done with every reply.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar, dataclass_transform

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[T]) -> type[T]:
    """Make `cls` a slotted dataclass that nobody changes: equal, and hashed, by its fields.

    `replace`, `fields` and `asdict` of :mod:`dataclasses` work on it.
    """
    made = dataclass(slots=True, eq=False, repr=False)(cls)
    names = tuple(made.__annotations__)
    contents = attrgetter(*names)

    def __eq__(self: T, other: object) -> bool:  # noqa: N807
        return contents(self) == contents(other) if type(other) is made else NotImplemented

    def __hash__(self: T) -> int:  # noqa: N807
        return hash(contents(self))

    def __repr__(self: T) -> str:  # noqa: N807
        told = (f"{name}={getattr(self, name)!r}" for name in names)
        return f"{made.__qualname__}({', '.join(told)})"

    for method in (__eq__, __hash__, __repr__):
        setattr(made, method.__name__, method)
    return made


_Layout = tuple["Callable[[Any], tuple[Any, ...]]", dict[str, int]]
_LAYOUTS: dict[type[Any], _Layout] = {}


def altered(old: T, **fields: Any) -> T:
    """Return the record `old` with other values in these fields.

    Raises:
        KeyError: it has no such field.
    """
    kind: type[Any] = type(old)
    contents, places = _LAYOUTS.get(kind) or _LAYOUTS.setdefault(kind, _layout(kind))
    values = list(contents(old))
    for name, value in fields.items():
        values[places[name]] = value
    made: T = kind(*values)
    return made


def _layout(kind: type[Any]) -> _Layout:
    """Return what reads all fields of a record, and where in that each stands."""
    names = tuple(kind.__annotations__)
    several = len(names) > 1
    contents = attrgetter(*names) if several else lambda old: (getattr(old, names[0]),)
    return contents, {name: place for place, name in enumerate(names)}
