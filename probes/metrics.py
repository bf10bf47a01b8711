"""One function per metric, pure: a timeline and token counts in, a number or None out. Formulas: docs/methodology.md.

Times are milliseconds since the request was sent, speeds tokens per second. None means "cannot be computed"; what is
computed but must stay out of aggregates is an Exclusion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from probes.timeline import ContentEvent, Timeline
from probes.token_counts import TokenCounts

NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000
HELD_BACK_WINDOW_NS = 5 * NS_PER_MS
HELD_BACK_TOKENS = 10
MIN_TOKENS_AFTER_FIRST = 32
MIN_EVENTS = 4
MIN_WINDOW_NS = 100 * NS_PER_MS
MAX_CHUNK_SHARE = 0.5
LATE_WINDOW_SHARE = 0.05
LATE_CHARS_SHARE = 0.8
MODELLED_ANSWER_TOKENS = 500


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Why a computed value stays out of aggregates, and of which: "speed" or "all"."""

    reason: str
    excluded_from: str


def _ms(timeline: Timeline, at_ns: int) -> float:
    return (at_ns - timeline.sent_ns) / NS_PER_MS


def ttft_ms(timeline: Timeline) -> float | None:
    return _ms(timeline, timeline.events[0].at_ns) if timeline.events else None


def ttfat_ms(timeline: Timeline) -> float | None:
    answers = timeline.answer_events
    return _ms(timeline, answers[0].at_ns) if answers else None


def last_token_ms(timeline: Timeline) -> float | None:
    return _ms(timeline, timeline.events[-1].at_ns) if timeline.events else None


def end_to_end_ms(timeline: Timeline) -> float | None:
    return None if timeline.ended_ns is None else _ms(timeline, timeline.ended_ns)


def thinking_ms(timeline: Timeline, counts: TokenCounts, *, is_hidden: bool = False) -> float | None:
    """0 without reasoning; None while reasoning was hidden or no answer came."""
    answers = timeline.answer_events
    if not answers or counts.hidden or is_hidden:
        return None
    return (answers[0].at_ns - timeline.events[0].at_ns) / NS_PER_MS


def event_gap_ms(timeline: Timeline, share: float) -> float | None:
    """Percentile (linear between ranks, type 7) of the gaps between content events; None below two events."""
    stamps = [event.at_ns for event in timeline.events]
    if len(stamps) < 2:
        return None
    gaps = sorted(later - earlier for earlier, later in pairwise(stamps))
    rank = share * (len(gaps) - 1)
    low = int(rank)
    high = min(low + 1, len(gaps) - 1)
    return (gaps[low] + (gaps[high] - gaps[low]) * (rank - low)) / NS_PER_MS


def largest_chunk_share(timeline: Timeline) -> float | None:
    """The biggest content event's share of all characters."""
    total = timeline.chars
    return max(event.chars for event in timeline.events) / total if total else None


def first_chunk_tokens(timeline: Timeline, counts: TokenCounts) -> int | None:
    """n1: the tokens that had arrived with the first content event, hidden reasoning included."""
    shown = counts.shown
    if not timeline.events or counts.output is None or shown is None:
        return None
    told = _told_with_first(timeline.events, counts.output)
    if told is not None:
        return told
    return counts.hidden + _share_of_first(timeline.events, shown)


def _told_with_first(events: Sequence[ContentEvent], output_tokens: int) -> int | None:
    """The server's own count, believed only where it goes on growing: some tell the final count from the start."""
    told = events[0].generated_tokens
    if not told or told > output_tokens or (told == output_tokens and len(events) > 1):
        return None
    return told


def _share_of_first(events: Sequence[ContentEvent], tokens: int) -> int:
    if len(events) >= tokens:
        return 1
    chars = sum(event.chars for event in events)
    return max(1, round(tokens * events[0].chars / chars)) if chars else 1


def output_speed_tps(timeline: Timeline, counts: TokenCounts) -> float | None:
    first = first_chunk_tokens(timeline, counts)
    if first is None or counts.output is None or is_held_back(timeline, counts):
        return None
    return _speed(counts.output - first, timeline.events)


def answer_speed_tps(timeline: Timeline, counts: TokenCounts) -> float | None:
    """The same over the answer alone; equal to the output speed where nothing was reasoned in sight."""
    answers = timeline.answer_events
    if not answers or counts.answer is None or is_held_back(timeline, counts):
        return None
    if len(answers) == len(timeline.events):
        return output_speed_tps(timeline, counts)
    if answers[-1].at_ns - answers[0].at_ns <= HELD_BACK_WINDOW_NS and counts.answer > HELD_BACK_TOKENS:
        return None
    return _speed(counts.answer - _first_answer_tokens(timeline, answers, counts.answer), answers)


def _first_answer_tokens(timeline: Timeline, answers: Sequence[ContentEvent], answer_tokens: int) -> int:
    position = timeline.events.index(answers[0])
    told = answers[0].generated_tokens
    before = timeline.events[position - 1].generated_tokens if position else 0
    if told is not None and before is not None and before < told < before + answer_tokens:
        return told - before
    return _share_of_first(answers, answer_tokens)


def _speed(tokens: int, events: Sequence[ContentEvent]) -> float | None:
    window_ns = events[-1].at_ns - events[0].at_ns
    if window_ns <= 0 or tokens <= 0:
        return None
    return tokens * NS_PER_S / window_ns


def inter_token_ms(speed_tps: float | None) -> float | None:
    return 1000 / speed_tps if speed_tps else None


def response_time_500_ms(ttfat: float | None, answer_speed: float | None) -> float | None:
    """Modelled time to 500 answer tokens, comparable between answers of any length."""
    if ttfat is None or not answer_speed:
        return None
    return ttfat + 1000 * MODELLED_ANSWER_TOKENS / answer_speed


def is_held_back(timeline: Timeline, counts: TokenCounts) -> bool:
    """Everything released at once: more tokens than any engine makes within the window."""
    events = timeline.events
    if not events or counts.shown is None:
        return False
    window_ns = events[-1].at_ns - events[0].at_ns
    return window_ns <= HELD_BACK_WINDOW_NS and counts.shown > HELD_BACK_TOKENS


def is_buffered(timeline: Timeline) -> bool:
    """One event holds most of the text, or most of the text comes at the very end of the window."""
    share, events = largest_chunk_share(timeline), timeline.events
    if share is None:
        return False
    window_ns = events[-1].at_ns - events[0].at_ns
    late_from = events[-1].at_ns - LATE_WINDOW_SHARE * window_ns
    late_chars = sum(event.chars for event in events if event.at_ns >= late_from)
    return share > MAX_CHUNK_SHARE or late_chars >= LATE_CHARS_SHARE * timeline.chars


def speed_exclusion(timeline: Timeline, counts: TokenCounts) -> Exclusion | None:
    """Why this answer's speed stays out of aggregates; the reasons are tried from the most telling one on."""
    first = first_chunk_tokens(timeline, counts)
    if first is None or counts.output is None:
        return None
    if is_held_back(timeline, counts):
        return Exclusion("buffered_stream", "speed")
    if output_speed_tps(timeline, counts) is None:
        return None
    if counts.output - first < MIN_TOKENS_AFTER_FIRST:
        return Exclusion("too_few_tokens", "speed")
    window_ns = timeline.events[-1].at_ns - timeline.events[0].at_ns
    if len(timeline.events) < MIN_EVENTS or window_ns < MIN_WINDOW_NS:
        return Exclusion("window_too_short", "speed")
    return Exclusion("buffered_stream", "speed") if is_buffered(timeline) else None
