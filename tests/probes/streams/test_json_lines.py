"""JSON lines: ends, blanks, limits."""

from __future__ import annotations

import pytest

from probes.streams.json_lines import JsonLinesDecoder
from probes.streams.message import EventTooLargeError
from tests.probes.exchanges import decode


def test_json_lines_blank_lines_and_carriage_returns_are_ignored() -> None:
    body = b'{"a":1}\r\n\n  \n{"b":2}\n'

    assert [message.data for message in decode(JsonLinesDecoder(), body)] == ['{"a":1}', '{"b":2}']


def test_json_lines_last_line_needs_no_end() -> None:
    assert [message.data for message in decode(JsonLinesDecoder(), b'{"a":1}\n{"b"')] == ['{"a":1}', '{"b"']


def test_json_lines_any_cut_gives_the_same_lines() -> None:
    body = '{"t":"é\u2028"}\n{"t":"🦉"}\n'.encode()
    whole = decode(JsonLinesDecoder(), body)

    assert all(decode(JsonLinesDecoder(), body, [cut]) == whole for cut in range(len(body)))


def test_json_lines_oversized_line_is_refused() -> None:
    with pytest.raises(EventTooLargeError):
        decode(JsonLinesDecoder(10), b"x" * 11)
