"""The lifecycles that a demo can show: what each is, and how it is started.

This is data for whoever starts a demo; nothing here needs the server or its libraries.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Names of the two servers of the demo; the second is the one that goes away for a while.
MAIN: Final = "demo"
EDGE: Final = "edge"


@dataclass(frozen=True, slots=True)
class DemoCall:
    """One `tools/call` of a demo, to be sent through a real client."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    server: str = MAIN
    label: str | None = None
    tags: tuple[str, ...] = ()
    #: When it is sent, in seconds of the story; divide by the speed.
    delay: float = 0.0
    #: Seconds that the task pretends to be old when it is created.
    age: float = 0.0
    #: What becomes of a batch job; see `stories/batch.py`.
    fate: str | None = None
    #: For a tool that asks first: question -> the response (`action`, `content`) to send.
    answers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """A named story of one task, or of many."""

    name: str
    help: str
    calls: tuple[DemoCall, ...]


def _one(name: str, line: str, call: DemoCall) -> Lifecycle:
    return Lifecycle(name, line, (call,))


_ALL = (
    _one(
        "progress",
        "A build that counts its percent up to a result.",
        DemoCall(
            "build_image",
            {"service": "checkout", "tag": "2.4.0"},
            label="Build checkout 2.4.0",
            tags=("release",),
        ),
    ),
    _one(
        "count",
        "An import that counts n of m, with rate and time left.",
        DemoCall("import_catalog", {"rows": 58_000}, label="Import autumn catalog", tags=("data",)),
    ),
    _one(
        "download",
        "A download that counts sizes; its region travels in a header.",
        DemoCall(
            "fetch_model",
            {"model": "whisper-large-v3", "region": "eu-north"},
            label="Fetch speech model",
            tags=("data",),
        ),
    ),
    _one(
        "form",
        "A release that asks for its plan: a form with every kind of field.",
        DemoCall("plan_release", label="Release checkout 2.4.0", tags=("release",)),
    ),
    _one(
        "two-questions",
        "A migration that asks two things at once; each can be answered alone.",
        DemoCall("migrate_schema", label="Migrate schema to v31", tags=("db",)),
    ),
    _one(
        "chain",
        "An investigation that asks three questions, one after the other.",
        DemoCall("investigate_alert", label="Alert: errors above 2 %", tags=("incident",)),
    ),
    _one(
        "link",
        "A report that needs a page opened in the browser.",
        DemoCall("link_calendar", label="Weekly meeting report"),
    ),
    _one(
        "asks-first",
        "A tool that asks before there is a task.",
        DemoCall(
            "create_environment",
            label="Environment for the review",
            answers={
                "environment": {
                    "action": "accept",
                    "content": {"name": "review-7", "size": "small"},
                }
            },
        ),
    ),
    _one(
        "tool-error",
        "Tests that fail: completed, with a tool error.",
        DemoCall("run_tests", {"suite": "integration"}, label="Integration tests"),
    ),
    _one(
        "failure",
        "A connection breaks: the task fails with a protocol error.",
        DemoCall("sync_replica", {"replica": "db-replica-2"}, label="Sync replica 2", tags=("db",)),
    ),
    _one(
        "cancel",
        "A long deployment that rolls back, then stops, when it is cancelled.",
        DemoCall("deploy_fleet", {"hosts": 40}, label="Deploy search to the fleet"),
    ),
    _one(
        "cancel-ignored",
        "A job that acknowledges a cancel and goes on all the same.",
        DemoCall("compact_archive", {"segments": 90}, label="Compact archive 2025"),
    ),
    _one(
        "stuck",
        "A migration that moves to 62 % and then stops changing.",
        DemoCall("migrate_users", label="Migrate users to EU", tags=("db",)),
    ),
    _one(
        "expires",
        "A question that nobody answers: 95 seconds later the task is gone.",
        DemoCall("approve_budget", label="Approve GPU budget"),
    ),
    _one(
        "away",
        "Its server closes its socket for 25 seconds and comes back.",
        DemoCall("sync_region", {"region": "eu-north"}, EDGE, label="Sync region eu-north"),
    ),
    Lifecycle(
        "flood",
        "Two hundred small tasks, started in twenty seconds.",
        tuple(
            DemoCall(
                "make_thumbnail",
                {"number": number},
                label=f"photo-{number:04}.jpg",
                tags=("photos",),
                delay=number / 10,
            )
            for number in range(1, 201)
        ),
    ),
    _one(
        "large",
        "An export whose result is a text of 5 MB.",
        DemoCall("export_log", label="Export access log"),
    ),
    _one(
        "mixed",
        "A result of every kind: Markdown, an image, a sound, links, JSON.",
        DemoCall("write_report", label="Capacity report, week 48"),
    ),
    _one(
        "hostile",
        "Control characters, reversed text and markup, wherever text can be put.",
        DemoCall("read_mailbox", label="Read an untrusted mailbox"),
    ),
)

#: Every lifecycle by its name, in the order in which a list shows them.
LIFECYCLES: Mapping[str, Lifecycle] = {lifecycle.name: lifecycle for lifecycle in _ALL}
