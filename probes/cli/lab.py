"""`python -m probes lab`: serve the scripted provider until interrupted."""

from __future__ import annotations

import argparse
import signal
import ssl
import sys
from pathlib import Path

from probes.lab.grammar import describe_grammar
from probes.lab.server import Lab


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = describe_grammar()
    parser.add_argument("--host", default="127.0.0.1", help="address to bind (default 127.0.0.1)")
    parser.add_argument("--port", type=int, default=8089, help="port, 0 takes a free one (default 8089)")
    parser.add_argument(
        "--log", type=Path, metavar="FILE", help="append one JSON line a request: its id, when its last byte came, "
        "when each event was sent (monotonic ns)"
    )  # fmt: skip
    parser.add_argument(
        "--tls", type=Path, metavar="FILE", help="serve https with the certificate and key of this PEM file"
    )


def execute(options: argparse.Namespace) -> int:
    if not 0 <= options.port <= 65535:
        sys.stderr.write(f"{options.port} is not a port; use a number from 0 to 65535.\n")
        return 2
    try:
        tls_context = load_certificate(options.tls)
    except (OSError, ssl.SSLError):
        sys.stderr.write(f"{options.tls} is no PEM file with a certificate and its key.\n")
        return 2
    lab = Lab(host=options.host, port=options.port, log=options.log, keep_requests=0, tls_context=tls_context)
    try:
        lab.bind()
    except OSError as error:
        sys.stderr.write(f"The lab cannot listen on {options.host} port {options.port}: {error.strerror}.\n")
        return 1
    signal.signal(signal.SIGTERM, lambda *_: lab.stop())
    sys.stdout.write(f"lab ready {lab.url}\n")
    sys.stdout.flush()
    try:
        lab.serve()
    except KeyboardInterrupt:
        lab.stop()
    return 0


def load_certificate(path: Path | None) -> ssl.SSLContext | None:
    """None without a file. Raises OSError or SSLError for one that cannot serve."""
    if path is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context
