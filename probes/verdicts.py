"""Which outcome an exchange had. The order of the questions is the definition: the first that applies decides."""

from __future__ import annotations

import json

from probes.events import StreamError
from probes.exchange import Ending, Exchange
from probes.failures import ENDINGS, OK, Verdict, judge_error, judge_redirect, judge_status
from probes.json_access import list_of, object_of
from probes.protocols.errors import find_error_body
from probes.transcript import Transcript

ERROR_BODY_BYTES = 65_536
NEVER_ANSWERED = frozenset({Ending.DNS, Ending.CONNECT, Ending.TLS, Ending.NOT_STREAMED, Ending.OURS})
LIMIT_ENDINGS = frozenset({Ending.TIMEOUT_FIRST_TOKEN, Ending.STALLED, Ending.TIMEOUT_TOTAL})


def decide(
    exchange: Exchange, transcript: Transcript, *, is_oversized: bool, expects_stream: bool
) -> Verdict:
    """A terminal marker outweighs how the connection ended; an error object outweighs everything in a 2xx."""
    if exchange.ending in NEVER_ANSWERED or exchange.status is None:
        return _judge_ending(exchange)
    if 300 <= exchange.status < 400:
        return judge_redirect(exchange.status, exchange.headers.get("location"))
    if not 200 <= exchange.status < 300:
        return judge_status(exchange.status, read_error_body(exchange))
    if transcript.error is not None:
        return judge_error(transcript.error, after_content=transcript.error_after_content)
    is_finished = transcript.finished_ns is not None
    if (is_oversized or exchange.ending is Ending.TOO_LARGE) and not is_finished:
        return Verdict("too_large", "too_large", "more bytes than the limit allows")
    if exchange.ending is Ending.BAD_BODY and not is_finished:
        return _judge_ending(exchange)
    if transcript.bad_body is not None:
        return Verdict("stream_broken", "bad_body", transcript.bad_body)
    if transcript.broken is not None:
        return Verdict("stream_broken", "protocol", transcript.broken)
    return _judge_content(exchange, transcript, expects_stream=expects_stream)


def _judge_content(exchange: Exchange, transcript: Transcript, *, expects_stream: bool) -> Verdict:
    is_finished = transcript.finished_ns is not None
    if transcript.is_whole_answer and expects_stream:
        if any(arrival.chars for arrival in transcript.arrivals):
            return Verdict("capability", "not_streamed", "one whole answer to a request for a stream")
        if not transcript.usage:
            return Verdict("stream_broken", "bad_body", "JSON that is no answer")
    if exchange.ending in ENDINGS and not is_finished:
        return _judge_ending(exchange)
    if not any(arrival.chars for arrival in transcript.arrivals):
        if transcript.is_filtered:
            return Verdict("blocked", "blocked", "stopped by a content filter before any output")
        return Verdict("empty", "empty", "no output at all")
    if not is_finished:
        return Verdict("stream_broken", "truncated", "the body ended without a terminal marker")
    return OK


def _judge_ending(exchange: Exchange) -> Verdict:
    outcome, detail = ENDINGS.get(exchange.ending, ("network", "reset"))
    # Without a status nothing was answered: the path is as likely to blame as the provider.
    if exchange.status is None and detail == "reset":
        outcome = "network"
    if exchange.status is None and detail == "bad_body":
        detail = "protocol"
    return Verdict(outcome, detail, exchange.error or SENTENCES.get(detail))


SENTENCES = {
    "reset": "the connection was reset",
    "timeout_first_token": "no output within the first-token limit",
    "stalled": "the stream fell silent for longer than the idle limit",
    "timeout_total": "the whole probe took longer than its deadline",
    "bad_body": "the content encoding could not be undone",
    "not_streamed": "the answer names no address to stream from: this model cannot stream",
    "dns": "the host name could not be resolved",
    "connect": "the connection was refused or never opened",
    "tls": "the TLS handshake failed",
}


def read_error_body(exchange: Exchange) -> StreamError | None:
    """What an HTTP error's body says; its raw text where it is no JSON object. None for an empty body."""
    body = b"".join(chunk.body for chunk in exchange.chunks)[:ERROR_BODY_BYTES]
    text = body.decode("utf-8", "replace").removeprefix("\ufeff").strip()
    if text.startswith("data:"):
        text = text.removeprefix("data:").partition("\n")[0].strip()
    if not text:
        return None
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return StreamError(text)
    if isinstance(document, list):
        document = next(iter(list_of(document)), {})
    return find_error_body(object_of(document)) if isinstance(document, dict) else StreamError(text)
