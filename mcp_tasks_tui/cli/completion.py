"""What the shell offers for a KEY and for a SERVER when Tab is pressed; the rest is click's own.

Click asks with the context, the parameter and what is typed so far, and takes plain words as well
as words with a line about each.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import click
    import click.shell_completion

    from mcp_tasks_tui.handles.model import Handle

    Offers = list[click.shell_completion.CompletionItem]


def saved_keys(_: click.Context, __: click.Parameter, typed: str) -> Offers:
    """Offer the keys of saved tasks, each with what the task is called."""
    return _offers(typed, (each for each in _handles() if each.archived_at is None))


def archived_keys(_: click.Context, __: click.Parameter, typed: str) -> Offers:
    return _offers(typed, (each for each in _handles() if each.archived_at is not None))


def known_servers(_: click.Context, __: click.Parameter, typed: str) -> Offers:
    """Offer the names of configured servers."""
    from click.shell_completion import CompletionItem

    from mcp_tasks_tui.config.loading import load_config
    from mcp_tasks_tui.config.model import ConfigError
    from mcp_tasks_tui.places import NoHomeError, find_paths

    try:
        servers = load_config(find_paths().config_file).servers
    except (ConfigError, NoHomeError):
        return []  # a command will say why
    return [CompletionItem(s.name, help=s.url) for s in servers if s.name.startswith(typed)]


def _handles() -> Iterator[Handle]:
    """Yield what is saved; nothing where that cannot be read: a command will say why."""
    from mcp_tasks_tui.handles.errors import StoreError
    from mcp_tasks_tui.handles.store import HandleStore
    from mcp_tasks_tui.places import NoHomeError, find_paths

    with suppress(StoreError, NoHomeError):
        data = find_paths().data
        if data.is_dir():
            with HandleStore.open(data) as store:
                yield from (saved.handle for saved in store.load())


def _offers(typed: str, handles: Iterable[Handle]) -> Offers:
    from click.shell_completion import CompletionItem

    from mcp_tasks_tui.sanitize import one_line

    return [
        CompletionItem(each.key, help=one_line(each.label or each.tool or each.task_id, 60))
        for each in handles
        if each.key.startswith(typed)
    ]
