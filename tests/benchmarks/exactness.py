"""How exact the meter is: its figures against the lab's own log of when it sent what, beside two plain clients.

    python tests/benchmarks/exactness.py            a small run, under ten seconds
    python tests/benchmarks/exactness.py --whole    all rows, three rounds each: some minutes
    python tests/benchmarks/exactness.py --peers    packaged load generators too, where they are (see peers.py)
    python tests/benchmarks/exactness.py --json     one JSON object a row; --rows 0,3 only those rows

Each row and client has a process of its own, so that memory and CPU are its alone; all streams of a row start at
once. Requests in which the lab was held up for more than 5 ms between a stamp and its packet are dropped and counted.
"""

from __future__ import annotations

import argparse
import asyncio
import functools
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import h11  # noqa: E402 - the checkout comes first on the path
import httpx  # noqa: E402

from probes.attempt import attempt_probe, warm_up  # noqa: E402
from probes.endpoint import Endpoint, Limits  # noqa: E402
from probes.percentiles import percentile  # noqa: E402
from probes.protocols import Ask, prepare  # noqa: E402
from probes.reader import StreamReader  # noqa: E402
from probes.transport.answer import Answer  # noqa: E402
from probes.workloads import get_workload  # noqa: E402
from tests.benchmarks.peers import PeerFailed, ask_with_peer, find_peers  # noqa: E402

MAX_WRITE_MS = 5.0
CLIENTS = ("probe", "socket", "httpx")


@dataclass(frozen=True, slots=True)
class Row:
    """`streams` at once, each `tokens` at `tokens_per_s` after `ttft_ms`, `repeats` times one after another."""

    streams: int
    tokens_per_s: int
    tokens: int
    repeats: int
    ttft_ms: int = 200

    @property
    def model(self) -> str:
        return f"steady-ttft{self.ttft_ms}-tps{self.tokens_per_s}-n{self.tokens}"

    @property
    def label(self) -> str:
        late = f", TTFT {self.ttft_ms / 1000:g} s" if self.ttft_ms != 200 else ""
        return f"{self.streams} × {self.tokens_per_s:,}{late}"


SMOKE_ROWS = (Row(1, 200, 60, 2), Row(50, 200, 50, 1))
WHOLE_ROWS = (
    Row(1, 200, 200, 10),
    Row(1, 3500, 3500, 10),
    Row(1, 200, 200, 5, ttft_ms=2000),
    Row(10, 200, 400, 3),
    Row(10, 1000, 1500, 3),
    Row(50, 200, 400, 1),
    Row(200, 50, 150, 1),
    Row(1000, 5, 40, 1),
)


@dataclass(frozen=True, slots=True)
class Seen:
    """What a client says about one request, ms and tokens/s."""

    request_id: str
    ttft_ms: float
    speed_tps: float
    gap_p50_ms: float
    gap_p95_ms: float
    chunks: int


def main() -> int:
    parser = argparse.ArgumentParser(description="Hold the meter against the lab's own log.")
    parser.add_argument("--whole", action="store_true", help="all rows, three rounds")
    parser.add_argument("--rounds", type=int, help="rounds of each row; the median round is shown")
    parser.add_argument("--only", help="one client: probe, socket or httpx")
    parser.add_argument("--peers", action="store_true", help="packaged load generators too, one round each")
    parser.add_argument("--rows", help="numbers of the rows, from 0, with commas between")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        client, url, row = options.one
        sys.stdout.write(json.dumps(measure(client, url, Row(**json.loads(row)))) + "\n")
        return 0
    rounds = options.rounds or (3 if options.whole else 1)
    clients = (options.only,) if options.only else CLIENTS
    rows = WHOLE_ROWS if options.whole else SMOKE_ROWS
    if options.rows:
        rows = tuple(rows[int(number)] for number in options.rows.split(","))
    lines = compare(rows, clients, rounds, peers=find_peers() if options.peers else {})
    show(lines, as_json=options.json)
    return 0


def compare(
    rows: Sequence[Row], clients: Sequence[str], rounds: int, *, peers: Mapping[str, str] | None = None
) -> list[dict[str, object]]:
    """One line a row and client, peers last; `peers` maps their names to executables."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "served.jsonl"
        with start_lab(log) as process:
            try:
                return [
                    line
                    for row in rows
                    for line in (
                        *(measure_row(row, client, rounds, process, log) for client in clients),
                        *(measure_peer(row, peer, lab_url(process), log) for peer in (peers or {}).items()),
                    )
                ]
            finally:
                process.terminate()


def measure_row(
    row: Row, client: str, rounds: int, lab: subprocess.Popen[str], log: Path
) -> dict[str, object]:
    """The round with the median TTFT P95."""
    found = [run_round(client, lab_url(lab), row, log) for _ in range(rounds)]
    return sorted(found, key=lambda line: float(str(line["ttft_error_p95_ms"])))[rounds // 2]


def measure_peer(row: Row, peer: tuple[str, str], url: str, log: Path) -> dict[str, object]:
    """One round. CPU and memory are left out: most of a peer's are its start, which says nothing of its streams."""
    name, executable = peer
    with tempfile.TemporaryDirectory() as folder:
        try:
            said = ask_with_peer(
                name,
                executable,
                url,
                model=row.model,
                streams=row.streams,
                requests=row.streams * row.repeats,
                tokens=row.tokens,
                folder=Path(folder),
            )
        except PeerFailed as failure:
            sys.stderr.write(f"{name} failed at {row.label}: {failure}\n")
            said = []
    report: dict[str, object] = {"seen": said, "cpu_s_per_1000_chunks": None, "memory_mb": None}
    truth = read_truth(log, {str(one["request_id"]) for one in said})
    return {"streams": row.label, "client": name} | judge_round(report, truth)


