from __future__ import annotations

import datetime as dt
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from leaderboard.measurements.sweep_rules import SweepPlan, SweepRefused, allowed_plan
from leaderboard.measurements.sweep_tasks import DEPLOYMENTS
from leaderboard.measurements.sweeping import sweep_deployment
from probes.level import Level
from probes.sweep import DEFAULT_LEVELS, DEFAULT_PHASE_S

HEAD = f"{'at once':>8} {'ok':>5} {'tokens/s':>10} {'each user':>10} {'TTFT P50':>10} {'P95 ms':>10} {'lag ms':>8}"


class Command(BaseCommand):
    help = "Sweeps an endpoint of our own through rising concurrency and stores what it found."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--endpoint", required=True, metavar="LABEL", help="the deployment's public label"
        )
        parser.add_argument(
            "--levels",
            metavar="1,2,4,…",
            help="requests at once, rising; without it, up to the first level that adds under 5 %%",
        )
        parser.add_argument("--phase-s", type=float, default=DEFAULT_PHASE_S, metavar="S")
        parser.add_argument(
            "--ttft-max-ms", type=float, metavar="MS", help="stop where the P95 first token is later"
        )
        parser.add_argument(
            "--not-ours", action="store_true", help="its owner agreed; at most 8 requests at once"
        )

    def handle(self, *args: Any, endpoint: str, not_ours: bool, **options: Any) -> None:
        deployment = DEPLOYMENTS.filter(endpoint_id=endpoint).first()
        if deployment is None:
            raise CommandError(f"There is no endpoint {endpoint}. Known: {', '.join(known()) or 'none yet'}.")
        try:
            plan = allowed_plan(deployment, plan_of(options), operator_says_so=not_ours)
        except SweepRefused as refusal:
            raise CommandError(str(refusal)) from None
        self.stdout.write(HEAD)
        done = sweep_deployment(
            deployment, plan, planned_at=dt.datetime.now(dt.UTC), on_level=lambda level: self.tell(level)
        )
        if done is None:
            raise CommandError(f"A sweep of {endpoint} is running already.")
        if not any(level.samples_ok for level in done.levels.all()):
            raise CommandError(f"No request to {endpoint} succeeded; the sweep is kept as it is.")

    def tell(self, level: Level) -> None:
        figures = (
            level.throughput_tps,
            level.output_speed_tps_user_p50,
            level.ttft_ms_p50,
            level.ttft_ms_p95,
        )
        cells = " ".join(f"{'–' if f is None else format(f, ',.1f'):>10}" for f in figures)
        lag = "–" if level.client_lag_ms is None else f"{level.client_lag_ms:.1f}"
        self.stdout.write(f"{level.concurrency:>8} {level.samples_ok:>5} {cells} {lag:>8}")
        self.stdout.flush()


def plan_of(options: dict[str, Any]) -> SweepPlan:
    """Raises SweepRefused where the levels are no numbers."""
    try:
        words = (options["levels"] or "").split(",")
        levels = tuple(int(word) for word in words if word.strip()) or DEFAULT_LEVELS
    except ValueError:
        raise SweepRefused("Levels are whole numbers with commas between, as in 1,2,4,8.") from None
    return SweepPlan(
        levels=levels,
        phase_s=options["phase_s"],
        ttft_max_ms=options["ttft_max_ms"],
        stops_when_flat=not options["levels"],
    )


def known() -> list[str]:
    return list(DEPLOYMENTS.order_by("endpoint_id").values_list("endpoint_id", flat=True))
