"""The board as a page asks for it: one snapshot, one group of comparable rows, and their models and providers."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from leaderboard.ranking.filters import Filters
from leaderboard.ranking.groups import ModelRow, ProviderRow, model_rows, provider_rows
from leaderboard.ranking.models import Snapshot
from leaderboard.ranking.queries import latest_snapshot, leaderboard_rows
from leaderboard.ranking.rows import LeaderboardRow
from leaderboard.ranking.shown import ShownGroup, shown_group

# A snapshot is made every minute while samples come in; past this the board itself is late.
OURS_LATE_AFTER = dt.timedelta(hours=6)


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """At most two queries, whatever the number of rows."""

    snapshot: Snapshot | None
    filters: Filters
    group: ShownGroup
    all_rows: tuple[LeaderboardRow, ...]

    @property
    def rows(self) -> tuple[LeaderboardRow, ...]:
        return self.group.rows

    @property
    def as_of(self) -> dt.datetime | None:
        return self.snapshot.as_of if self.snapshot else None

    @property
    def models(self) -> list[ModelRow]:
        return model_rows(self.rows)

    @property
    def providers(self) -> list[ProviderRow]:
        return provider_rows(self.rows)

    @property
    def is_empty(self) -> bool:
        return not self.rows

    def is_late(self, now: dt.datetime) -> bool:
        """Our own probes stopped: the page says so and shows ages."""
        newest = max((row.last_sample_at for row in self.rows if row.last_sample_at), default=None)
        return newest is not None and now - newest > OURS_LATE_AFTER


def load_board(filters: Filters) -> Board:
    snapshot = latest_snapshot(window_hours=filters.window_hours, as_of=filters.as_of)
    rows = leaderboard_rows(snapshot, Filters(blend=filters.blend))
    return Board(snapshot=snapshot, filters=filters, group=shown_group(rows, filters), all_rows=tuple(rows))
