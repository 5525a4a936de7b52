"""How a tool's result is printed: its text as text, anything else by name, type and size."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.cli.exits import Exit
from mcp_tasks_tui.cli.output import print_json, print_text
from mcp_tasks_tui.supervise.words import size

if TYPE_CHECKING:
    from collections.abc import Iterator


def print_result(result: Any, *, as_json: bool) -> Exit:
    """Print a result; the exit status is FAILED where it says `isError`."""
    if as_json:
        print_json(result)
    else:
        print_text(result_text(result))
    failed = isinstance(result, dict) and result.get("isError") is True
    return Exit.FAILED if failed else Exit.DONE


def result_text(result: Any) -> str:
    """Return what a person reads of a `CallToolResult`; of any other JSON, the JSON."""
    if not isinstance(result, dict):
        return _json(result)
    content = result.get("content")
    parts = list(_parts(content)) if isinstance(content, list) else []
    structured = result.get("structuredContent")
    if structured is not None and not _said_already(structured, parts):
        parts.append(_json(structured))
    return "\n".join(parts) if parts else _json(result)


def _parts(content: list[Any]) -> Iterator[str]:
    for item in content:
        if isinstance(item, dict) and isinstance(item.get("text"), str):
            yield item["text"]
        elif isinstance(item, dict):
            yield _describe(item)
        else:
            yield _json(item)


def _describe(item: dict[str, Any]) -> str:
    kind = item.get("type", "content")
    resource = item.get("resource")
    inner = resource if isinstance(resource, dict) else item
    if isinstance(inner.get("text"), str):
        return str(inner["text"])
    facts = [inner.get(name) for name in ("name", "uri", "mimeType")]
    data = inner.get("data") or inner.get("blob")
    if isinstance(data, str):
        facts.append(size(len(data) * 3 // 4))
    return f"[{' '.join(str(fact) for fact in (kind, *facts) if fact)}]"


def _said_already(structured: Any, parts: list[str]) -> bool:
    """Servers repeat structured content as text; it is not worth showing twice."""
    for part in parts:
        try:
            if json.loads(part) == structured:
                return True
        except ValueError:
            continue
    return isinstance(structured, dict) and [structured.get("result")] == parts


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
