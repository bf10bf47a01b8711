"""LeaderboardRow: the one row that page, chart, CSV and JSON share, so that they cannot differ."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from leaderboard.ranking.standing import is_ranked


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderboardRow:
    """One offering at one probe location under one workload; unrounded, None is unknown.

    The fields up to `simulated` are the columns of leaderboard.csv; those after it serve pages only.
    """

    as_of: dt.datetime
    offering_id: str
    provider_id: str
    provider_name: str
    model_id: str
    model_name: str
    creator: str
    weights: str
    hosting: str
    quantization: str
    probe_location: str
    workload: str
    window_hours: int
    methodology_version: str
    samples_ok: int
    success_rate: float | None
    output_speed_tps_p50: float | None
    output_speed_tps_p50_low: float | None
    output_speed_tps_p50_high: float | None
    output_speed_tps_p05: float | None
    ttft_ms_p50: float | None
    ttft_ms_p50_low: float | None
    ttft_ms_p50_high: float | None
    ttft_ms_p95: float | None
    ttfat_ms_p50: float | None
    input_usd_per_mtok: Decimal | None
    output_usd_per_mtok: Decimal | None
    blended_usd_per_mtok: Decimal | None
    blend: str
    price_verified_at: dt.datetime | None
    rank_speed: int | None
    rank_speed_best: int | None
    rank_speed_worst: int | None
    rank_ttft: int | None
    rank_price: int | None
    frontier_speed_ttft: bool
    frontier_speed_price: bool
    dominated_by: str | None
    last_ok_at: dt.datetime | None
    freshness: str
    standing: str
    uptime: float | None
    speed_samples: int
    ttft_samples: int
    output_speed_tps_p25: float | None
    output_speed_tps_p75: float | None
    output_speed_tps_p95: float | None
    ttft_ms_p05: float | None
    ttft_ms_p25: float | None
    ttft_ms_p75: float | None
    frontier_speed_ttft_share: float | None
    workload_version: int
    simulated: bool

    variant: str = ""
    samples_total: int = 0
    samples_excluded: int = 0
    end_to_end_ms_p50: float | None = None
    response_time_500_ms_p50: float | None = None
    cache_read_usd_per_mtok: Decimal | None = None
    blend_fell_back: bool = False
    """The mix has cached input, no rate for it is published, and the input rate stands in."""
    ttfat_ms_p95: float | None = None
    last_sample_at: dt.datetime | None = None
    outcomes: Mapping[str, int] = field(default_factory=dict)
    """Attempts in the window by outcome, those left out of every aggregate not counted."""
    exclusions: Mapping[str, int] = field(default_factory=dict)
    """Excluded samples in the window by reason."""
    provider_kind: str = ""
    probe_state: str = "active"
    serving_region: str = ""

    @property
    def is_active(self) -> bool:
        return self.probe_state == "active"

    @property
    def is_ranked(self) -> bool:
        """Whether it may stand in ranks, tiles and frontiers beside others of its kind."""
        return self.is_active and is_ranked(self.standing, self.freshness)

    @property
    def is_provisional(self) -> bool:
        """Too few samples to be ranked, but alive: shown hollow, and alone where nothing is ranked yet."""
        return self.is_active and self.standing == "provisional" and self.freshness in ("fresh", "late")
