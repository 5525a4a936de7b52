"""Header values as settings write them: ``${NAME}`` stands for a variable of the environment."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from mcp_tasks_tui.config.model import ConfigError
from mcp_tasks_tui.records import record
from mcp_tasks_tui.redaction import carries_secret

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_tasks_tui.config.model import ServerEntry

#: Words before a secret that are none of it; any other word may be a part of the secret.
_SCHEME = re.compile(r"\s*((?:bearer|basic|token|apikey|digest|dpop)\s+)\S", re.IGNORECASE)
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def expand(template: str, environ: Mapping[str, str]) -> str:
    """Fill ``${NAME}`` from the environment.

    Raises:
        ConfigError: a name is not set there.
    """

    def filled(match: re.Match[str]) -> str:
        name = match.group(1)
        if name not in environ:
            raise ConfigError(f"the environment variable {name} is not set; export it and retry")
        return environ[name]

    return _VARIABLE.sub(filled, template)


def is_plain_secret(header: str, value: str) -> bool:
    """Tell whether a header carries a secret in plain text instead of a ``${NAME}``."""
    return carries_secret(header, value) and not _VARIABLE.search(value)


def with_variable(value: str, name: str) -> str:
    """Return what to write in the place of a secret: its scheme, where it has one, stays."""
    scheme = _SCHEME.match(value)
    return f"{scheme[1] if scheme else ''}${{{name}}}"


@record
class Credential:
    """Where a header that says who we are comes from, and never what is in it.

    `names` are the variables of the environment, or the program of the token command.
    """

    header: str
    source: Literal["environment", "token_command", "settings"]
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.source == "environment":
            return f"{self.header} from {', '.join(f'${name}' for name in self.names)}"
        if self.source == "token_command":
            return f"{self.header} from token_command {self.names[0]}"
        return f"{self.header} in plain text in the settings"

    def missing(self, environ: Mapping[str, str]) -> tuple[str, ...]:
        """Return the variables that are not set."""
        if self.source != "environment":
            return ()
        return tuple(name for name in self.names if name not in environ)


def credentials_of(entry: ServerEntry) -> tuple[Credential, ...]:
    """Return where the credentials for a server come from, by header."""
    found: dict[str, Credential] = {}
    for header, value in entry.headers.items():
        if names := tuple(dict.fromkeys(_VARIABLE.findall(value))):
            found[header.lower()] = Credential(header, "environment", names)
        elif carries_secret(header, value):
            found[header.lower()] = Credential(header, "settings")
    if entry.token_command:  # it is sent in place of what the headers say
        program = entry.token_command[:1]
        found["authorization"] = Credential("Authorization", "token_command", program)
    return tuple(found.values())
