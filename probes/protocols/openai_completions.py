"""OpenAI's legacy text completions; Writer's bare `{"value": …}` events come on the same path.

Those have no terminal marker of any kind, so that even a whole answer of them reads as truncated.
"""

from __future__ import annotations

from collections.abc import Sequence

from probes.endpoint import Endpoint
from probes.events import Delta, Event, Part
from probes.json_access import JsonObject, text_of
from probes.protocols import openai_chat
from probes.protocols.openai_chat import key_headers, sampling_and_usage
from probes.protocols.protocol import (
    Ask,
    PreparedRequest,
    Protocol,
    join_url,
    parse_object,
    post_json,
    refuse_effort,
)
from probes.streams.message import Message


def prepare(endpoint: Endpoint, ask: Ask) -> PreparedRequest:
    refuse_effort(endpoint)
    prompt = f"{ask.system}\n\n{ask.prompt}" if ask.system else ask.prompt
    payload: JsonObject = {
        "model": endpoint.model,
        "prompt": prompt,
        "max_tokens": ask.max_output_tokens,
        "stream": ask.stream,
        **sampling_and_usage(endpoint, ask),
    }
    url = join_url(endpoint.base_url, "/completions")
    return post_json(endpoint, ask, url, payload, key_headers=key_headers(endpoint))


def read(message: Message) -> Sequence[Event]:
    if message.data.startswith('{"value"'):
        text = text_of((parse_object(message) or {}).get("value"))
        return (Delta(Part.ANSWER, text),) if text else ()
    return openai_chat.read(message)


OPENAI_COMPLETIONS = Protocol("openai-completions", prepare, read, openai_chat.read_answer)
