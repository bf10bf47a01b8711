"""Gemini's Interactions API."""

from __future__ import annotations

from pathlib import Path

from tests.probes.exchanges import event, read_body
from tests.probes.protocols.asking import KEY, prepare_request

STREAM = (Path(__file__).parent / "stream.sse").read_text()


def test_gemini_interactions_asks_without_storing() -> None:
    request, body = prepare_request("gemini-interactions", "https://google.test/v1beta")

    assert request.url == "https://google.test/v1beta/interactions"
    assert request.headers["x-goog-api-key"] == KEY
    assert (body["store"], body["generation_config"]["max_output_tokens"]) == (False, 64)


def test_gemini_interactions_reads_steps() -> None:
    said = read_body("gemini-interactions", STREAM)

    assert (said.answer, said.reasoning, said.other) == ("The moon.", "Tides pull.", "look{}")
    assert (said.events, said.first_output_event, said.first_content_event) == (8, 3, 4)
    assert (said.tool_call_deltas, said.finish_reason, said.is_last_seen) == (1, "requires_action", True)
    assert said.usage is not None
    assert (said.usage.output_tokens, said.usage.reasoning_tokens, said.usage.cached_input_tokens) == (
        51,
        40,
        3,
    )


def test_gemini_interactions_failure_is_an_error() -> None:
    body = event(
        {"event_type": "interaction.failed", "interaction": {"status": "failed", "error": {"message": "no"}}}
    )

    error = read_body("gemini-interactions", body).error

    assert error is not None
    assert error.message == "no"


def test_gemini_interactions_reads_a_whole_answer() -> None:
    body = (
        '{"status":"completed","steps":[{"type":"thought","signature":"x"},'
        '{"type":"model_output","content":[{"type":"text","text":"All"}]}],'
        '"usage":{"total_input_tokens":3,"total_output_tokens":4,"total_thought_tokens":5}}'
    )

    said = read_body("gemini-interactions", body)

    assert (said.answer, said.finish_reason) == ("All", "completed")
    assert said.usage is not None
    assert said.usage.output_tokens == 9
