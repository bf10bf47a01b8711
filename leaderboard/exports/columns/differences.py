"""What changed between two snapshots: the leaderboard's own columns, each as it was and as it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from .column import OFFERING_REFERENCE, SIMULATED, Column, Table, Value
from .leaderboard import LEADERBOARD

KINDS = ("added", "removed", "changed")
COMPARED = (
    "freshness", "standing", "success_rate", "output_speed_tps_p50", "ttft_ms_p50", "blended_usd_per_mtok",
    "rank_speed", "rank_ttft", "rank_price", "frontier_speed_ttft",
)  # fmt: skip
WITH_CHANGE = frozenset({"output_speed_tps_p50", "ttft_ms_p50", "blended_usd_per_mtok"})
BY_NAME = {column.name: column for column in LEADERBOARD.columns}


@dataclass(frozen=True, slots=True)
class Difference:
    """One row of the leaderboard at two instants; None where it was not there."""

    before: Any
    after: Any

    @property
    def kind(self) -> str:
        if self.before is None:
            return "added"
        return "removed" if self.after is None else "changed"

    @property
    def either(self) -> Any:
        return self.before if self.after is None else self.after


def of_either(name: str, meaning: str) -> Column:
    column = BY_NAME[name]
    return Column(name, column.type, meaning, required=True, get=lambda d: column.value(d.either))


def at(column: Column, which: str) -> Callable[[Difference], Value]:
    def read(difference: Difference) -> Value:
        row = difference.before if which == "before" else difference.after
        return None if row is None else column.value(row)

    return read


def share_changed(column: Column) -> Callable[[Difference], Value]:
    def read(difference: Difference) -> Value:
        old, new = (at(column, which)(difference) for which in ("before", "after"))
        return (
            None
            if old is None or new is None or not float(str(old))
            else float(str(new)) / float(str(old)) - 1
        )

    return read


def pair(name: str) -> list[Column]:
    """The column before and after, neither of which must be filled, and its relative change where that means much."""
    column = BY_NAME[name]
    ends = [
        replace(
            column, name=f"{name}_{word}", meaning=f"{name} {when}", required=False, get=at(column, which)
        )
        for word, which, when in (
            ("from", "before", "at the first instant"),
            ("to", "after", "at the second"),
        )
    ]
    if name not in WITH_CHANGE:
        return ends
    meaning = f"relative change of {name}: -0.38 is 38 % less"
    return [*ends, Column(f"{name}_change", "number", meaning, unit="share", get=share_changed(column))]


# Not one of the dataset's tables: an answer to a question about two of its snapshots.
DIFFERENCES = Table(
    name="leaderboard-diff",
    title="What changed between two snapshots",
    row_is="every row of the leaderboard that differs between two instants; equal ones are left out",
    key=("offering_id", "probe_location", "workload"),
    references=(OFFERING_REFERENCE,),
    columns=(
        Column("kind", "string", "whether the row came, went or changed", required=True, one_of=KINDS),
        of_either("offering_id", "what was measured"),
        of_either("provider_id", "who serves it"),
        of_either("model_id", "what is served"),
        of_either("probe_location", "where it was measured"),
        of_either("workload", "with which workload"),
        Column("as_of_from", "datetime", "the first instant", unit="UTC", get=at(BY_NAME["as_of"], "before")),
        Column("as_of_to", "datetime", "the second instant", unit="UTC", get=at(BY_NAME["as_of"], "after")),
        *(column for name in COMPARED for column in pair(name)),
        replace(of_either("simulated", SIMULATED)),
    ),
)
