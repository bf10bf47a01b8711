"""The one exception inside the transport: it carries how the exchange ended."""

from __future__ import annotations

import errno
import os

from probes.exchange import Ending


class TransportError(Exception):
    """The exchange ended for this reason; the text is safe to store."""

    def __init__(self, ending: Ending, text: str) -> None:
        super().__init__(text)
        self.ending = ending
        self.text = text


def describe_os_error(error: OSError) -> str:
    """The system's words for it without the address that Python adds."""
    if error.errno is None:
        return type(error).__name__
    return f"{os.strerror(error.errno)} ({errno.errorcode.get(error.errno, error.errno)})"
