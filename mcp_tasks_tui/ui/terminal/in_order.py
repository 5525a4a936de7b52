"""What is typed takes effect in the order in which it was typed, however fast it comes.

A key goes to what has the keyboard when the app takes it up; what it does there, like moving the
keyboard on or opening a dialog, comes some messages later. A slow link, a pasted line or quick
hands bring the next key before that, and it would act on the wrong thing.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any

from textual import events

if TYPE_CHECKING:
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
#: Turns of the event loop without anything to do: the first step of a worker takes one or two.
_CALM = 3
#: Turns that are taken at once; where it takes longer, others are left the processor.
_AT_ONCE, _BETWEEN = 200, 0.005
#: Seconds that one key may keep the next ones waiting: a handler that hangs is no dead keyboard.
_PATIENCE = 5.0


class InOrder:
    """Hands on one key, click or paste at a time: the next one once all is at rest again."""

    def __init__(self, app: App[Any], patience: float = _PATIENCE) -> None:
        self._app = app
        self._patience = patience
        self._waiting: deque[events.Event] = deque()
        self._due: deque[events.Event] = deque()
        self._handing_on: asyncio.Task[None] | None = None

    def holds_back(self, event: events.Event) -> bool:
        """Tell whether `event` is to be left alone for now: it is posted again when its turn is."""
        if not isinstance(event, events.InputEvent | events.Paste) or event.is_forwarded:
            return False
        if self._due and event is self._due[0]:
            self._due.popleft()
            return False
        if self._handing_on is not None:
            self._waiting.append(event)
            return True
        if not isinstance(event, _PASSING):
            self._handing_on = asyncio.create_task(self._hand_on())
        return False

    def stop(self) -> None:
        """Hand on nothing more: the app ends."""
        self._waiting.clear()
        if self._handing_on is not None:
            self._handing_on.cancel()

    async def _hand_on(self) -> None:
        """Post what waits, one by one, until nothing does; text for one field in one go."""
        try:
            await self._at_rest()
            while self._waiting:
                field = self._app.focused
                event = self._waiting.popleft()
                self._post(event)
                while self._waiting and all(_is_text(e, field) for e in (event, self._waiting[0])):
                    self._post(self._waiting.popleft())
                if not isinstance(event, _PASSING):
                    await self._at_rest()
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


def _is_text(event: events.Event, field: Widget | None) -> bool:
    """Return whether `field` keeps the key to itself: the next one is for it as well."""
    return (
        isinstance(event, events.Key)
        and field is not None
        and field.check_consume_key(event.key, event.character)
    )


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
