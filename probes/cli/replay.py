"""`python -m probes replay PATH... [--json]`: decode recordings and cases with a virtual clock, without a network."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from probes.cli.json_lines import result_fields
from probes.replay import Replay, ReplayError, find_files, replay_file
from probes.verdicts import read_error_body


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a recording, a case, or a folder of them")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")


def execute(args: argparse.Namespace) -> int:
    """0 if every file was judged, 1 if one could not be, 2 if a path does not exist or nothing was found."""
    paths = [Path(path) for path in args.paths]
    missing = [path for path in paths if not path.exists()]
    if missing:
        sys.stderr.write(f"no such file or folder: {missing[0]}\n")
        return 2
    judged = failed = 0
    for path in paths:
        try:
            for file in find_files(path):
                judged += 1
                failed += not _replay_one(file, as_json=args.json)
        except ReplayError as fault:
            failed += 1
            sys.stderr.write(f"{fault}\n")
    if not judged and not failed:
        sys.stderr.write("nothing to replay here: no recording and no stream case\n")
        return 2
    return 1 if failed else 0


def _replay_one(file: Path, *, as_json: bool) -> bool:
    try:
        replay = replay_file(file)
    except ReplayError as fault:
        sys.stderr.write(f"{fault}\n")
        return False
    row = replay_row(replay)
    line = json.dumps(row, ensure_ascii=True, allow_nan=False) if as_json else _describe(replay)
    sys.stdout.write(line + "\n")
    return True


def replay_row(replay: Replay) -> dict[str, object]:
    """The result's row and what only a replay can tell."""
    transcript, exchange = replay.reading.transcript, replay.exchange
    is_failed_status = exchange.status is not None and exchange.status >= 400
    usage = transcript.usage
    extra: dict[str, object] = {
        "file": replay.file,
        "events": transcript.events,
        "first_output_event": transcript.first_output_event,
        "first_content_event": transcript.first_content_event,
        "usage_present": usage is not None and (usage.output_tokens, usage.input_tokens) != (None, None),
        "error_inside": transcript.error is not None
        or (is_failed_status and read_error_body(exchange) is not None),
    }
    if replay.is_case:
        extra["text"] = transcript.answer
    return {**extra, **result_fields(replay.result)}


def _describe(replay: Replay) -> str:
    result = replay.result
    outcome = result.outcome if result.detail is None else f"{result.outcome} ({result.detail})"
    figures = {
        "ttft": (result.ttft_ms, "ms"),
        "first answer": (result.ttfat_ms, "ms"),
        "output": (result.output_tokens, "tokens"),
        "speed": (result.output_speed_tps, "tokens/s"),
    }
    told = [f"{name} {value:g} {unit}" for name, (value, unit) in figures.items() if value is not None]
    return "  ".join([replay.file, outcome, *told])
