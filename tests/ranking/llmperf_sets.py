"""The 19 published sets of llmperf, under the publisher's definition and under ours."""

from __future__ import annotations

import csv
import gzip
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from leaderboard.ranking.percentiles import median, usable
from probes.intervals import median_interval

FOLDER = Path(__file__).parent / "llmperf"
NULL_WINDOW_MS, NULL_TOKENS = 5.0, 10
SHORTEST_WINDOW_MS, FEWEST_TOKENS = 100.0, 32


@dataclass(frozen=True, slots=True)
class Request:
    error_code: str
    ttft_ms: float
    end_to_end_ms: float
    output_tokens: int
    own_throughput_tps: float
    """The publisher's own column, which for most sets is off by a factor."""

    @property
    def whole_request_tps(self) -> float:
        """The publisher's: the wait for the first token is part of it."""
        return self.output_tokens / (self.end_to_end_ms / 1000)

    @property
    def output_speed_tps(self) -> float | None:
        """Ours, the end of the request standing for the last token: tokens after the first over the time after it."""
        window_ms, tokens = self.end_to_end_ms - self.ttft_ms, self.output_tokens - 1
        if window_ms <= NULL_WINDOW_MS and self.output_tokens > NULL_TOKENS:
            return None
        return tokens / (window_ms / 1000) if tokens > 0 and window_ms > 0 else None

    @property
    def is_speed_excluded(self) -> bool:
        return (
            self.output_tokens - 1 < FEWEST_TOKENS or self.end_to_end_ms - self.ttft_ms < SHORTEST_WINDOW_MS
        )


@dataclass(frozen=True, slots=True)
class Comparison:
    """One set; speeds in tokens/s, None where our rules leave nothing to publish."""

    provider: str
    size: str
    requests: int
    ok: int
    ttft_ms: float | None
    whole_request_tps: float | None
    output_speed_tps: float | None
    low_tps: float | None
    high_tps: float | None
    without_speed: int

    @property
    def success_rate(self) -> float:
        return self.ok / self.requests


def read_sets() -> dict[tuple[str, str], list[Request]]:
    sets: defaultdict[tuple[str, str], list[Request]] = defaultdict(list)
    with gzip.open(FOLDER / "samples.csv.gz", "rt", newline="") as file:
        for row in csv.DictReader(file):
            sets[row["provider"], row["size"]].append(
                Request(
                    row["error_code"],
                    float(row["ttft_s"] or 0) * 1000,
                    float(row["end_to_end_latency_s"] or 0) * 1000,
                    int(float(row["number_output_tokens"] or 0)),
                    float(row["request_output_throughput_token_per_s"] or 0),
                )
            )
    return dict(sets)


def compare(provider: str, size: str, requests: list[Request]) -> Comparison:
    ok = [r for r in requests if not r.error_code]
    speeds = usable(r.output_speed_tps for r in ok if not r.is_speed_excluded)
    low, high = median_interval(speeds)
    return Comparison(
        provider=provider,
        size=size,
        requests=len(requests),
        ok=len(ok),
        ttft_ms=median(usable(r.ttft_ms for r in ok)),
        whole_request_tps=median(usable(r.whole_request_tps for r in ok)),
        output_speed_tps=median(speeds),
        low_tps=low,
        high_tps=high,
        without_speed=len(ok) - len(speeds),
    )


def table() -> list[Comparison]:
    return [compare(provider, size, requests) for (provider, size), requests in sorted(read_sets().items())]


def markdown() -> str:
    header = (
        "| provider | size | requests | ok | first token, ms | whole request, tokens/s | output speed, tokens/s | "
        "95 % interval | ok without a speed |"
    )
    lines = [header, "|-|-|-|-|-|-|-|-|-|"]
    for c in table():
        interval = "" if c.low_tps is None else f"{c.low_tps:.0f} to {c.high_tps:.0f}"
        ours = "" if c.output_speed_tps is None else f"{c.output_speed_tps:.0f}"
        lines.append(
            f"| {c.provider} | {c.size} | {c.requests} | {c.success_rate:.0%} | {c.ttft_ms:.0f} | "
            f"{c.whole_request_tps:.0f} | {ours} | {interval} | {c.without_speed} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    print(markdown())  # noqa: T201 made to be pasted into the document
