"""Writer's chat."""

from __future__ import annotations

from tests.probes.exchanges import chat_delta, chat_usage, read_body
from tests.probes.protocols.asking import prepare_request


def test_writer_asks_under_its_own_path() -> None:
    request, body = prepare_request("writer", "https://writer.test/v1")

    assert request.url == "https://writer.test/v1/chat"
    assert body["stream_options"] == {"include_usage": True}


def test_writer_ends_without_a_done_marker() -> None:
    body = (
        chat_delta(None, role="assistant")
        + chat_delta("The moon")
        + chat_delta(finish="stop")
        + chat_usage(2)
    )

    said = read_body("writer", body)

    assert (said.answer, said.finish_reason, said.is_last_seen) == ("The moon", "stop", False)
    assert said.usage is not None
    assert said.usage.output_tokens == 2
