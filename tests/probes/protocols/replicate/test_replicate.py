"""Replicate: create a prediction, then read its stream of plain text."""

from __future__ import annotations

from pathlib import Path

import pytest

from probes.endpoint import Endpoint
from probes.protocols import CannotAskError
from probes.protocols.replicate import follow
from tests.probes.exchanges import read_body
from tests.probes.protocols.asking import KEY, prepare_request

STREAM = (Path(__file__).parent / "stream.sse").read_text()
ENDPOINT = Endpoint("replicate", "https://replicate.test", "acme/tall-7b", api_key=KEY)


def test_replicate_creates_a_streaming_prediction() -> None:
    request, body = prepare_request("replicate", "https://replicate.test", model="acme/tall-7b")

    assert request.url == "https://replicate.test/v1/models/acme/tall-7b/predictions"
    assert body == {
        "input": {"prompt": "Tell me of tides.", "max_tokens": 64, "temperature": 0.0},
        "stream": True,
    }


def test_replicate_follows_to_the_stream() -> None:
    request = follow(ENDPOINT, {"urls": {"stream": "https://stream.replicate.test/v1/abc"}})

    assert (request.method, request.url, request.body) == ("GET", "https://stream.replicate.test/v1/abc", b"")
    assert request.headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("created", [{}, {"urls": {"stream": "http://plain.test/"}}])
def test_replicate_without_a_stream_address_says_so(created: dict[str, object]) -> None:
    with pytest.raises(CannotAskError, match="cannot stream"):
        follow(ENDPOINT, created)


def test_replicate_reads_text_with_its_blanks_and_line_breaks() -> None:
    said = read_body("replicate", STREAM)

    assert (said.answer, said.events, said.content_deltas) == ("The moon.\n\nYes", 4, 2)
    assert (said.first_content_event, said.finish_reason, said.is_last_seen) == (1, "done", True)


def test_replicate_error_event_is_an_error() -> None:
    error = read_body("replicate", 'event: error\ndata: {"detail": "out of memory"}\n\n').error

    assert error is not None
    assert error.message == "out of memory"


def test_replicate_reads_a_finished_prediction() -> None:
    said = read_body("replicate", '{"status":"succeeded","output":["The ","moon"],"error":null}')

    assert (said.answer, said.finish_reason) == ("The moon", "succeeded")
