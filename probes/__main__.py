"""`python -m probes`: measure an endpoint, compare it with a board, replay, sweep or run the lab, from a shell.

Exit 0 when every request was measured, 1 when none could be sent, 2 for a usage error.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

COMMANDS = {
    "run": "measure an endpoint",
    "replay": "decode recordings and cases with a virtual clock, without a network",
    "compare": "hold a saved run against a board's public record: is it me or them?",
    "sweep": "closed-loop concurrency sweep of an endpoint",
    "lab": "serve the scripted fake provider on loopback",
}


def build_parser(named: str | None) -> argparse.ArgumentParser:
    """Only the named command's module is imported, so that one start does not pay for the others."""
    parser = argparse.ArgumentParser(prog="python -m probes", description="Measure LLM inference endpoints.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, summary in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=summary.capitalize() + ".")
        if name == named:
            module = importlib.import_module(f"probes.cli.{name}")
            module.add_arguments(command)
            command.set_defaults(execute=module.execute)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    named = next((word for word in given if not word.startswith("-")), None)
    parsed = build_parser(named).parse_args(given)
    try:
        status = int(parsed.execute(parsed))
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader (head, less) has seen enough; what is still buffered must not raise again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return status


if __name__ == "__main__":
    sys.exit(main())
