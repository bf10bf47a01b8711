"""The lab's model names: words and numbers joined by hyphens say how the answer behaves.

`steady-ttft200-tps150-n400` is a steady stream, `gzip-crlf-n50` combines two traits. An unknown word is an
UnknownModel, which the server turns into a 404.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any


class UnknownModel(ValueError):
    """The name holds a word that the grammar does not know."""


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How one answer is made: times in ms, speeds in tokens/s, counts in tokens."""

    ttft_ms: float = 200.0
    tokens_per_s: float = 100.0
    output_tokens: int | None = None
    reasoning_tokens: int = 0
    hidden_tokens: int = 0
    tokens_per_event: int = 1
    jitter_ms: float = 0.0
    spread_percent: float = 0.0
    prefill_tokens_per_s: float = 0.0
    shared_tokens_per_s: float = 0.0
    cached_tokens: int = 0
    burst_events: int = 1
    stall_ms: float = 0.0
    http_status: int = 200
    retry_after_s: int | None = None
    fail_percent: float = 0.0
    limited_percent: float = 0.0
    cut_percent: float = 0.0

    shape: str = "stream"
    """What the body is: stream, json-error, html or whole."""
    trouble: str = ""
    """What happens half-way through (or, `early-error` and `hang`, before the first token)."""
    usage: str = "asked"
    """asked (last message, if the request asks), none, finish, each or wrong."""
    reasoning_field: str = "reasoning_content"
    """The delta's field: reasoning_content, reasoning, both or tags (<think> inside the answer)."""
    role: str = "first"
    """first (beside the first token), early, empty (early, with empty content) or none."""
    sends_finish: bool = True
    sends_done: bool = True
    stays_open: bool = False
    line_end: str = "\n"
    comments: bool = False
    gzip: bool = False
    split: str = ""
    """Cut each event's bytes: packets (three pieces) or utf8 (inside a character)."""
    coalesce: bool = False
    one_write: bool = False
    chunked: bool = True
    slow_headers: bool = False
    refuses: frozenset[str] = frozenset()
    """Request fields that are answered with 400."""


WORDS: dict[str, tuple[dict[str, Any], str]] = {
    "plain": ({}, "a well-behaved stream"),
    "steady": ({}, "the same as plain"),
    "jsonerror": ({"shape": "json-error"}, "status 200 with a JSON error as body"),
    "html": ({"shape": "html"}, "status 200 with an HTML page"),
    "whole": ({"shape": "whole"}, "one JSON answer instead of a stream"),
    "miderror": ({"trouble": "error"}, "an error event half-way, then a clean end"),
    "earlyerror": ({"trouble": "early-error"}, "an error event before the first token"),
    "drop": ({"trouble": "drop"}, "the connection closes half-way, the body unfinished"),
    "reset": ({"trouble": "reset"}, "the connection is reset half-way"),
    "nofinish": (
        {"sends_finish": False, "sends_done": False, "usage": "none"},
        "no finish reason, no [DONE]",
    ),
    "brokenjson": ({"trouble": "broken-json"}, "one event half-way is cut JSON"),
    "stall": ({"stall_ms": 3000.0}, "silence of 3 s half-way"),
    "hang": ({"trouble": "hang"}, "the request is read and never answered"),
    "midhang": ({"trouble": "mid-hang"}, "silence for ever half-way"),
    "nodone": ({"sends_done": False}, "a finish reason but no [DONE]"),
    "stayopen": ({"stays_open": True}, "[DONE] is sent and the connection left open"),
    "endless": ({"trouble": "endless"}, "never stops by itself"),
    "nousage": ({"usage": "none"}, "no usage although asked"),
    "usagelast": ({"usage": "finish"}, "usage on the event with the finish reason"),
    "usageeach": ({"usage": "each"}, "growing usage on each event"),
    "usagewrong": ({"usage": "wrong"}, "usage of three times the tokens sent"),
    "crlf": ({"line_end": "\r\n"}, "lines end in CR LF"),
    "comments": ({"comments": True}, "keep-alive comments between the events"),
    "gzip": ({"gzip": True}, "the body is gzipped although not asked"),
    "splitpackets": ({"split": "packets"}, "each event arrives in three packets"),
    "splitutf8": ({"split": "utf8"}, "characters of several bytes cut between packets"),
    "closedelimited": ({"chunked": False}, "no length, no chunks: the body ends with the connection"),
    "earlyrole": ({"role": "early"}, "the role event comes long before the first token"),
    "earlyempty": ({"role": "empty"}, "an event with empty text long before the first token"),
    "slowheaders": ({"slow_headers": True}, "the header drips until the first token"),
    "norole": ({"role": "none"}, "no role event"),
    "reasoningcontent": ({"reasoning_tokens": 64}, "64 reasoning tokens in reasoning_content"),
    "reasoning": (
        {"reasoning_tokens": 64, "reasoning_field": "reasoning"},
        "64 reasoning tokens in reasoning",
    ),
    "reasoningboth": ({"reasoning_tokens": 64, "reasoning_field": "both"}, "the same text in both fields"),
    "thinktags": ({"reasoning_tokens": 64, "reasoning_field": "tags"}, "64 reasoning tokens in <think> tags"),
    "reasoningnousage": ({"reasoning_tokens": 64, "usage": "none"}, "reasoning shown, no usage"),
    "four": ({"tokens_per_event": 4}, "four tokens an event"),
    "fournousage": ({"tokens_per_event": 4, "usage": "none"}, "four tokens an event, no usage"),
    "burstsapart": ({"burst_events": 5}, "five events at a time, each its own write"),
    "burstscoalesced": ({"burst_events": 5, "coalesce": True}, "five events at a time in one write"),
    "onechunk": ({"one_write": True}, "everything in one write at the first token's time"),
    "length": ({"output_tokens": 1_000_000}, "runs into the output limit: finish reason length"),
    "nostreamoptions": ({"refuses": frozenset({"stream_options"})}, "400 if stream_options is sent"),
    "newlimit": (
        {"refuses": frozenset({"max_tokens"})},
        "400 if max_tokens is sent: wants max_completion_tokens",
    ),
    "notemperature": ({"refuses": frozenset({"temperature"})}, "400 if temperature is sent"),
}

