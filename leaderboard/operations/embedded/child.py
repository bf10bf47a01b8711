"""Child processes that never outlive their supervisor."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path


class ServiceError(Exception):
    """An embedded service cannot run; the text says what to do."""


def die_with_parent(signal_name: str) -> list[str]:
    """Command prefix that has the kernel send `signal_name` when the parent dies, kill -9 included (Linux).

    Must come last before the command: a change of user or of capabilities forgets it. Empty where setpriv is
    missing; then only an orderly stop ends the child.
    """
    setpriv = shutil.which("setpriv")
    return [setpriv, f"--pdeathsig={signal_name}", "--"] if setpriv else []


def follow_parent_to_its_death() -> None:
    """Have this very process killed when its parent dies: for the workers of a server that forks them itself."""
    if sys.platform == "linux":
        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)


def start_child(
    command: list[str], log: Path, *, environment: dict[str, str], folder: Path | None = None
) -> subprocess.Popen[bytes]:
    """Start in a session of its own, so that Ctrl-C reaches the supervisor only and the group can be ended whole."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as output:
        return subprocess.Popen(  # noqa: S603 the command is ours
            command,
            env=environment,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def end_group(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of the child's group: children of a killed parent would live on."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def stop_child(process: subprocess.Popen[bytes], how: signal.Signals, *, grace_s: float) -> None:
    """Ask with `how`, wait, and kill the whole group where asking was not enough."""
    if process.poll() is None:
        process.send_signal(how)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(grace_s)
    end_group(process)


def command_line(pid: int) -> str:
    """What process `pid` was started as, empty where it is gone or this system has no /proc."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def processes_in(folder: Path, program: str) -> list[int]:
    """Living processes of `program` that work in `folder`, as all of a Postgres do in its data (Linux)."""
    found = []
    place = folder.resolve()
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (entry / "cwd").readlink() == place and (entry / "comm").read_text().strip() == program:
                found.append(int(entry.name))
    return sorted(found)


def is_alive(pid: int) -> bool:
    """Whether `pid` still runs; a zombie does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return not Path("/proc/self").exists()


def wait_until_gone(pid: int, timeout_s: float) -> bool:
    deadline = time.monotonic() + timeout_s
    while is_alive(pid):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
