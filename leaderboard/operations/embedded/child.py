"""Child processes that never outlive their supervisor."""

from __future__ import annotations

import shutil


def die_with_parent(signal_name: str) -> list[str]:
    """Command prefix that has the kernel send `signal_name` when the parent dies, kill -9 included (Linux).

    Empty where setpriv is missing; then only an orderly stop ends the child.
    """
    setpriv = shutil.which("setpriv")
    return [setpriv, f"--pdeathsig={signal_name}", "--"] if setpriv else []
