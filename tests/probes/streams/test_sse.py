"""The event-stream decoder: line ends, fields, encodings, limits."""

from __future__ import annotations

import pytest

from probes.streams.message import EventTooLargeError, Message
from probes.streams.sse import SseDecoder
from tests.probes.exchanges import decode


def texts(body: bytes) -> list[str]:
    return [message.data for message in decode(SseDecoder(), body)]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_sse_every_line_end_ends_a_line(end: bytes) -> None:
    body = b"data: one" + end + end + b"data: two" + end + end

    assert texts(body) == ["one", "two"]


def test_sse_event_ends_at_the_carriage_return_of_a_cut_crlf() -> None:
    decoder = SseDecoder()

    first = [message.data for message in decoder.feed(b"data: one\r\n\r")]
    rest = [message.data for message in decoder.feed(b"\ndata: two\r\n\r\n")]

    assert (first, rest) == (["one"], ["two"])


def test_sse_unicode_line_separators_are_text() -> None:
    assert texts("data: a\u2028b\u2029c\x85d\x0be\n\n".encode()) == ["a\u2028b\u2029c\x85d\x0be"]


def test_sse_data_lines_are_joined_and_one_space_is_dropped() -> None:
    assert texts(b"data:  two spaces\ndata:none\ndata\n\n") == [" two spaces\nnone\n"]


def test_sse_fields_without_data_make_no_event() -> None:
    assert texts(b": comment\nid: 7\nretry: 10\n\nevent: lonely\n\n:\n\n") == []


def test_sse_event_name_belongs_to_its_event_only() -> None:
    messages = decode(SseDecoder(), b"event: error\ndata: x\n\ndata: y\n\n")

    assert messages == [Message("x", "error"), Message("y", None)]


def test_sse_byte_order_mark_is_dropped_once_even_when_cut() -> None:
    body = b"\xef\xbb\xbfdata: x\n\ndata: \xef\xbb\xbfy\n\n"

    assert [message.data for message in decode(SseDecoder(), body, [1, 2])] == ["x", "\ufeffy"]


def test_sse_invalid_bytes_become_replacement_characters() -> None:
    assert texts(b"data: a\xffb\n\n") == ["a\ufffdb"]


def test_sse_cut_character_is_whole_again() -> None:
    body = "data: café 漢 🦉\n\n".encode()

    for cut in range(len(body)):
        assert [message.data for message in decode(SseDecoder(), body, [cut])] == ["café 漢 🦉"]


@pytest.mark.parametrize("body", [b"data: last", b"data: last\n", b"data: last\r"])
def test_sse_last_event_without_its_blank_line_is_delivered(body: bytes) -> None:
    assert texts(body) == ["last"]


def test_sse_comment_lines_are_counted() -> None:
    decoder = SseDecoder()

    decode(decoder, b": one\n\n:\n\ndata: x\n\n")

    assert decoder.comment_lines == 2


def test_sse_bare_error_line_is_an_event() -> None:
    assert texts(b'data: x\n\n{"error":"gone"}\n') == ["x", '{"error":"gone"}']


@pytest.mark.parametrize("step", [1, 7, 1000])
def test_sse_oversized_event_is_refused_after_the_ones_before_it(step: int) -> None:
    body = b"data: ok\n\ndata: " + b"x" * 200 + b"\n\n"
    decoder = SseDecoder(100)
    pieces = [body[start : start + step] for start in range(0, len(body), step)]
    messages = (message.data for piece in pieces for message in decoder.feed(piece))

    assert next(messages) == "ok"
    with pytest.raises(EventTooLargeError):
        next(messages)


def test_sse_many_short_lines_of_one_event_count_together() -> None:
    with pytest.raises(EventTooLargeError):
        decode(SseDecoder(100), b"data: x\n" * 50)
