from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from leaderboard.operations.data_dir import hold_data_dir, make_data_dir
from leaderboard.operations.embedded.child import ServiceError
from leaderboard.operations.embedded.lock import FileLock

HOLDER = """
import sys
from pathlib import Path
from leaderboard.operations.embedded.lock import FileLock
lock = FileLock(Path(sys.argv[1]))
assert getattr(lock, "try_" + sys.argv[2])()
lock.write_note("process 4711")
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def lock_file(tmp_path: Path) -> Path:
    return tmp_path / "up.lock"


@pytest.fixture(params=["exclusive"])
def other_holder(lock_file: Path, request: pytest.FixtureRequest) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(lock_file), request.param],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        yield holder
        holder.kill()


@pytest.mark.usefixtures("other_holder")
def test_second_holder_is_refused_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ServiceError) as caught:
        hold_data_dir(tmp_path)

    assert str(caught.value) == (
        f"Another `up` (process 4711) runs on {tmp_path}; stop it first, or name another directory with --data-dir."
    )


def test_kill_9_frees_the_lock(tmp_path: Path, other_holder: subprocess.Popen[str]) -> None:
    other_holder.kill()
    other_holder.wait()

    lock = hold_data_dir(tmp_path)

    assert lock.read_note().startswith("process ")
    lock.release()


@pytest.mark.usefixtures("other_holder")
@pytest.mark.parametrize("other_holder", ["shared"], indirect=True)
def test_shared_lock_admits_sharers_only(lock_file: Path) -> None:
    lock = FileLock(lock_file)

    assert not lock.try_exclusive()
    assert lock.try_shared()
    lock.release()


def test_data_dir_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.touch()

    with pytest.raises(ServiceError) as caught:
        make_data_dir(in_the_way / "data")

    assert str(caught.value) == (
        f"The data directory {in_the_way / 'data'} cannot be written (Not a directory); "
        "name another with --data-dir or LEADERBOARD_DATA_DIR."
    )
