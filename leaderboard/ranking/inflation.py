"""Token inflation: how many tokens a provider bills for what one reference tokenizer counts as one.

Output: the usage's tokens of the text that was shown ÷ the reference count of that text, per sample. Reasoning that
stayed hidden is on neither side; reasoning that was shown is on both. Input: the usage's input tokens ÷ the reference
count of the workload's prompt. Published is the median over 14 days with its n. Models have tokenizers of their own,
so 1.2 is no fault by itself; the same model at two providers should have the same.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from leaderboard.ranking.counting import IS_OK, KEY
from leaderboard.ranking.percentiles import percentile
from probes.workloads import WORKLOADS

SHOWN_TOKENS = "output_tokens - case when reasoning_chars > 0 then 0 else coalesce(reasoning_tokens, 0) end"
IS_KNOWN = "not ('hidden_reasoning' = any(flags) and reasoning_tokens is null)"
"""Reasoning that was hidden and not counted either: nobody knows how many of the tokens were shown."""


@dataclass(frozen=True, slots=True)
class Inflation:
    """Medians of the ratios, None where nothing can be compared, and how many samples each rests on."""

    output_ratio: float | None = None
    output_samples: int = 0
    input_ratio: float | None = None
    input_samples: int = 0


def read_inflation(*, after: dt.datetime, as_of: dt.datetime) -> dict[tuple[Any, ...], Inflation]:
    """Of every series, by its key; good samples with a provider's own count only. One query."""
    query = f"""
        select {KEY},
            array_agg(({SHOWN_TOKENS})::float / reference_tokens) filter (
                where reference_tokens > 0 and {IS_KNOWN} and {SHOWN_TOKENS} > 0
            ),
            array_agg(input_tokens) filter (where input_tokens > 0)
        from measurements_sample
        where scheduled_at > %s and scheduled_at <= %s and connection_kind = 'warm'
            and {IS_OK} and token_source = 'usage'
        group by {KEY}"""  # noqa: S608 built from the constants above
    with connection.cursor() as cursor:
        cursor.execute(query, [after, as_of])
        return {
            tuple(key): inflation_of(outputs or (), inputs or (), expected=expected_input(key[1], key[3]))
            for *key, outputs, inputs in cursor.fetchall()
        }


def inflation_of(
    output_ratios: Sequence[float], input_tokens: Sequence[int], *, expected: int | None
) -> Inflation:
    """`expected`: the reference count of the prompt; None where that text is no longer known."""
    inputs = sorted(tokens / expected for tokens in input_tokens) if expected else []
    return Inflation(
        percentile(sorted(output_ratios), 0.5), len(output_ratios), percentile(inputs, 0.5), len(inputs)
    )


def expected_input(workload: str, version: int) -> int | None:
    known = WORKLOADS.get(workload)
    return known.input_tokens if known and known.version == version else None
