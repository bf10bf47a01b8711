"""Amazon Bedrock's InvokeModel: frames that wrap each model family's own JSON in base64.

The gateway's `amazon-bedrock-invocationMetrics` count differently from the model (97 against 133 in a recording), so
they are used only where the model tells no usage.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import quote

from probes.endpoint import Endpoint
from probes.events import Delta, Event, Finished, Part, Timing, Usage
from probes.json_access import JsonObject, count_of, first_count, list_of, object_of, text_of
from probes.protocols import anthropic_messages, bedrock_converse, cohere_v1
from probes.protocols.aws_signing import sign_request
from probes.protocols.errors import find_error
from probes.protocols.openai_chat import read_chunk
from probes.protocols.protocol import (
    Ask,
    BrokenMessageError,
    Framing,
    PreparedRequest,
    Protocol,
    join_url,
    parse_object,
    post_json,
    refuse_effort,
)
from probes.streams.message import Message

METRICS_FIELD = "amazon-bedrock-invocationMetrics"
NOVA_EVENTS = (
    "messageStart",
    "contentBlockStart",
    "contentBlockDelta",
    "contentBlockStop",
    "messageStop",
    "metadata",
)
BEDROCK_ANTHROPIC_VERSION = "bedrock-2023-05-31"


def prepare(endpoint: Endpoint, ask: Ask) -> PreparedRequest:
    verb = "invoke-with-response-stream" if ask.stream else "invoke"
    url = join_url(endpoint.base_url, f"/model/{quote(endpoint.model, safe='')}/{verb}")
    return sign_request(endpoint, post_json(endpoint, ask, url, _payload(endpoint, ask), key_headers={}))


def _payload(endpoint: Endpoint, ask: Ask) -> JsonObject:
    """Each model family has its own body; the temperature is left to it where None."""
    model, limit = endpoint.model.lower(), ask.max_output_tokens
    prompt = f"{ask.system}\n\n{ask.prompt}" if ask.system else ask.prompt
    wants_temperature = ask.temperature is not None and endpoint.capabilities.temperature
    sampling: JsonObject = {"temperature": ask.temperature} if wants_temperature else {}
    if "anthropic." in model:
        return {
            "anthropic_version": BEDROCK_ANTHROPIC_VERSION,
            **anthropic_messages.build_payload(endpoint, ask),
        }
    if "openai." not in model:
        refuse_effort(endpoint)
    if "amazon.nova" in model:
        return {
            "messages": [{"role": "user", "content": [{"text": prompt}]}],
            "inferenceConfig": {"maxTokens": limit, **sampling},
        }
    if "amazon.titan" in model:
        return {"inputText": prompt, "textGenerationConfig": {"maxTokenCount": limit, **sampling}}
    if "meta.llama" in model:
        return {"prompt": prompt, "max_gen_len": limit, **sampling}
    if "mistral." in model and "instruct" in model:
        return {"prompt": f"<s>[INST] {prompt} [/INST]", "max_tokens": limit, **sampling}
    effort: JsonObject = {"reasoning_effort": endpoint.reasoning_effort} if endpoint.reasoning_effort else {}
    return {"messages": [{"role": "user", "content": prompt}], "max_tokens": limit, **sampling, **effort}


def read(message: Message) -> Sequence[Event]:
    if message.is_failure:
        return (bedrock_converse.read_failure(message),)
    frame = parse_object(message)
    if frame is None:
        return ()
    document = _unwrap(frame)
    error = find_error(document)
    return (error,) if error else tuple(_read_document(document))


def _unwrap(frame: JsonObject) -> JsonObject:
    wrapped = frame.get("bytes")
    if not isinstance(wrapped, str):
        return frame
    try:
        return object_of(json.loads(base64.b64decode(wrapped, validate=True)))
    except (binascii.Error, ValueError, RecursionError):
        raise BrokenMessageError("a frame does not hold base64 of JSON") from None


def _read_document(document: JsonObject) -> Iterator[Event]:
    if "type" in document:
        yield from anthropic_messages.read_document(document)
    elif "choices" in document:
        yield from read_chunk(document, "delta")
    elif "event_type" in document:
        yield from cohere_v1.read_event(document)
    else:
        for name in NOVA_EVENTS:
            if name in document:
                yield from bedrock_converse.read_event(name, object_of(document[name]))
        yield from _read_plain(document)
    yield from _read_metrics(object_of(document.get(METRICS_FIELD)))


def _read_plain(document: JsonObject) -> Iterator[Event]:
    """Titan, Llama and Mistral: one flat object a piece."""
    outputs = list_of(document.get("outputs")) or list_of(document.get("results"))
    piece = object_of(outputs[0]) if outputs else document
    text = text_of(piece.get("outputText")) or text_of(piece.get("generation")) or text_of(piece.get("text"))
    if text:
        yield Delta(Part.ANSWER, text)
    is_blocked = document.get("amazon-bedrock-guardrailAction") == "INTERVENED"
    if not is_blocked:
        # A guardrail's canned sentence comes with counts, but no model generated it.
        yield from _read_plain_usage(document, piece)
    reason = text_of(piece.get("stop_reason")) or text_of(piece.get("completionReason"))
    if reason or (is_blocked and "outputText" in piece):
        yield Finished(reason or None, is_filtered=is_blocked)


def _read_plain_usage(document: JsonObject, piece: JsonObject) -> Iterator[Usage]:
    usage = Usage(
        input_tokens=first_count(document.get("prompt_token_count"), document.get("inputTextTokenCount")),
        output_tokens=first_count(
            piece.get("generation_token_count"),
            piece.get("totalOutputTextTokenCount"),
            piece.get("tokenCount"),
        ),
    )
    if usage != Usage():
        yield usage


def _read_metrics(metrics: JsonObject) -> Iterator[Event]:
    if metrics:
        yield Timing("bedrock", metrics)
        yield Usage(
            input_tokens=count_of(metrics.get("inputTokenCount")),
            output_tokens=count_of(metrics.get("outputTokenCount")),
            is_fallback=True,
        )


def read_answer(document: JsonObject) -> Sequence[Event]:
    if "output" in document:
        return bedrock_converse.read_answer(document)
    if "content" in document:
        return anthropic_messages.read_answer(document)
    error = find_error(document)
    if error is not None:
        return (error,)
    if "choices" in document:
        return (*read_chunk(document, "message"), Finished(is_last=True))
    return (*_read_plain(document), Finished(is_last=True))


def read_headers(headers: Mapping[str, str]) -> Sequence[Event]:
    """A whole answer's counts, for families that tell none in the body."""
    usage = Usage(
        input_tokens=count_of(headers.get("x-amzn-bedrock-input-token-count")),
        output_tokens=count_of(headers.get("x-amzn-bedrock-output-token-count")),
        is_fallback=True,
    )
    return () if usage == Usage(is_fallback=True) else (usage,)


BEDROCK_INVOKE = Protocol(
    "bedrock-invoke", prepare, read, read_answer, Framing.AWS_EVENT_STREAM, read_headers
)
