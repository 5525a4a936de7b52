"""Answers from the command line: which request is meant, and content that its schema takes."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any

import click

from mcp_tasks_tui.cli.output import print_json, say
from mcp_tasks_tui.forms.answer import NoSuchRequest, from_json, match_request, split_assignment
from mcp_tasks_tui.forms.reading import read_question
from mcp_tasks_tui.forms.values import parse_json
from mcp_tasks_tui.records import record
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.answers import is_answer
from mcp_tasks_tui.supervise.history import ACTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mcp_tasks_tui.forms.model import Form, Question
    from mcp_tasks_tui.handles.model import AnswerRecord
    from mcp_tasks_tui.protocol.messages import InputResponse
    from mcp_tasks_tui.supervise.view import TaskView

#: Where only one request is open, this names it.
_THE_ONE = "."


def responses_for(
    asked: Mapping[str, Any],
    *,
    accept: Sequence[str] = (),
    decline: Sequence[str] = (),
    dismiss: Sequence[str] = (),
    before: Before | None = None,
) -> dict[str, InputResponse]:
    """Return what to send for the open requests `asked` (key -> raw request).

    `before` is what a task asked so far: what numbers its requests, and what is not open any more.

    Raises:
        click.UsageError: a request is not known or named twice, or its schema refuses the answer.
    """
    from mcp_tasks_tui.protocol.messages import InputResponse

    keys = tuple(asked)
    every = None if before is None else before.numbers
    responses: dict[str, InputResponse] = {}

    def put(key: str, response: InputResponse) -> None:
        if key in responses:
            raise click.UsageError(f"request {one_line(key, 60)!r} is answered twice")
        responses[key] = response

    def meant(reference: str | None, example: Callable[[], str]) -> str:
        key = _match(reference, keys, every, example)
        if key not in asked and before is not None:
            raise click.UsageError(before.why_not(key))
        return key

    for text in accept:
        reference, value = split_assignment(text)
        key = meant(reference, lambda: f"REQUEST=JSON, as --accept {example_answer(asked)}")
        put(key, InputResponse(action="accept", content=_content(asked[key], key, value)))
    for reference in decline:
        key = meant(reference, lambda: f"--decline {shlex.quote(keys[0])}")
        put(key, InputResponse(action="decline"))
    for reference in dismiss:
        key = meant(reference, lambda: f"--dismiss {shlex.quote(keys[0])}")
        put(key, InputResponse(action="cancel"))
    return responses


@record
class Before:
    """All that a task asked so far, with the numbers that they have for good."""

    numbers: Mapping[str, int | None]
    answers: Mapping[str, AnswerRecord]

    def why_not(self, key: str) -> str:
        """Return why a request that is not open takes no answer."""
        which = f"request {one_line(key, 60)!r}"
        answer = self.answers.get(key)
        if answer is None or not is_answer(answer):
            return f"{which} is not asked any more; nothing is sent"
        how = "" if answer.action == "accept" else f" ({ACTIONS.get(answer.action, '?')})"
        return f"{which} is already answered{how}; nothing is sent"


def print_questions(
    view: TaskView, asked: Mapping[str, Any], numbers: Mapping[str, int | None]
) -> None:
    """Print the open questions as JSON: number, key, what is asked, and the schema."""
    print_json(
        {
            "key": view.key,
            "server": view.server,
            "taskId": view.handle.task_id,
            "requests": [
                {
                    "number": numbers[key],
                    "request": key,
                    **_told(read_question(key, request)),
                }
                for key, request in asked.items()
            ],
        }
    )


def _told(question: Question) -> dict[str, Any]:
    return {
        "mode": question.mode,
        "message": question.message.raw,
        "schema": dict(question.form.schema) if question.form else None,
        "url": question.url,
        "note": question.note,
        "raw": question.raw if question.mode == "other" else None,
    }


def _match(
    reference: str | None,
    keys: Sequence[str],
    every: Mapping[str, int | None] | None,
    example: Callable[[], str],
) -> str:
    named = None if reference in (None, "", _THE_ONE) else reference
    try:
        return match_request(named, keys, every)
    except NoSuchRequest as error:
        how = f"; write {example()}" if keys and named is None else ""
        raise click.UsageError(f"{error}{how}") from None


def example_answer(asked: Mapping[str, Any]) -> str:
    """Return an answer to one of the open requests as it is typed, but for the values."""
    key, request = next(iter(asked.items()))
    form = read_question(key, request).form
    fields = [] if form is None else [each.name for each in form.fields if each.required]
    content = ", ".join(f"{_json(name)}: ..." for name in fields[:3] if name)
    return shlex.quote(f"{key}={{{content}}}")


def _content(request: Any, key: str, text: str) -> dict[str, Any] | None:
    question = read_question(key, request)
    name = one_line(key, 60)
    if question.mode == "other":
        raise click.UsageError(
            f"{name!r} cannot be answered here: {question.note or question.method}; "
            "--decline it, or cancel the task"
        )
    if question.form is None:
        if text.strip() not in ("", "{}"):
            raise click.UsageError(f"{name!r} asks to open a page: accept it with {{}} alone")
        return None
    value, problem = parse_json(text)
    if problem is not None:
        raise click.UsageError(f"the answer to {name!r} is {problem}")
    defaults = _defaults(question.form, value) if isinstance(value, dict) else {}
    answer = from_json(question.form, json.dumps({**defaults, **value}) if defaults else text)
    for note in answer.notes:
        say(f"{name}: {note}")
    if answer.content is None:
        wrong = "; ".join(
            f"{one_line(field, 60)}: {words}" if field else words
            for field, words in answer.errors.items()
        )
        raise click.UsageError(f"the schema of {name!r} refuses this answer: {wrong}")
    if defaults:
        told = ", ".join(f"{one_line(field, 60)} = {_json(of)}" for field, of in defaults.items())
        say(f"{name}: defaults of the form for what was left out: {told}")
    return answer.content


def _defaults(form: Form, given: Mapping[str, Any]) -> dict[str, Any]:
    """What a form on the screen would begin with, for the required fields that were left out."""
    return {
        each.name: each.default
        for each in form.fields
        if each.required and each.has_default and each.name not in given
    }


def _json(value: object) -> str:
    return one_line(json.dumps(value, ensure_ascii=False), 80)
