"""Work that runs by itself: to a result, to an error, or nowhere."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.demo.tasks import CancelRequested, ProtocolFailure
from mcp_tasks_tui.demo.tools import Result, Tool, arguments_schema, result, tell, text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_tasks_tui.demo.tasks import Work
    from mcp_tasks_tui.demo.tools import Report

_BUILD = (
    ("Pulling base image debian:12-slim", 4),
    ("Copying lock files: 8%", 3),
    ("Installing 148 packages: 17%", 7),
    ("Copying sources: 31%", 2),
    ("Compiling native extensions: 38%", 4),
    ("Compiling native extensions: 45%", 5),
    ("Compiling native extensions: 52%", 5),
    ("Compiling native extensions: 60%", 4),
    ("Running 412 unit tests: 67%", 8),
    ("Scanning for known vulnerabilities: 81%", 5),
    ("Exporting layers: 92%", 4),
    ("Pushing to the registry: 98%", 4),
)
_REPLICA_HOST = "db-replica-2.internal:5432"


async def build_image(work: Work, arguments: Mapping[str, Any]) -> Result:
    await tell(work, _BUILD)
    name, tag = arguments["service"], arguments.get("tag", "latest")
    digest = f"sha256:{random.Random(name + tag).getrandbits(256):064x}"  # noqa: S311 - a picture of a digest
    image = f"registry.example.com/{name}:{tag}"
    return result(
        text(f"Built and pushed {image}\n{digest}\n412 tests passed, 0 vulnerabilities."),
        structured={"image": image, "digest": digest, "sizeBytes": 91_284_112, "tests": 412},
    )


async def import_catalog(work: Work, arguments: Mapping[str, Any]) -> Result:
    total = int(arguments.get("rows", 58_000))
    work.say("Reading the file")
    await work.sleep(3)
    parts = 24
    for part in range(1, parts + 1):
        work.say(f"Imported {total * part // parts:,} of {total:,} products")
        await work.sleep(3)
    skipped = total // 1_450
    return result(
        text(f"Imported {total - skipped:,} products, skipped {skipped} without a price."),
        structured={"imported": total - skipped, "skipped": skipped},
    )


async def fetch_model(work: Work, arguments: Mapping[str, Any]) -> Result:
    size, got = 4.7, 0.0
    while got < size:
        work.say(f"Downloading {arguments['model']}: {got:.1f} GB of {size} GB")
        await work.sleep(2.5)
        got += 0.3
    await tell(work, (("Verifying checksum", 4),))
    return result(text(f"{arguments['model']} is ready ({size} GB, checksum verified)."))


async def run_tests(work: Work, arguments: Mapping[str, Any]) -> Result:
    suite = arguments.get("suite", "integration")
    await tell(
        work,
        (
            (f"Starting a fresh database for the {suite} tests", 4),
            ("Ran 40 of 236 tests", 5),
            ("Ran 118 of 236 tests", 5),
            ("Ran 204 of 236 tests, 2 failed", 5),
            ("Ran 236 of 236 tests, 2 failed", 2),
        ),
    )
    report = (
        "2 of 236 tests failed\n\n"
        "FAILED tests/test_checkout.py::test_refund_is_idempotent\n"
        "    assert refund.amount == Decimal('19.90')\n"
        "    E   assert Decimal('39.80') == Decimal('19.90')\n\n"
        "FAILED tests/test_checkout.py::test_total_rounds_half_even\n"
        "    E   assert Decimal('10.13') == Decimal('10.12')\n"
    )
    return result(text(report), structured={"run": 236, "failed": 2}, is_error=True)


async def sync_replica(work: Work, arguments: Mapping[str, Any]) -> Result:
    await tell(
        work, (("Connecting", 3), ("Copied 3 of 20 tables", 4), ("Copied 5 of 20 tables", 4))
    )
    raise ProtocolFailure(
        -32603,
        f"Connection to {_REPLICA_HOST} was reset",
        {"host": _REPLICA_HOST, "attempts": 3, "replica": arguments.get("replica", "2")},
    )


async def deploy_fleet(work: Work, arguments: Mapping[str, Any]) -> Result:
    """Stops when asked, but puts back what it changed first."""
    hosts = int(arguments.get("hosts", 40))
    done = 0
    try:
        for done in range(1, hosts + 1):
            work.say(f"Updated {done}/{hosts} hosts")
            await work.sleep(6)
    except CancelRequested:
        for host in range(done, 0, -max(1, done // 4)):
            work.say(f"Cancel received: rolling back, {host} hosts left")
            await work.sleep(1.5)
        raise
    return result(text(f"All {hosts} hosts run the new version."))


async def compact_archive(work: Work, arguments: Mapping[str, Any]) -> Result:
    """Goes on to its end, whatever is asked; the server keeps no promise to cancel."""
    segments = int(arguments.get("segments", 90))
    for segment in range(1, segments + 1):
        work.say(f"Compacting segment {segment} of {segments} (cannot be interrupted)")
        await work.sleep(4)
    return result(text(f"Compacted {segments} segments, 312 GB freed."))


async def migrate_users(work: Work, _arguments: Mapping[str, Any]) -> Result:
    """Moves well, then stops changing and never says another word."""
    for percent in range(4, 63, 2):
        work.say(f"Migrating users: {percent}%")
        await work.sleep(1)
    while True:
        await work.sleep(3600)


async def sync_region(work: Work, arguments: Mapping[str, Any]) -> Result:
    """Halfway, the whole server closes its socket for a while; the work goes on behind it."""
    objects = 24_000
    for part in range(1, 25):
        work.say(f"Synced {objects * part // 24:,} of {objects:,} objects")
        if part == 8:
            work.server_goes_away(25)
        await work.sleep(3)
    return result(
        text(f"Region {arguments.get('region', 'eu-north')}: {objects:,} objects synced.")
    )


async def make_thumbnail(work: Work, arguments: Mapping[str, Any]) -> Result:
    number = int(arguments["number"])
    pace = random.Random(number)  # noqa: S311 - the same picture takes the same time in each run
    await tell(work, (("Queued", pace.uniform(1, 20)), ("Decoding", pace.uniform(1, 6))))
    for percent in range(20, 100, 20):
        work.say(f"Scaling to 640 x 360: {percent}%")
        await work.sleep(pace.uniform(0.5, 3))
    if number % 41 == 0:
        return result(text(f"photo-{number:04}.jpg is not a JPEG file"), is_error=True)
    return result(text(f"photo-{number:04}.webp, 640 x 360, {pace.randint(18, 64)} kB"))


async def lint_project(_arguments: Mapping[str, Any], report: Report) -> Result:
    """Never a task: answered on the spot, with progress on the way."""
    for done in range(1, 6):
        await report(done, 5, f"Checked {done * 61} of 305 files")
    return result(text("305 files checked, no findings."))


_SERVICE = {
    "service": {
        "type": "string",
        "title": "Service",
        "description": "Name of the service to build",
        "minLength": 1,
        "maxLength": 60,
    },
    "tag": {"type": "string", "title": "Tag", "default": "latest"},
}


def _number(title: str, default: int) -> dict[str, Any]:
    return {"type": "integer", "title": title, "minimum": 1, "default": default}


TOOLS = (
    Tool(
        "build_image",
        "Build image",
        "Builds a container image, tests it and pushes it.",
        arguments_schema(_SERVICE, ("service",)),
        build_image,
    ),
    Tool(
        "import_catalog",
        "Import catalog",
        "Imports a product catalog, row by row.",
        arguments_schema({"rows": _number("Rows", 58_000)}),
        import_catalog,
    ),
    Tool(
        "fetch_model",
        "Fetch model",
        "Downloads a model and verifies it. The region travels in a header, for routing.",
        arguments_schema(
            {
                "model": {"type": "string", "title": "Model"},
                "region": {
                    "type": "string",
                    "title": "Region",
                    "enum": ["eu-north", "us-west"],
                    "x-mcp-header": "Region",
                },
            },
            ("model",),
        ),
        fetch_model,
    ),
    Tool(
        "run_tests",
        "Run tests",
        "Runs a test suite; two tests fail, which is a tool error.",
        arguments_schema({"suite": {"type": "string", "title": "Suite", "default": "integration"}}),
        run_tests,
    ),
    Tool(
        "sync_replica",
        "Sync replica",
        "Copies tables to a replica; the connection breaks and the task fails.",
        arguments_schema({"replica": {"type": "string", "title": "Replica"}}),
        sync_replica,
    ),
    Tool(
        "deploy_fleet",
        "Deploy fleet",
        "Updates hosts one by one; a cancel rolls back, then stops.",
        arguments_schema({"hosts": _number("Hosts", 40)}),
        deploy_fleet,
    ),
    Tool(
        "compact_archive",
        "Compact archive",
        "Compacts an archive; acknowledges a cancel and goes on all the same.",
        arguments_schema({"segments": _number("Segments", 90)}),
        compact_archive,
        obeys_cancel=False,
    ),
    Tool(
        "migrate_users",
        "Migrate users",
        "Moves to 62% and then stops changing.",
        arguments_schema(),
        migrate_users,
    ),
    Tool(
        "sync_region",
        "Sync region",
        "Syncs objects to a region; its server goes away for a while and comes back.",
        arguments_schema({"region": {"type": "string", "title": "Region", "default": "eu-north"}}),
        sync_region,
    ),
    Tool(
        "make_thumbnail",
        "Make thumbnail",
        "Scales one photo; a small task, made for being started by the hundred.",
        arguments_schema({"number": _number("Photo number", 1)}, ("number",)),
        make_thumbnail,
    ),
    Tool(
        "lint_project",
        "Lint project",
        "Answers at once, without a task, on an event stream.",
        arguments_schema(),
        inline=lint_project,
        streams=True,
    ),
)
