"""Replicate: create a prediction, then read its stream of plain text."""

from __future__ import annotations

from pathlib import Path

import pytest

from probes.endpoint import Endpoint
from probes.protocols import CannotAskError, prepare
from probes.protocols.replicate import follow
from tests.probes.exchanges import read_body
from tests.probes.protocols.asking import KEY, ask, prepare_request

STREAM = (Path(__file__).parent / "stream.sse").read_text()


def endpoint(base_url: str) -> Endpoint:
    return Endpoint("replicate", base_url, "acme/tall-7b", api_key=KEY)


def test_replicate_creates_a_streaming_prediction() -> None:
    request, body = prepare_request("replicate", "https://replicate.test", model="acme/tall-7b")

    assert request.url == "https://replicate.test/v1/models/acme/tall-7b/predictions"
    assert body == {
        "input": {"prompt": "Tell me of tides.", "max_tokens": 64, "temperature": 0.0},
        "stream": True,
    }


@pytest.mark.parametrize(
    ("base", "stream"),
    [
        ("https://api.replicate.com", "https://streaming.api.replicate.com/v1/abc"),
        ("https://api.replicate.com/v1", "https://stream-b.svc.ric1.c.replicate.net/v1/abc?x=1"),
        ("https://gateway.test:8443/replicate", "https://gateway.test:8443/streams/abc"),
        ("http://127.0.0.1:8089/v1", "http://127.0.0.1:8089/v1/streams/abc"),
    ],
)
def test_replicate_follows_to_the_stream(base: str, stream: str) -> None:
    created = prepare(endpoint(base), ask())

    request = follow(endpoint(base), created, {"urls": {"stream": stream}})

    assert request is not None
    assert (request.method, request.url, request.body) == ("GET", stream, b"")
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert (request.headers["accept"], request.headers["x-request-id"]) == ("text/event-stream", "r-1")


@pytest.mark.parametrize(
    ("base", "stream"),
    [
        ("https://api.replicate.com", "http://streaming.api.replicate.com/v1/abc"),
        ("https://api.replicate.com", "https://streaming.api.replicate.com:8443/v1/abc"),
        ("https://api.replicate.com", "https://me@streaming.api.replicate.com/v1/abc"),
        ("https://api.replicate.com", "https://evilreplicate.com/v1/abc"),
        ("https://api.replicate.com", "https://replicate.com.evil.test/v1/abc"),
        ("https://gateway.test", "https://streaming.api.replicate.com/v1/abc"),
        ("https://api.replicate.com", "https://[::1/v1/abc"),
        ("http://127.0.0.1:8089", "http://127.0.0.1:8090/v1/abc"),
    ],
)
def test_replicate_takes_the_key_to_no_other_host(base: str, stream: str) -> None:
    with pytest.raises(CannotAskError, match="another host, where the key must not go"):
        follow(endpoint(base), prepare(endpoint(base), ask()), {"urls": {"stream": stream}})


def test_replicate_without_a_stream_address_has_none_to_follow() -> None:
    base = "https://api.replicate.com"

    assert follow(endpoint(base), prepare(endpoint(base), ask()), {"urls": {}}) is None


@pytest.mark.parametrize("reason", ["error", "canceled"])
def test_replicate_done_with_a_reason_is_no_answer(reason: str) -> None:
    said = read_body(
        "replicate", f'event: output\ndata: The\n\nevent: done\ndata: {{"reason": "{reason}"}}\n\n'
    )

    assert said.error is not None
    assert (said.error.kind, said.is_last_seen) == (reason, False)


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