@functools.cache
def lab_url(lab: subprocess.Popen[str]) -> str:
    """Told once, in the lab's first line."""
    assert lab.stdout is not None
    return lab.stdout.readline().split()[-1]


def start_lab(log: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "probes", "lab", "--port", "0", "--log", str(log)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)


def run_round(client: str, url: str, row: Row, log: Path) -> dict[str, object]:
    command = [sys.executable, __file__, "--one", client, url, json.dumps(asdict(row))]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    report = json.loads(done.stdout)
    truth = read_truth(log, {seen["request_id"] for seen in report["seen"]})
    return {"streams": row.label, "client": client} | judge_round(report, truth)


def read_truth(log: Path, wanted: set[str]) -> dict[str, dict[str, object]]:
    """The lab's lines of these requests, whose ids may be cut; a line is written when the lab sees the end."""
    lengths = {len(request_id) for request_id in wanted}
    deadline = time.monotonic() + 3
    while True:
        lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines() if line]
        cut = ((line["request_id"][:length], line) for line in lines for length in lengths)
        truth = {request_id: line for request_id, line in cut if request_id in wanted}
        if len(truth) == len(wanted) or time.monotonic() > deadline:
            return truth
        time.sleep(0.05)


def judge_round(report: dict[str, object], truth: dict[str, dict[str, object]]) -> dict[str, object]:
    ttft, speed, gap50, gap95 = [], [], [], []
    dropped = 0
    seen_requests = report["seen"]
    assert isinstance(seen_requests, list)
    for seen in seen_requests:
        line = truth.get(seen["request_id"])
        if line is None or float(str(line["max_write_ms"])) > MAX_WRITE_MS:
            dropped += 1
            continue
        true = true_figures(line)
        ttft.append(seen["ttft_ms"] - true.ttft_ms)
        speed.append((seen["speed_tps"] / true.speed_tps - 1) * 100)
        if "gap_p50_ms" in seen:
            gap50.append(abs(seen["gap_p50_ms"] - true.gap_p50_ms))
            gap95.append(abs(seen["gap_p95_ms"] - true.gap_p95_ms))
    return {
        "requests": len(seen_requests),
        "dropped": dropped,
        "ttft_error_median_ms": statistics.median(ttft) if ttft else None,
        "ttft_error_p95_ms": percentile([abs(error) for error in ttft], 0.95) if ttft else float("inf"),
        "speed_error_median_percent": statistics.median(speed) if speed else None,
        "speed_error_p95_percent": percentile([abs(error) for error in speed], 0.95),
        "gap_p50_error_ms": percentile(gap50, 0.5),
        "gap_p95_error_ms": percentile(gap95, 0.5),
        "cpu_s_per_1000_chunks": report["cpu_s_per_1000_chunks"],
        "memory_mb": report["memory_mb"],
    }


def true_figures(line: dict[str, object]) -> Seen:
    sent_ns, tokens = line["sent_ns"], line["tokens"]
    assert isinstance(sent_ns, list)
    assert isinstance(tokens, list)
    content = [at_ns for at_ns, count in zip(sent_ns, tokens, strict=True) if count]
    return figures(str(line["request_id"]), int(str(line["received_ns"])), content)


def figures(request_id: str, start_ns: int, content_ns: Sequence[int]) -> Seen:
    gaps = [(late - early) / 1e6 for early, late in pairwise(content_ns)]
    window_ns = content_ns[-1] - content_ns[0]
    return Seen(
        request_id=request_id,
        ttft_ms=(content_ns[0] - start_ns) / 1e6,
        speed_tps=(len(content_ns) - 1) / window_ns * 1e9,
        gap_p50_ms=percentile(gaps, 0.5) or 0.0,
        gap_p95_ms=percentile(gaps, 0.95) or 0.0,
        chunks=len(content_ns),
    )


def measure(client: str, url: str, row: Row) -> dict[str, object]:
    warm_up(counts_elsewhere=True)
    started = time.process_time()
    seen = asyncio.run(run_row(client, url, row))
    cpu_s = time.process_time() - started
    chunks = sum(one.chunks for one in seen)
    return {
        "seen": [asdict(one) for one in seen],
        "cpu_s_per_1000_chunks": cpu_s / chunks * 1000,
        "memory_mb": peak_memory_mb(),
    }


