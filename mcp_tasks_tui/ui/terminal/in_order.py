"""What is typed takes effect in the order in which it was typed, however fast it comes.

A key goes to what has the keyboard when the app takes it up; what it does there, like moving the
keyboard on or opening a dialog, comes some messages later. A slow link, a pasted line or quick
hands bring the next key before that, and it would act on the wrong thing.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter, deque
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Literal

from textual import events

from mcp_tasks_tui.ui.commands.keymap import STEPS, shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import App
    from textual.message_pump import MessagePump
    from textual.widget import Widget

#: They lead nowhere, and many come in a row: nothing waits for what they do.
_PASSING = (
    events.MouseMove,
    events.MouseScrollDown,
    events.MouseScrollUp,
    events.MouseScrollLeft,
    events.MouseScrollRight,
)
_BUTTONS = (events.MouseDown, events.MouseUp)
#: What keys of a field do that move its cursor or take a letter away.
_STEPS_IN_FIELDS = re.compile(r"(?:cursor|scroll|page|delete)_.+|home|end|first|last|move\(-?\d+\)")
#: Turns of the event loop without anything to do: the first step of a worker takes one or two.
_CALM = 3
#: Turns that are taken at once; where it takes longer, others are left the processor.
_AT_ONCE, _BETWEEN = 200, 0.005
#: Seconds that one key may keep the next ones waiting: a handler that hangs is no dead keyboard.
_PATIENCE = 5.0
#: Steps that are not waited for one by one: what the app has taken on, nothing can overtake.
_AT_A_TIME = 20
#: Keys that may wait, by far more than anybody types ahead: where a text comes as keys, all of it
#: may be wanted. One that is held down comes on and on, and is not wanted any more.
_MOST, _MOST_OF_ONE = 5_000, 200
#: Seconds behind what is typed from which on leaving does not wait for the rest of it.
_BEHIND = 0.5


class InOrder:
    """Hands on one key, click or paste at a time: the next one once all is at rest again.

    Keys that stay in one field or list need not wait for one another, so that one that is held
    down does not pile up. Where too many wait, all that comes is dropped until none of them is
    left: a key in the place of another would act on the wrong thing. `leaves` tells of a key
    whether it leads out: where the program is behind, it comes before what waits, which is
    dropped, as a terminal does with what was typed before an interrupt. `dropped` is told what
    was dropped, in words.
    """

    def __init__(
        self,
        app: App[Any],
        patience: float = _PATIENCE,
        *,
        leaves: Callable[[events.Key], bool] = lambda key: False,
        dropped: Callable[[str], None] = lambda words: None,
    ) -> None:
        self._app = app
        self._patience = patience
        self._leaves = leaves
        self._dropped = dropped
        self._waiting: deque[events.Event] = deque()
        #: How many of each kind wait; of those that pass, none counts.
        self._number: Counter[type[events.Event]] = Counter()
        #: How often the last key that waits was typed.
        self._in_a_row = 0
        self._due: deque[events.Event] = deque()
        #: Something was dropped, and what came before it is not done yet.
        self._overflowing = False
        #: That the button goes up again is to be dropped as well, or it would be a click.
        self._press_dropped = False
        self._handing_on: asyncio.Task[None] | None = None
        #: What had the keyboard for the event that was handed on last, and how it keeps it.
        self._kept: tuple[Widget | None, str] = (None, "")
        #: When the first of what is being done just now was typed.
        self._typed_at = 0.0

    def holds_back(self, event: events.Event) -> bool:
        """Tell whether `event` is to be left alone for now: it is posted again when its turn is, or
        dropped where too much waits."""
        if not isinstance(event, events.InputEvent | events.Paste) or event.is_forwarded:
            return False
        if self._due and event is self._due[0]:
            self._due.popleft()
            return False
        if isinstance(event, events.MouseUp) and self._press_dropped:
            return True
        if isinstance(event, events.MouseDown):
            self._press_dropped = False
        if self._handing_on is not None:
            return self._waits_its_turn(event)
        if not isinstance(event, _PASSING):
            self._begin_with(event)
            self._handing_on = asyncio.create_task(self._hand_on())
        return False

    def stop(self) -> None:
        """Hand on nothing more: the app ends."""
        self._forget()
        if self._handing_on is not None:
            self._handing_on.cancel()

    def _waits_its_turn(self, event: events.Event) -> bool:
        if isinstance(event, _PASSING):
            return self._waits_for_a_button(event)
        if self._goes_with_the_last(event) and not (
            self._waiting or self._due or self._overflowing
        ):
            return False
        if isinstance(event, events.Key) and self._overtakes(event):
            self._forget_before(event)
            return False
        self._overflowing = self._overflowing or self._is_too_much(event)
        if not self._overflowing or isinstance(event, events.MouseUp):
            self._wait(event)
        elif isinstance(event, events.MouseDown):
            self._press_dropped = True
        return True

    def _waits_for_a_button(self, event: events.Event) -> bool:
        """Of the ways of the mouse and the wheel only the last ones wait, and only for what is to
        be done where the mouse was before."""
        if not self._due and not any(self._number[each] for each in _BUTTONS):
            return False
        last = takewhile(lambda each: isinstance(each, _PASSING), reversed(self._waiting))
        same = next((each for each in last if type(each) is type(event)), None)
        if same is not None:
            self._waiting.remove(same)
        self._waiting.append(event)
        return True

    def _is_too_much(self, event: events.Event) -> bool:
        """Only keys count: of anything else nobody makes too much."""
        number = self._number[events.Key]
        if not isinstance(event, events.Key) or number < _MOST_OF_ONE:
            return False
        return number >= _MOST or (self._is_typed_again(event) and self._in_a_row >= _MOST_OF_ONE)

    def _is_typed_again(self, event: events.Event) -> bool:
        last = self._waiting[-1] if self._waiting else None
        return getattr(last, "key", "") == getattr(event, "key", None)

    def _wait(self, event: events.Event) -> None:
        self._in_a_row = self._in_a_row + 1 if self._is_typed_again(event) else 1
        self._waiting.append(event)
        self._number[type(event)] += 1

    def _next(self) -> events.Event:
        event = self._waiting.popleft()
        if not isinstance(event, _PASSING):
            self._number[type(event)] -= 1
        return event

    def _forget(self) -> None:
        self._waiting.clear()
        self._number.clear()

    def _forget_before(self, way_out: events.Key) -> None:
        if self._number.total():
            self._dropped(f"what was typed before {shown(way_out.key)} was dropped")
        buttons = [each for each in self._waiting if isinstance(each, _BUTTONS)]
        self._forget()
        if buttons:
            self._press_dropped = isinstance(buttons[-1], events.MouseDown)
            if isinstance(buttons[0], events.MouseUp):  # what it was pressed for is done already
                self._wait(buttons[0])

    def _overtakes(self, key: events.Key) -> bool:
        return key.time - self._typed_at > _BEHIND and self._leaves(key)

    def _begin_with(self, event: events.Event) -> None:
        self._kept = (self._app.focused, keeps(self._app.focused, event))
        self._typed_at = event.time

    def _goes_with_the_last(self, event: events.Event) -> bool:
        field, how = self._kept
        if how == "" or (how == "step" and self._app.message_queue_size >= _AT_A_TIME):
            return False
        return field is self._app.focused and keeps(field, event) == how

    async def _hand_on(self) -> None:
        """Post what waits, one by one, until nothing does; what stays in one place in one go."""
        try:
            await self._at_rest()
            while self._waiting:
                event = self._next()
                self._begin_with(event)
                self._post(event)
                while self._waiting and self._goes_with_the_last(self._waiting[0]):
                    self._post(self._next())
                if not isinstance(event, _PASSING):
                    await self._at_rest()
            if self._overflowing:
                self._overflowing = False
                self._dropped("too many keys at once: the rest was dropped")
        finally:
            self._handing_on = None

    def _post(self, event: events.Event) -> None:
        self._due.append(event)
        self._app.post_message(event)

    async def _at_rest(self) -> None:
        """Wait until no widget, no screen nor the app has anything left to do."""
        loop = asyncio.get_running_loop()
        end = loop.time() + self._patience
        turns = calm = 0
        while calm < _CALM and loop.time() < end:
            await asyncio.sleep(0 if turns < _AT_ONCE else _BETWEEN)
            turns += 1
            calm = calm + 1 if self._is_at_rest() else 0

    def _is_at_rest(self) -> bool:
        app = self._app
        # The screen first: as long as there is something to do, it is mostly there.
        stack = app.screen_stack
        return all(map(_waits, (app, *stack[-1:], *tuple(app._registry))))


def keeps(field: Widget | None, event: events.Event) -> Literal["text", "step", ""]:
    """Return how `field` keeps the keyboard whatever comes of the key, "" where it may lose it.

    Text is taken up by the field itself, a step of its cursor when the key has gone up to the app:
    each of them comes in order with its own kind only.
    """
    if field is None or not isinstance(event, events.Key):
        return ""
    if field.check_consume_key(event.key, event.character):
        return "text"
    for node in (field, field.screen):
        if bound := node._bindings.key_to_bindings.get(event.key):
            return "step" if all(_is_step(each.action) for each in bound) else ""
    return ""


def _is_step(action: str) -> bool:
    return action in STEPS or _STEPS_IN_FIELDS.fullmatch(action) is not None


def _waits(pump: MessagePump) -> bool:
    """Return whether `pump` has handled everything and waits for the next message."""
    if pump._closing or pump._closed:
        return True
    if pump.message_queue_size:
        return False
    # In the middle of a message, or of being mounted, it does not wait at its queue. There is no
    # public way to see that; where a later Textual has another queue, an empty one must do.
    ready = getattr(pump._message_queue, "ready_event", None)
    return bool(getattr(ready, "_waiters", True))
