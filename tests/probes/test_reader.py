"""StreamReader: what can be asked midway, which decoder it picks, and that no bytes make it raise."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probes.endpoint import Limits
from probes.protocols import PROTOCOLS
from probes.reader import StreamReader
from tests.probes.exchanges import DONE, chat_delta, chat_usage, event, read_body


def test_reader_tells_midway_when_content_came() -> None:
    reader = StreamReader("openai-chat")

    reader.feed(chat_delta("", role="assistant").encode(), 10)
    assert (reader.first_content_ns, reader.is_terminal, reader.has_finished) == (None, False, False)

    reader.feed(chat_delta("a").encode(), 20)
    reader.feed(chat_delta("b", finish="stop").encode(), 30)
    assert (reader.first_content_ns, reader.last_content_ns) == (20, 30)
    assert (reader.is_terminal, reader.has_finished) == (False, True)

    reader.feed(DONE.encode(), 40)
    assert reader.is_terminal


def test_reader_stamps_an_event_with_the_read_that_completes_it() -> None:
    reader, body = StreamReader("openai-chat"), chat_delta("late").encode()

    reader.feed(body[:20], 10)
    reader.feed(body[20:], 30)

    assert reader.first_content_ns == 30


def test_reader_sees_errors_midway() -> None:
    reader = StreamReader("openai-chat")

    reader.feed(event({"error": {"message": "gone"}}).encode(), 10)

    assert reader.has_error


@pytest.mark.parametrize("limits", [Limits(max_bytes=100), Limits(max_event_bytes=100)])
@pytest.mark.parametrize("body", [b" " * 200, b"data: " + b"x" * 200, b"{" + b"x" * 200, b"[{" + b"x" * 200])
def test_reader_notices_more_than_the_limits_allow(limits: Limits, body: bytes) -> None:
    reader = StreamReader("openai-chat", limits=limits)

    reader.feed(body, 10)

    assert reader.oversized
    assert reader.finish(20).arrivals == []


def test_reader_ignores_content_types_that_lie() -> None:
    body = chat_delta("fine", finish="stop")

    for content_type in ("application/json", "text/html", "", "application/octet-stream"):
        assert read_body("openai-chat", body, headers={"content-type": content_type}).answer == "fine"


def test_reader_takes_a_json_array_as_a_stream() -> None:
    part = '{"candidates": [{"content": {"parts": [{"text": "%s"}]}}]}'
    reader = StreamReader("gemini")

    reader.feed(f"\ufeff [{part % 'one'}".encode(), 10)
    reader.feed(f",\n{part % ' two'}]".encode(), 20)
    transcript = reader.finish(20)

    assert [arrival.at_ns for arrival in transcript.arrivals] == [10, 20]
    assert transcript.answer == "one two"


def test_reader_junk_after_the_last_word_is_ignored() -> None:
    transcript = read_body("openai-chat", chat_delta("a", finish="stop") + DONE + "data: {junk\n\n")

    assert transcript.broken is None


def test_reader_counts_events_without_the_done_marker() -> None:
    transcript = read_body(
        "openai-chat", chat_delta("", role="assistant") + chat_delta("a") + chat_usage(1) + DONE
    )

    assert (transcript.events, transcript.first_output_event, transcript.first_content_event) == (3, 1, 1)


@pytest.mark.parametrize("slug", sorted(PROTOCOLS))
@settings(max_examples=60, deadline=None, derandomize=True)
@given(body=st.binary(max_size=300), json_tail=st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
        st.sampled_from([
            "choices", "delta", "message", "content", "usage", "error", "type", "text", "candidates", "parts",
            "finish_reason", "index", "response", "output", "results", "event_type", "bytes", "done", "item",
            "contentBlockDelta", "tool_calls", "function", "prompt_tokens", "completion_tokens", "timings",
            "completion_tokens_details", "content_block",
        ]), inner, max_size=5),
    max_leaves=25,
))  # fmt: skip
def test_reader_never_raises_for_what_a_server_sends(slug: str, body: bytes, json_tail: object) -> None:
    for sent in (body, event(json_tail).encode(), event(json_tail).encode()[6:]):
        reader = StreamReader(slug)

        reader.feed(sent, 1)

        assert reader.finish(2).events >= 0