def peak_memory_mb() -> float:
    """From /proc where there is one: getrusage counts the parent's memory at the fork too."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().partition("VmHWM:")[2].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


async def run_row(client: str, url: str, row: Row) -> list[Seen]:
    endpoint = Endpoint("openai-chat", url, row.model)
    ask_many: dict[str, Callable[[Endpoint, Row], Awaitable[list[Seen]]]] = {
        "probe": ask_with_probe,
        "socket": ask_with_socket,
        "httpx": ask_with_httpx,
    }
    seen: list[Seen] = []
    for _ in range(row.repeats):
        seen += await ask_many[client](endpoint, row)
    return seen


async def ask_with_probe(endpoint: Endpoint, row: Row) -> list[Seen]:
    workload = replace(get_workload("short"), max_output_tokens=row.tokens)
    attempts = await asyncio.gather(*(attempt_probe(endpoint, workload) for _ in range(row.streams)))
    seen = []
    while attempts:
        attempt = attempts.pop()
        result = attempt.judge()
        if result.outcome != "ok" or result.ttft_ms is None or result.output_speed_tps is None:
            sys.stderr.write(f"not ok: {result.outcome} {result.detail} {result.message}\n")
            continue
        gap50, gap95 = result.event_gap_p50_ms or 0.0, result.event_gap_p95_ms or 0.0
        seen.append(
            Seen(result.request_id, result.ttft_ms, result.output_speed_tps, gap50, gap95, result.chunks or 0)
        )
    return seen


Reads = list[tuple[int, bytes]]


async def ask_with_socket(endpoint: Endpoint, row: Row) -> list[Seen]:
    """Nothing but asyncio's own stream: the limit of what user space reaches."""

    async def ask() -> tuple[str, int, Reads]:
        request_id, head = uuid.uuid4().hex, make_request(endpoint, row)
        reader, writer = await asyncio.open_connection(head.url.host, head.url.port)
        lines = [f"POST {head.url.path} HTTP/1.1", f"x-request-id: {request_id}", "connection: close"]
        lines += [f"{name}: {value}" for name, value in head.headers.items()]
        sent_ns = time.perf_counter_ns()
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + head.content)
        reads: Reads = []
        while data := await reader.read(65_536):
            reads.append((time.perf_counter_ns(), data))
        writer.close()
        return request_id, sent_ns, reads

    return [decode_http(*answer) for answer in await asyncio.gather(*(ask() for _ in range(row.streams)))]


async def ask_with_httpx(endpoint: Endpoint, row: Row) -> list[Seen]:
    """The loop that everybody writes first: one shared client."""
    timeout = httpx.Timeout(60)
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(timeout=timeout, limits=limits, trust_env=False) as client:

        async def ask() -> tuple[str, int, Reads]:
            request_id, request = uuid.uuid4().hex, make_request(endpoint, row)
            request.headers["x-request-id"] = request_id
            sent_ns = time.perf_counter_ns()
            response = await client.send(request, stream=True)
            reads: Reads = [(time.perf_counter_ns(), data) async for data in response.aiter_bytes()]
            await response.aclose()
            return request_id, sent_ns, reads

        answers = await asyncio.gather(*(ask() for _ in range(row.streams)))
    return [decode_body(*answer) for answer in answers]


def make_request(endpoint: Endpoint, row: Row) -> httpx.Request:
    ask = Ask(get_workload("short").write_prompt("0" * 18), row.tokens)
    prepared = prepare(endpoint, ask)
    return httpx.Request(prepared.method, prepared.url, headers=dict(prepared.headers), content=prepared.body)


def decode_http(request_id: str, sent_ns: int, reads: Reads) -> Seen:
    connection = h11.Connection(h11.CLIENT)
    connection.send(h11.Request(method="POST", target="/", headers=[("host", "x"), ("content-length", "0")]))
    connection.send(h11.EndOfMessage())
    answer = Answer(connection, 1_000_000_000)
    for at_ns, data in reads:
        answer.feed(at_ns, data)
    return decode_body(request_id, sent_ns, [(chunk.at_ns, chunk.body) for chunk in answer.chunks])


def decode_body(request_id: str, sent_ns: int, reads: Reads) -> Seen:
    reader = StreamReader("openai-chat", {}, Limits(max_bytes=1_000_000_000))
    for at_ns, data in reads:
        reader.feed(data, at_ns)
    arrivals = reader.transcript.arrivals
    return figures(request_id, sent_ns, [arrival.at_ns for arrival in arrivals])


def show(rows: Sequence[dict[str, object]], *, as_json: bool) -> None:
    if as_json:
        sys.stdout.write("".join(json.dumps(row) + "\n" for row in rows))
        return
    heads = ("streams × tokens/s", "client", "requests", "dropped", "TTFT median ms", "TTFT P95 ms",
             "speed median %", "speed P95 %", "gap P50 ms", "gap P95 ms", "CPU s/1k", "MB")  # fmt: skip
    sys.stdout.write("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads) + "\n")
    for row in rows:
        sys.stdout.write("| " + " | ".join(format_cell(value) for value in row.values()) + " |\n")
    sys.stdout.write(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")


def format_cell(value: object) -> str:
    return "–" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    sys.exit(main())
