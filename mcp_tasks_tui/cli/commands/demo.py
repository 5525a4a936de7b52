"""`demo`: task lifecycles on a server of its own, in a throw-away home."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mcp_tasks_tui.cli.exits import Exit
from mcp_tasks_tui.cli.numbers import Number, WholeNumber
from mcp_tasks_tui.cli.output import print_table, say
from mcp_tasks_tui.cli.screen_options import screen_options, wished
from mcp_tasks_tui.config.model import Config, ServerEntry
from mcp_tasks_tui.demo.lifecycles import LIFECYCLES
from mcp_tasks_tui.demo.scenes import SCENES, Scene, Stage, command, only
from mcp_tasks_tui.places import Paths

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_tasks_tui.cli.screen_options import ScreenOptions
    from mcp_tasks_tui.demo.lifecycles import DemoCall
    from mcp_tasks_tui.supervise.supervisor import Supervisor

#: Calls of a scene that may be on their way at one time.
_AT_ONCE = 8


@click.command()
@click.option(
    "--speed",
    type=Number(min=0.1, max=1000),
    default=1.0,
    metavar="X",
    help="Seconds of the story per second.",
)
@click.option(
    "--scene",
    type=click.Choice(list(SCENES)),
    help=f"Which story. [default: {next(iter(SCENES))}]",
)
@click.option("--only", "names", multiple=True, metavar="NAME", help="This lifecycle alone.")
@click.option("--list", "listing", is_flag=True, help="The names of all lifecycles.")
@click.option("--serve", is_flag=True, help="The server alone: prints its URL, runs until Ctrl-C.")
@click.option(
    "--port",
    type=WholeNumber(1, 65535),
    metavar="N",
    help="Where the first server listens.",
)
@screen_options
@click.pass_context
def demo(
    ctx: click.Context,
    *,
    speed: float,
    scene: str | None,
    names: tuple[str, ...],
    listing: bool,
    serve: bool,
    port: int | None,
) -> Exit:
    """Watch task lifecycles on a server of its own; your own tasks are not touched.

    \b
    Example: mcp-tasks-tui demo --only form --only stuck --speed 2
    """
    if listing:
        print_table(
            ("NAME", "WHAT IT SHOWS"), [(one.name, one.help) for one in LIFECYCLES.values()]
        )
        return Exit.DONE
    if names and scene:
        raise click.UsageError("--scene is a whole story and --only parts of one: say one of them")
    try:
        chosen = only(names) if names else SCENES[scene or next(iter(SCENES))]
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    with _servers(chosen, speed, port) as stage:
        if serve:
            return _serve(stage)
        return _watch(chosen, stage, speed, wished(ctx))


@contextlib.contextmanager
def _servers(scene: Scene, speed: float, port: int | None) -> Iterator[Stage]:
    """The scene's servers in a process of their own, which ends with the block."""
    process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
        command(scene, speed=speed, parent=os.getpid(), port=port),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        try:
            yield Stage.read(process.stdout.readline())
        except ValueError as error:
            where = f" on port {port}; is it taken?" if port else f": {error}"
            raise click.UsageError(f"the demo server did not start{where}") from None
    finally:
        process.terminate()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _serve(stage: Stage) -> Exit:
    for name, url in stage.urls.items():
        click.echo(f"{url}" if len(stage.urls) == 1 else f"{name}  {url}")
    say("Ctrl-C stops it")
    try:
        os.waitpid(stage.pid, 0)
    except KeyboardInterrupt:
        return Exit.DONE
    return Exit.OWN_FAULT


def _watch(scene: Scene, stage: Stage, speed: float, options: ScreenOptions) -> Exit:
    from mcp_tasks_tui.cli.screen import as_wished, run_screen

    with tempfile.TemporaryDirectory(prefix="mcp-tasks-tui-demo-") as folder:
        home = Path(folder)
        paths = Paths(data=home, config=home, log=home / "log")
        servers = tuple(ServerEntry(name, url) for name, url in stage.urls.items())
        config = as_wished(Config(servers), options)

        async def story() -> None:
            await tell(scene, stage, paths, config, speed)

        return run_screen(paths, config, read_only=options.read_only, beside=story)


async def tell(scene: Scene, stage: Stage, paths: Paths, config: Config, speed: float) -> None:
    """Send the scene's calls at their times, as another program on this machine would."""
    from mcp_tasks_tui.cli.compose import running_supervisor

    slots = asyncio.Semaphore(_AT_ONCE)
    async with running_supervisor(paths, config) as supervisor, asyncio.TaskGroup() as group:
        for call in scene.calls:
            group.create_task(_send(supervisor, stage, call, call.delay / speed, slots))


async def _send(
    supervisor: Supervisor, stage: Stage, call: DemoCall, delay: float, slots: asyncio.Semaphore
) -> None:
    from mcp_tasks_tui.protocol.errors import RequestError
    from mcp_tasks_tui.protocol.messages import InputNeeded, InputResponse

    await asyncio.sleep(delay)
    async with slots:
        # A server that is away is part of the story; the screen shows it.
        with contextlib.suppress(RequestError):
            send = partial(
                supervisor.call,
                stage.urls[call.server],
                call.tool,
                call.arguments,
                label=call.label,
                tags=call.tags,
                saved_by="demo",
            )
            outcome = await send()
            if isinstance(outcome, InputNeeded):
                answers = {
                    name: InputResponse.model_validate(answer)
                    for name, answer in call.answers.items()
                }
                await send(input_responses=answers, request_state=outcome.request_state)
