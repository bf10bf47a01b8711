"""`python -m probes run`: measure an endpoint from a shell."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from probes.attempt import warm_up
from probes.capability import learn_capabilities
from probes.cli.dot_plot import draw_dots
from probes.cli.json_lines import result_fields, to_line
from probes.cli.options import (
    UsageError,
    add_endpoint_options,
    add_limit_options,
    build_endpoint,
    build_limits,
    positive_int,
)
from probes.cli.progress import Progress
from probes.cli.summary import is_never_sent, spread_of, summarise, values_of
from probes.endpoint import Endpoint
from probes.reference_tokenizer import stop_counting_elsewhere
from probes.result import ProbeResult
from probes.run import run_probes
from probes.workloads import DEFAULT_WORKLOAD, WORKLOADS, UnknownWorkloadError, Workload, get_workload

DEFAULT_REQUESTS = 5
INTERRUPTED = 130
TABLE_ROWS = (
    ("time to first token", "ttft_ms", "ms"),
    ("time to first answer token", "ttfat_ms", "ms"),
    ("output speed", "output_speed_tps", "tokens/s"),
    ("end-to-end latency", "end_to_end_ms", "ms"),
    ("response time, 500 tokens", "response_time_500_ms", "ms"),
    ("gap between events, P95", "event_gap_p95_ms", "ms"),
    ("connection set-up", "connect_ms", "ms"),
    ("output tokens", "output_tokens", "tokens"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_endpoint_options(parser)
    parser.add_argument("--workload", default=DEFAULT_WORKLOAD, metavar="SLUG",
                        help=f"one of {', '.join(WORKLOADS)} (default {DEFAULT_WORKLOAD})")  # fmt: skip
    parser.add_argument(
        "--requests", type=positive_int, metavar="N", help=f"how many (default {DEFAULT_REQUESTS})"
    )
    parser.add_argument(
        "--concurrency", type=positive_int, metavar="C", help="how many at a time (default 1)"
    )
    parser.add_argument("--connection", choices=("warm", "cold"), default="warm",
                        help="cold counts the connection's set-up (default warm)")  # fmt: skip
    parser.add_argument("--learn", action="store_true",
                        help="first find out, by unmeasured requests, which options the endpoint refuses")  # fmt: skip
    add_limit_options(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object a line, a summary last")
    parser.add_argument("--save", type=Path, metavar="FILE", help="also write the JSON lines to FILE")


def execute(options: argparse.Namespace) -> int:
    try:
        measurement = _Measurement(options)
    except (UsageError, UnknownWorkloadError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    try:
        return measurement.measure()
    finally:
        stop_counting_elsewhere()


class _Measurement:
    """One run of the command: what to measure, what came of it so far, and how it is shown."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._endpoint: Endpoint = build_endpoint(options)
        self._workload: Workload = get_workload(options.workload)
        if options.max_output_tokens:
            self._workload = replace(self._workload, max_output_tokens=options.max_output_tokens)
        self._concurrency: int = options.concurrency or self._workload.concurrency
        self._requests: int = options.requests or max(DEFAULT_REQUESTS, self._concurrency)
        self._results: list[ProbeResult] = []
        self._lines: list[str] = []
        self._progress = Progress(self._requests)
        if options.save is not None:
            _check_writable(options.save)

    def measure(self) -> int:
        warm_up(counts_elsewhere=True)
        started = time.perf_counter()
        is_interrupted = False
        try:
            asyncio.run(self._run())
        except KeyboardInterrupt:
            is_interrupted = True
        self._progress.clear()
        self._show(time.perf_counter() - started, is_interrupted=is_interrupted)
        if is_interrupted:
            return INTERRUPTED
        return 1 if all(map(is_never_sent, self._results)) else 0

    async def _run(self) -> None:
        limits = build_limits(self._options)
        if self._options.learn:
            learnt = await learn_capabilities(self._endpoint, limits=limits)
            self._endpoint = replace(self._endpoint, capabilities=learnt.capabilities)
            for sentence in learnt.evidence:
                sys.stderr.write(f"{sentence}\n")
        self._progress.show()
        await run_probes(
            self._endpoint,
            self._workload,
            requests=self._requests,
            concurrency=self._concurrency,
            limits=limits,
            connection_kind=self._options.connection,
            on_end=self._progress.advance,
            on_result=self._take,
        )

    def _take(self, result: ProbeResult) -> None:
        self._results.append(result)
        self._progress.note(result)
        line = to_line(result_fields(result))
        self._lines.append(line)
        if self._options.json:
            sys.stdout.write(line)
            sys.stdout.flush()

    def _show(self, wall_s: float, *, is_interrupted: bool) -> None:
        summary = to_line({"summary": summarise(self._results, wall_s) | {"interrupted": is_interrupted}})
        if self._options.json:
            sys.stdout.write(summary)
        else:
            sys.stdout.write("\n".join(_report(self._results, wall_s, is_interrupted=is_interrupted)) + "\n")
        if self._options.save is not None:
            self._options.save.write_text("".join(self._lines) + summary, encoding="utf-8")


def _check_writable(path: Path) -> None:
    """Better before the requests are paid for than after."""
    try:
        path.touch()
    except OSError as error:
        raise UsageError(f"Cannot write {path}: {error.strerror}.") from None


def _report(results: Sequence[ProbeResult], wall_s: float, *, is_interrupted: bool) -> list[str]:
    ok = sum(1 for result in results if result.outcome == "ok")
    ended = "interrupted, " if is_interrupted else ""
    lines = [f"{ended}{ok} of {len(results)} requests ok in {wall_s:.1f} s", ""]
    if ok:
        lines += [*_table(results), "", *_plot(results)]
    return lines + _failures(results) + _exclusions(results)


def _table(results: Sequence[ProbeResult]) -> list[str]:
    lines = [f"{'':<28}{'n':>4}{'P5':>11}{'median':>11}{'P95':>11}  unit"]
    for label, metric, unit in TABLE_ROWS:
        spread = spread_of(values_of(results, metric))
        cells = "".join(f"{_figure(value):>11}" for value in (spread.p5, spread.p50, spread.p95))
        lines.append(f"{label:<28}{spread.n:>4}{cells}  {unit}")
    return lines


def _figure(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.1f}"


def _plot(results: Sequence[ProbeResult]) -> list[str]:
    """Time to first token of each request in its order."""
    points = [(position, result.ttft_ms) for position, result in enumerate(results) if result.outcome == "ok"]
    shown = [(float(position), ttft_ms) for position, ttft_ms in points if ttft_ms is not None]
    if len(shown) < 3:
        return []
    dots = draw_dots([position for position, _ in shown], [ttft_ms for _, ttft_ms in shown])
    return ["time to first token, ms, request by request", *dots, ""]


def _failures(results: Sequence[ProbeResult]) -> list[str]:
    counts: dict[tuple[str, str], int] = {}
    for result in results:
        if result.outcome != "ok":
            key = (result.outcome if result.detail in {None, result.outcome} else f"{result.outcome}, {result.detail}",
                   result.message or "")  # fmt: skip
            counts[key] = counts.get(key, 0) + 1
    return [f"{count} × {name}: {message}".rstrip(": ") for (name, message), count in counts.items()]


def _exclusions(results: Sequence[ProbeResult]) -> list[str]:
    counts: dict[tuple[str, str], int] = {}
    for result in results:
        if result.excluded:
            key = (result.exclusion_reason or "unnamed", result.excluded_from or "all")
            counts[key] = counts.get(key, 0) + 1
    return [f"{count} left out of {where}: {reason}" for (reason, where), count in counts.items()]
