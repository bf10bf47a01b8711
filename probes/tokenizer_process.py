"""The reference tokenizer in a process of its own: its vocabulary of 64 MB and its work stay out of the one that
measures.

The child reads length-prefixed texts from standard input and answers each with a count; it ends when its input does,
so it never outlives its parent. A child that cannot start or breaks off raises TokenizerProcessError.
"""

from __future__ import annotations

import atexit
import os
import struct
import subprocess
import sys
import threading
from contextlib import suppress
from typing import BinaryIO

_LENGTH = struct.Struct("!I")
_COUNT = struct.Struct("!q")


class TokenizerProcessError(Exception):
    """No count can be had from the child."""


class TokenizerProcess:
    """One child; `count` may be called from several threads, one after another."""

    def __init__(self, encoding: str) -> None:
        self._pid = os.getpid()
        self._lock = threading.Lock()
        try:
            # Its own session: an interrupt typed at the terminal is for the parent, which still has texts to count.
            self._child = subprocess.Popen(  # noqa: S603 - this interpreter, this file
                [sys.executable, "-I", __file__, encoding],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise TokenizerProcessError from error
        atexit.register(self.close)

    @property
    def is_ours(self) -> bool:
        """False in a fork of the process that started the child: two speakers on one pipe would mix their texts."""
        return self._pid == os.getpid()

    def count(self, text: str) -> int:
        """Raises TokenizerProcessError."""
        body = text.encode("utf-8", "replace")
        with self._lock:
            try:
                return self._ask(body)
            except (OSError, ValueError, struct.error) as error:
                raise TokenizerProcessError from error

    def _ask(self, body: bytes) -> int:
        if self._child.stdin is None or self._child.stdout is None:
            raise TokenizerProcessError
        self._child.stdin.write(_LENGTH.pack(len(body)) + body)
        self._child.stdin.flush()
        return int(_COUNT.unpack(self._child.stdout.read(_COUNT.size))[0])

    def close(self) -> None:
        if not self.is_ours or self._child.stdin is None or self._child.stdout is None:
            return
        atexit.unregister(self.close)
        with self._lock:
            with suppress(OSError):  # a broken pipe still holds the text that broke it
                self._child.stdin.close()
            try:
                self._child.wait(timeout=2)
            except subprocess.TimeoutExpired:
                self._child.kill()
                self._child.wait()
            self._child.stdout.close()


def serve(encoding: str, source: BinaryIO, sink: BinaryIO) -> None:
    """The child's loop."""
    from toktok import batch_count

    while header := source.read(_LENGTH.size):
        text = source.read(_LENGTH.unpack(header)[0]).decode("utf-8", "replace")
        sink.write(_COUNT.pack(batch_count([text], encoding, threads=1)[0]))
        sink.flush()


if __name__ == "__main__":
    serve(sys.argv[1], sys.stdin.buffer, sys.stdout.buffer)
