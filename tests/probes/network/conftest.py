"""A lab for each test that asks, and the shortest way to probe something."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterator
from dataclasses import replace
from typing import Protocol

import pytest

from probes.endpoint import Endpoint, Limits
from probes.lab import Lab
from probes.result import ProbeResult
from probes.run import run_probe
from probes.workloads import get_workload

SHORT = replace(get_workload("short"), max_output_tokens=60)
QUICK = Limits(first_token_s=1.0, idle_s=0.7, deadline_s=8.0)


class ProbeOnce(Protocol):
    def __call__(
        self, url: str, model: str = "m", *, limits: Limits = QUICK, key: str | None = None,
        tls: ssl.SSLContext | None = None, public_only: bool = False, connection_kind: str = "warm",
    ) -> ProbeResult: ...  # fmt: skip


@pytest.fixture
def lab() -> Iterator[Lab]:
    with Lab() as running:
        yield running


@pytest.fixture
def probe() -> ProbeOnce:
    def probe_once(
        url: str, model: str = "m", *, limits: Limits = QUICK, key: str | None = None,
        tls: ssl.SSLContext | None = None, public_only: bool = False, connection_kind: str = "warm",
    ) -> ProbeResult:  # fmt: skip
        endpoint = Endpoint("openai-chat", url, model, api_key=key, public_only=public_only)
        return asyncio.run(
            run_probe(endpoint, SHORT, limits=limits, tls_context=tls, connection_kind=connection_kind)
        )

    return probe_once
