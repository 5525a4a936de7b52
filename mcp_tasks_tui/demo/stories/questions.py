"""Work that needs a person: forms, several questions, a chain, a link, one that runs out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.demo.tools import (
    Result,
    Tool,
    arguments_schema,
    form,
    link,
    result,
    tell,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_tasks_tui.demo.tasks import GivenAnswer, Work

#: Every kind of field that a form may have (client/elicitation, "Requested Schema").
RELEASE_FORM = form(
    "Version 2.4.0 is built and tested. How shall it be released?",
    {
        "title": {
            "type": "string",
            "title": "Release title",
            "description": "Shown on the release page",
            "minLength": 3,
            "maxLength": 60,
            "default": "Checkout 2.4.0",
        },
        "contact": {
            "type": "string",
            "title": "On-call contact",
            "description": "Who is called when the release goes wrong",
            "format": "email",
        },
        "notes_url": {"type": "string", "title": "Release notes", "format": "uri"},
        "release_date": {"type": "string", "title": "Release date", "format": "date"},
        "freeze_until": {
            "type": "string",
            "title": "Freeze until",
            "description": "No other release before this moment",
            "format": "date-time",
        },
        "share": {
            "type": "integer",
            "title": "Traffic share",
            "description": "Percent of the traffic in the first hour",
            "minimum": 1,
            "maximum": 100,
            "default": 10,
        },
        "error_budget": {
            "type": "number",
            "title": "Error budget",
            "description": "Roll back above this error rate, in percent",
            "minimum": 0,
            "maximum": 5,
            "default": 0.5,
        },
        "announce": {
            "type": "boolean",
            "title": "Announce",
            "description": "Post to the release channel",
            "default": True,
        },
        "channel": {
            "type": "string",
            "title": "Channel",
            "enum": ["stable", "beta", "nightly"],
            "default": "beta",
        },
        "strategy": {
            "type": "string",
            "title": "Strategy",
            "oneOf": [
                {"const": "canary", "title": "Canary: a small share first"},
                {"const": "blue-green", "title": "Blue/green: switch at once, keep the old one"},
                {"const": "rolling", "title": "Rolling: host by host"},
            ],
        },
        "regions": {
            "type": "array",
            "title": "Regions",
            "minItems": 1,
            "maxItems": 3,
            "items": {"type": "string", "enum": ["eu-north", "eu-west", "us-west", "ap-south"]},
            "default": ["eu-north"],
        },
        "checks": {
            "type": "array",
            "title": "Checks before release",
            "items": {
                "anyOf": [
                    {"const": "smoke", "title": "Smoke tests"},
                    {"const": "load", "title": "Load test, 10 minutes"},
                    {"const": "rollback", "title": "Rollback rehearsal"},
                ]
            },
        },
    },
    ("title", "contact", "strategy", "regions"),
)

APPROVE_SCHEMA = form(
    "The migration drops the column `legacy_token` (2.1 million rows). Go on?",
    {
        "confirm": {"type": "boolean", "title": "Drop the column", "default": False},
        "backup": {
            "type": "string",
            "title": "Keep a backup for",
            "enum": ["1 day", "7 days", "30 days"],
            "default": "7 days",
        },
    },
    ("confirm",),
)
PICK_WINDOW = form(
    "When may the database be read-only for about two minutes?",
    {
        "window": {
            "type": "string",
            "title": "Window",
            "oneOf": [
                {"const": "now", "title": "Now"},
                {"const": "02:00", "title": "Tonight at 02:00 UTC"},
                {"const": "sunday", "title": "Sunday at 04:00 UTC"},
            ],
        }
    },
    ("window",),
)
BUDGET_FORM = form(
    "The training run needs 640 GPU hours (about 1,900 EUR). Approve it?",
    {"approve": {"type": "boolean", "title": "Approve", "default": False}},
    ("approve",),
)
NAME_FORM = form(
    "Which environment shall be created?",
    {
        "name": {
            "type": "string",
            "title": "Name",
            "description": "Lower-case letters, digits and dashes",
            "pattern": "^[a-z][a-z0-9-]*$",
            "minLength": 2,
            "maxLength": 30,
        },
        "size": {"type": "string", "title": "Size", "enum": ["small", "large"], "default": "small"},
    },
    ("name",),
)
AUTHORIZE = link(
    "Allow the reporting job to read your calendar. The page opens in your browser.",
    "https://accounts.example.com/authorize?client=reporting&scope=calendar.read",
)


async def _insist(work: Work, name: str, question: Mapping[str, Any], message: str) -> GivenAnswer:
    """Ask; a dismissed question comes back, since nothing was decided."""
    answer = await work.ask_one(name, question, message)
    while answer.action == "cancel":
        work.say("Dismissed: asking again in a moment")
        await work.sleep(5)
        answer = await work.ask_one(name, question, message)
    return answer


async def plan_release(work: Work, _arguments: Mapping[str, Any]) -> Result:
    await tell(work, (("Building 2.4.0", 4), ("Running 412 tests: 60%", 4), ("Signing", 2)))
    answer = await _insist(work, "release-plan", RELEASE_FORM, "Waiting for the release plan")
    if not answer.accepted:
        return result(text("Release declined: 2.4.0 stays a draft."))
    plan = answer.content
    share = plan.get("share", 10)
    await tell(
        work,
        (
            (f"Releasing to {', '.join(plan['regions'])} ({plan['strategy']}), {share}%", 5),
            ("Watching the error rate: 1 of 3 minutes", 5),
            ("Watching the error rate: 2 of 3 minutes", 5),
            ("Watching the error rate: 3 of 3 minutes", 5),
        ),
    )
    return result(text(f"{plan['title']} is out."), structured={"released": True, "plan": plan})


async def migrate_schema(work: Work, _arguments: Mapping[str, Any]) -> Result:
    await tell(work, (("Comparing schemas", 4), ("Writing the plan: 3 of 3 steps", 3)))
    answers = await work.ask(
        {"drop-column": APPROVE_SCHEMA, "window": PICK_WINDOW}, "Waiting for two decisions"
    )
    approval, window = answers["drop-column"], answers["window"]
    if not (approval.accepted and approval.content["confirm"] and window.accepted):
        return result(text("Nothing was changed: the migration was not approved."))
    await tell(work, tuple((f"Migrating: step {step}/6", 3) for step in range(1, 7)))
    return result(text(f"Schema migrated, window: {window.content['window']}."))


async def investigate_alert(work: Work, _arguments: Mapping[str, Any]) -> Result:
    """One question leads to the next."""
    await tell(work, (("Collecting logs of the last hour", 4),))
    service = await work.ask_one(
        "service",
        form(
            "Three services report errors. Which one first?",
            {
                "service": {
                    "type": "string",
                    "title": "Service",
                    "enum": ["checkout", "search", "mail"],
                }
            },
            ("service",),
        ),
        "Question 1 of 3",
    )
    name = str(service.content.get("service", "checkout"))
    await tell(work, ((f"Reading 14,202 log lines of {name}", 4),))
    depth = await work.ask_one(
        "depth",
        form(
            f"{name} began to fail at 14:02. How many minutes before that shall be read?",
            {"minutes": {"type": "integer", "title": "Minutes", "minimum": 1, "maximum": 120}},
            ("minutes",),
        ),
        "Question 2 of 3",
    )
    await tell(work, (("Comparing with the deployments of the day", 5),))
    step = await work.ask_one(
        "rollback",
        form(
            f"The deployment of 13:58 looks guilty. Roll {name} back?",
            {"rollback": {"type": "boolean", "title": "Roll back", "default": False}},
            ("rollback",),
        ),
        "Question 3 of 3",
    )
    rolled_back = bool(step.content.get("rollback", False))
    await tell(work, (("Rolling back" if rolled_back else "Writing the report", 4),))
    return result(
        text(f"Root cause: a connection pool of 4 in {name}, since the deployment of 13:58."),
        structured={
            "service": name,
            "minutes": depth.content.get("minutes"),
            "rolledBack": rolled_back,
        },
    )


async def link_calendar(work: Work, _arguments: Mapping[str, Any]) -> Result:
    await tell(work, (("Preparing the report: 2 of 5 sources", 5),))
    answer = await _insist(work, "authorize", AUTHORIZE, "Waiting for your consent in the browser")
    if not answer.accepted:
        return result(text("Report written without the calendar: access was declined."))
    await tell(work, (("Reading the calendar: 3 of 5 sources", 4), ("Writing: 5 of 5 sources", 3)))
    return result(text("Report written: 31 meetings, 14 h 20 min."))


async def approve_budget(work: Work, _arguments: Mapping[str, Any]) -> Result:
    """Asks, and is thrown away with its question when its time to live is over."""
    await tell(work, (("Estimating the cost", 5),))
    answer = await work.ask_one("budget", BUDGET_FORM, "Waiting for approval, for 90 seconds")
    if not (answer.accepted and answer.content["approve"]):
        return result(text("Not approved: nothing was spent."))
    await tell(work, (("Reserving 64 GPUs", 5),))
    return result(text("Approved: the run starts tonight."))


async def create_environment(work: Work, _arguments: Mapping[str, Any]) -> Result:
    """Its question came before the task; the answer is already here."""
    chosen = work.first_answers["environment"].content
    await tell(work, tuple((f"Creating {chosen['name']}: step {n} of 5", 3) for n in range(1, 6)))
    return result(
        text(f"https://{chosen['name']}.env.example.com is up ({chosen.get('size', 'small')})."),
    )


TOOLS = (
    Tool(
        "plan_release",
        "Plan release",
        "Builds a release and asks how to roll it out: a form with every kind of field.",
        arguments_schema(),
        plan_release,
    ),
    Tool(
        "migrate_schema",
        "Migrate schema",
        "Asks two things at once; each can be answered on its own.",
        arguments_schema(),
        migrate_schema,
    ),
    Tool(
        "investigate_alert",
        "Investigate alert",
        "Asks three questions, one after the other.",
        arguments_schema(),
        investigate_alert,
    ),
    Tool(
        "link_calendar",
        "Link calendar",
        "Needs a page to be opened in the browser.",
        arguments_schema(),
        link_calendar,
    ),
    Tool(
        "approve_budget",
        "Approve budget",
        "Asks for an approval that runs out: the server forgets the task after 95 seconds.",
        arguments_schema(),
        approve_budget,
        ttl=95.0,
    ),
    Tool(
        "create_environment",
        "Create environment",
        "Asks before there is a task, then creates an environment.",
        arguments_schema(),
        create_environment,
        asks_first={"environment": NAME_FORM},
    ),
)
