"""What a task asks for, and what became of the answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.handles.model import AnswerState
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise import words
from mcp_tasks_tui.ui.widgets.lines.pieces import Line, Piece, Tone, packed, piece, wrap
from mcp_tasks_tui.ui.widgets.panel.facts import PanelFacts, Section

if TYPE_CHECKING:
    from mcp_tasks_tui.handles.model import AnswerRecord

_ACTIONS = {"accept": "answer", "decline": "decline", "cancel": "dismissal"}
#: What is known of an answer on its way, and how sure that is.
_STATES: dict[AnswerState, tuple[str, Tone]] = {
    AnswerState.INTENDED: ("may have been sent; nobody saw whether it arrived", Tone.ASSUMED),
    AnswerState.SENT: ("sent, not acknowledged yet", Tone.ASKED),
    AnswerState.ACKNOWLEDGED: ("sent and acknowledged", Tone.ASKED),
    AnswerState.REFUSED: ("refused by the server", Tone.BAD),
}
_MESSAGE_LINES = 4
#: Questions that are told on top of the panel, and in all.
_ON_TOP, _SHOWN = 3, 20


def input_shows(facts: PanelFacts) -> tuple[object, ...]:
    """Return all that the section is made of: with the same values it is the same."""
    view = facts.view
    sent = tuple(facts.when(record.at) for record in view.answers.values())
    return view.snapshot.input_requests, view.open_requests, view.answers, view.state, sent


def input_section(facts: PanelFacts) -> Section | None:
    """Return the answered requests, and the open ones that have no room on top; None without."""
    view = facts.view
    requests = view.snapshot.input_requests
    open_keys = [key for key in view.open_requests if key in requests]
    if not requests and not view.answers:
        return None
    lines: list[Line] = []
    for number, key in list(enumerate(open_keys, 1))[_ON_TOP:_SHOWN]:
        lines += _open(facts.width, number, key, requests[key])
    if len(open_keys) > _SHOWN:
        lines.append((Piece(f"and {len(open_keys) - _SHOWN} more", Tone.MUTED),))
    for record in list(view.answers.values())[-_SHOWN:]:
        lines += _answered(facts, record, still_asked=record.request_key in requests)
    left = [key for key in requests if key not in view.answers] if view.state.ended else []
    for key in left[:_SHOWN]:
        asked = piece(question_of(requests[key]) or one_line(key, 60), Tone.MUTED, limit=1000)
        lines += wrap([Piece("· ", Tone.MUTED), asked], facts.width, 2, _MESSAGE_LINES)
    if not lines:
        return None
    return Section("input", "Input", tuple(lines), _aside(len(open_keys), len(left)))


def question_lines(facts: PanelFacts) -> list[Line]:
    """Return what a task asks now, for the top of the panel, and which key answers."""
    requests = facts.view.snapshot.input_requests
    keys = [key for key in facts.view.open_requests if key in requests]
    if not keys:
        return []
    how = _how_to_answer(facts.answer_key)
    if len(keys) == 1:
        request = requests[keys[0]]
        lines = wrap([_question(request)], facts.width, 0, _MESSAGE_LINES)
        kind: Line = (Piece(kind_of(request), Tone.MUTED),)
        return [*lines, *packed([kind, how] if how else [kind], facts.width)]
    lines = []
    for number, key in list(enumerate(keys, 1))[:_ON_TOP]:
        lines += _open(facts.width, number, key, requests[key])
    more = len(keys) - _ON_TOP
    parts: list[Line] = [(Piece(f"{more} more below", Tone.MUTED),)] if more > 0 else []
    parts += [how] if how else []
    return [*lines, *packed(parts, facts.width)] if parts else lines


def _how_to_answer(key: str) -> Line:
    return (Piece(key, Tone.KEY), Piece(" answers", Tone.MUTED)) if key else ()


def _question(request: Any) -> Piece:
    return piece(question_of(request) or "asks without a message", Tone.STRONG, limit=1000)


def _aside(still_open: int, left: int) -> str:
    """Return how the questions stand; `left`: nobody answered them before the task ended."""
    if left:
        return f"{words.counted(left, 'question')} not answered"
    return f"{words.counted(still_open, 'question')} open" if still_open else "answered"


def _open(width: int, number: int, key: str, request: Any) -> list[Line]:
    lead = Piece(f"{number} ", Tone.NEED)
    lines = wrap([lead, _question(request)], width, 2, _MESSAGE_LINES)
    facts = [Piece(kind_of(request), Tone.MUTED), piece(one_line(key, 60), Tone.MUTED)]
    return [*lines, *packed([(each,) for each in facts], width, lead=(Piece("  "),), hang=2)]


def question_of(request: Any) -> str:
    """Return a request's message, raw, empty where it has none."""
    said = _mapping(_mapping(request).get("params")).get("message")
    return said.strip() if isinstance(said, str) else ""


def kind_of(request: Any) -> str:
    """Return what kind of answer a request wants, in a few words."""
    method = _mapping(request).get("method")
    params = _mapping(_mapping(request).get("params"))
    if method != "elicitation/create":
        word = one_line(method, 60) if isinstance(method, str) else "unnamed request"
        return f"{word}: cannot be answered here"
    if params.get("mode") == "url":
        return "opens a page"
    fields = _mapping(_mapping(params.get("requestedSchema")).get("properties"))
    return words.counted(len(fields), "field") if fields else "nothing to fill in"


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _answered(facts: PanelFacts, record: AnswerRecord, *, still_asked: bool) -> list[Line]:
    words_of, tone = _STATES[record.state]
    action = _ACTIONS.get(record.action, "answer")
    glyph = "✗" if record.state is AnswerState.REFUSED else "›"
    parts = [
        Piece(f"{glyph} {action} {words_of}", tone),
        Piece(facts.when(record.at), Tone.MUTED),
        piece(one_line(record.request_key, 60), Tone.MUTED),
    ]
    if still_asked and not facts.view.state.ended and record.state is not AnswerState.REFUSED:
        parts.append(Piece("the server still asks", Tone.ASSUMED))
    return packed([(each,) for each in parts], facts.width, hang=2)
