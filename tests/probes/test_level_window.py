"""Which of an answer's tokens fell into a level's window."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest

from probes.exchange import Chunk
from probes.level_window import Judged, spread_of, time_inside, tokens_inside
from probes.result import ProbeResult

SECOND = 1_000_000_000


def answered(*chunks: tuple[float, int], tokens: int | None = 640, last_s: float | None = None) -> Judged:
    """An answer from bytes at seconds after the request, which was sent at 0."""
    stamped = [Chunk(int(at_s * SECOND), b"x" * size) for at_s, size in chunks]
    result = ProbeResult(
        request_id="r",
        started_at=dt.datetime(2026, 7, 15, tzinfo=dt.UTC),
        workload="medium",
        workload_version=1,
        outcome="ok",
        output_tokens=tokens,
        ttft_ms=chunks[0][0] * 1000,
        last_token_ms=(chunks[-1][0] if last_s is None else last_s) * 1000,
    )
    return Judged(0, 0, result, spread_of(stamped))


def window(start_s: float, end_s: float) -> tuple[int, int]:
    return int(start_s * SECOND), int(end_s * SECOND)


EVEN = [(1 + n / 64, 10) for n in range(1, 65)]


@pytest.mark.parametrize(
    ("bounds", "tokens"), [((0, 9), 640), ((1, 1.5), 320), ((1.25, 1.75), 320), ((2, 9), 0), ((0, 1), 0)]
)
def test_an_even_answer_counts_by_time(bounds: tuple[float, float], tokens: float) -> None:
    assert tokens_inside(answered((1, 0), *EVEN), window(*bounds)) == pytest.approx(tokens, rel=0.01)


def test_an_answer_that_had_to_wait_counts_where_its_bytes_came() -> None:
    # Half of it within the first second, then seven seconds of another's prompt, then the rest.
    early = [(1 + n / 32, 10) for n in range(1, 33)]
    late = [(9 + n / 32, 10) for n in range(1, 33)]
    uneven = answered((1, 0), *early, *late)

    assert tokens_inside(uneven, window(0, 2)) == pytest.approx(320, rel=0.01)
    assert tokens_inside(uneven, window(2, 9)) == pytest.approx(0, abs=12)
    assert tokens_inside(uneven, window(9, 11)) == pytest.approx(320, rel=0.04)


def test_windows_side_by_side_share_all_tokens_between_them() -> None:
    uneven = answered((1, 3), (1.2, 500), (1.3, 7), (4, 90), (4.1, 1))

    parts = [tokens_inside(uneven, window(at, at + 0.5)) for at in (0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4)]

    assert sum(parts) == pytest.approx(640)


def test_an_answer_in_one_piece_counts_where_it_came() -> None:
    assert tokens_inside(answered((1, 100)), window(0, 2)) == 640
    assert tokens_inside(answered((1, 100)), window(2, 3)) == 0


def test_unknown_tokens_count_nothing() -> None:
    assert tokens_inside(answered(*EVEN, tokens=None), window(0, 9)) == 0


def test_an_answer_without_chunks_is_spread_evenly() -> None:
    bare = answered((1, 0), last_s=3)

    assert tokens_inside(bare, window(1, 2)) == pytest.approx(320)


@pytest.mark.parametrize(
    ("bounds", "share"), [((0, 9), 1.0), ((0, 1), 0.5), ((1.5, 9), 0.25), ((2, 9), 0.0), ((0.5, 1.5), 0.5)]
)
def test_the_share_of_an_answers_time_in_the_window(bounds: tuple[float, float], share: float) -> None:
    assert time_inside(answered(*EVEN), window(*bounds)) == share


def test_without_a_token_there_is_no_share() -> None:
    failed = Judged(0, 0, replace(answered(*EVEN).result, last_token_ms=None))

    assert time_inside(failed, window(0, 9)) is None
