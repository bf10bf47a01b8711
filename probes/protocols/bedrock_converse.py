"""Amazon Bedrock's Converse API: AWS event stream frames, one event type each; usage comes after the stop."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from urllib.parse import quote

from probes.endpoint import Endpoint
from probes.events import Delta, Event, Finished, HiddenReasoning, Part, StreamError, Timing, Usage
from probes.json_access import JsonObject, count_of, first_count, list_of, object_of, text_of
from probes.protocols import anthropic_messages
from probes.protocols.aws_signing import sign_request
from probes.protocols.errors import find_error, find_error_body
from probes.protocols.protocol import (
    Ask,
    Framing,
    PreparedRequest,
    Protocol,
    join_url,
    parse_object,
    post_json,
    refuse_effort,
)
from probes.streams.message import Message

FILTERED_REASONS = frozenset({"guardrail_intervened", "content_filtered"})


def prepare(endpoint: Endpoint, ask: Ask) -> PreparedRequest:
    config: JsonObject = {"maxTokens": ask.max_output_tokens}
    if ask.temperature is not None and endpoint.capabilities.temperature:
        config["temperature"] = ask.temperature
    payload: JsonObject = {
        "messages": [{"role": "user", "content": [{"text": ask.prompt}]}],
        "inferenceConfig": config,
    }
    if ask.system:
        payload["system"] = [{"text": ask.system}]
    fields = reasoning_fields(endpoint)
    if fields:
        payload["additionalModelRequestFields"] = fields
    if "thinking" in fields and anthropic_messages.is_thinking(endpoint):
        config.pop("temperature", None)
    verb = "converse-stream" if ask.stream else "converse"
    url = join_url(endpoint.base_url, f"/model/{quote(endpoint.model, safe='')}/{verb}")
    return sign_request(endpoint, post_json(endpoint, ask, url, payload, key_headers={}))


def reasoning_fields(endpoint: Endpoint) -> JsonObject:
    """The effort in the words of the model's family. Raises CannotAskError for a family without any."""
    if not endpoint.reasoning_effort:
        return {}
    model = endpoint.model.lower()
    if "anthropic." in model:
        return anthropic_messages.thinking_options(endpoint)
    if "openai." in model:
        return {"reasoning_effort": endpoint.reasoning_effort}
    if "amazon.nova" in model:
        is_off = endpoint.reasoning_effort == "none"
        effort = (
            {"type": "disabled"}
            if is_off
            else {"type": "enabled", "maxReasoningEffort": endpoint.reasoning_effort}
        )
        return {"reasoningConfig": effort}
    refuse_effort(endpoint)
    return {}


def read(message: Message) -> Sequence[Event]:
    if message.is_failure:
        return (read_failure(message),)
    document = parse_object(message)
    if document is None:
        return ()
    error = find_error(document, message.event)
    return (error,) if error else tuple(read_event(message.event or "", document))


def read_failure(message: Message) -> StreamError:
    """An exception frame: its name is the class, its payload the sentence."""
    try:
        document = object_of(json.loads(message.data))
    except ValueError:
        document = {"message": message.data}
    return StreamError(find_error_body(document).message, kind=message.event)


def read_event(name: str, document: JsonObject) -> Iterator[Event]:
    match name:
        case "contentBlockDelta":
            yield from _read_delta(object_of(document.get("delta")))
        case "contentBlockStart":
            tool = text_of(object_of(object_of(document.get("start")).get("toolUse")).get("name"))
            if tool:
                yield Delta(Part.TOOL, tool, is_opening=True)
        case "messageStop":
            yield _read_stop(document)
        case "metadata":
            yield from _read_metadata(document)


def _read_delta(delta: JsonObject) -> Iterator[Event]:
    if text_of(delta.get("text")):
        yield Delta(Part.ANSWER, text_of(delta["text"]))
    reasoning = object_of(delta.get("reasoningContent"))
    if text_of(reasoning.get("text")):
        yield Delta(Part.REASONING, text_of(reasoning["text"]))
    elif reasoning.get("redactedContent"):
        yield HiddenReasoning()
    if text_of(object_of(delta.get("toolUse")).get("input")):
        yield Delta(Part.TOOL, text_of(object_of(delta["toolUse"])["input"]))


def _read_stop(document: JsonObject) -> Finished:
    reason = text_of(document.get("stopReason"))
    return Finished(reason or None, is_filtered=reason in FILTERED_REASONS)


def _read_metadata(document: JsonObject) -> Iterator[Event]:
    usage = object_of(document.get("usage"))
    if usage:
        cached = first_count(usage.get("cacheReadInputTokens"), usage.get("cacheReadInputTokenCount"))
        yield Usage(
            input_tokens=count_of(usage.get("inputTokens")),
            cached_input_tokens=cached,
            output_tokens=count_of(usage.get("outputTokens")),
            input_excludes_cache=bool(cached),
        )
    metrics = object_of(document.get("metrics"))
    if metrics:
        yield Timing("bedrock", metrics)


def read_answer(document: JsonObject) -> Sequence[Event]:
    if "output" not in document:
        return (find_error(document) or find_error_body(document),)
    content = list_of(object_of(object_of(document["output"]).get("message")).get("content"))
    blocks = [event for block in content for event in _read_block(object_of(block))]
    return (*blocks, *_read_metadata(document), _read_stop(document), Finished(is_last=True))


def _read_block(block: JsonObject) -> Iterator[Event]:
    if text_of(block.get("text")):
        yield Delta(Part.ANSWER, text_of(block["text"]))
    reasoning = text_of(object_of(object_of(block.get("reasoningContent")).get("reasoningText")).get("text"))
    if reasoning:
        yield Delta(Part.REASONING, reasoning)
    tool = object_of(block.get("toolUse"))
    if text_of(tool.get("name")):
        yield Delta(Part.TOOL, text_of(tool["name"]) + json.dumps(tool.get("input")))


BEDROCK_CONVERSE = Protocol("bedrock-converse", prepare, read, read_answer, Framing.AWS_EVENT_STREAM)
