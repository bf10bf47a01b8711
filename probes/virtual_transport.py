"""A transport without a network: what a case says was sent, played against the limits on a virtual clock.

It ends an exchange as the real transport would: at the first deadline that passes, at the byte limits, after the last
word of the protocol, or as the server ended it.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from probes.endpoint import Limits
from probes.exchange import Chunk, Ending, Exchange
from probes.json_access import JsonObject, count_of, list_of, object_of, text_of
from probes.reader import StreamReader

NS_PER_MS = 1_000_000
INFLATE_STEP_BYTES = 65_536
GZIP_WINDOW_BITS = 31
BOMB_BLOCK_UNITS = 4_096
CONNECT_ENDINGS = {"refuse": Ending.CONNECT, "tls_self_signed": Ending.TLS, "plain_on_tls": Ending.TLS}


@dataclass(frozen=True, slots=True)
class Sending:
    """The server's side of one exchange."""

    status: int
    headers: Mapping[str, str]
    chunks: tuple[Chunk, ...]
    end: str
    headers_ns: int = 0


def parse_limits(limits: JsonObject) -> Limits:
    """A case's limits in milliseconds and bytes; what it leaves out keeps its default."""
    default = Limits()

    def seconds(name: str, fallback: float) -> float:
        value = count_of(limits.get(name))
        return fallback if value is None else value / 1000

    return Limits(
        first_token_s=seconds("first_token_ms", default.first_token_s),
        idle_s=seconds("idle_ms", default.idle_s),
        deadline_s=seconds("total_ms", default.deadline_s),
        max_bytes=count_of(limits.get("max_bytes")) or default.max_bytes,
        max_event_bytes=count_of(limits.get("max_event_bytes")) or default.max_event_bytes,
    )


def play_case(case: JsonObject, *, protocol: str, limits: Limits) -> Exchange:
    transport = object_of(case.get("transport"))
    ending = CONNECT_ENDINGS.get(text_of(transport.get("connect")))
    if ending is not None:
        return Exchange(0, 0, ending)
    if transport.get("no_response") is True:
        return _stay_silent(text_of(case.get("end")), limits)
    if "raw_response" in transport:
        return Exchange(0, 0, Ending.BAD_BODY, error="the answer is no HTTP")
    return _Player(parse_sending(case, transport), protocol, limits).play()


def _stay_silent(end: str, limits: Limits) -> Exchange:
    if end == "reset":
        return Exchange(0, 0, Ending.RESET)
    if end == "close":
        return Exchange(0, 0, Ending.RESET, error="closed before any answer")
    first = min(limits.first_token_s, limits.deadline_s)
    ending = Ending.TIMEOUT_FIRST_TOKEN if first == limits.first_token_s else Ending.TIMEOUT_TOTAL
    return Exchange(0, int(first * 1e9), ending)


def parse_sending(case: JsonObject, transport: JsonObject) -> Sending:
    headers = {name.lower(): text_of(value) for name, value in object_of(case.get("headers")).items()}
    status = count_of(case.get("status")) or 200
    chunks, end = tuple(_read_chunks(case)), text_of(case.get("end")) or "close"
    promised = count_of(transport.get("content_length")) if transport.get("chunked") is False else None
    if promised is not None and promised > sum(len(chunk.body) for chunk in chunks) and end == "close":
        end = "reset"
    if transport.get("final_chunk") is False and end == "close":
        end = "reset"
    headers_ns = (
        (count_of(transport.get("drip_headers_ms")) or 0) * NS_PER_MS * _count_header_bytes(status, headers)
    )
    return Sending(status, headers, chunks, end, headers_ns)


def _count_header_bytes(status: int, headers: Mapping[str, str]) -> int:
    """As a plain server would write them; only their number matters, for headers that drip."""
    lines = [f"HTTP/1.1 {status} Replayed", *(f"{name}: {value}" for name, value in headers.items())]
    lines += ["transfer-encoding: chunked", "connection: close", ""]
    return sum(len(line) + 2 for line in lines)


def _read_chunks(case: JsonObject) -> Iterator[Chunk]:
    for chunk in map(object_of, list_of(case.get("chunks"))):
        yield Chunk(_stamp(chunk.get("at_ms")), _read_body(chunk))
    tail = object_of(case.get("tail_repeat"))
    if tail:
        body = text_of(tail.get("data")).encode("utf-8", "surrogatepass")
        first, step, last = (_stamp(tail.get(name)) for name in ("from_ms", "every_ms", "max_ms"))
        for at_ns in range(first, last + 1, max(step, NS_PER_MS)):
            yield Chunk(at_ns, body)


def _stamp(at_ms: object) -> int:
    return int(at_ms * NS_PER_MS) if isinstance(at_ms, int | float) else 0


