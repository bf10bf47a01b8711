"""A real inference engine for tests marked `engine`: llama.cpp's own server with a tiny random model."""

from __future__ import annotations

import contextlib
import fcntl
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.real_engine.tiny_model import write_tiny_model

ROOT = Path(__file__).parents[2]
MODEL = Path(tempfile.gettempdir()) / "leaderboard-tiny-random-1.gguf"


@contextlib.contextmanager
def real_engine(*, parallel: int = 2) -> Iterator[str]:
    """Its base URL ending in /v1; up in about a second, 73 MB, one thread."""
    command = [
        sys.executable,
        "-m",
        "tests.real_engine.serve",
        str(tiny_model()),
        str(free_port()),
        str(parallel),
    ]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stdout is not None
            yield f"{listening_address(process.stdout)}/v1"
        finally:
            process.terminate()


def listening_address(lines: Iterator[str]) -> str:
    """The engine's own log may go to standard output too, so the address is looked for."""
    for line in lines:
        if line.startswith("http://127.0.0.1:"):
            return line.strip().rstrip("/")
    raise AssertionError("The engine ended before it listened.")


def tiny_model() -> Path:
    """Written once for all runs on this machine."""
    with MODEL.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not MODEL.exists():
            draft = MODEL.with_suffix(".draft")
            write_tiny_model(draft)
            draft.rename(MODEL)
    return MODEL


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    return port
