"""The answer to "which should I take": what it means for one visitor's requests, then the leaderboard's columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from leaderboard.ranking.choosing import Choice

from .column import FROM_ONE, NOT_NEGATIVE, OFFERING_REFERENCE, POSITIVE, Column, Table, Value
from .leaderboard import LEADERBOARD


@dataclass(frozen=True, slots=True)
class Placed:
    """A choice and its place; None where its price, and so its place, is unknown."""

    place: int | None
    choice: Choice


def of_row(column: Column) -> Callable[[Placed], Value]:
    return lambda placed: column.value(placed.choice.row)


# Not one of the dataset's tables: an answer to a question about its newest rows.
CHOICES = Table(
    name="choose",
    title="Which offering to take",
    row_is="every offering that keeps the limit, cheapest first; then those whose price is not known",
    key=("offering_id", "probe_location", "workload"),
    references=(OFFERING_REFERENCE,),
    columns=(
        Column("place", "integer", "by cost; empty where the price is not known", bounds=FROM_ONE),
        Column(
            "usd_per_day",
            "number",
            "list price of the day's requests",
            unit="USD a day",
            bounds=NOT_NEGATIVE,
            get=lambda placed: placed.choice.usd_per_day,
            exact=True,
        ),
        Column(
            "answer_ms",
            "number",
            "median wait for the first answer token and the answer at the median speed",
            unit="ms",
            bounds=POSITIVE,
            get=lambda placed: placed.choice.answer_ms,
        ),
        *(replace(column, get=of_row(column)) for column in LEADERBOARD.columns),
    ),
)
