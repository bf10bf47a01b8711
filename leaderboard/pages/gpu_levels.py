"""Every figure of one level of a sweep, as the page of its endpoint shows it."""

from __future__ import annotations

from dataclasses import dataclass

from leaderboard.ranking.endpoints import GpuEndpointRow
from leaderboard.ranking.percentiles import is_weak_tail

# metric, how people call it, its unit
METRICS = (
    ("ttft_ms", "First token", "ms"),
    ("ttfat_ms", "First answer token", "ms"),
    ("thinking_ms", "Thinking", "ms"),
    ("output_speed_tps", "Output speed of one user", "tokens/s"),
    ("answer_speed_tps", "Answer speed", "tokens/s"),
    ("inter_token_ms", "Between two tokens", "ms"),
    ("event_gap_p50_ms", "Gap between events, median", "ms"),
    ("event_gap_p95_ms", "Gap between events, P95", "ms"),
    ("end_to_end_ms", "End to end", "ms"),
    ("response_time_500_ms", "500-token answer", "ms"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricLine:
    """One metric over the level's requests; None is unknown, or hidden for too few values."""

    name: str
    label: str
    unit: str
    count: int
    p05: float | None
    p25: float | None
    p50: float | None
    low: float | None
    high: float | None
    p75: float | None
    p95: float | None

    @property
    def is_weak(self) -> bool:
        """Whether the P95 has too few values behind it to say what its name says."""
        return self.p95 is not None and is_weak_tail(self.count)


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelFigures:
    row: GpuEndpointRow
    lines: tuple[MetricLine, ...]
    outcomes: str
    exclusions: str
    requests: int
    window_s: float
    success_rate: float | None
    uptime: float | None


def level_figures(row: GpuEndpointRow) -> LevelFigures:
    figures = row.figures
    return LevelFigures(
        row=row,
        lines=tuple(metric_line(row, *metric) for metric in METRICS if f"{metric[0]}_samples" in figures),
        outcomes=counted(figures.get("outcomes")),
        exclusions=counted(figures.get("exclusions")),
        requests=figures.get("requests", row.samples_ok + row.samples_failed),
        window_s=figures.get("window_s", 0.0),
        success_rate=figures.get("success_rate"),
        uptime=figures.get("uptime"),
    )


def metric_line(row: GpuEndpointRow, metric: str, label: str, unit: str) -> MetricLine:
    told = row.figures
    return MetricLine(
        name=metric,
        label=label,
        unit=unit,
        count=told[f"{metric}_samples"],
        low=told.get(f"{metric}_p50_low"),
        high=told.get(f"{metric}_p50_high"),
        **{name: told.get(f"{metric}_{name}") for name in ("p05", "p25", "p50", "p75", "p95")},
    )


def counted(counts: dict[str, int] | None) -> str:
    """`8 ok, 1 timeout`, commonest first; empty where there is none."""
    ordered = sorted((counts or {}).items(), key=lambda one: (-one[1], one[0]))
    return ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in ordered)
