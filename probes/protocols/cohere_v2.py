"""Cohere's second chat API: typed events; the plan told before a tool call counts as reasoning.

Thinking is on, off or under a token budget: the only effort it knows is `none`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from probes.endpoint import Endpoint
from probes.events import Delta, Event, Finished, Part, Usage
from probes.json_access import JsonObject, list_of, object_of, text_of
from probes.protocols.cohere_v1 import read_finish, read_meta
from probes.protocols.errors import find_error, find_error_body
from probes.protocols.protocol import (
    Ask,
    PreparedRequest,
    Protocol,
    bearer,
    join_versioned,
    parse_object,
    post_json,
    refuse_effort,
)
from probes.streams.message import Message


def prepare(endpoint: Endpoint, ask: Ask) -> PreparedRequest:
    messages = [{"role": "system", "content": ask.system}] if ask.system else []
    payload: JsonObject = {
        "model": endpoint.model,
        "messages": [*messages, {"role": "user", "content": ask.prompt}],
        "max_tokens": ask.max_output_tokens,
        "stream": ask.stream,
    }
    if ask.temperature is not None and endpoint.capabilities.temperature:
        payload["temperature"] = ask.temperature
    if endpoint.reasoning_effort == "none":
        payload["thinking"] = {"type": "disabled"}
    else:
        refuse_effort(endpoint)
    url = join_versioned(endpoint.base_url, "v2", "/chat")
    return post_json(endpoint, ask, url, payload, key_headers=bearer(endpoint))


def read(message: Message) -> Sequence[Event]:
    if message.data.strip() == "[DONE]":
        return (Finished(is_last=True),)
    document = parse_object(message)
    if document is None:
        return ()
    error = find_error(document, message.event)
    if error is not None:
        return (error,)
    kind = text_of(document.get("type")) or message.event or ""
    delta = object_of(document.get("delta"))
    if kind == "message-end":
        return tuple(_read_end(delta))
    return tuple(_read_delta(object_of(delta.get("message")), is_opening=kind.endswith("-start")))


def _read_delta(message: JsonObject, *, is_opening: bool) -> Iterator[Event]:
    content = object_of(message.get("content"))
    if text_of(content.get("text")):
        yield Delta(Part.ANSWER, text_of(content["text"]))
    if text_of(content.get("thinking")):
        yield Delta(Part.REASONING, text_of(content["thinking"]))
    if text_of(message.get("tool_plan")):
        yield Delta(Part.REASONING, text_of(message["tool_plan"]))
    function = object_of(object_of(message.get("tool_calls")).get("function"))
    called = text_of(function.get("name")) + text_of(function.get("arguments"))
    if called:
        yield Delta(Part.TOOL, called, is_opening=is_opening)


def _read_end(delta: JsonObject) -> Iterator[Event]:
    yield from _read_usage(delta)
    yield from read_finish(text_of(delta.get("finish_reason")), text_of(delta.get("error")))


def _read_usage(holder: JsonObject) -> Iterator[Usage]:
    yield from read_meta(object_of(holder.get("usage")))


def read_answer(document: JsonObject) -> Sequence[Event]:
    if "finish_reason" not in document:
        return (find_error(document) or find_error_body(document),)
    message = object_of(document.get("message"))
    events: list[Event] = []
    if text_of(message.get("tool_plan")):
        events.append(Delta(Part.REASONING, text_of(message["tool_plan"])))
    for part in map(object_of, list_of(message.get("content"))):
        events.extend(_read_delta({"content": part}, is_opening=False))
    for call in list_of(message.get("tool_calls")):
        events.extend(_read_delta({"tool_calls": call}, is_opening=False))
    return (*events, *_read_end(document))


COHERE_V2 = Protocol("cohere-v2", prepare, read, read_answer)
