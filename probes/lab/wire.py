"""Messages → bytes on the wire: event framing, content coding, transfer coding and the cuts between packets."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from probes.lab.grammar import Behaviour
from probes.lab.script import MS, Message

COMMENT_EVERY_NS = 50 * MS
PIECE_GAP_NS = 1 * MS


class Send(NamedTuple):
    """One write: `kind` is empty where the bytes only begin an event (or are a comment)."""

    due_ns: int
    data: bytes
    kind: str = ""
    tokens: int = 0


class Framing:
    """Turns message texts into body bytes and body bytes into transfer chunks."""

    def __init__(self, behaviour: Behaviour) -> None:
        self._behaviour = behaviour
        self._line_end = behaviour.line_end
        self._packer = zlib.compressobj(6, zlib.DEFLATED, 31) if behaviour.gzip else None

    def header(
        self, status: int, content_type: str, extra: dict[str, str], length: int | None = None
    ) -> bytes:
        """The status line and headers; `length` None means a streamed body."""
        lines = [f"HTTP/1.1 {status} Lab", f"content-type: {content_type}", "cache-control: no-store"]
        lines += [f"{name}: {value}" for name, value in extra.items()]
        if length is not None:
            lines.append(f"content-length: {length}")
        elif self._behaviour.chunked:
            lines.append("transfer-encoding: chunked")
        else:
            lines.append("connection: close")
        if self._packer is not None and length is None:
            lines.append("content-encoding: gzip")
        return ("\r\n".join(lines) + "\r\n\r\n").encode()

    def event(self, text: str) -> bytes:
        return self._chunk(self._pack(self._lines(text)))

    def _lines(self, text: str) -> bytes:
        lines = text if text.startswith("event: ") else f"data: {text}"
        return f"{lines}\n\n".replace("\n", self._line_end).encode()

    def comment(self) -> bytes:
        return self._chunk(self._pack(f": keep-alive{self._line_end}{self._line_end}".encode()))

    def pieces(self, text: str) -> list[bytes]:
        """One event cut into several packets, where `split` says."""
        data = self._lines(text)
        cuts = [len(data) // 3, 2 * len(data) // 3]
        if self._behaviour.split == "utf8":
            wide = next((index for index, byte in enumerate(data) if byte >= 0xC0), len(data) // 2)
            cuts = [wide + 1]
        edges = [0, *cuts, len(data)]
        return [self._chunk(self._pack(data[start:end])) for start, end in pairwise(edges)]

    def end(self) -> bytes:
        """What closes a body cleanly; empty where the connection's end does."""
        rest = self._packer.flush() if self._packer is not None else b""
        return (self._chunk(rest) if rest else b"") + (b"0\r\n\r\n" if self._behaviour.chunked else b"")

    def _pack(self, data: bytes) -> bytes:
        if self._packer is None:
            return data
        return self._packer.compress(data) + self._packer.flush(zlib.Z_SYNC_FLUSH)

    def _chunk(self, data: bytes) -> bytes:
        return b"%x\r\n%b\r\n" % (len(data), data) if self._behaviour.chunked else data


def frame_messages(
    messages: Iterator[Message], framing: Framing, behaviour: Behaviour, now_ns: int
) -> Iterator[Send]:
    """The writes that carry the messages, in order."""
    if behaviour.one_write:
        return _as_one_write(list(messages), framing)
    if behaviour.coalesce:
        return _coalesced(messages, framing)
    if behaviour.comments:
        return _with_comments(messages, framing, now_ns)
    if behaviour.split:
        return _in_pieces(messages, framing)
    return (Send(due_ns, framing.event(text), kind, tokens) for due_ns, kind, text, tokens in messages)


def _as_one_write(messages: list[Message], framing: Framing) -> Iterator[Send]:
    data = b"".join(framing.event(message.text) for message in messages)
    content = [message for message in messages if message.tokens]
    kind = content[0].kind if content else "error"
    yield Send(messages[0].due_ns, data, kind, sum(message.tokens for message in content))


def _coalesced(messages: Iterator[Message], framing: Framing) -> Iterator[Send]:
    held: Send | None = None
    for due_ns, kind, text, tokens in messages:
        data = framing.event(text)
        if held is not None and tokens and held.tokens and held.due_ns == due_ns and held.kind == kind:
            held = Send(due_ns, held.data + data, kind, held.tokens + tokens)
            continue
        if held is not None:
            yield held
        held = Send(due_ns, data, kind, tokens)
    if held is not None:
        yield held


def _with_comments(messages: Iterator[Message], framing: Framing, now_ns: int) -> Iterator[Send]:
    next_comment_ns = now_ns + COMMENT_EVERY_NS
    for due_ns, kind, text, tokens in messages:
        while next_comment_ns < due_ns:
            yield Send(next_comment_ns, framing.comment())
            next_comment_ns += COMMENT_EVERY_NS
        yield Send(due_ns, framing.event(text), kind, tokens)


def _in_pieces(messages: Iterator[Message], framing: Framing) -> Iterator[Send]:
    for due_ns, kind, text, tokens in messages:
        pieces = framing.pieces(text)
        for position, piece in enumerate(pieces[:-1]):
            yield Send(due_ns + position * PIECE_GAP_NS, piece)
        yield Send(due_ns + (len(pieces) - 1) * PIECE_GAP_NS, pieces[-1], kind, tokens)
