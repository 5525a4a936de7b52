"""A configured server's credentials: headers from the environment, a token from a command.

Tokens live in this process's memory only.
"""

from __future__ import annotations

import asyncio
import os
from asyncio.subprocess import DEVNULL, PIPE
from typing import TYPE_CHECKING

from mcp_tasks_tui.config.header_values import expand
from mcp_tasks_tui.config.model import ConfigError
from mcp_tasks_tui.programs import ending_with
from mcp_tasks_tui.protocol.errors import NotSent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_tasks_tui.config.model import ServerEntry

#: Seconds a token command may take; it may ask an agent or a service, never a person.
_COMMAND_SECONDS = 30.0
_HEADER = "Authorization"


class ConfiguredCredentials:
    """What the settings say of one server, read anew for each request."""

    def __init__(
        self,
        entry: ServerEntry,
        environ: Mapping[str, str] = os.environ,
        *,
        command_seconds: float = _COMMAND_SECONDS,
    ) -> None:
        self._entry = entry
        self._environ = environ
        self._seconds = command_seconds
        self._token: str | None = None
        self._running = asyncio.Lock()

    async def headers(self) -> Mapping[str, str]:
        try:
            headers = {
                name: expand(value, self._environ) for name, value in self._entry.headers.items()
            }
        except ConfigError as error:
            raise NotSent(f"server {self._entry.name}: {error}") from None
        if self._entry.token_command:
            async with self._running:
                if self._token is None:
                    self._token = await self._run_command()
            headers = {
                name: value for name, value in headers.items() if name.lower() != _HEADER.lower()
            }
            headers[_HEADER] = f"Bearer {self._token}"
        return headers

    async def refresh(self) -> bool:
        """Run the token command again; without one, what the environment says stands."""
        if not self._entry.token_command:
            return False
        async with self._running:
            old, self._token = self._token, await self._run_command()
        return self._token != old

    async def _run_command(self) -> str:
        program = self._entry.token_command[0]
        try:
            process = await asyncio.create_subprocess_exec(
                *self._entry.token_command,
                stdin=DEVNULL,
                stdout=PIPE,
                stderr=DEVNULL,
                process_group=0,
            )
        except (OSError, ValueError) as error:
            why = (isinstance(error, OSError) and error.strerror) or error
            raise NotSent(f"token_command {program} cannot be run: {why}") from None
        try:
            async with ending_with(process, group=True), asyncio.timeout(self._seconds):
                output, _ = await process.communicate()
        except TimeoutError:
            raise NotSent(f"token_command {program} took over {self._seconds:g} s") from None
        token = output.decode("utf-8", "replace").strip()
        if process.returncode != 0:
            raise NotSent(f"token_command {program} ended with status {process.returncode}")
        if not token or not token.isascii() or not token.isprintable():
            raise NotSent(f"token_command {program} printed no token")
        return token
