"""Hand-made exchanges for the tests: chunks with millisecond stamps, judged with plain defaults."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from probes.endpoint import Endpoint
from probes.exchange import Chunk, Ending, Exchange
from probes.judge import judge
from probes.reader import StreamReader
from probes.result import ProbeResult
from probes.streams.message import Decoder, Message
from probes.transcript import Transcript

MS = 1_000_000
NOON = dt.datetime(2026, 7, 15, 12, tzinfo=dt.UTC)


def make_endpoint(
    protocol: str = "openai-chat", base_url: str = "https://api.test/v1", **fields: Any
) -> Endpoint:
    return Endpoint(**{"protocol": protocol, "base_url": base_url, "model": "tall-7b", **fields})


def make_exchange(
    chunks: Sequence[tuple[float, bytes | str]] = (),
    *,
    ending: Ending = Ending.CLOSED,
    status: int | None = 200,
    headers: Mapping[str, str] | None = None,
    **fields: Any,
) -> Exchange:
    """Chunks are (milliseconds since the request was sent, body)."""
    stamped = tuple(
        Chunk(int(at_ms * MS), body.encode() if isinstance(body, str) else body) for at_ms, body in chunks
    )
    ended_ns = stamped[-1].at_ns + MS if stamped else MS
    return Exchange(0, ended_ns, ending, status, headers or {}, stamped, **fields)


def judge_exchange(exchange: Exchange, *, endpoint: Endpoint | None = None, **fields: Any) -> ProbeResult:
    defaults = {"workload_slug": "short", "workload_version": 1, "request_id": "r-1", "started_at": NOON}
    return judge(exchange, endpoint=endpoint or make_endpoint(), **{**defaults, **fields})


def event(document: object) -> str:
    """One server-sent event holding a JSON document or a bare word."""
    return f"data: {document if isinstance(document, str) else json.dumps(document)}\n\n"


def chat_delta(content: str | None = None, *, finish: str | None = None, **fields: Any) -> str:
    """One chat chunk; `fields` go into the delta."""
    delta = {**({} if content is None else {"content": content}), **fields}
    return event({"model": "tall-7b", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})


def chat_usage(output_tokens: object, **fields: Any) -> str:
    return event(
        {"choices": [], "usage": {"prompt_tokens": 20, "completion_tokens": output_tokens, **fields}}
    )


DONE = event("[DONE]")


def read_body(protocol: str, body: bytes | str, *, headers: Mapping[str, str] | None = None) -> Transcript:
    reader = StreamReader(protocol, headers)
    reader.feed(body.encode() if isinstance(body, str) else body, MS)
    return reader.finish(MS)


def decode(decoder: Decoder, body: bytes, cuts: Sequence[int] = ()) -> list[Message]:
    """All messages of a body fed in pieces cut at the offsets."""
    bounds = [0, *sorted(cuts), len(body)]
    pieces = [body[start:end] for start, end in pairwise(bounds)]
    messages = [message for piece in pieces for message in decoder.feed(piece)]
    return [*messages, *decoder.finish()]
