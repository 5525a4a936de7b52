"""What to tell a person whose answer was not taken."""

from __future__ import annotations

from mcp_tasks_tui.handles.errors import StoreError
from mcp_tasks_tui.protocol.errors import RequestError, RpcError, TimedOut, UnusableReply
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.problems import AnswerUnconfirmed, EngineError


def failed_words(error: Exception) -> str:
    """Say what happened, whether it may have arrived, and what to do. The form stays as it is."""
    words = one_line(str(error), 240)
    if isinstance(error, AnswerUnconfirmed):
        return f"Perhaps not delivered: {words}"
    if isinstance(error, TimedOut | UnusableReply):
        return f"Perhaps not delivered: {words}; see what the task does next before sending again"
    if isinstance(error, RpcError):
        return f"Refused by the server: {words}"
    if isinstance(error, EngineError | RequestError | StoreError):
        return f"Not sent: {words}"
    return f"Not sent, a fault of this program: {words or type(error).__name__}"
