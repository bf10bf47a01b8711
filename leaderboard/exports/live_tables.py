"""The rows of each live table, as the dataset publishes them: whole, sorted by key, nothing filtered."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable
from typing import Any

from leaderboard.ranking.queries import latest_snapshot, leaderboard_rows

from .catalogue_rows import model_rows, offering_rows, price_rows, provider_rows
from .columns import (
    GPU_ENDPOINTS,
    GPU_LEVELS,
    GPU_SAMPLES,
    LEADERBOARD,
    MODELS,
    OFFERINGS,
    PRICES,
    PROVIDERS,
    TOMBSTONES,
    Table,
)
from .gpu_rows import gpu_endpoint_rows, gpu_level_rows, gpu_sample_rows
from .tombstones import tombstone_rows

REFERENCE_ROWS: dict[str, Callable[[], Iterable[Any]]] = {
    PROVIDERS.name: provider_rows,
    MODELS.name: model_rows,
    OFFERINGS.name: offering_rows,
    PRICES.name: price_rows,
    GPU_ENDPOINTS.name: gpu_endpoint_rows,
    GPU_LEVELS.name: gpu_level_rows,
    GPU_SAMPLES.name: gpu_sample_rows,
    TOMBSTONES.name: tombstone_rows,
}
OF_SWEEPS = (GPU_ENDPOINTS, GPU_LEVELS, GPU_SAMPLES)
REFERENCE_TABLES = (PROVIDERS, MODELS, OFFERINGS, PRICES, *OF_SWEEPS, TOMBSTONES)
LIVE_TABLES: tuple[Table, ...] = (LEADERBOARD, *REFERENCE_TABLES)


def leaderboard_table(as_of: dt.datetime | None = None) -> tuple[dt.datetime | None, list[Any]]:
    """The newest snapshot (or the newest at `as_of`) and its rows; None and no rows on an empty board."""
    snapshot = latest_snapshot(as_of=as_of)
    return (snapshot.as_of, leaderboard_rows(snapshot)) if snapshot else (None, [])
