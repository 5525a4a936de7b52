"""The tasks that the text pictures show, as values: what was seen of each, judged by the engine.

No server and no disk: a text picture is compared in every test run, so nothing about it may
depend on how busy the machine is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mcp_tasks_tui.demo.lifecycles import DemoCall
from mcp_tasks_tui.demo.scenes import SCENES
from mcp_tasks_tui.handles.handle_json import iso
from mcp_tasks_tui.handles.model import Event, Handle, JournalEntry, ReadState, Snapshot
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.building import build_view
from mcp_tasks_tui.supervise.progress import parse, track
from mcp_tasks_tui.supervise.server_view import Health, ServerView
from mcp_tasks_tui.supervise.settings import EngineSettings
from mcp_tasks_tui.supervise.view import TaskView
from tests.ui.fakes import NOW, FakeSupervisor, a_server

_SERVERS = ("demo", "edge", *(server.name for server in SCENES["triage"].servers))
_PORTS = {name: 8765 + number for number, name in enumerate(_SERVERS)}
_HOUR = 3600.0


def url_of(server: str) -> str:
    return f"http://localhost:{_PORTS[server]}/mcp"


def seen(
    key: str,
    label: str,
    status: str = "working",
    said: Sequence[tuple[float, str]] = (),
    *,
    server: str = "demo",
    tool: str = "build_image",
    age: float = 60.0,
    tags: Sequence[str] = (),
    arguments: Any = None,
    read_ago: float = 2.0,
    paused: bool = False,
    **facts: Any,
) -> TaskView:
    """Return a task saved `age` seconds ago, of which `said` (seconds ago, message) was heard."""
    pace = None
    for ago, message in said:
        pace = track(pace, parse(message), NOW - ago)
    last = ServerText(said[-1][1]) if said else None
    snapshot = Snapshot(
        status=status,
        status_message=last if status == "working" else None,
        last_message=last,
        last_message_at=NOW - said[-1][0] if said else None,
        message_changes=len(said),
        usual_gap=10.0 if len(said) > 1 else None,
        poll_interval_ms=5000,
        ttl_ms=3_600_000,
        ttl_known=True,
        created_at=iso(NOW - age),
        observed_at=NOW - read_ago,
        changed_at=NOW - (said[-1][0] if said else age),
        watched_since=NOW - 3 * _HOUR,
        read=ReadState(at=NOW - read_ago),
        **facts,
    )
    handle = Handle(
        key=key,
        server_url=url_of(server),
        task_id=f"00000000-0000-4000-8000-{sum(map(ord, key + label)):012d}",
        saved_at=NOW - age,
        tool=tool,
        arguments=arguments,
        label=label,
        tags=tuple(tags),
    )
    return build_view(
        handle,
        snapshot,
        {},
        EngineSettings(),
        now=NOW,
        server=server,
        progress=None if pace is None else pace.progress,
        live=True,
        paused=paused,
        next_read_at=None if snapshot.state.ended or paused else NOW + 3,
    )


_WHERE = {
    "method": "elicitation/create",
    "params": {
        "mode": "form",
        "message": "Version 2.4.0 is ready. Where does it go, and how carefully?",
        "requestedSchema": {
            "type": "object",
            "properties": {
                "target": {"type": "string", "title": "Target", "enum": ["staging", "production"]},
                "strategy": {
                    "type": "string",
                    "title": "Strategy",
                    "enum": ["rolling", "canary"],
                    "default": "canary",
                },
                "percent": {
                    "type": "integer",
                    "title": "First step",
                    "description": "Percent of the traffic",
                    "minimum": 1,
                    "maximum": 100,
                },
                "email": {"type": "string", "title": "Tell whom", "format": "email"},
            },
            "required": ["target", "percent"],
        },
    },
}
_CONSENT = {
    "method": "elicitation/create",
    "params": {
        "mode": "url",
        "message": "Allow access to the calendar",
        "url": "https://calendar.example.com/allow?client=reports",
    },
}
BUILD, RELEASE, REPORT, REPLICA = "b1", "r1", "c1", "s1"


def the_usual() -> FakeSupervisor:
    """A dozen tasks of two servers, of every state, with journal and results."""
    fake = FakeSupervisor.of(
        seen(
            BUILD,
            "Build checkout 2.4.0",
            said=(
                (43, "Copying lock files: 8%"),
                (33, "Copying sources: 31%"),
                (22, "Compiling native extensions: 52%"),
                (5, "Scanning for known vulnerabilities: 81%"),
            ),
            age=47,
            arguments={"service": "checkout", "tag": "2.4.0"},
            tags=("release", "checkout"),
        ),
        seen(
            RELEASE,
            "Release checkout 2.4.0",
            "input_required",
            ((40, "Version 2.4.0 is ready"),),
            tool="plan_release",
            age=95,
            input_requests={"where": _WHERE},
        ),
        seen(
            "w1",
            "Weekly meeting report",
            "input_required",
            tool="link_calendar",
            age=30,
            input_requests={"consent": _CONSENT},
        ),
        seen(
            REPLICA,
            "Sync replica 2",
            said=((3000, "Copied 1 of 20 tables"), (2900, "Copied 3 of 20 tables")),
            tool="sync_replica",
            age=3100,
            tags=("db",),
        ),
        seen(
            "d1",
            "Deploy search to the fleet",
            said=((12, "Updated 8/40 hosts"),),
            tool="deploy_fleet",
            server="edge",
            cancel_requested_at=NOW - 8,
        ),
        seen(
            "m1", "Migrate users to EU", said=((4, "Migrating users: 62%"),), tool="migrate_users"
        ),
        seen("n1", "予約データの移行 – nightly", said=((9, "処理中です 3/10"),), tool="migrate"),
        seen(REPORT, "Capacity report, week 48", "completed", tool="write_report", has_result=True),
        seen(
            "i1",
            "Integration tests",
            "completed",
            ((20, "Ran 236 of 236 tests"),),
            tool="run_tests",
            has_result=True,
            tool_error=True,
        ),
        seen(
            "f1",
            "Fetch speech model",
            "failed",
            tool="fetch_model",
            server="edge",
            error={"code": -32603, "message": "the disk of the worker is full"},
        ),
        seen("x1", "Compact archive 2025", "cancelled", ((300, "Compacted 12 of 90"),), age=900),
        seen("g1", "Export access log", age=7300, read_ago=120, gone_at=NOW - 120),
        servers=[
            a_server(url_of("demo"), "demo", pushed=True, tasks=9, open_tasks=6),
            a_server(url_of("edge"), "edge", tasks=3, open_tasks=1),
        ],
    )
    fake.results[REPORT] = REPORTED
    fake.journals[BUILD] = [
        JournalEntry(NOW - 47, Event.CALL_SENT),
        JournalEntry(NOW - 47, Event.SAVED),
        JournalEntry(NOW - 46, Event.STATUS, ServerText("Pulling base image"), {"to": "working"}),
        JournalEntry(NOW - 43, Event.MESSAGE, ServerText("Copying lock files: 8%")),
        JournalEntry(NOW - 33, Event.MESSAGE, ServerText("Copying sources: 31%")),
        JournalEntry(NOW - 22, Event.MESSAGE, ServerText("Compiling native extensions: 52%")),
        JournalEntry(NOW - 5, Event.MESSAGE, ServerText("Scanning for known vulnerabilities: 81%")),
    ]
    return fake


REPORTED: Mapping[str, Any] = {
    "content": [
        {
            "type": "text",
            "text": (
                "# Capacity report, week 48\n\nTraffic grew by **12 %**; see the "
                "[dashboard](https://reports.example.com/48).\n\n"
                "| service | p99 ms |\n|---|---:|\n| checkout | 212 |\n| mail | 510 |\n\n"
                "1. Give **checkout** two more hosts.\n2. Look at the `mail` queue.\n\n"
                "```sql\nSELECT max(p99) FROM latency;\n```\n"
            ),
        },
        {"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgoA" * 600},
        {
            "type": "resource_link",
            "uri": "https://reports.example.com/2026/week-48.pdf",
            "name": "week-48.pdf",
            "mimeType": "application/pdf",
            "description": "The same report, for printing",
        },
        {
            "type": "resource",
            "resource": {
                "uri": "file:///reports/week-48.csv",
                "mimeType": "text/csv",
                "text": "service,p99\ncheckout,212\nmail,510\n",
            },
        },
    ],
    "structuredContent": {
        "week": 48,
        "growth": 0.12,
        "services": [
            {"name": "checkout", "rps": 1840, "p99": 212, "ok": False, "note": None},
            {"name": "search", "rps": 6310, "p99": 94, "ok": True},
            {"name": "mail", "rps": 120, "p99": 510, "ok": False, "note": "twice what is agreed"},
        ],
    },
}


# --- two hundred tasks -------------------------------------------------------------------------
_FATES: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "running": ("working", {}),
    "stuck": ("working", {}),
    "waiting": ("input_required", {"input_requests": {"consent": _CONSENT}}),
    "done": ("completed", {"has_result": True}),
    "tool-error": ("completed", {"has_result": True, "tool_error": True}),
    "failed": ("failed", {"error": {"code": -32603, "message": "out of memory"}}),
    "cancelled": ("cancelled", {}),
}
_TROUBLE = {
    "media": (Health.DOWN, "connection refused; trying again"),
    "ledger": (Health.AUTH, "HTTP 401: it refuses the token"),
}


def the_crowd() -> FakeSupervisor:
    """The tasks of the triage scene: ten stuck, four waiting, a server down, one refusing."""
    calls = SCENES["triage"].calls
    views = [_of_crowd(number, call) for number, call in enumerate(calls)]
    return FakeSupervisor.of(*views, servers=_servers(views))


def _of_crowd(number: int, call: DemoCall) -> TaskView:
    status, facts = _FATES[call.fate or "running"]
    # One that is stuck moved in its first minute, another one moves all the time.
    last = call.age - 60 if call.fate == "stuck" else 5.0 + number % 30
    done = 100 * (number % 9) // 10
    said = ((last + 10, f"Step {done} of 100"), (last, f"Step {done + 10} of 100"))
    away = call.server in _TROUBLE
    return seen(
        f"t{number:03}",
        call.label or "",
        status,
        said,
        server=call.server,
        tool=call.tool,
        age=call.age,
        tags=call.tags,
        read_ago=40.0 if away else 2.0 + number % 5,
        paused=away,
        **facts,
    )


def _servers(views: Sequence[TaskView]) -> list[ServerView]:
    servers = []
    for name in dict.fromkeys(view.server for view in views):
        own = [view for view in views if view.server == name]
        health, text = _TROUBLE.get(name, (Health.OK, ""))
        servers.append(
            a_server(
                url_of(name),
                name,
                health,
                text,
                tasks=len(own),
                open_tasks=sum(not view.state.ended for view in own),
                retry_at=NOW + 20 if health is Health.DOWN else None,
            )
        )
    return servers
