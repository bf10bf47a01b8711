"""One JSON array sent bit by bit."""

from __future__ import annotations

import pytest

from probes.streams.json_array import JsonArrayDecoder
from probes.streams.message import EventTooLargeError, StreamFormatError
from tests.probes.exchanges import decode

BODY = b'[{"a": "]}\\"{["},\n{"b": [1, {"c": "\\\\"}]}\n,{"d": 2}]'
ELEMENTS = ['{"a": "]}\\"{["}', '{"b": [1, {"c": "\\\\"}]}', '{"d": 2}']


def test_json_array_elements_are_delivered_as_they_close() -> None:
    decoder = JsonArrayDecoder()

    first = [message.data for message in decoder.feed(BODY[:20])]

    assert first == ELEMENTS[:1]


def test_json_array_any_cut_gives_the_same_elements() -> None:
    for cut in range(len(BODY)):
        assert [message.data for message in decode(JsonArrayDecoder(), BODY, [cut])] == ELEMENTS


def test_json_array_cut_off_element_is_delivered_broken() -> None:
    assert [message.data for message in decode(JsonArrayDecoder(), b'[{"a": 1}, {"b":')] == [
        '{"a": 1}',
        '{"b":',
    ]


def test_json_array_closed_twice_is_refused() -> None:
    with pytest.raises(StreamFormatError):
        decode(JsonArrayDecoder(), b"[]]")


def test_json_array_oversized_element_is_refused() -> None:
    with pytest.raises(EventTooLargeError):
        decode(JsonArrayDecoder(20), b'[{"a": "' + b"x" * 30 + b'"}]')
