"""`doctor`: paths, permissions, database and servers, each in one line."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import click

from mcp_tasks_tui import __version__
from mcp_tasks_tui.cli.exits import Exit, worst
from mcp_tasks_tui.cli.output import print_json
from mcp_tasks_tui.cli.session import Session
from mcp_tasks_tui.config.header_values import credentials_of
from mcp_tasks_tui.config.model import Config, ConfigError
from mcp_tasks_tui.handles.check import Finding, check, repair
from mcp_tasks_tui.handles.handle_json import iso
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise import words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcp_tasks_tui.cli.probe import Probe
    from mcp_tasks_tui.handles.model import Intent


@click.command()
@click.option("--repair", "repairing", is_flag=True, help="Put the data folder right first.")
@click.option(
    "--forget-calls",
    "forgetting",
    is_flag=True,
    help="End the reminders of calls without a handle.",
)
@click.option("--offline", is_flag=True, help="Leave the servers alone.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def doctor(*, repairing: bool, forgetting: bool, offline: bool, as_json: bool) -> Exit:
    """Check folders, permissions, the database, every known server, and calls without a handle.

    Nothing is changed without --repair or --forget-calls, and no saved task is ever deleted.

    \b
    Example: mcp-tasks-tui doctor --offline
    """
    session = Session()
    settings = _settings(session)
    done = repair(session.paths.data) if repairing else []
    stored = check(session.paths.data)
    written = [*_screen(session), *_credentials(session)]
    lost = _lost_calls(session, stored)
    if forgetting:
        done += _forget(session, lost)
        lost = []
    probes = [] if offline else _servers(session)
    findings = [*_places(session, settings), *stored, *written]
    if as_json:
        _print_json(done, findings, lost, probes)
    else:
        _print_lines([*(Finding("done", True, one) for one in done), *findings])
        for intent in lost:  # nothing is broken, and yet a person has to know
            _print_line("SEE", "lost call", _told(session, intent))
        _print_lines(Finding(f"server {p.name}", p.exit is Exit.DONE, p.words) for p in probes)
    broken = [Exit.OWN_FAULT for finding in stored if not finding.ok]
    wrong = [Exit.USAGE for finding in (*settings, *written) if not finding.ok]
    return worst([*broken, *wrong, *(probe.exit for probe in probes)])


def _print_json(
    done: list[str], findings: list[Finding], lost: list[Intent], probes: list[Probe]
) -> None:
    print_json(
        {
            "version": __version__,
            "done": done,
            "findings": [{"what": f.what, "ok": f.ok, "text": f.text} for f in findings],
            "lostCalls": [_call_json(intent) for intent in lost],
            "servers": [probe.to_json() for probe in probes],
        }
    )


def _print_lines(findings: Iterable[Finding]) -> None:
    for finding in findings:
        _print_line("ok " if finding.ok else "BAD", finding.what, finding.text)


def _print_line(sign: str, what: str, text: str) -> None:
    click.echo(f"{sign}  {what:<14} {text}")


def _forget(session: Session, lost: list[Intent]) -> list[str]:
    """End the reminders of lost calls; return a line for each."""
    for intent in lost:
        session.store.end_call(intent.intent_id)
    return [f"forgot the call of {one_line(intent.tool, 60)}" for intent in lost]


def _lost_calls(session: Session, findings: list[Finding]) -> list[Intent]:
    """Calls that left no handle; opening a store that is not whole would change it."""
    whole = all(finding.ok for finding in findings)
    return session.store.open_intents() if whole and session.paths.data.is_dir() else []


def _told(session: Session, intent: Intent) -> str:
    told = words.lost_call(intent, session.config.name_of(intent.server_url), time.time())
    return f"{told}; --forget-calls ends this reminder"


def _call_json(intent: Intent) -> dict[str, Any]:
    return {
        "serverUrl": intent.server_url,
        "tool": intent.tool,
        "arguments": intent.arguments,
        "label": intent.label,
        "sentAt": iso(intent.at),
    }


def _settings(session: Session) -> list[Finding]:
    """Read the settings; with unusable ones the rest is looked at with what is sound in them."""
    try:
        servers = words.counted(len(session.config.servers), "server")
    except ConfigError as error:
        session.config = error.rest or Config()
        return [Finding("settings", False, mistake) for mistake in error.mistakes]
    return [Finding("settings", True, f"{session.paths.config_file} ({servers})")]


def _places(session: Session, settings: list[Finding]) -> list[Finding]:
    return [
        Finding("version", True, __version__),
        Finding("data", True, str(session.paths.data)),
        *settings,
        Finding("log", True, str(session.paths.log_file)),
    ]


def _screen(session: Session) -> list[Finding]:
    """What the screen cannot follow of the settings: it keeps its own theme and keys for that."""
    screen = session.config.screen
    if screen.theme is None and not screen.keys:
        return []
    from mcp_tasks_tui.ui.commands.settings_check import wrong_on_screen

    path = session.paths.config_file
    text = path.read_text(encoding="utf-8")
    return [Finding(what, False, told) for what, told in wrong_on_screen(screen, path, text)]


def _credentials(session: Session) -> list[Finding]:
    """Tell where the credentials of each server come from, and which variables are not set."""
    return [
        Finding("credentials", not missing, f"{entry.name}: {credential}{_unset(missing)}")
        for entry in session.config.servers
        for credential in credentials_of(entry)
        for missing in [credential.missing(os.environ)]
    ]


def _unset(variables: tuple[str, ...]) -> str:
    return f"; not set here: {', '.join(variables)}" if variables else ""


def _servers(session: Session) -> list[Probe]:
    from mcp_tasks_tui.cli.probe import probe_all

    urls = [entry.url for entry in session.config.servers]
    return session.run(probe_all(session.config, urls)) if urls else []
