"""What "fast" may mean: three definitions over the same samples, and how a place moves between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from leaderboard.ranking.frontiers import comparable_groups
from leaderboard.ranking.groups import ModelRow
from leaderboard.ranking.ranks import competition_ranks
from leaderboard.ranking.rows import LeaderboardRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """`column` is a field of rows by offering and by model; `name` is the value of `display`."""

    name: str
    label: str
    column: str
    unit: str
    words: str

    @property
    def is_default(self) -> bool:
        return self.name == AFTER_FIRST_TOKEN.name

    @property
    def higher_is_better(self) -> bool:
        return self.unit == "tokens/s"

    @property
    def sort(self) -> str:
        """Best first."""
        return f"-{self.column}" if self.higher_is_better else self.column


AFTER_FIRST_TOKEN = Definition(
    name="after_first_token",
    label="After first token",
    column="output_speed_tps_p50",
    unit="tokens/s",
    words="Median tokens per second from the first output token to the last: the wait before it does not count.",
)
END_TO_END = Definition(
    name="end_to_end",
    label="End to end",
    column="end_to_end_ms_p50",
    unit="ms",
    words="Median milliseconds from sending the request to its end, for the answer as long as it came: waiting, "
    "thinking and writing together. A longer answer takes longer, so it also shows who writes more.",
)
RESPONSE_TIME_500 = Definition(
    name="response_time_500",
    label="500-token answer",
    column="response_time_500_ms_p50",
    unit="ms",
    words="Milliseconds to the 500th answer token: the wait for the first answer token, then 500 tokens at the "
    "answer’s own speed. Modelled from the same samples, so that answers of any length compare.",
)
DEFINITIONS = {d.name: d for d in (AFTER_FIRST_TOKEN, END_TO_END, RESPONSE_TIME_500)}
Key = tuple[str, str, str, bool]
Compared = TypeVar("Compared", LeaderboardRow, ModelRow)


def definition_of(display: str) -> Definition:
    """The definition a view asks for; any other display leaves the default."""
    return DEFINITIONS.get(display, AFTER_FIRST_TOKEN)


@dataclass(frozen=True, slots=True)
class Move:
    """The place by a definition beside the place after the first token; None has no value there."""

    rank: int | None
    usual: int | None

    @property
    def places(self) -> int | None:
        """How many places it rises, negative where it falls."""
        return None if self.rank is None or self.usual is None else self.usual - self.rank


def moves(rows: Sequence[Compared], definition: Definition) -> dict[Key, Move]:
    """Competition ranks on unrounded medians among the ranked rows of each place and workload."""
    found: dict[Key, Move] = {}
    for group in comparable_groups(rows).values():
        ranked = [row for row in group if counts(row)]
        now, usual = places(ranked, definition), places(ranked, AFTER_FIRST_TOKEN)
        found |= {key(row): Move(*ranks) for row, *ranks in zip(ranked, now, usual, strict=True)}
    return found


def places(rows: Sequence[Compared], definition: Definition) -> list[int | None]:
    values = [getattr(row, definition.column) for row in rows]
    return competition_ranks(values, higher_is_better=definition.higher_is_better)


def counts(row: LeaderboardRow | ModelRow) -> bool:
    return row.is_ranked if isinstance(row, LeaderboardRow) else not row.is_provisional


def key(row: LeaderboardRow | ModelRow) -> Key:
    subject = row.offering_id if isinstance(row, LeaderboardRow) else row.model_id
    return subject, row.probe_location, row.workload, row.simulated
