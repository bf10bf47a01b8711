"""Gemini's Interactions API: steps with typed deltas; the last event holds status and usage, thoughts apart."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from probes.endpoint import Endpoint
from probes.events import Delta, Event, Finished, Part, Served, StreamError, Usage
from probes.json_access import JsonObject, count_of, list_of, object_of, text_of
from probes.protocols.errors import find_error
from probes.protocols.gemini_generate_content import google_key_headers
from probes.protocols.protocol import Ask, PreparedRequest, Protocol, join_versioned, parse_object, post_json
from probes.streams.message import Message


def prepare(endpoint: Endpoint, ask: Ask) -> PreparedRequest:
    config: JsonObject = {"max_output_tokens": ask.max_output_tokens}
    if ask.temperature is not None and endpoint.capabilities.temperature:
        config["temperature"] = ask.temperature
    if endpoint.reasoning_effort:
        config["thinking_level"] = endpoint.reasoning_effort
    payload: JsonObject = {
        "model": endpoint.model,
        "input": ask.prompt,
        "stream": ask.stream,
        "store": False,
        "generation_config": config,
    }
    if ask.system:
        payload["system_instruction"] = ask.system
    url = join_versioned(endpoint.base_url, "v1beta", "/interactions")
    return post_json(endpoint, ask, url, payload, key_headers=google_key_headers(endpoint))


def read(message: Message) -> Sequence[Event]:
    if message.data.strip() == "[DONE]":
        return (Finished(is_last=True),)
    document = parse_object(message)
    if document is None:
        return ()
    kind = text_of(document.get("event_type")) or message.event or ""
    error = find_error(document, kind)
    if error is not None:
        return (error,)
    if kind == "step.delta" or kind == "content.delta":
        return tuple(_read_delta(object_of(document.get("delta"))))
    if kind == "step.start":
        return tuple(_read_opening(object_of(document.get("step"))))
    interaction = object_of(document.get("interaction"))
    if kind.startswith("interaction.") and interaction:
        return tuple(
            _read_interaction(interaction, is_end=kind not in ("interaction.created", "interaction.start"))
        )
    return ()


def _read_delta(delta: JsonObject) -> Iterator[Event]:
    kind = text_of(delta.get("type"))
    text = text_of(delta.get("text")) or text_of(object_of(delta.get("content")).get("text"))
    if text:
        yield Delta(Part.REASONING if "thought" in kind else Part.ANSWER, text)
    arguments = delta.get("arguments")
    if arguments:
        yield Delta(Part.TOOL, text_of(arguments) or json.dumps(arguments, ensure_ascii=False))


def _read_opening(step: JsonObject) -> Iterator[Event]:
    if step.get("type") == "function_call" and text_of(step.get("name")):
        yield Delta(Part.TOOL, text_of(step["name"]), is_opening=True)


def _read_interaction(interaction: JsonObject, *, is_end: bool) -> Iterator[Event]:
    if text_of(interaction.get("model")):
        yield Served(text_of(interaction["model"]))
    usage = object_of(interaction.get("usage"))
    if usage:
        yield _read_usage(usage)
    status = text_of(interaction.get("status"))
    if status == "failed":
        yield find_error(interaction) or StreamError("the interaction failed")
    elif is_end and status != "in_progress":
        yield Finished(status or None, is_last=True)


def _read_usage(usage: JsonObject) -> Usage:
    output, thoughts = count_of(usage.get("total_output_tokens")), count_of(usage.get("total_thought_tokens"))
    return Usage(
        input_tokens=count_of(usage.get("total_input_tokens")),
        cached_input_tokens=count_of(usage.get("total_cached_tokens")),
        output_tokens=None if output is None else output + (thoughts or 0),
        reasoning_tokens=thoughts,
    )


def read_answer(document: JsonObject) -> Sequence[Event]:
    error = find_error(document)
    if error is not None:
        return (error,)
    steps = map(object_of, list_of(document.get("steps")) or list_of(document.get("outputs")))
    return (
        *(event for step in steps for event in _read_step(step)),
        *_read_interaction(document, is_end=True),
    )


def _read_step(step: JsonObject) -> Iterator[Event]:
    part = Part.REASONING if "thought" in text_of(step.get("type")) else Part.ANSWER
    contents = [*list_of(step.get("summary")), *list_of(step.get("content"))]
    for content in map(object_of, [*contents, step]):
        if text_of(content.get("text")):
            yield Delta(part, text_of(content["text"]))
    if text_of(step.get("name")):
        yield Delta(Part.TOOL, text_of(step["name"]) + json.dumps(step.get("arguments"), ensure_ascii=False))


GEMINI_INTERACTIONS = Protocol("gemini-interactions", prepare, read, read_answer)
