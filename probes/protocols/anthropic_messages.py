"""Anthropic's Messages API, and the text completions that came before it.

`message_start` tells a provisional output count, `message_delta` the final one. A block's start names a tool before any
delta does; a signature without thinking before it is thinking that was left out. Cache reads and writes are counted
apart from the input.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from probes.endpoint import Endpoint
from probes.events import Delta, Event, Finished, HiddenReasoning, Part, Served, Usage
from probes.json_access import JsonObject, count_of, first_count, list_of, object_of, text_of
from probes.protocols.errors import find_error, find_error_body
from probes.protocols.protocol import Ask, PreparedRequest, Protocol, join_versioned, parse_object, post_json
from probes.streams.message import Message

ANTHROPIC_VERSION = "2023-06-01"
DELTA_FIELDS = {
    "text_delta": (Part.ANSWER, "text"),
    "thinking_delta": (Part.REASONING, "thinking"),
    "input_json_delta": (Part.TOOL, "partial_json"),
}


def prepare(endpoint: Endpoint, ask: Ask) -> PreparedRequest:
    headers = {"anthropic-version": ANTHROPIC_VERSION}
    if endpoint.api_key:
        headers["x-api-key"] = endpoint.api_key
    payload = {"model": endpoint.model, **build_payload(endpoint, ask), "stream": ask.stream}
    url = join_versioned(endpoint.base_url, "v1", "/messages")
    return post_json(endpoint, ask, url, payload, key_headers=headers)


def build_payload(endpoint: Endpoint, ask: Ask) -> JsonObject:
    """The part of the body that Bedrock takes as well."""
    payload: JsonObject = {
        "max_tokens": ask.max_output_tokens,
        "messages": [{"role": "user", "content": ask.prompt}],
    }
    if ask.system:
        payload["system"] = ask.system
    if ask.temperature is not None and endpoint.capabilities.temperature and not is_thinking(endpoint):
        payload["temperature"] = ask.temperature
    payload.update(thinking_options(endpoint))
    return payload


def is_thinking(endpoint: Endpoint) -> bool:
    """Whether an effort is asked for that makes the model think; it then refuses a temperature of our own."""
    return endpoint.reasoning_effort not in (None, "", "none")


def thinking_options(endpoint: Endpoint) -> JsonObject:
    """Anthropic knows efforts for models that think adaptively; for earlier ones it has token budgets alone.

    A budget of ours would be no effort of theirs, so such a model refuses and the probe ends as `capability`.
    """
    if is_thinking(endpoint):
        return {"thinking": {"type": "adaptive"}, "output_config": {"effort": endpoint.reasoning_effort}}
    return {"thinking": {"type": "disabled"}} if endpoint.reasoning_effort else {}


def read(message: Message) -> Sequence[Event]:
    document = parse_object(message)
    return read_document(document, message.event) if document is not None else ()


def read_document(document: JsonObject, event: str | None = None) -> Sequence[Event]:
    error = find_error(document, event)
    if error is not None:
        return (error,)
    match document.get("type"):
        case "content_block_delta":
            return tuple(_read_delta(object_of(document.get("delta"))))
        case "content_block_start":
            return tuple(_read_block(object_of(document.get("content_block")), is_start=True))
        case "message_start":
            return tuple(_read_head(object_of(document.get("message"))))
        case "message_delta":
            return tuple(_read_stop(document, object_of(document.get("delta"))))
        case "message_stop":
            return (Finished(is_last=True),)
        case _ if "completion" in document:
            return tuple(_read_completion(document))
    return ()


def _read_delta(delta: JsonObject) -> Iterator[Event]:
    if delta.get("type") == "signature_delta":
        yield HiddenReasoning(unless_shown=True)
    part, name = DELTA_FIELDS.get(text_of(delta.get("type")), (Part.ANSWER, ""))
    text = text_of(delta.get(name))
    if text:
        yield Delta(part, text)


def _read_block(block: JsonObject, *, is_start: bool) -> Iterator[Event]:
    kind = text_of(block.get("type"))
    if kind == "redacted_thinking":
        yield HiddenReasoning()
    elif kind.endswith("tool_use"):
        if text_of(block.get("name")):
            yield Delta(Part.TOOL, text_of(block["name"]), is_opening=is_start)
    elif kind == "thinking" and text_of(block.get("thinking")):
        yield Delta(Part.REASONING, text_of(block["thinking"]))
    elif kind == "text" and text_of(block.get("text")):
        yield Delta(Part.ANSWER, text_of(block["text"]))


def _read_head(message: JsonObject) -> Iterator[Event]:
    model = text_of(message.get("model"))
    if model:
        yield Served(model)
    yield from _read_usage(message)


def _read_stop(holder: JsonObject, delta: JsonObject) -> Iterator[Event]:
    yield from _read_usage(holder)
    reason = text_of(delta.get("stop_reason"))
    if reason:
        yield Finished(reason, is_filtered=reason == "refusal")


def _read_usage(holder: JsonObject) -> Iterator[Usage]:
    usage = object_of(holder.get("usage"))
    if usage:
        details = object_of(usage.get("output_tokens_details"))
        yield Usage(
            input_tokens=count_of(usage.get("input_tokens")),
            cached_input_tokens=count_of(usage.get("cache_read_input_tokens")),
            output_tokens=count_of(usage.get("output_tokens")),
            reasoning_tokens=first_count(details.get("thinking_tokens"), details.get("reasoning_tokens")),
            input_excludes_cache=True,
        )


def _read_completion(document: JsonObject) -> Iterator[Event]:
    if text_of(document.get("model")):
        yield Served(text_of(document["model"]))
    if text_of(document.get("completion")):
        yield Delta(Part.ANSWER, text_of(document["completion"]))
    if text_of(document.get("stop_reason")):
        yield Finished(text_of(document["stop_reason"]), is_last=True)


def read_answer(document: JsonObject) -> Sequence[Event]:
    error = find_error(document)
    if error is not None:
        return (error,)
    if "completion" in document:
        return tuple(_read_completion(document))
    if "content" not in document:
        return (find_error_body(document),)
    blocks = map(object_of, list_of(document["content"]))
    deltas = [event for block in blocks for event in _read_block(block, is_start=False)]
    return (*_read_head(document), *deltas, *_read_stop({}, document), Finished(is_last=True))


ANTHROPIC_MESSAGES = Protocol("anthropic-messages", prepare, read, read_answer)
