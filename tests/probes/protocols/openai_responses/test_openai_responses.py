"""OpenAI's Responses API."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.probes.exchanges import event, read_body
from tests.probes.protocols.asking import KEY, ask, prepare_request

STREAM = (Path(__file__).parent / "stream.sse").read_text()


def test_openai_responses_asks_without_storing() -> None:
    request, body = prepare_request(
        "openai-responses", "https://api.test/v1", question=ask(system="Be brief.")
    )

    assert request.url == "https://api.test/v1/responses"
    assert body == {
        "model": "tall-7b",
        "input": "Tell me of tides.",
        "instructions": "Be brief.",
        "max_output_tokens": 64,
        "stream": True,
        "store": False,
        "temperature": 0.0,
    }


def test_openai_responses_on_azure_needs_a_version_only_before_v1() -> None:
    new, _ = prepare_request("openai-responses", "https://x.openai.azure.com/openai/v1")
    old, _ = prepare_request("openai-responses", "https://x.openai.azure.com/openai")

    assert new.url == "https://x.openai.azure.com/openai/v1/responses"
    assert old.url == "https://x.openai.azure.com/openai/responses?api-version=2024-10-21"
    assert new.headers["api-key"] == KEY


def test_openai_responses_reads_deltas_and_not_their_repetitions() -> None:
    said = read_body("openai-responses", STREAM)

    assert (said.answer, said.reasoning, said.other) == ("The moon", "Tides pull.", "look{}No.")
    assert (said.content_deltas, said.reasoning_deltas, said.tool_call_deltas) == (1, 1, 1)
    assert (said.events, said.first_output_event, said.first_content_event) == (11, 2, 6)
    assert (said.finish_reason, said.is_last_seen) == ("completed", True)
    assert said.served_model == "tall-7b-2026-01-01"
    assert said.usage is not None
    assert (said.usage.input_tokens, said.usage.cached_input_tokens) == (8, 4)
    assert (said.usage.output_tokens, said.usage.reasoning_tokens) == (20, 9)


def test_openai_responses_named_tool_is_seen_before_its_arguments() -> None:
    body = event({"type": "response.output_item.added", "item": {"type": "function_call", "name": "look"}})

    said = read_body("openai-responses", body)

    assert len(said.arrivals) == 1
    assert (said.tool_call_deltas, said.first_output_event) == (0, None)


@pytest.mark.parametrize(
    "document",
    [
        {"type": "error", "code": "server_error", "message": "gone"},
        {"type": "error", "error": {"message": "gone"}},
        {
            "type": "response.failed",
            "response": {"status": "failed", "error": {"code": "x", "message": "gone"}},
        },
    ],
)
def test_openai_responses_finds_its_errors(document: object) -> None:
    error = read_body("openai-responses", event(document)).error

    assert error is not None
    assert error.message == "gone"


def test_openai_responses_stopped_by_a_filter_is_told_apart() -> None:
    response = {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}

    said = read_body("openai-responses", event({"type": "response.incomplete", "response": response}))

    assert (said.finish_reason, said.is_filtered) == ("incomplete", True)


def test_openai_responses_encrypted_reasoning_is_hidden_only_without_a_summary() -> None:
    def done(summary: list[object]) -> str:
        item = {"type": "reasoning", "encrypted_content": "x", "summary": summary}
        return event({"type": "response.output_item.done", "item": item})

    assert read_body("openai-responses", done([])).has_hidden_reasoning
    assert not read_body("openai-responses", done([{"text": "hm"}])).has_hidden_reasoning


def test_openai_responses_reads_a_whole_answer() -> None:
    body = (
        '{"model":"tall-7b","status":"completed","output":[{"type":"reasoning","summary":[{"text":"hm"}]},'
        '{"type":"message","content":[{"type":"output_text","text":"All"}]},'
        '{"type":"function_call","name":"f","arguments":"{}"}],"usage":{"input_tokens":3,"output_tokens":4}}'
    )

    said = read_body("openai-responses", body)

    assert (said.answer, said.reasoning, said.other, said.finish_reason) == ("All", "hm", "f{}", "completed")


def test_responses_any_tools_delta_is_output() -> None:
    kinds = (
        "function_call_arguments",
        "shell_call_command",
        "apply_patch_call_operation_diff",
        "mcp_call_arguments",
    )
    frames = [event({"type": f"response.{kind}.delta", "delta": "x"}) for kind in kinds]

    said = read_body("openai-responses", "".join(frames))

    assert (said.other, said.tool_call_deltas, said.first_output_event) == ("xxxx", 4, 0)


def test_responses_cancelled_is_an_error() -> None:
    said = read_body(
        "openai-responses", event({"type": "response.cancelled", "response": {"status": "cancelled"}})
    )

    assert said.error is not None
    assert not said.is_last_seen
