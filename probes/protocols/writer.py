"""Writer's chat: OpenAI's form under its own path, ending without `[DONE]`."""

from __future__ import annotations

from probes.endpoint import Endpoint
from probes.json_access import JsonObject
from probes.protocols import openai_chat, openai_completions
from probes.protocols.openai_chat import sampling_and_usage
from probes.protocols.protocol import (
    Ask,
    PreparedRequest,
    Protocol,
    bearer,
    join_url,
    post_json,
    refuse_effort,
)


def prepare(endpoint: Endpoint, ask: Ask) -> PreparedRequest:
    refuse_effort(endpoint)
    messages = [{"role": "system", "content": ask.system}] if ask.system else []
    payload: JsonObject = {
        "model": endpoint.model,
        "messages": [*messages, {"role": "user", "content": ask.prompt}],
        "max_tokens": ask.max_output_tokens,
        "stream": ask.stream,
        **sampling_and_usage(endpoint, ask),
    }
    return post_json(
        endpoint, ask, join_url(endpoint.base_url, "/chat"), payload, key_headers=bearer(endpoint)
    )


WRITER = Protocol("writer", prepare, openai_completions.read, openai_chat.read_answer)
