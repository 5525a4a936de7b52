"""Servers that want credentials: who is asked for them how often, and where they never go."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mcp_tasks_tui.cli.compose import Wiring
from mcp_tasks_tui.cli.credentials import ConfiguredCredentials
from mcp_tasks_tui.config.loading import load_config
from mcp_tasks_tui.config.model import ServerEntry
from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.protocol.errors import AuthFailed, NotSent
from mcp_tasks_tui.redaction import MARK
from mcp_tasks_tui.supervise.server_view import Health
from mcp_tasks_tui.supervise.view import Coverage
from tests.program.engine import Host, engine, line, save, until
from tests.program.running import run
from tests.protocol.servers import Reply, Request, http, result, task

_METADATA = "https://issuer.test/.well-known/oauth-protected-resource"
CHALLENGE = f'Bearer error="invalid_token", resource_metadata="{_METADATA}"'


def refused(status: int, challenge: str) -> bytes:
    return http(status, b"{}", headers={"WWW-Authenticate": challenge})


class Doorkeeper(Host):
    """Lets in who has the `token` of the moment; a server that also hands out tasks.

    It quotes the credentials that it was sent, as servers do that log into their answers.
    """

    def __init__(self, token: str, status: int = 401) -> None:
        super().__init__()
        self.token = token
        self.status = status
        self.turned_away = 0

    def _well(self, request: Request) -> Reply:
        sent = request.headers.get("authorization")
        if sent != f"Bearer {self.token}":
            self.turned_away += 1
            return refused(self.status, f'{CHALLENGE}, error_description="bad: {sent}"')
        if request.method == "tools/call":
            message = f"started for {sent}"
            return result({**task("called", statusMessage=message), "resultType": "task"})
        return super()._well(request)


@dataclass(frozen=True)
class TokenFile:
    """A token in a file, and the command that prints it and keeps count of its runs."""

    folder: Path

    def write(self, token: str) -> None:
        self.folder.mkdir(exist_ok=True)
        (self.folder / "token").write_text(token)

    @property
    def command(self) -> tuple[str, ...]:
        script = 'echo run >> "$0/runs"; exec cat "$0/token"'
        return ("/bin/sh", "-c", script, str(self.folder))

    def runs(self) -> int:
        return (self.folder / "runs").read_text().count("run")

    def of(self, url: str) -> dict[str, Callable[[], ConfiguredCredentials]]:
        entry = ServerEntry("build", url, token_command=self.command)
        return {url: lambda: ConfiguredCredentials(entry)}


@pytest.fixture
def tokens(tmp_path: Path) -> TokenFile:
    made = TokenFile(tmp_path / "tokens")
    made.write("first-s3cr3t")
    return made


@pytest.fixture
async def door() -> AsyncIterator[Doorkeeper]:
    host = Doorkeeper("first-s3cr3t")
    async with host.server:
        yield host


async def test_thirty_tasks_of_one_expired_token_run_its_command_once(
    home: Path, door: Doorkeeper, tokens: TokenFile
) -> None:
    save(home, door.url, *(f"t{number}" for number in range(30)))
    async with engine(home, credentials=tokens.of(door.url)) as supervisor:
        await until(lambda: all(view.live for view in supervisor.views()))
        assert tokens.runs() == 1
        tokens.write("second-s3cr3t")
        door.token, changed = "second-s3cr3t", time.monotonic()
        await until(lambda: all(len(door.reads(f"t{n}", since=changed)) > 2 for n in range(30)))
        assert line(supervisor, door).health is Health.OK
        assert all(view.snapshot.read.ok for view in supervisor.views())
    assert tokens.runs() == 2
    assert 1 <= door.turned_away <= 8


@pytest.mark.parametrize("name", ["authorization", "Authorization", "AUTHORIZATION"])
async def test_the_token_of_a_command_is_sent_instead_of_any_other(
    tokens: TokenFile, name: str
) -> None:
    headers = {name: "Bearer old", "X-Team": "ops"}
    entry = ServerEntry("build", "http://x/", headers=headers, token_command=tokens.command)
    sent = await ConfiguredCredentials(entry).headers()
    assert sent == {"X-Team": "ops", "Authorization": "Bearer first-s3cr3t"}


@pytest.mark.parametrize("status", [401, 403])
async def test_a_server_that_refuses_is_left_alone_until_a_person_says_so(
    home: Path, door: Doorkeeper, tokens: TokenFile, status: int
) -> None:
    save(home, door.url, *(f"t{number}" for number in range(12)))
    async with engine(home, credentials=tokens.of(door.url)) as supervisor:
        await until(lambda: all(view.live for view in supervisor.views()))
        door.token, door.status = "another", status
        await until(lambda: line(supervisor, door).health is Health.AUTH)
        said = line(supervisor, door)
        assert "invalid_token" in said.text
        assert "renew this server's token or header, then retry" in said.text
        assert said.retry_at is not None
        assert said.retry_at - time.time() > 50
        await until(lambda: {v.coverage for v in supervisor.views()} == {Coverage.PAUSED})
        assert {view.state for view in supervisor.views()} == {State.WORKING}
        # It takes two tasks that are refused one after the other, and each asks for a new token.
        assert tokens.runs() in ((2, 3) if status == 401 else (1,))
        tokens.write("another")
        await supervisor.retry_server(door.url)
        await until(lambda: line(supervisor, door).health is Health.OK)


async def test_a_variable_that_changes_is_used_at_the_next_try(home: Path) -> None:
    host = Doorkeeper("new")
    environ = {"BUILD_TOKEN": "old"}
    async with host.server:
        save(home, host.url, "t1")
        entry = ServerEntry("build", host.url, headers={"Authorization": "Bearer ${BUILD_TOKEN}"})
        credentials = {host.url: lambda: ConfiguredCredentials(entry, environ)}
        async with engine(home, credentials=credentials) as supervisor:
            await until(lambda: line(supervisor, host).health is Health.AUTH)
            environ["BUILD_TOKEN"] = "new"
            await supervisor.retry_server(host.url)
            await until(lambda: supervisor.views()[0].live)
            assert line(supervisor, host).health is Health.OK


async def test_settings_are_read_again_when_a_server_is_tried_again(home: Path) -> None:
    home.mkdir()
    settings = home / "config.toml"
    async with Doorkeeper("new").server as server:
        text = f'[servers.build]\nurl = "{server.url}"\n'
        settings.write_text(text)
        wiring = Wiring(load_config(settings), settings)
        try:
            with pytest.raises(AuthFailed, match="401"):
                await wiring.connect(server.url).get_task("t1")
            settings.write_text(f'{text}headers = {{ Authorization = "Bearer new" }}\n')
            assert (await wiring.connect(server.url).get_task("t1")).task.status == "working"
            settings.write_text(f"{text}headers = 7\n")
            with pytest.raises(NotSent, match=r"config\.toml"):
                wiring.connect(server.url)
        finally:
            await wiring.close()


async def test_a_scope_that_is_missing_for_cancelling_is_no_lost_task(home: Path) -> None:
    host = Host()
    challenge = 'Bearer error="insufficient_scope", scope="tasks:write"'

    def cancel_is_not_allowed(request: Request) -> Any:
        if request.method == "tasks/cancel":
            return refused(403, challenge)
        return host._well(request)

    async with host.server:
        (key,) = save(home, host.url, "t1")
        host.mood = lambda request: _said(cancel_is_not_allowed(request), request)
        async with engine(home) as supervisor:
            await until(lambda: supervisor.views()[0].live)
            with pytest.raises(AuthFailed, match="tasks:write"):
                await supervisor.cancel(key)
            before = len(host.reads())
            await until(lambda: len(host.reads()) > before + 3)
            (view,) = supervisor.views()
            assert (view.state, view.snapshot.cancel_requested_at) == (State.WORKING, None)
            assert view.snapshot.read.ok
            assert line(supervisor, host).health is Health.OK


def _said(reply: Any, request: Request) -> Any:
    return reply(request) if callable(reply) else reply


async def test_a_token_is_nowhere_but_in_its_header(
    home: Path, door: Doorkeeper, tokens: TokenFile
) -> None:
    """Nothing of it is printed or in any file, whatever the program does with that server."""
    home.mkdir()
    command = json.dumps(list(tokens.command))
    (home / "config.toml").write_text(
        f'[servers.build]\nurl = "{door.url}"\ntoken_command = {command}\n'
    )
    printed = ""
    for arguments in (
        ("call", "build", "make"),
        ("add", "build", "t1"),
        ("show", "--refresh", "--journal", "called"),
        ("list", "--json"),
        ("doctor",),
    ):
        ended = await asyncio.to_thread(run, home, "--debug", *arguments)
        printed += ended.stdout + ended.stderr
        if arguments[0] == "add":  # from now on it is refused
            door.token = "not-the-first"
    assert "401" in printed
    assert f"started for {MARK}" in printed
    assert door.turned_away
    written = {path.name: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    assert {"receipts.jsonl", "tasks.db", "mcp-tasks-tui.log"} <= written.keys()
    assert b"tasks/get" in written["mcp-tasks-tui.log"]
    assert "s3cr3t" not in printed
    assert not [name for name, content in written.items() if b"s3cr3t" in content]
    sent = [request for request in door.server.requests if request.headers.get("authorization")]
    assert sent
    assert not [request for request in sent if b"s3cr3t" in request.body]
