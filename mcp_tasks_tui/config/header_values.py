"""Header values as settings write them: ``${NAME}`` stands for a variable of the environment."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_tasks_tui.config.model import ConfigError
from mcp_tasks_tui.redaction import carries_secret

if TYPE_CHECKING:
    from collections.abc import Mapping

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
