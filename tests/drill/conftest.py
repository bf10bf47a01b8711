from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from probes.lab import Lab
from tests.drill.brokers import KINDS
from tests.drill.cluster import Cluster


@pytest.fixture
def folder() -> Iterator[Path]:
    """A short path: a unix socket's address holds 108 bytes."""
    made = Path(tempfile.mkdtemp(prefix="drill-"))
    yield made
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture
def lab() -> Iterator[Lab]:
    with Lab() as running:
        yield running


@pytest.fixture
def kind(request: pytest.FixtureRequest) -> str:
    return str(getattr(request, "param", "valkey"))


@pytest.fixture
def cluster(folder: Path, kind: str) -> Iterator[Cluster]:
    made = Cluster(folder, KINDS[kind](folder / "broker"))
    made.start()
    yield made
    made.stop()
