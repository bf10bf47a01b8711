"""Ollama's own API, chat and generate: JSON lines, the last one with counts and durations in nanoseconds."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from probes.endpoint import Endpoint
from probes.events import Delta, Event, Finished, Part, Served, Timing, Usage
from probes.json_access import JsonObject, count_of, list_of, object_of, text_of
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
)
from probes.streams.message import Message

DURATIONS = ("total_duration", "load_duration", "prompt_eval_duration", "eval_duration")


def prepare(endpoint: Endpoint, ask: Ask) -> PreparedRequest:
    messages = [{"role": "system", "content": ask.system}] if ask.system else []
    options: JsonObject = {"num_predict": ask.max_output_tokens}
    if ask.temperature is not None and endpoint.capabilities.temperature:
        options["temperature"] = ask.temperature
    payload: JsonObject = {
        "model": endpoint.model,
        "messages": [*messages, {"role": "user", "content": ask.prompt}],
        "stream": ask.stream,
        "options": options,
    }
    if endpoint.reasoning_effort:
        payload["think"] = False if endpoint.reasoning_effort == "none" else endpoint.reasoning_effort
    url = join_versioned(endpoint.base_url, "api", "/chat")
    return post_json(endpoint, ask, url, payload, key_headers=bearer(endpoint))


def read(message: Message) -> Sequence[Event]:
    document = parse_object(message)
    if document is None:
        return ()
    error = find_error(document, message.event)
    return (error,) if error else tuple(_read_line(document))


def _read_line(document: JsonObject) -> Iterator[Event]:
    if text_of(document.get("model")):
        yield Served(text_of(document["model"]))
    message = object_of(document.get("message")) or document
    if text_of(message.get("thinking")):
        yield Delta(Part.REASONING, text_of(message["thinking"]))
    text = text_of(message.get("content")) or text_of(message.get("response"))
    if text:
        yield Delta(Part.ANSWER, text)
    for call in map(object_of, list_of(message.get("tool_calls"))):
        function = object_of(call.get("function"))
        yield Delta(Part.TOOL, text_of(function.get("name")) + json.dumps(function.get("arguments")))
    if document.get("done") is True:
        yield from _read_end(document)


def _read_end(document: JsonObject) -> Iterator[Event]:
    usage = Usage(count_of(document.get("prompt_eval_count")), None, count_of(document.get("eval_count")))
    if usage != Usage():
        yield usage
    durations = {name: document[name] for name in DURATIONS if name in document}
    if durations:
        yield Timing("ollama_ns", durations)
    yield Finished(text_of(document.get("done_reason")) or None, is_last=True)


def read_answer(document: JsonObject) -> Sequence[Event]:
    if "done" not in document:
        return (find_error(document) or find_error_body(document),)
    return tuple(_read_line(document))


OLLAMA = Protocol("ollama", prepare, read, read_answer, Framing.JSON_LINES)
