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
import contextlib
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from probes.attempt import warm_up  # noqa: E402 - the checkout comes first on the path
from probes.endpoint import Endpoint  # noqa: E402
from probes.percentiles import percentile  # noqa: E402
from tests.benchmarks.clients import (  # noqa: E402
    Row,
    Seen,
    ask_with_httpx,
    ask_with_probe,
    ask_with_socket,
    figures,
)
from tests.benchmarks.peers import PeerFailed, ask_with_peer, find_peers  # noqa: E402

MAX_WRITE_MS = 5.0
CLIENTS = ("probe", "socket", "httpx")


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
    Row(10, 200, 400, 3, tls=True),
    Row(200, 50, 150, 1, tls=True),
)


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
    lines: list[dict[str, object]] = []
    for is_tls in sorted({row.tls for row in rows}):
        with running_lab(is_tls=is_tls) as lab:
            for row in (row for row in rows if row.tls is is_tls):
                lines += [measure_row(row, client, rounds, lab) for client in clients]
                # Peers are not told whom to trust.
                lines += [] if is_tls else [measure_peer(row, peer, lab) for peer in (peers or {}).items()]
    return lines


@dataclass(frozen=True, slots=True)
class RunningLab:
    """A lab in a process of its own; `trust` is the file of its authority where it serves TLS."""

    url: str
    log: Path
    trust: Path | None = None


@contextlib.contextmanager
def running_lab(*, is_tls: bool = False) -> Iterator[RunningLab]:
    with tempfile.TemporaryDirectory() as folder:
        log, trust = Path(folder) / "served.jsonl", Path(folder) / "authority.pem"
        command = [sys.executable, "-m", "probes", "lab", "--port", "0", "--log", str(log)]
        if is_tls:
            command += ["--tls", str(write_certificate(Path(folder), trust))]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        assert process.stdout is not None
        try:
            yield RunningLab(process.stdout.readline().split()[-1], log, trust if is_tls else None)
        finally:
            process.terminate()
            process.wait(10)
            process.stdout.close()


def write_certificate(folder: Path, trust: Path) -> Path:
    """A certificate for 127.0.0.1 and its key; `trust` gets the authority that signed it."""
    import trustme  # here, since the clients' processes, whose memory is measured, have no use for it

    authority, pem = trustme.CA(), folder / "lab.pem"
    authority.cert_pem.write_to_path(str(trust))
    authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(str(pem))
    return pem


def measure_row(row: Row, client: str, rounds: int, lab: RunningLab) -> dict[str, object]:
    """The round with the median TTFT P95."""
    found = [run_round(client, row, lab) for _ in range(rounds)]
    return sorted(found, key=lambda line: float(str(line["ttft_error_p95_ms"])))[rounds // 2]


def measure_peer(row: Row, peer: tuple[str, str], lab: RunningLab) -> dict[str, object]:
    """One round. CPU and memory are left out: most of a peer's are its start, which says nothing of its streams."""
    name, executable = peer
    with tempfile.TemporaryDirectory() as folder:
        try:
            said = ask_with_peer(
                name,
                executable,
                lab.url,
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
    truth = read_truth(lab.log, {str(one["request_id"]) for one in said})
    return {"streams": row.label, "client": name} | judge_round(report, truth)


def run_round(client: str, row: Row, lab: RunningLab) -> dict[str, object]:
    command = [sys.executable, __file__, "--one", client, lab.url, json.dumps(asdict(row))]
    environment = os.environ | ({"SSL_CERT_FILE": str(lab.trust)} if lab.trust else {})
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT, env=environment)
    report = json.loads(done.stdout)
    truth = read_truth(lab.log, {seen["request_id"] for seen in report["seen"]})
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
