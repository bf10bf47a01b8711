from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stack.board import RunningBoard, processes_of


@pytest.fixture(scope="module")
def data_dir() -> Iterator[Path]:
    """A short path: a unix socket's address holds 108 bytes."""
    folder = Path(tempfile.mkdtemp(prefix="board-"))
    yield folder
    assert processes_of(folder) == []
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def board(data_dir: Path) -> Iterator[RunningBoard]:
    """One running board for all tests of a module; a test leaves it running and ready."""
    with RunningBoard(data_dir) as board:
        board.wait_until_ready()
        yield board
        assert board.stop() == 0
