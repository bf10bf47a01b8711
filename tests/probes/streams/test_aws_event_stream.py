"""AWS event stream framing: checksums, header types, exceptions, limits."""

from __future__ import annotations

import pytest

from probes.streams.aws_event_stream import AwsEventStreamDecoder
from probes.streams.message import EventTooLargeError, Message, StreamFormatError
from tests.probes.exchanges import decode
from tests.probes.streams.frames import pack_event, pack_frame, pack_header, pack_raw_frame

TWO = pack_event("first", {"n": 1}) + pack_event("second", {"n": 2})


def test_aws_event_stream_any_cut_gives_the_same_messages() -> None:
    expected = [Message('{"n": 1}', "first"), Message('{"n": 2}', "second")]

    for cut in range(len(TWO)):
        assert decode(AwsEventStreamDecoder(), TWO, [cut]) == expected


def test_aws_event_stream_exception_and_error_frames_are_failures() -> None:
    body = pack_frame({"message": "slow"}, message_type="exception", exception_type="throttlingException")
    body += pack_frame(b"", message_type="error", error_code="500", error_message="broken")

    messages = decode(AwsEventStreamDecoder(), body)

    assert messages == [
        Message('{"message": "slow"}', "throttlingException", is_failure=True),
        Message("broken", "500", is_failure=True),
    ]


def test_aws_event_stream_other_header_types_are_stepped_over() -> None:
    others = b"\x01a\x00" + b"\x01b\x04\x00\x00\x00\x01" + b"\x01c\x06\x00\x02xx" + b"\x01d\x09" + bytes(16)
    body = pack_raw_frame(others + pack_header(":event-type", "late"), b"{}")

    assert decode(AwsEventStreamDecoder(), body) == [Message("{}", "late")]


@pytest.mark.parametrize("position", [0, 9, 20, len(TWO) // 2 - 2])
def test_aws_event_stream_flipped_byte_is_noticed(position: int) -> None:
    body = bytearray(TWO)
    body[position] ^= 0x40

    with pytest.raises(StreamFormatError):
        decode(AwsEventStreamDecoder(), bytes(body))


def test_aws_event_stream_cut_off_frame_is_an_error_after_the_whole_ones() -> None:
    decoder = AwsEventStreamDecoder()

    assert len(list(decoder.feed(TWO[:-3]))) == 1
    with pytest.raises(StreamFormatError):
        list(decoder.finish())


def test_aws_event_stream_huge_frame_is_refused_by_its_prelude() -> None:
    with pytest.raises(EventTooLargeError):
        list(AwsEventStreamDecoder(64).feed(pack_event("big", {"x": "y" * 100})[:12]))


@pytest.mark.parametrize("headers", [b"\x05ab", b"\x01a\x63", b"\x01a\x07\x00\x09xx"])
def test_aws_event_stream_unreadable_headers_are_an_error(headers: bytes) -> None:
    with pytest.raises(StreamFormatError):
        decode(AwsEventStreamDecoder(), pack_raw_frame(headers, b"{}"))
