"""The virtual transport ends an exchange as a real one would."""

from __future__ import annotations

import base64
import gzip
import zlib
from typing import Any

import pytest

from probes.endpoint import Limits
from probes.exchange import Ending, Exchange
from probes.virtual_transport import play_case
from tests.probes.exchanges import DONE, MS, chat_delta

TOKENS = [{"at_ms": 100, "data": chat_delta("a")}, {"at_ms": 200, "data": chat_delta("b")}]
FINISH = {"at_ms": 210, "data": chat_delta(finish="stop")}


def play(
    chunks: list[dict[str, Any]], *, end: str = "close", limits: Limits | None = None, **case: Any
) -> Exchange:
    return play_case(
        {"chunks": chunks, "end": end, **case}, protocol="openai-chat", limits=limits or Limits()
    )


@pytest.mark.parametrize(
    ("transport", "ending"),
    [
        ({"connect": "refuse"}, Ending.CONNECT),
        ({"connect": "tls_self_signed"}, Ending.TLS),
        ({"no_response": True}, Ending.RESET),
        ({"raw_response": "SSH-2.0-x\r\n"}, Ending.BAD_BODY),
    ],
)
def test_virtual_transport_without_an_answer(transport: dict[str, Any], ending: Ending) -> None:
    exchange = play(TOKENS, transport=transport)

    assert (exchange.ending, exchange.status) == (ending, None)


@pytest.mark.parametrize(
    ("chunks", "limits", "ending", "ended_ms"),
    [
        ([], Limits(first_token_s=0.5), Ending.TIMEOUT_FIRST_TOKEN, 500),
        ([{"at_ms": 400, "data": ": ping\n\n"}], Limits(first_token_s=0.5), Ending.TIMEOUT_FIRST_TOKEN, 500),
        (TOKENS, Limits(idle_s=0.5), Ending.STALLED, 700),
        ([*TOKENS, {"at_ms": 650, "data": ": ping\n\n"}], Limits(idle_s=0.5), Ending.STALLED, 700),
        (TOKENS, Limits(deadline_s=0.6), Ending.TIMEOUT_TOTAL, 600),
        ([*TOKENS, FINISH], Limits(idle_s=0.5), Ending.TERMINAL, 700),
        ([*TOKENS, FINISH, {"at_ms": 220, "data": DONE}], Limits(), Ending.TERMINAL, 220),
    ],
)
def test_virtual_transport_on_a_silent_line(
    chunks: list[dict[str, Any]], limits: Limits, ending: Ending, ended_ms: int
) -> None:
    exchange = play(chunks, end="hang", limits=limits)

    assert (exchange.ending, exchange.ended_ns) == (ending, ended_ms * MS)


@pytest.mark.parametrize(
    ("case", "ending"),
    [
        ({}, Ending.CLOSED),
        ({"end": "reset"}, Ending.RESET),
        ({"transport": {"chunked": False, "content_length": 99_999}}, Ending.RESET),
        ({"transport": {"chunked": False, "content_length": 10}}, Ending.CLOSED),
        ({"transport": {"final_chunk": False}}, Ending.RESET),
    ],
)
def test_virtual_transport_when_the_server_ends(case: dict[str, Any], ending: Ending) -> None:
    assert play(TOKENS, **case).ending is ending


def test_virtual_transport_undoes_gzip_and_notices_what_is_none() -> None:
    packed = base64.b64encode(gzip.compress(chat_delta("zip").encode())).decode()
    headers = {"Content-Encoding": "gzip"}

    assert (
        play([{"at_ms": 50, "data_b64": packed}], headers=headers).chunks[0].body
        == chat_delta("zip").encode()
    )
    assert play(TOKENS, headers=headers).ending is Ending.BAD_BODY


def test_virtual_transport_stops_a_bomb_at_the_limit() -> None:
    bomb = base64.b64encode(gzip.compress(b" " * 8_000_000)).decode()

    exchange = play([{"at_ms": 30, "data_b64": bomb}], headers={"content-encoding": "gzip"},
                    limits=Limits(max_bytes=1_000_000))  # fmt: skip

    assert exchange.ending is Ending.TOO_LARGE
    assert sum(len(chunk.body) for chunk in exchange.chunks) < 1_100_000


def test_virtual_transport_repeats_and_inflates_what_a_case_abbreviates() -> None:
    repeat = {"head": "data: ", "unit": "xy", "count": 3, "tail": "\n\n"}
    tail = {"from_ms": 100, "every_ms": 50, "max_ms": 200, "data": ": ping\n\n"}

    exchange = play([{"at_ms": 10, "data_repeat": repeat}], tail_repeat=tail)

    assert exchange.chunks[0].body == b"data: xyxyxy\n\n"
    assert [chunk.at_ns // MS for chunk in exchange.chunks] == [10, 100, 150, 200]


def test_virtual_transport_slow_headers_hold_the_chunks_back() -> None:
    exchange = play(TOKENS, transport={"drip_headers_ms": 5}, headers={"content-type": "text/event-stream"})

    assert exchange.headers_ns is not None
    assert exchange.headers_ns > 200 * MS
    assert {chunk.at_ns for chunk in exchange.chunks} == {exchange.headers_ns}


def test_virtual_transport_gives_a_deflated_body() -> None:
    packed = base64.b64encode(zlib.compress(b": x\n\n")).decode()

    exchange = play([{"at_ms": 1, "data_b64": packed}], headers={"content-encoding": "deflate"})

    assert exchange.chunks[0].body == b": x\n\n"
