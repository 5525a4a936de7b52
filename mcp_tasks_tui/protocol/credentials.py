"""Where a server's credentials come from: asked for each request, renewed when refused."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping


class Credentials(Protocol):
    """What one server is told about who we are. Never sent to another origin, never stored."""

    async def headers(self) -> Mapping[str, str]:
        """Return the headers to send now, such as ``Authorization``. Called for every request.

        Raises:
            NotSent: they cannot be had (a variable is not set, a command failed), in words.
        """

    async def refresh(self) -> bool:
        """Get new ones after a 401; True if the request is worth sending once more.

        Called once for any number of requests that were refused together.
        """


@dataclass(frozen=True, slots=True)
class FixedHeaders:
    """Headers that never change; none by default."""

    values: Mapping[str, str] = field(default_factory=dict)

    async def headers(self) -> Mapping[str, str]:
        return self.values

    async def refresh(self) -> bool:
        return False
