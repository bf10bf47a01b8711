"""`python -m tests.real_engine.serve MODEL.gguf PORT PARALLEL`: the real llama.cpp server on loopback, one thread.

Prints its address once it listens, and ends when its standard input does, so that it never outlives a test run.
"""

from __future__ import annotations

import sys

import xllamacpp

CONTEXT_PER_SLOT = 16_384


def main(model: str, port: str, parallel: str) -> None:
    parameters = xllamacpp.CommonParams()
    parameters.model.path = model
    parameters.n_parallel = int(parallel)
    parameters.n_ctx = CONTEXT_PER_SLOT * parameters.n_parallel
    parameters.cpuparams.n_threads = 1
    parameters.hostnames = ["127.0.0.1"]
    parameters.model_alias = {"tiny-random"}
    parameters.port = int(port)
    parameters.endpoint_metrics = True
    server = xllamacpp.Server(parameters)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:4])
