"""Cohere's first chat API, JSON lines; the last line repeats the whole text.

Answers of its older /generate path are read too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from probes.endpoint import Endpoint
from probes.events import Delta, Event, Finished, Part, StreamError, Usage
from probes.json_access import JsonObject, first_count, list_of, object_of, text_of
from probes.protocols.errors import find_error, find_error_body
from probes.protocols.protocol import (
    Ask,
    Framing,
    PreparedRequest,
    Protocol,
    bearer,
    join_versioned,
    parse_object,
    post_json,
    refuse_effort,
)
from probes.streams.message import Message

FAILED_REASONS = frozenset({"ERROR", "ERROR_TOXIC", "TIMEOUT"})


def prepare(endpoint: Endpoint, ask: Ask) -> PreparedRequest:
    refuse_effort(endpoint)
    payload: JsonObject = {
        "model": endpoint.model,
        "message": ask.prompt,
        "max_tokens": ask.max_output_tokens,
        "stream": ask.stream,
    }
    if ask.system:
        payload["preamble"] = ask.system
    if ask.temperature is not None and endpoint.capabilities.temperature:
        payload["temperature"] = ask.temperature
    url = join_versioned(endpoint.base_url, "v1", "/chat")
    return post_json(endpoint, ask, url, payload, key_headers=bearer(endpoint))


def read(message: Message) -> Sequence[Event]:
    document = parse_object(message)
    if document is None:
        return ()
    if "event_type" not in document:
        return read_answer(document)
    error = find_error(document, message.event)
    return (error,) if error else tuple(read_event(document))


def read_event(document: JsonObject) -> Iterator[Event]:
    kind = text_of(document.get("event_type"))
    text = text_of(document.get("text"))
    if text and kind == "text-generation":
        yield Delta(Part.ANSWER, text)
    elif text and kind == "tool-calls-chunk":
        yield Delta(Part.REASONING, text)
    call = object_of(document.get("tool_call_delta"))
    called = text_of(call.get("name")) + text_of(call.get("parameters"))
    if called:
        yield Delta(Part.TOOL, called)
    if document.get("is_finished") is True or kind == "stream-end":
        response = object_of(document.get("response"))
        yield from read_meta(object_of(response.get("meta")))
        yield from read_finish(
            text_of(document.get("finish_reason")) or text_of(response.get("finish_reason"))
        )


def read_finish(reason: str, message: str = "") -> Iterator[Event]:
    if reason in FAILED_REASONS:
        yield StreamError(message or f"generation ended with {reason}", kind=reason.lower())
    else:
        yield Finished(reason or None, is_last=True)


def read_meta(meta: JsonObject) -> Iterator[Usage]:
    """`tokens` is what was processed, `billed_units` what is charged; the first where both are told.

    Reasoning tokens are told in whole answers only, never in the streams that are measured, and are left out of both.
    """
    tokens, billed = object_of(meta.get("tokens")), object_of(meta.get("billed_units"))
    if tokens or billed:
        yield Usage(
            input_tokens=first_count(tokens.get("input_tokens"), billed.get("input_tokens")),
            cached_input_tokens=first_count(meta.get("cached_tokens")),
            output_tokens=first_count(tokens.get("output_tokens"), billed.get("output_tokens")),
        )


def read_answer(document: JsonObject) -> Sequence[Event]:
    error = find_error(document)
    if error is not None:
        return (error,)
    generations = list_of(document.get("generations"))
    answer = object_of(generations[0]) if generations else document
    if "text" not in answer:
        return (find_error_body(document),)
    events: list[Event] = []
    if text_of(answer.get("text")):
        events.append(Delta(Part.ANSWER, text_of(answer["text"])))
    for call in map(object_of, list_of(document.get("tool_calls"))):
        events.append(Delta(Part.TOOL, text_of(call.get("name")) + json.dumps(call.get("parameters"))))
    meta = read_meta(object_of(document.get("meta")))
    return (*events, *meta, *read_finish(text_of(answer.get("finish_reason"))))


COHERE_V1 = Protocol("cohere-v1", prepare, read, read_answer, Framing.JSON_LINES)
