"""Questions that come again with every poll are read once, and never taken for others."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcp_tasks_tui.protocol.jsonrpc import parse
from mcp_tasks_tui.protocol.repeated import Repeated

ASKED: dict[str, Any] = {
    f"q{n}": {"method": "elicitation/create", "params": {"message": f'say "{n}" é 1.0 \\'}}
    for n in range(50)
}


class Reading:
    """Reads bodies about one task, and counts the bytes that had to be read."""

    def __init__(self) -> None:
        self.repeated = Repeated()
        self.bytes = 0

    def __call__(self, body: bytes, task_id: str = "t1") -> Any:
        self.bytes = 0
        return self.repeated.read(task_id, body, self._read)

    def _read(self, body: bytes) -> Any:
        self.bytes += len(body)
        return parse(body)


def _body(request_id: int, requests: Any, **more: Any) -> bytes:
    result = {"taskId": "t1", **more, "inputRequests": requests, "ttlMs": 5}
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "result": result}).encode()


def test_the_third_time_only_what_is_around_them_is_read() -> None:
    read = Reading()
    for number in range(1, 6):
        body = _body(number, ASKED, statusMessage=f"for {number} s")
        message = read(body)
        assert message == parse(body)
        assert (read.bytes == len(body)) is (number < 3)
    assert read.bytes < 300
    assert read(body)["result"]["inputRequests"] is message["result"]["inputRequests"]


@pytest.mark.parametrize(
    "changed",
    [
        {**ASKED, "q50": 1},
        {**ASKED, "q0": {}},
        {key: ASKED[key] for key in list(ASKED)[1:]},
        dict(reversed(ASKED.items())),
        {},
        [],
        None,
    ],
)
def test_what_is_asked_otherwise_is_read_anew(changed: Any) -> None:
    read = Reading()
    for number in range(1, 4):
        read(_body(number, ASKED))
    for body in (_body(4, changed), _body(5, ASKED), _body(6, changed), _body(7, changed)):
        message = read(body)
        assert message == parse(body)
        assert list(message["result"]["inputRequests"] or ()) == list(
            parse(body)["result"]["inputRequests"] or ()
        )


def test_the_same_text_elsewhere_in_a_reply_is_not_taken_for_the_questions() -> None:
    read = Reading()
    for number in range(1, 4):
        read(_body(number, ASKED))
    same = json.dumps(ASKED)
    for body in (
        _body(4, {"other": 1}, metadata={"inputRequests": ASKED}),
        _body(5, {"other": 1}, statusMessage=f'"inputRequests": {same}'),
        b'{"id":6,"result":{"inputRequests":%b,"inputRequests":{"other":1}}}' % same.encode(),
        b'{"id":7,"error":{"code":1,"message":"x","inputRequests":%b}}' % same.encode(),
    ):
        assert read(body) == parse(body)


def test_questions_that_do_not_read_as_they_are_written_are_always_read() -> None:
    asked = {"q": "\ud800"}
    read = Reading()
    for number in range(1, 6):
        body = _body(number, asked)
        assert read(body)["result"]["inputRequests"] == {"q": "\ufffd"}
        assert read.bytes == len(body)


def test_only_those_of_some_tasks_are_kept() -> None:
    read = Reading()
    for task in range(20):
        for number in range(1, 4):
            read(_body(number, ASKED), f"t{task}")
    assert len(read.repeated._kept) == 8
    body = _body(4, ASKED)
    read(body, "t0")
    assert read.bytes == len(body)
    read(body, "t19")
    assert read.bytes < 300
