"""`doctor`: paths, permissions, database and servers, each in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mcp_tasks_tui import __version__
from mcp_tasks_tui.cli.exits import Exit, worst
from mcp_tasks_tui.cli.output import print_json
from mcp_tasks_tui.cli.session import Session
from mcp_tasks_tui.handles.check import Finding, check, repair

if TYPE_CHECKING:
    from mcp_tasks_tui.cli.probe import Probe


@click.command()
@click.option("--repair", "repairing", is_flag=True, help="Put the data folder right first.")
@click.option("--offline", is_flag=True, help="Leave the servers alone.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def doctor(*, repairing: bool, offline: bool, as_json: bool) -> Exit:
    """Check folders, permissions, the database and every known server.

    Nothing is changed without --repair, and nothing is ever deleted.

    \b
    Example: mcp-tasks-tui doctor --offline
    """
    session = Session()
    done = repair(session.paths.data) if repairing else []
    findings = [*_places(session), *check(session.paths.data)]
    probes = [] if offline else _servers(session)
    if as_json:
        print_json(
            {
                "version": __version__,
                "repaired": done,
                "findings": [{"what": f.what, "ok": f.ok, "text": f.text} for f in findings],
                "servers": [probe.to_json() for probe in probes],
            }
        )
    else:
        lines = [Finding("repaired", True, words) for words in done]
        lines += findings
        lines += [Finding(f"server {p.name}", p.exit is Exit.DONE, p.words) for p in probes]
        for line in lines:
            click.echo(f"{'ok ' if line.ok else 'BAD'}  {line.what:<14} {line.text}")
    broken = [Exit.DONE if finding.ok else Exit.OWN_FAULT for finding in findings]
    return worst([*broken, *(probe.exit for probe in probes)])


def _places(session: Session) -> list[Finding]:
    paths, config = session.paths, session.config  # an unusable file is reported as the error it is
    return [
        Finding("version", True, __version__),
        Finding("data", True, str(paths.data)),
        Finding("settings", True, f"{paths.config_file} ({len(config.servers)} servers)"),
        Finding("log", True, str(paths.log_file)),
    ]


def _servers(session: Session) -> list[Probe]:
    from mcp_tasks_tui.cli.probe import probe_all

    urls = [entry.url for entry in session.config.servers]
    return session.run(probe_all(session.config, urls)) if urls else []
