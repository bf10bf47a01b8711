"""`python -m probes compare FILE BOARD`: a saved run beside a board's public record. Is it me or them?"""

from __future__ import annotations

import argparse
import csv
import io
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from urllib.parse import quote, urlencode

import httpx

from probes.cli.json_lines import to_line
from probes.comparing import Compared, Row, compare, overall

TIMEOUT_S = 30.0
SENTENCES = {
    "usual": "Neither: your figures are as the board has them.",
    "you": "You: the board's own probes were as usual around your run, so look at your side "
    "(network, region, key, load).",
    "them": "Them: the board's own probes saw it too.",
    "cannot say": "Cannot say: too few figures of yours, or of the board's within three hours of your run.",
}


class CompareProblem(Exception):
    """What keeps the two from being compared, as a sentence."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="what `probes run --save FILE` wrote")
    parser.add_argument("board", metavar="DIR-or-URL", help="an exported dataset, or a board's address")
    parser.add_argument("--offering", metavar="ID", required=True, help="the offering_id that was measured")
    parser.add_argument(
        "--probe-location", metavar="NAME", help="of the board; else the one with most samples"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")


def execute(options: argparse.Namespace) -> int:
    """0 if something could be compared, 1 if nothing could, 2 for a file or a board that cannot be read."""
    try:
        run = read_run(options.file)
        published, samples = read_board(options.board, options.offering, run, options.probe_location)
    except CompareProblem as problem:
        sys.stderr.write(f"{problem}\n")
        return 2
    compared = compare(run, published, samples)
    verdict = overall(compared)
    if options.json:
        figures = [asdict(one) for one in compared]
        answer = {"verdict": verdict, "probe_location": published["probe_location"], "figures": figures}
        sys.stdout.write(to_line(answer))
    else:
        sys.stdout.write(report(compared, published) + SENTENCES[verdict] + "\n")
    return 1 if verdict == "cannot say" else 0


def read_run(path: Path) -> list[Row]:
    """The results of a saved run, all of one workload; raises CompareProblem."""
    try:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError):
        raise CompareProblem(f"{path} is no saved run: it cannot be read as JSON lines.") from None
    run: list[Row] = [line for line in lines if isinstance(line, dict) and line.get("started_at")]
    if not run:
        raise CompareProblem(f"{path} holds no result of a run.")
    return run


def read_board(board: str, offering: str, run: Sequence[Row], location: str | None) -> tuple[Row, list[Row]]:
    workload = str(run[0]["workload"])
    rows = read_table(board, "leaderboard.csv", "data/v1/leaderboard.csv")
    mine = [r for r in rows if r["offering_id"] == offering and r["workload"] == workload]
    fitting = [r for r in mine if location in (None, r["probe_location"])]
    if not fitting:
        raise CompareProblem(f"The board has no row of {offering} with {workload} prompts"
                             + (f" from {location}." if location else "."))  # fmt: skip
    published = max(fitting, key=lambda r: int(str(r["samples_ok"])))
    place = str(published["probe_location"])
    query = urlencode({"workload": workload, "probe_location": place, "window": published_window(published)})
    samples = read_table(board, "samples.csv", f"offerings/{quote(offering, safe='~')}.csv?{query}")
    return published, [
        s
        for s in samples
        if (s["offering_id"], s["workload"], s["probe_location"]) == (offering, workload, place)
    ]


def published_window(row: Row) -> str:
    hours = int(str(row["window_hours"]))
    return f"{hours}h" if hours < 168 else f"{hours // 24}d"


def read_table(board: str, file: str, address: str) -> list[Row]:
    if not board.startswith(("http://", "https://")):
        try:
            text = (Path(board) / file).read_text(encoding="utf-8")
        except OSError as error:
            raise CompareProblem(f"{Path(board) / file} cannot be read: {error.strerror}.") from None
        return list(csv.DictReader(io.StringIO(text)))
    root = board.removesuffix("/").removesuffix("/data/v1")
    try:
        answer = httpx.get(f"{root}/{address}", timeout=TIMEOUT_S, follow_redirects=True).raise_for_status()
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise CompareProblem(f"{root} does not answer as a board: {error}.") from None
    return list(csv.DictReader(io.StringIO(answer.text)))


def report(compared: Sequence[Compared], published: Row) -> str:
    head = f"{published['offering_id']}, {published['workload']} prompts; the board from {published['probe_location']}"
    lines = [head, f"{'':20}{'yours':>14}{'usual':>14}{'slow tail':>14}{'board then':>14}  verdict"]
    for one in compared:
        cells = "".join(f"{shown(value):>14}" for value in (one.yours, one.usual, one.tail, one.near))
        name = f"{one.column} {one.unit}".strip()
        lines.append(f"{name:20}{cells}  {one.verdict} (n {one.yours_n}, {one.near_n})")
    return "\n".join(lines) + "\n"


def shown(value: float | None) -> str:
    return "unknown" if value is None else f"{value:,.3g}" if value < 10 else f"{value:,.0f}"
