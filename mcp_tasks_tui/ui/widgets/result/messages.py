"""What the viewer asks of the app."""

from __future__ import annotations

from typing import Any

from textual.message import Message


class CopyRequested(Message):
    """`text` (clean) is to go to the clipboard; `what` names it for the person."""

    def __init__(self, text: str, what: str) -> None:
        self.text = text
        self.what = what
        super().__init__()


class PartCopyRequested(Message):
    """`value` (raw), a part of a JSON document, is to go to the clipboard; `what` is clean."""

    def __init__(self, value: Any, what: str) -> None:
        self.value = value
        self.what = what
        super().__init__()


class LinkRequested(Message):
    """A server's link is to be opened, if the person says so; `url` is raw."""

    def __init__(self, url: str) -> None:
        self.url = url
        super().__init__()


class ViewChanged(Message):
    """A view has something new to say in the status line."""

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, ViewChanged)


class WholeWanted(Message):
    """A text (raw) is to be seen whole; `title` is a clean line."""

    def __init__(self, title: str, text: str) -> None:
        self.title = title
        self.text = text
        super().__init__()