NUMBERS: dict[str, tuple[str, str]] = {
    "ttft": ("ttft_ms", "ms from the request's last byte to the first token (200)"),
    "tps": ("tokens_per_s", "tokens/s after the first event (100)"),
    "n": ("output_tokens", "output tokens, reasoning included (the request's limit, else 300)"),
    "reason": ("reasoning_tokens", "of which shown as reasoning (0)"),
    "hidden": ("hidden_tokens", "reasoning tokens counted in usage and never shown (0)"),
    "chunk": ("tokens_per_event", "tokens an event (1)"),
    "burst": ("burst_events", "events that leave together (1)"),
    "jitter": ("jitter_ms", "each event late by 0 to this many ms (0)"),
    "spread": (
        "spread_percent",
        "first-token time and speed vary from request to request by this percent (0)",
    ),
    "prefill": ("prefill_tokens_per_s", "adds input tokens / this to the first token's time (off)"),
    "share": (
        "shared_tokens_per_s",
        "all streams of the model together get at most this many tokens/s (off)",
    ),
    "cached": ("cached_tokens", "input tokens reported as cached (0)"),
    "stall": ("stall_ms", "silence half-way, ms (0)"),
    "http": ("http_status", "answers with this status and an error (429 adds Retry-After)"),
    "retry": ("retry_after_s", "Retry-After of an error, s (429: 7)"),
    "fail": ("fail_percent", "this percent of the requests get 503"),
    "limit": ("limited_percent", "this percent of the requests get 429"),
    "cut": ("cut_percent", "this percent of the streams break half-way"),
}

PRESETS: tuple[str, ...] = (
    "plain", "http429", "http500", "jsonerror", "html", "whole", "miderror", "earlyerror", "drop", "reset",
    "nofinish", "brokenjson", "stall", "hang", "nodone", "nousage", "usagelast", "usageeach", "usagewrong",
    "crlf", "comments", "gzip", "splitpackets", "splitutf8", "closedelimited", "earlyrole", "earlyempty",
    "slowheaders", "norole", "reasoningcontent", "reasoning", "reasoningboth", "thinktags", "reasoningnousage",
    "four", "fournousage", "burstsapart", "burstscoalesced", "onechunk", "length",
)  # fmt: skip
"""The forty shapes and faults that a meter must judge rightly."""

_NUMBERED = re.compile(r"([a-z]+)(\d+(?:\.\d+)?)\Z")


def parse_model(name: str) -> Behaviour:
    """The behaviour a model name asks for; text up to a last `@` or `/` is a free label. Raises UnknownModel."""
    behaviour = Behaviour()
    for word in re.split(r"[@/]", name)[-1].lower().split("-"):
        meaning = _meaning(word)
        if "refuses" in meaning:
            meaning = {"refuses": behaviour.refuses | meaning["refuses"]}
        behaviour = replace(behaviour, **meaning)
    return _bounded(behaviour)


def _meaning(word: str) -> dict[str, Any]:
    if word in WORDS:
        return WORDS[word][0]
    match = _NUMBERED.match(word)
    if match is None or match[1] not in NUMBERS:
        raise UnknownModel(f"The lab knows no word {word[:40]!r}; see `python -m probes lab --help`.")
    field = NUMBERS[match[1]][0]
    is_whole = field in {"output_tokens", "reasoning_tokens", "hidden_tokens", "tokens_per_event", "burst_events",
                         "cached_tokens", "http_status", "retry_after_s"}  # fmt: skip
    return {field: int(float(match[2])) if is_whole else float(match[2])}


def _bounded(behaviour: Behaviour) -> Behaviour:
    if not 100 <= behaviour.http_status <= 599:
        raise UnknownModel(f"{behaviour.http_status} is no HTTP status.")
    if behaviour.tokens_per_s <= 0:
        raise UnknownModel("A speed is above zero.")
    return replace(
        behaviour,
        tokens_per_event=max(1, behaviour.tokens_per_event),
        burst_events=max(1, behaviour.burst_events),
    )


def describe_grammar() -> str:
    """The whole grammar as plain text for --help."""
    lines = [
        "A model name is words and numbers joined by hyphens; they combine freely:",
        "  steady-ttft200-tps150-n400-reason64-chunk3-jitter5     gzip-crlf-n50     acme@plain-fail5",
        "",
        "numbers:",
        *(f"  {name + 'N':<12}{meaning}" for name, (_, meaning) in NUMBERS.items()),
        "",
        "words:",
        *(f"  {word:<18}{meaning}" for word, (_, meaning) in WORDS.items()),
    ]
    return "\n".join(lines)
