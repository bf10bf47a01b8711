"""`python -m probes sweep`: how an endpoint of one's own bears load."""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import sys
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urlsplit

from probes.attempt import warm_up
from probes.cli.dot_plot import draw_dots
from probes.cli.json_lines import format_time, to_line
from probes.cli.options import (
    UsageError,
    add_endpoint_options,
    add_limit_options,
    build_endpoint,
    build_limits,
    positive_float,
)
from probes.endpoint import Endpoint
from probes.level import Level
from probes.reference_tokenizer import stop_counting_elsewhere
from probes.sweep import (
    DEFAULT_LEVELS,
    DEFAULT_PHASE_S,
    FOREIGN_PHASE_S,
    is_own_network,
    run_sweep,
    within_foreign_cap,
)
from probes.workloads import DEFAULT_WORKLOAD, WORKLOADS, UnknownWorkloadError, get_workload

GPU_COLUMNS = (
    "endpoint_id", "offering_id", "measured_at", "engine", "engine_version", "engine_args", "gpu_model", "gpu_count",
    "gpu_memory_gib", "driver_version", "hardware_source", "quantization", "tensor_parallel", "speculative_decoding",
    "max_model_len", "workload", "concurrency", "samples_ok", "output_speed_tps_user_p50", "throughput_tps",
    "throughput_tps_gpu", "throughput_in_tps", "ttft_ms_p50", "ttft_ms_p95", "hourly_cost_usd", "cost_basis",
    "cost_source_url", "power_w", "power_source", "energy_usd_per_kwh", "pue", "utilisation", "usd_per_mtok_output",
    "joules_per_token",
)  # fmt: skip
"""Those that only the operator knows (engine, GPUs, cost) are null here."""
TOLD = tuple(
    field.name for field in dataclasses.fields(Level) if field.name not in ("figures", "window", "samples")
)
INTERRUPTED = 130
MAX_LEVEL = 4096


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_endpoint_options(parser)
    parser.add_argument("--levels", type=read_levels, metavar="1,2,4,…",
                        help="requests in flight, each level whole (default 1,2,4 … 256, up to the first level "
                             "that adds less than 5 %%)")  # fmt: skip
    parser.add_argument("--phase-s", type=positive_float, default=DEFAULT_PHASE_S, metavar="S",
                        help=f"how long each level lasts (default {DEFAULT_PHASE_S:g})")  # fmt: skip
    parser.add_argument("--workload", default=DEFAULT_WORKLOAD, metavar="SLUG",
                        help=f"one of {', '.join(WORKLOADS)} (default {DEFAULT_WORKLOAD})")  # fmt: skip
    parser.add_argument("--i-may-load-this-host", action="store_true",
                        help="somebody else's host, whose owner allows the load: at most 8 at once")  # fmt: skip
    add_limit_options(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object a level, a summary last")


def read_levels(text: str) -> tuple[int, ...]:
    try:
        levels = tuple(int(word) for word in text.split(",") if word.strip())
    except ValueError:
        raise argparse.ArgumentTypeError("levels are whole numbers with commas between") from None
    if not levels or min(levels) < 1 or max(levels) > MAX_LEVEL:
        raise argparse.ArgumentTypeError(f"levels are between 1 and {MAX_LEVEL}")
    return levels


def execute(options: argparse.Namespace) -> int:
    try:
        return _Sweep(options).run()
    except (UsageError, UnknownWorkloadError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    finally:
        stop_counting_elsewhere()


class _Sweep:
    """One run of the command and the levels it has finished."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._endpoint: Endpoint = build_endpoint(options)
        self._workload = get_workload(options.workload)
        if options.max_output_tokens:
            self._workload = replace(self._workload, max_output_tokens=options.max_output_tokens)
        self._rows: list[Level] = []
        self._is_foreign = self._is_foreign_host()

    def _is_foreign_host(self) -> bool:
        """Raises UsageError for somebody else's host without the operator's word."""
        parts = urlsplit(self._endpoint.base_url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        if asyncio.run(is_own_network(parts.hostname or "", port)):
            return False
        if self._options.i_may_load_this_host:
            return True
        raise UsageError(
            f"{parts.hostname} is not in a network of your own. A sweep is heavy load: add --i-may-load-this-host"
            " if its owner allows it."
        )

    def run(self) -> int:
        warm_up(counts_elsewhere=True)
        is_interrupted = False
        try:
            asyncio.run(self._sweep())
        except KeyboardInterrupt:
            is_interrupted = True
        self._show(is_interrupted=is_interrupted)
        if is_interrupted:
            return INTERRUPTED
        return 0 if any(row.samples_ok for row in self._rows) else 1

    async def _sweep(self) -> None:
        levels, phase_s = self._options.levels or DEFAULT_LEVELS, self._options.phase_s
        if self._is_foreign:
            levels, phase_s = within_foreign_cap(levels), min(phase_s, FOREIGN_PHASE_S)
            sys.stderr.write(
                f"Not a host of your own: at most {levels[-1]} requests at once, {phase_s:g} s each level.\n"
            )
        await run_sweep(
            self._endpoint,
            self._workload,
            levels=levels,
            phase_s=phase_s,
            limits=build_limits(self._options),
            stops_when_flat=self._is_foreign or self._options.levels is None,
            on_level=self._take,
        )

    def _take(self, row: Level) -> None:
        self._rows.append(row)
        if self._options.json:
            sys.stdout.write(to_line(level_fields(row)))
        else:
            if len(self._rows) == 1:
                sys.stdout.write(_head())
            sys.stdout.write(_line(row))
        sys.stdout.flush()

    def _show(self, *, is_interrupted: bool) -> None:
        summary = summarise(self._rows) | {"interrupted": is_interrupted}
        if self._options.json:
            sys.stdout.write(to_line({"summary": summary}))
            return
        sys.stdout.write("\n".join(["", *_plot(self._rows), _sentence(summary)]) + "\n")


def level_fields(row: Level) -> dict[str, object]:
    """The published columns first, then every other figure of the level; its single requests stay out."""
    told = {name: getattr(row, name) for name in TOLD} | {
        "measured_at": format_time(row.measured_at),
        "client_bound": row.is_client_bound,
    }
    fields = row.figures | told
    return {name: fields.get(name) for name in GPU_COLUMNS} | {"client_lag_ms": row.client_lag_ms} | fields


def summarise(rows: Sequence[Level]) -> dict[str, object]:
    """The single stream, which compares with an API, and the saturated endpoint, which a cost uses."""
    of_endpoint = [row for row in rows if not row.is_client_bound]
    best = max(of_endpoint, key=lambda row: row.throughput_tps or 0.0, default=None)
    single = next((row for row in of_endpoint if row.concurrency == 1), None)
    return {
        "levels": len(rows),
        "single_stream_tps": single.output_speed_tps_user_p50 if single else None,
        "saturated_throughput_tps": best.throughput_tps if best else None,
        "saturated_concurrency": best.concurrency if best else None,
        "client_bound_levels": [row.concurrency for row in rows if row.is_client_bound],
        "client_lag_ms": max(
            (row.client_lag_ms for row in rows if row.client_lag_ms is not None), default=None
        ),
    }


def _head() -> str:
    heads = (
        "in flight",
        "ok",
        "tokens/s all",
        "tokens/s each",
        "TTFT P50 ms",
        "TTFT P95 ms",
        "client lag ms",
    )
    return "".join(f"{head:>14}" for head in heads) + "\n"


def _line(row: Level) -> str:
    figures = (
        row.throughput_tps,
        row.output_speed_tps_user_p50,
        row.ttft_ms_p50,
        row.ttft_ms_p95,
        row.client_lag_ms,
    )
    cells = [
        f"{row.concurrency}",
        f"{row.samples_ok}",
        *("–" if value is None else f"{value:,.1f}" for value in figures),
    ]
    note = "  left out: our own client was late" if row.is_client_bound else ""
    return "".join(f"{cell:>14}" for cell in cells) + note + "\n"


def _plot(rows: Sequence[Level]) -> list[str]:
    points = [(float(row.concurrency), row.throughput_tps) for row in rows if row.throughput_tps is not None]
    if len(points) < 2:
        return []
    dots = draw_dots([x for x, _ in points], [y for _, y in points])
    return ["tokens/s of the whole endpoint by requests in flight", *dots, ""]


def _sentence(summary: dict[str, object]) -> str:
    if not summary["saturated_throughput_tps"]:
        is_ours = bool(summary["client_bound_levels"])
        return "Our own client was late at every level." if is_ours else "No request succeeded."
    single = summary["single_stream_tps"]
    alone = "" if single is None else f"one stream alone {single:,.1f} tokens/s, "
    return (
        f"{alone}the whole endpoint at most {summary['saturated_throughput_tps']:,.1f} tokens/s"
        f" with {summary['saturated_concurrency']} in flight"
    )
