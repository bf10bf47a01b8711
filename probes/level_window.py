"""Which part of an answer fell into a level's window: tokens are placed where the body's bytes came, not evenly.

A server that takes in another prompt makes everyone else wait: over a window of a few answers the difference is
several percent.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from dataclasses import dataclass

from probes.exchange import Chunk
from probes.result import ProbeResult

PARTS = 64


@dataclass(frozen=True, slots=True)
class Judged:
    """A result on the monotonic clock of its request."""

    lane: int
    sent_ns: int
    result: ProbeResult
    spread_ns: tuple[int, ...] = ()
    """When each equal part of the body had come, as a measure of when its tokens were made."""

    @property
    def first_ns(self) -> int | None:
        return self.at_ns(self.result.ttft_ms)

    @property
    def last_ns(self) -> int | None:
        return self.at_ns(self.result.last_token_ms)

    def at_ns(self, after_ms: float | None) -> int | None:
        return None if after_ms is None else self.sent_ns + int(after_ms * 1e6)


def spread_of(chunks: Sequence[Chunk]) -> tuple[int, ...]:
    """Stamps at which each 64th of the bytes had arrived; the bodies themselves are not kept."""
    total = sum(len(chunk.body) for chunk in chunks)
    stamps: list[int] = []
    arrived = 0
    if not total:
        return ()
    for chunk in chunks:
        arrived += len(chunk.body)
        while len(stamps) < PARTS and arrived * PARTS >= total * (len(stamps) + 1):
            stamps.append(chunk.at_ns)
    return tuple(stamps)


def ramp_end_ns(judged: Sequence[Judged], start_ns: int, end_ns: int) -> int:
    """When the slowest lane saw its first token; half the phase at the latest."""
    first_tokens: dict[int, int] = {}
    for one in judged:
        if one.first_ns is not None:
            first_tokens[one.lane] = min(one.first_ns, first_tokens.get(one.lane, one.first_ns))
    return min(max(first_tokens.values(), default=start_ns), start_ns + (end_ns - start_ns) // 2)


def tokens_inside(one: Judged, window: tuple[int, int]) -> float:
    """The output tokens that fell into the window."""
    tokens = one.result.output_tokens
    if one.first_ns is None or one.last_ns is None or not tokens:
        return 0.0
    if one.last_ns <= one.first_ns:
        return float(tokens) if window[0] <= one.first_ns < window[1] else 0.0
    begun, over = (share_by(one, one.first_ns, one.last_ns, moment) for moment in window)
    return tokens * (over - begun)


def share_by(one: Judged, first_ns: int, last_ns: int, moment_ns: int) -> float:
    """The share of the answer that was there at an instant."""
    if moment_ns <= first_ns:
        return 0.0
    if moment_ns >= last_ns:
        return 1.0
    part = bisect.bisect_right(one.spread_ns, moment_ns)
    before_ns = max(first_ns, one.spread_ns[part - 1]) if part else first_ns
    after_ns = min(last_ns, one.spread_ns[part]) if part < len(one.spread_ns) else last_ns
    parts = len(one.spread_ns) or 1
    inside = (moment_ns - before_ns) / (after_ns - before_ns) if after_ns > before_ns else 0.0
    return min(1.0, (part + min(1.0, inside)) / parts)


def time_inside(one: Judged, window: tuple[int, int]) -> float | None:
    """The share of its time from request to last token that lay in the window; None without a token."""
    if one.last_ns is None or one.last_ns <= one.sent_ns:
        return None
    inside_ns = min(one.last_ns, window[1]) - max(one.sent_ns, window[0])
    return max(0, inside_ns) / (one.last_ns - one.sent_ns)
