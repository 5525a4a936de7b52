"""The filter grammar: words, ``field:value``, ``is:flag``, ``-`` negates; all must hold.

::

    build docs              both words, anywhere in label, tool, server, ids, message, note, tags
    "two words"             exactly this text
    state:failed,gone       one of these; an unambiguous beginning is enough
    server:prod tool:build tag:nightly
    is:stuck -is:archived
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.records import record
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.spelling import nearest
from mcp_tasks_tui.supervise.view import Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mcp_tasks_tui.supervise.view import TaskView

    Test = Callable[[TaskView], bool]

# A quoted value may lack its end: it is being typed. URLs and times are words, not fields.
# (Text, compiled when first needed: start-up.)
_TERM = (
    r"(?s)(?P<negated>-(?=\S))?"
    r"(?:(?P<field>[A-Za-z_]+):(?!//))?"
    r'(?:"(?P<quoted>(?:[^"\\]|\\.)*)(?:"|\\?$)|(?P<plain>\S+))?'
)
_ESCAPED = r'\\(["\\])'
_LONGEST_TEXT = 2_000


class FilterError(ValueError):
    """The filter does not parse; `position` is where (0-based, in characters).

    `brief` is the same in fewer words; `unfinished`: more letters may make it right.
    """

    def __init__(
        self, message: str, position: int, *, brief: str = "", unfinished: bool = False
    ) -> None:
        self.position = position
        self.brief = brief or message
        self.unfinished = unfinished
        super().__init__(message)


@record
class Filter:
    """A parsed filter; call it with a view. The empty filter matches everything."""

    text: str
    tests: tuple[Test, ...] = ()
    #: Lower-case texts that must, and must not, occur.
    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()
    #: It speaks of archived tasks: who hides them by default shows them now.
    names_archived: bool = False
    #: Where (0-based) a quote begins that has no end: it is still being typed.
    open_quote: int | None = None

    def __call__(self, view: TaskView) -> bool:
        for test in self.tests:
            if not test(view):
                return False
        if not self.wanted and not self.unwanted:
            return True
        text = _searchable(view)
        for word in self.wanted:
            if word not in text:
                return False
        return not any(word in text for word in self.unwanted)


def unclosed(given: Filter) -> FilterError | None:
    """Return the mistake of a filter that nobody types on: a quote of it has no end."""
    if given.open_quote is None:
        return None
    rest = one_line(given.text[given.open_quote :], 60)
    return FilterError(f"the quote is not closed: {rest}", given.open_quote)


def parse_filter(text: str) -> Filter:
    """Return the filter that `text` says.

    Raises:
        FilterError: an unknown field or value, or a field without a value; nothing else.
    """
    tests: list[Test] = []
    wanted: list[str] = []
    unwanted: list[str] = []
    names_archived = False
    open_quote: int | None = None
    position = _skip_blanks(text, 0)
    while position < len(text):
        match = re.compile(_TERM).match(text, position)
        assert match is not None  # every part of the pattern may be empty
        if _is_open(match):
            open_quote = match.start("quoted") - 1
        negated, field, value = bool(match["negated"]), match["field"], _value(match)
        if field is not None:
            test = _field_test(field, value, position, match.start("field"))
            tests.append(_negation(test) if negated else test)
            names_archived |= field.lower() == "is" and "archived" in value.lower().split(",")
        elif value and match.group() != "-":
            (unwanted if negated else wanted).append(value.casefold())
        position = _skip_blanks(text, max(match.end(), position + 1))
    return Filter(text, tuple(tests), tuple(wanted), tuple(unwanted), names_archived, open_quote)


def _skip_blanks(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def _is_open(match: re.Match[str]) -> bool:
    return match["quoted"] is not None and match.string[match.end("quoted") : match.end()] != '"'


def _value(match: re.Match[str]) -> str:
    if match["quoted"] is not None:
        return re.sub(_ESCAPED, r"\1", match["quoted"])
    return match["plain"] or ""


def _searchable(view: TaskView) -> str:
    handle = view.handle
    message = view.message.raw[:_LONGEST_TEXT] if view.message else ""
    parts = (
        handle.label or "",
        handle.tool or "",
        view.server,
        handle.server_url,
        handle.task_id,
        handle.key,
        message,
        (handle.note or "")[:_LONGEST_TEXT],
        *handle.tags,
    )
    return "\n".join(parts).casefold()


# --- fields --------------------------------------------------------------------------------


def _field_test(field: str, value: str, start: int, field_start: int) -> Test:
    make = _FIELDS.get(field.lower())
    if make is None:
        near = _nearest(field, _FIELDS, suffix=":")
        known = _listed(_FIELDS, suffix=":")
        raise FilterError(
            f'no field "{field}"{_aside(near)}; known are {known}; '
            f'to search for the text, quote it: "{field}:{value}"',
            start,
            brief=f'No field "{field}".'
            + _or_known(near, f'{known}; quoted, "{field}:{value}" is found as text'),
        )
    at = field_start + len(field) + 1
    values = [part for part in value.split(",") if part]
    if not values:
        choices = _VALUES.get(field.lower())
        told = f"{field}: needs a value" + (f": one of {choices}" if choices else "")
        raise FilterError(told, at, brief=f"{field}: {choices}" if choices else "", unfinished=True)
    return _any_of([make(part, at) for part in values])


def _any_of(tests: list[Test]) -> Test:
    if len(tests) == 1:
        return tests[0]
    return lambda view: any(test(view) for test in tests)


def _negation(test: Test) -> Test:
    return lambda view: not test(view)


def _state(value: str, position: int) -> Test:
    name = value.lower().replace("-", "_").replace(" ", "_")
    found = [each for each in _STATES if each == name] or [
        each for each in _STATES if each.startswith(name)
    ]
    if not found:
        near = _nearest(name, _STATES)
        raise FilterError(
            f"no state {value}{_aside(near)}; known are {_listed(_STATES)}",
            position,
            brief=f'No state "{value}".{_or_known(near, _listed(_STATES))}',
        )
    if len(found) > 1:
        told = f"state:{value} may mean {_listed(found)}"
        raise FilterError(told, position, unfinished=True)
    return _STATES[found[0]]


def _stands(state: State) -> Test:
    return lambda view: view.state is state


def _server(value: str, _position: int) -> Test:
    part = value.casefold()
    return lambda view: part in view.server.casefold() or part in view.handle.server_url.casefold()


def _tool(value: str, _position: int) -> Test:
    part = value.casefold()
    return lambda view: part in (view.handle.tool or "").casefold()


def _tag(value: str, _position: int) -> Test:
    wanted = value.casefold()
    return lambda view: any(tag.casefold() == wanted for tag in view.handle.tags)


def _is(value: str, position: int) -> Test:
    test = _FLAGS.get(value.lower())
    if test is None:
        near = _nearest(value, _FLAGS, prefix="is:")
        begun = [flag for flag in _FLAGS if flag.startswith(value.lower())]
        raise FilterError(
            f"no is:{value}{_aside(near)}; known are {_listed(_FLAGS)}",
            position,
            brief=f"is: {_listed(begun)}"
            if begun
            else f"No is:{value}.{_or_known(near, _listed(_FLAGS))}",
            unfinished=bool(begun),
        )
    return test


def _has(reason: Reason) -> Test:
    return lambda view: any(one.reason is reason for one in view.attention)


_FLAGS: dict[str, Test] = {
    "waiting": _has(Reason.INPUT_REQUIRED),
    "stuck": _has(Reason.STUCK),
    "expiring": _has(Reason.EXPIRING),
    "failing": _has(Reason.READ_FAILING),
    "attention": lambda view: bool(view.attention),
    "running": lambda view: not view.state.ended,
    "ended": lambda view: view.state.ended,
    "gone": lambda view: view.state is State.GONE,
    "held": lambda view: view.snapshot.held,
    "archived": lambda view: view.archived,
}
_FIELDS: dict[str, Callable[[str, int], Test]] = {
    "state": _state,
    "server": _server,
    "tool": _tool,
    "tag": _tag,
    "is": _is,
}
#: The names of the states, and the other words that stand in their column on the screen.
_STATES: dict[str, Test] = {state.value: _stands(state) for state in State} | {
    "needs_input": _stands(State.INPUT_REQUIRED),
    "stuck": _has(Reason.STUCK),
}


def _listed(names: Iterable[str], *, suffix: str = "") -> str:
    return ", ".join(f"{name}{suffix}" for name in names)


def _nearest(name: str, known: Iterable[str], *, prefix: str = "", suffix: str = "") -> str:
    """Return the question whether the nearest of the known names is meant, empty for none."""
    near = nearest(name.lower(), known)
    return f"did you mean {prefix}{near}{suffix}?" if near else ""


def _aside(question: str) -> str:
    return f" ({question})" if question else ""


def _or_known(question: str, known: str) -> str:
    """Return what to do about a mistake in one short sentence: the question, else the choices."""
    return f" {question.capitalize()}" if question else f" Known are {known}."


_VALUES = {"state": _listed(_STATES), "is": _listed(_FLAGS)}
