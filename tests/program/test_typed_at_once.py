"""Keys that reach the terminal in one piece, as a slow link delivers them, act in their order."""

from __future__ import annotations

from pathlib import Path

from tests.program.recorder import Recorder
from tests.program.running import agree, save, saved, screen

_FIELDS = ("title", "mail", "notes", "date")
_ASKS = {
    "plan": {
        "method": "elicitation/create",
        "params": {
            "message": "How shall it be released?",
            "requestedSchema": {
                "type": "object",
                "properties": {name: {"type": "string"} for name in _FIELDS},
            },
        },
    }
}


def test_what_is_typed_in_one_piece_lands_where_it_was_meant_to(
    home: Path, server: Recorder
) -> None:
    server.add("release", "input_required", inputRequests=_ASKS)
    server.add("other", statusMessage="step 1 of 4")
    save(home, server.url, "release", "other")
    with screen(home) as terminal:
        terminal.wait_for("needs input")
        terminal.wait_for("step 1 of 4")
        # The filter ends, the form opens, four fields are filled in. What sends them
        # counts only by itself.
        terminal.send("/release\ruAAA\tbbb@example.com\thttps://c.example\t2026-09-01\x13")
        terminal.wait_for("^s came along with a text")
        assert not server.sent("tasks/update")
        terminal.send("\x13")
        server.wait_for("tasks/update")
        [update] = [each for each in server.messages if each.get("method") == "tasks/update"]
        assert update["params"]["inputResponses"]["plan"]["content"] == {
            "title": "AAA",
            "mail": "bbb@example.com",
            "notes": "https://c.example",
            "date": "2026-09-01",
        }
        server.tasks["release"] |= {"status": "completed", "inputRequests": {}}
        terminal.wait_for("completed")
        # Another filter and the question whether to cancel. A yes to it needs somebody who has
        # read the question; until then nothing is sent.
        terminal.send("/\x15other\rcy")
        terminal.wait_for("y came before this could be read")
        assert " to cancel other?" in terminal.text()
        assert not server.sent("tasks/cancel")
        agree(terminal, lambda: bool(server.sent("tasks/cancel")))
        [cancel] = [each for each in server.messages if each.get("method") == "tasks/cancel"]
        assert cancel["params"]["taskId"] == "other"
        # A task is kept, and the screen left: what was asked for is done first.
        terminal.send(f"a\x15{server.url}\tkept by hand\rq")
        assert terminal.wait_exit() == 0
    kept = {one.handle.task_id for one in saved(home).values()}
    assert kept == {"release", "other", "kept by hand"}