def _read_body(chunk: JsonObject) -> bytes:
    if "data_b64" in chunk:
        return base64.b64decode(text_of(chunk["data_b64"]))
    repeat, bomb = object_of(chunk.get("data_repeat")), object_of(chunk.get("gzip_bomb"))
    if repeat:
        unit = text_of(repeat.get("unit")) * (count_of(repeat.get("count")) or 0)
        return (text_of(repeat.get("head")) + unit + text_of(repeat.get("tail"))).encode()
    if bomb:
        return _pack_bomb(text_of(bomb.get("unit")).encode(), count_of(bomb.get("count")) or 0)
    return text_of(chunk.get("data")).encode("utf-8", "surrogatepass")


def _pack_bomb(unit: bytes, count: int) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, GZIP_WINDOW_BITS)
    block = unit * BOMB_BLOCK_UNITS
    packed = b"".join(packer.compress(block) for _ in range(count // BOMB_BLOCK_UNITS))
    return packed + packer.compress(unit * (count % BOMB_BLOCK_UNITS)) + packer.flush()


class _Player:
    """Delivers chunks in order until something ends the exchange."""

    def __init__(self, sending: Sending, protocol: str, limits: Limits) -> None:
        self._sending = sending
        self._limits = limits
        self._reader = StreamReader(protocol, sending.headers, limits)
        self._chunks: list[Chunk] = []
        self._inflater = _choose_inflater(sending.headers)
        self._is_failed_status = not 200 <= sending.status < 300

    def play(self) -> Exchange:
        for chunk in self._sending.chunks:
            at_ns = max(chunk.at_ns, self._sending.headers_ns)
            late = self._pass_time(at_ns)
            if late is not None:
                return self._end(*late)
            ending = self._deliver(Chunk(at_ns, chunk.body))
            if ending is not None:
                return self._end(ending, at_ns)
        return self._end(*self._server_end())

    def _deliver(self, chunk: Chunk) -> Ending | None:
        try:
            for body in self._inflate(chunk.body):
                self._chunks.append(Chunk(chunk.at_ns, body))
                self._reader.feed(body, chunk.at_ns)
                if self._reader.oversized:
                    return Ending.TOO_LARGE
        except zlib.error:
            return Ending.BAD_BODY
        return Ending.TERMINAL if self._reader.is_terminal else None

    def _inflate(self, body: bytes) -> Iterator[bytes]:
        """In bounded steps, so that a bomb is noticed before it is held."""
        if self._inflater is None:
            yield body
            return
        while body and not self._inflater.eof:
            inflated = self._inflater.decompress(body, INFLATE_STEP_BYTES)
            body = self._inflater.unconsumed_tail
            if inflated:
                yield inflated

    def _pass_time(self, at_ns: int) -> tuple[Ending, int] | None:
        """The deadline that passes before `at_ns`, if any; idle time is counted from the last content."""
        ending, due_ns = self._next_deadline()
        return (self._settle(ending), due_ns) if at_ns > due_ns else None

    def _next_deadline(self) -> tuple[Ending, int]:
        last_ns = self._reader.last_content_ns
        waits = [(int(self._limits.deadline_s * 1e9), Ending.TIMEOUT_TOTAL)]
        if self._is_failed_status:
            pass
        elif last_ns is None:
            waits.append((int(self._limits.first_token_s * 1e9), Ending.TIMEOUT_FIRST_TOKEN))
        else:
            waits.append((last_ns + int(self._limits.idle_s * 1e9), Ending.STALLED))
        due_ns, ending = min(waits, key=lambda wait: wait[0])
        return ending, due_ns

    def _settle(self, ending: Ending) -> Ending:
        """A finish reason was there: what stays away is only the connection's end."""
        return Ending.TERMINAL if self._reader.has_finished else ending

    def _server_end(self) -> tuple[Ending, int]:
        last_ns = self._chunks[-1].at_ns if self._chunks else self._sending.headers_ns
        if self._sending.end == "hang":
            ending, due_ns = self._next_deadline()
            return self._settle(ending), due_ns
        return (Ending.RESET if self._sending.end == "reset" else Ending.CLOSED), last_ns

    def _end(self, ending: Ending, at_ns: int) -> Exchange:
        return Exchange(
            sent_ns=0,
            ended_ns=at_ns,
            ending=ending,
            status=self._sending.status if at_ns >= self._sending.headers_ns else None,
            headers=self._sending.headers,
            chunks=tuple(self._chunks),
            headers_ns=self._sending.headers_ns or None,
        )


def _choose_inflater(headers: Mapping[str, str]) -> zlib._Decompress | None:
    coding = headers.get("content-encoding", "identity").strip().lower()
    if coding in ("gzip", "x-gzip"):
        return zlib.decompressobj(GZIP_WINDOW_BITS)
    return zlib.decompressobj() if coding == "deflate" else None
