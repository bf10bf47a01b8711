"""What must hold for any bytes: the same messages for any cut, and no error but the decoder's own."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probes.streams.aws_event_stream import AwsEventStreamDecoder
from probes.streams.json_array import JsonArrayDecoder
from probes.streams.json_lines import JsonLinesDecoder
from probes.streams.message import Decoder, Message, StreamFormatError
from probes.streams.sse import SseDecoder
from tests.probes.exchanges import decode
from tests.probes.streams.frames import pack_event

DECODERS: list[Callable[[], Decoder]] = [
    lambda: SseDecoder(200),
    lambda: JsonLinesDecoder(200),
    lambda: JsonArrayDecoder(200),
    lambda: AwsEventStreamDecoder(200),
]
LIKELY = st.sampled_from(
    [
        b"data: ", b"data:", b"data", b"event: x", b": c", b"\n", b"\r", b"\r\n", b"\n\n", b'{"a":1}', b"[", b"]",
        b"{", b"}", b'"', b"\\", b",", b"\xef\xbb\xbf", "é🦉\u2028".encode(), b"\xff\xc3",
        pack_event("e", {"n": 1}), b'{"error"',
    ]
)  # fmt: skip
BODIES = st.lists(st.one_of(LIKELY, st.binary(max_size=12)), max_size=30).map(b"".join)


def outcome_of(make: Callable[[], Decoder], body: bytes, cuts: list[int]) -> tuple[list[Message], str | None]:
    """The messages before a fault, and the fault's class."""
    decoder, messages, bounds = make(), [], [0, *sorted(cuts), len(body)]
    try:
        for start, end in pairwise(bounds):
            for message in decoder.feed(body[start:end]):
                messages.append(message)
        messages.extend(decoder.finish())
    except StreamFormatError as fault:
        return messages, type(fault).__name__
    return messages, None


@pytest.mark.parametrize("make", DECODERS, ids=["sse", "json_lines", "json_array", "aws_event_stream"])
@settings(max_examples=150, deadline=None, derandomize=True)
@given(body=BODIES, draw=st.data())
def test_decoder_any_cut_of_any_bytes_gives_the_same(
    make: Callable[[], Decoder], body: bytes, draw: st.DataObject
) -> None:
    cuts = draw.draw(st.lists(st.integers(0, len(body)), max_size=8))

    whole = outcome_of(make, body, [])

    assert outcome_of(make, body, cuts) == whole
    assert outcome_of(make, body, list(range(1, len(body)))) == whole


@settings(max_examples=100, deadline=None, derandomize=True)
@given(payloads=st.lists(st.text(max_size=20), max_size=6), draw=st.data())
def test_decoder_sse_gives_back_what_was_written(payloads: list[str], draw: st.DataObject) -> None:
    end = draw.draw(st.sampled_from([b"\n", b"\r\n", b"\r"]))
    safe = [text.replace("\r", "").replace("\n", "") for text in payloads]
    body = b"".join(b"data: " + text.encode() + end + end for text in safe)

    assert [message.data for message in decode(SseDecoder(), body)] == safe
