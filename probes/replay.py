"""Recordings and cases turned into exchanges with a virtual clock, and judged like any other: no network, no sleep.

A recording is a facts file with its body beside it; a case is one JSON file. Only the request side and the answer as it
was sent are read, never what a file says is right. Raises ReplayError for a file that is neither.
"""

from __future__ import annotations

import datetime as dt
import json
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from itertools import pairwise
from pathlib import Path

from probes.endpoint import Endpoint
from probes.exchange import Chunk, Ending, Exchange
from probes.json_access import JsonObject, count_of, object_of, text_of
from probes.judge import Reading, judge, read_exchange
from probes.protocols import CannotAskError, get_protocol
from probes.protocols.protocol import Framing
from probes.result import ProbeResult
from probes.virtual_transport import parse_limits, play_case

RECORDED_EVENT_NS = 10_000_000
"""Recordings keep no times: every event-sized piece comes 10 ms after the one before."""
BLANK_LINE = re.compile(rb"(?:\r\n|\n|\r){2,}")
WORKLOAD = "replay"
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


class ReplayError(Exception):
    """The file is no recording and no case; the text says why."""


@dataclass(frozen=True, slots=True)
class Replay:
    """One judged file; `reading` holds what was said."""

    file: str
    exchange: Exchange
    reading: Reading
    result: ProbeResult
    is_case: bool


def find_files(path: Path) -> Iterator[Path]:
    """The replayable files at a path: itself, or everything below a folder that looks like one."""
    if path.is_file():
        yield _find_facts(path)
        return
    for found in sorted(path.rglob("*.json")):
        if not found.name.endswith(".body.json") and _is_replayable(_load(found)):
            yield found


def _find_facts(path: Path) -> Path:
    """A body may be named instead of its facts."""
    stem, is_body, _ = path.name.partition(".body.")
    return path.with_name(f"{stem}.json") if is_body else path


def _is_replayable(document: JsonObject) -> bool:
    return "chunks" in document or ("body" in document and "api_style" in document)


def _load(path: Path) -> JsonObject:
    try:
        return object_of(json.loads(path.read_bytes()))
    except (OSError, ValueError) as fault:
        raise ReplayError(f"{path}: {fault}") from None


def replay_file(path: Path) -> Replay:
    document = _load(path)
    if not _is_replayable(document):
        raise ReplayError(f"{path}: neither a recording nor a stream case")
    try:
        if "chunks" in document:
            return replay_case(document, file=str(path))
        return replay_recording(document, _read_body(path, document), file=str(path))
    except CannotAskError as fault:
        raise ReplayError(f"{path}: {fault}") from None


def _read_body(path: Path, facts: JsonObject) -> bytes:
    name = text_of(object_of(facts.get("body")).get("file"))
    body = path.parent / Path(name).name
    try:
        return body.read_bytes()
    except OSError as fault:
        raise ReplayError(f"{path}: its body cannot be read: {fault}") from None


def replay_case(case: JsonObject, *, file: str) -> Replay:
    request = object_of(case.get("request"))
    endpoint = Endpoint(
        protocol=text_of(case.get("protocol")),
        base_url="http://case.invalid",
        model=text_of(request.get("model")),
        api_key=text_of(request.get("api_key")) or None,
        pinned_provider=text_of(request.get("pinned_provider")) or None,
    )
    limits = parse_limits(object_of(request.get("limits")))
    exchange = play_case(case, protocol=endpoint.protocol, limits=limits)
    reading = read_exchange(exchange, protocol=endpoint.protocol, limits=limits)
    result = judge(
        exchange,
        endpoint=endpoint,
        workload_slug=WORKLOAD,
        workload_version=1,
        request_id=text_of(case.get("id")),
        started_at=_read_clock(text_of(case.get("now")), exchange),
        limits=limits,
        max_output_tokens=count_of(request.get("max_tokens")),
        expects_stream=request.get("stream") is not False,
        reading=reading,
    )
    return Replay(file, exchange, reading, result, is_case=True)


def replay_recording(facts: JsonObject, body: bytes, *, file: str) -> Replay:
    request, response = object_of(facts.get("request")), object_of(facts.get("response"))
    endpoint = Endpoint(
        protocol=text_of(facts.get("api_style")),
        base_url="http://recording.invalid",
        model=text_of(request.get("model")),
    )
    framing = get_protocol(endpoint.protocol).framing
    chunks = tuple(
        Chunk((number + 1) * RECORDED_EVENT_NS, piece) for number, piece in enumerate(cut_body(body, framing))
    )
    exchange = Exchange(
        sent_ns=0,
        ended_ns=(len(chunks) + 1) * RECORDED_EVENT_NS,
        ending=Ending.CLOSED,
        status=count_of(response.get("status")) or 200,
        headers={name.lower(): text_of(value) for name, value in object_of(response.get("headers")).items()},
        chunks=chunks,
    )
    reading = read_exchange(exchange, protocol=endpoint.protocol)
    result = judge(
        exchange,
        endpoint=endpoint,
        workload_slug=WORKLOAD,
        workload_version=1,
        request_id=text_of(facts.get("id")),
        started_at=_read_clock("", exchange),
        expects_stream=request.get("stream") is True or facts.get("kind") == "stream",
        reading=reading,
    )
    return Replay(file, exchange, reading, result, is_case=False)


def cut_body(body: bytes, framing: Framing) -> list[bytes]:
    """Pieces that hold about one event each; joined they are the body."""
    if framing is Framing.AWS_EVENT_STREAM and not body.lstrip().startswith(b"{"):
        return list(_cut_frames(body))
    if framing is Framing.JSON_LINES:
        return body.splitlines(keepends=True)
    ends = [found.end() for found in BLANK_LINE.finditer(body)]
    bounds = [0, *ends] if ends and ends[-1] == len(body) else [0, *ends, len(body)]
    return [body[start:end] for start, end in pairwise(bounds) if end > start]


def _cut_frames(body: bytes) -> Iterator[bytes]:
    position = 0
    while position + 4 <= len(body):
        (size,) = struct.unpack_from(">I", body, position)
        yield body[position : position + max(size, 1)]
        position += max(size, 1)
    if position < len(body):
        yield body[position:]


def _read_clock(now: str, exchange: Exchange) -> dt.datetime:
    """The file's own clock: its reference time, else the answer's Date, else the epoch, so that replays repeat."""
    if now:
        return dt.datetime.fromisoformat(now).astimezone(dt.UTC)
    try:
        return parsedate_to_datetime(exchange.headers.get("date", "")).astimezone(dt.UTC)
    except (TypeError, ValueError):
        return EPOCH
