"""Each metric's formula on a hand-made timeline, and what must hold for any."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probes import metrics
from probes.metrics import Exclusion
from probes.timeline import ContentEvent, Timeline
from probes.token_counts import TokenCounts
from tests.probes.exchanges import MS


def make_timeline(
    *stamps_ms: float, chars: int = 4, ended_ms: float | None = None, **fields: Any
) -> Timeline:
    events = tuple(ContentEvent(int(at_ms * MS), chars, chars, **fields) for at_ms in stamps_ms)
    return Timeline(0, events, None if ended_ms is None else int(ended_ms * MS))


def count(output: int | None, **fields: Any) -> TokenCounts:
    return TokenCounts(**{"output": output, "answer": output, "source": "usage", **fields})


EMPTY = Timeline(0, ())


def test_metrics_of_nothing_are_unknown() -> None:
    counts = TokenCounts()

    assert metrics.ttft_ms(EMPTY) is None
    assert metrics.ttfat_ms(EMPTY) is None
    assert metrics.last_token_ms(EMPTY) is None
    assert metrics.end_to_end_ms(EMPTY) is None
    assert metrics.thinking_ms(EMPTY, counts) is None
    assert metrics.event_gap_ms(EMPTY, 0.5) is None
    assert metrics.largest_chunk_share(EMPTY) is None
    assert metrics.first_chunk_tokens(EMPTY, counts) is None
    assert metrics.output_speed_tps(EMPTY, counts) is None
    assert metrics.answer_speed_tps(EMPTY, counts) is None
    assert metrics.inter_token_ms(None) is None
    assert metrics.response_time_500_ms(None, None) is None
    assert metrics.speed_exclusion(EMPTY, counts) is None


def test_speed_leaves_the_first_events_tokens_out() -> None:
    timeline = make_timeline(100, 200, 300, 400, ended_ms=450)

    assert metrics.ttft_ms(timeline) == 100.0
    assert metrics.last_token_ms(timeline) == 400.0
    assert metrics.end_to_end_ms(timeline) == 450.0
    assert metrics.first_chunk_tokens(timeline, count(4)) == 1
    assert metrics.output_speed_tps(timeline, count(4)) == pytest.approx(10.0)
    assert metrics.inter_token_ms(10.0) == 100.0


def test_first_chunk_tokens_follow_the_characters_where_events_are_fewer_than_tokens() -> None:
    events = (ContentEvent(100 * MS, 30, 30), ContentEvent(200 * MS, 70, 70))

    assert metrics.first_chunk_tokens(Timeline(0, events), count(20)) == 6
    assert metrics.first_chunk_tokens(Timeline(0, events), count(3)) == 1


def test_first_chunk_tokens_are_the_servers_own_where_it_goes_on_counting() -> None:
    growing = (ContentEvent(0, 5, 5, generated_tokens=3), ContentEvent(MS, 5, 5, generated_tokens=9))
    final_from_the_start = (
        ContentEvent(0, 5, 5, generated_tokens=9),
        ContentEvent(MS, 5, 5, generated_tokens=9),
    )

    assert metrics.first_chunk_tokens(Timeline(0, growing), count(9)) == 3
    assert metrics.first_chunk_tokens(Timeline(0, final_from_the_start), count(9)) == 4


def test_hidden_reasoning_belongs_to_the_first_event() -> None:
    timeline = make_timeline(2000, 2100, 2200)
    counts = count(303, hidden=300, reasoning=300, answer=3)

    assert metrics.first_chunk_tokens(timeline, counts) == 301
    assert metrics.output_speed_tps(timeline, counts) == pytest.approx(10.0)
    assert metrics.answer_speed_tps(timeline, counts) == pytest.approx(10.0)
    assert metrics.thinking_ms(timeline, counts) is None


def test_reasoning_moves_the_first_answer_token_only() -> None:
    thought = tuple(ContentEvent(at * MS, 4, 0) for at in (100, 200))
    answer = tuple(ContentEvent(at * MS, 4, 4) for at in (500, 600, 700))
    timeline, counts = Timeline(0, thought + answer), count(5, reasoning=2, answer=3)

    assert metrics.ttft_ms(timeline) == 100.0
    assert metrics.ttfat_ms(timeline) == 500.0
    assert metrics.thinking_ms(timeline, counts) == 400.0
    assert metrics.output_speed_tps(timeline, counts) == pytest.approx(4 / 0.6)
    assert metrics.answer_speed_tps(timeline, counts) == pytest.approx(10.0)


def test_answer_speed_uses_the_servers_count_between_reasoning_and_answer() -> None:
    events = (
        ContentEvent(100 * MS, 4, 0, generated_tokens=10),
        ContentEvent(300 * MS, 4, 4, generated_tokens=14),
        ContentEvent(500 * MS, 4, 4, generated_tokens=34),
    )

    assert metrics.answer_speed_tps(Timeline(0, events), count(34, reasoning=10, answer=24)) == pytest.approx(
        100.0
    )


def test_response_time_matches_the_published_example() -> None:
    assert metrics.response_time_500_ms(7400.0, 296.47) == pytest.approx(9086.5, abs=0.05)


@pytest.mark.parametrize(("share", "gap"), [(0.5, 20.0), (0.95, 38.0), (0.0, 10.0), (1.0, 40.0)])
def test_event_gaps_are_linear_percentiles(share: float, gap: float) -> None:
    assert metrics.event_gap_ms(make_timeline(0, 10, 30, 70), share) == pytest.approx(gap)


def test_one_token_and_zero_windows_have_no_speed() -> None:
    assert metrics.output_speed_tps(make_timeline(100), count(1)) is None
    assert metrics.output_speed_tps(make_timeline(100, 100), count(2)) is None
    assert metrics.output_speed_tps(make_timeline(100, 200), count(1)) is None


def test_answer_released_at_once_has_no_speed_and_says_so() -> None:
    timeline = make_timeline(900, 902, 905)

    assert metrics.output_speed_tps(timeline, count(11)) is None
    assert metrics.speed_exclusion(timeline, count(11)) == Exclusion("buffered_stream", "speed")
    assert metrics.output_speed_tps(timeline, count(10)) == pytest.approx(1400.0)
    assert metrics.output_speed_tps(make_timeline(900, 902, 905.1), count(11)) is not None


def test_exclusions_name_the_first_reason() -> None:
    long = [100.0 * step for step in range(1, 41)]

    assert metrics.speed_exclusion(make_timeline(*long), count(40)) is None
    assert metrics.speed_exclusion(make_timeline(*long[:32]), count(32)) == Exclusion(
        "too_few_tokens", "speed"
    )
    assert metrics.speed_exclusion(make_timeline(100, 400, 700), count(90)) == Exclusion(
        "window_too_short", "speed"
    )
    packed = [100.0 + step for step in range(40)]
    assert metrics.speed_exclusion(make_timeline(*packed), count(40)) == Exclusion(
        "window_too_short", "speed"
    )


def test_buffered_stream_is_told_by_one_big_event_or_a_rush_at_the_end() -> None:
    one_big = (*make_timeline(100, 300, 500, 700).events, ContentEvent(900 * MS, 17, 17))
    rush = (*make_timeline(100, 600).events, *make_timeline(*(980 + step / 2 for step in range(40))).events)

    assert metrics.speed_exclusion(Timeline(0, one_big), count(50)) == Exclusion("buffered_stream", "speed")
    assert metrics.speed_exclusion(Timeline(0, rush), count(60)) == Exclusion("buffered_stream", "speed")


GAPS = st.lists(st.integers(0, 3_000 * MS), min_size=1, max_size=30)
KINDS = st.lists(st.booleans(), min_size=30, max_size=30)


def build(gaps: list[int], kinds: list[bool]) -> Timeline:
    stamps = list(accumulate(gaps))
    events = tuple(ContentEvent(at, 3, 3 if kind else 0) for at, kind in zip(stamps, kinds, strict=False))
    return Timeline(0, events, stamps[-1] + MS)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(gaps=GAPS, kinds=KINDS, tokens=st.integers(1, 5_000))
def test_times_are_ordered_and_speeds_positive(gaps: list[int], kinds: list[bool], tokens: int) -> None:
    timeline, counts = build(gaps, kinds), count(tokens)
    ttft, ttfat, total = (
        metrics.ttft_ms(timeline),
        metrics.ttfat_ms(timeline),
        metrics.end_to_end_ms(timeline),
    )

    assert ttft is not None
    assert total is not None
    assert 0 <= ttft <= (ttft if ttfat is None else ttfat) <= total
    for speed in (metrics.output_speed_tps(timeline, counts), metrics.answer_speed_tps(timeline, counts)):
        assert speed is None or speed > 0
    first = metrics.first_chunk_tokens(timeline, counts)
    assert first is not None
    assert 1 <= first <= tokens


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    gaps=GAPS,
    kinds=KINDS,
    tokens=st.integers(2, 5_000),
    place=st.integers(0, 29),
    delay=st.integers(1, 10**10),
)
def test_added_delay_never_makes_anything_better(
    gaps: list[int], kinds: list[bool], tokens: int, place: int, delay: int
) -> None:
    later = [gap + (delay if index == place % len(gaps) else 0) for index, gap in enumerate(gaps)]
    before, after, counts = build(gaps, kinds), build(later, kinds), count(tokens)

    assert (metrics.ttft_ms(after) or 0) >= (metrics.ttft_ms(before) or 0)
    assert (metrics.end_to_end_ms(after) or 0) > (metrics.end_to_end_ms(before) or 0)
    speed_before, speed_after = (
        metrics.output_speed_tps(before, counts),
        metrics.output_speed_tps(after, counts),
    )
    if speed_before is not None and speed_after is not None:
        assert speed_after <= speed_before
