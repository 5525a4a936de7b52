"""`requestState` that a client can carry but not change (basic/patterns/mrtr)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from typing import TYPE_CHECKING, Any, Final

from mcp_tasks_tui.demo.wire import invalid_params

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_tasks_tui.demo.clock import Clock

LIFETIME: Final = 900.0


class Sealer:
    """Signs which call a question belongs to, and until when it may be answered."""

    def __init__(self, secret: bytes, clock: Clock) -> None:
        self._secret = secret
        self._clock = clock

    def seal(self, tool: str, arguments: Mapping[str, Any]) -> str:
        claim = {"call": _digest(tool, arguments), "until": self._clock.now() + LIFETIME}
        body = base64.urlsafe_b64encode(json.dumps(claim).encode()).decode()
        return f"v1.{body}.{self._sign(body)}"

    def check(self, state: Any, tool: str, arguments: Mapping[str, Any]) -> None:
        """Accept a state that was sealed for this call.

        Raises:
            RpcFault: the state is changed, too old, or belongs to another call.
        """
        version, _, rest = state.partition(".") if isinstance(state, str) else ("", "", "")
        body, _, signature = rest.partition(".")
        signed = version == "v1" and signature.isascii()
        if not signed or not hmac.compare_digest(signature, self._sign(body)):
            raise invalid_params("requestState was not issued by this server")
        claim = json.loads(base64.urlsafe_b64decode(body))
        if claim["call"] != _digest(tool, arguments):
            raise invalid_params("requestState belongs to another call")
        if claim["until"] < self._clock.now():
            raise invalid_params("requestState has expired; call again without it")

    def _sign(self, body: str) -> str:
        return hmac.new(self._secret, body.encode(), hashlib.sha256).hexdigest()


def _digest(tool: str, arguments: Mapping[str, Any]) -> str:
    call = json.dumps([tool, dict(arguments)], sort_keys=True)
    return hashlib.sha256(call.encode()).hexdigest()
