"""Two faults of the database that take a machine of their own: a line that is slow, and a disk that is really full.

DRILL=whole runs them; the disk needs root, who may mount a small one.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from leaderboard.operations.embedded.paths import socket_dir
from probes.lab import Lab
from tests.drill.cluster import Cluster, eventually
from tests.drill.slow_link import SlowLink
from tests.drill.test_faults import check_books, recovery_s

pytestmark = [
    pytest.mark.drill,
    pytest.mark.xdist_group("drill"),
    pytest.mark.skipif(os.environ.get("DRILL") != "whole", reason="minutes long: DRILL=whole"),
]
SLOW_S = 0.1
DISK_MB = 256
TTFT = (
    "select percentile_cont(0.5) within group (order by ttft_ms) from measurements_sample where started_at {}"
)


def run_board(cluster: Cluster, lab: Lab) -> None:
    cluster.seed(lab.url, offerings=16, interval_s=20)
    cluster.run_worker("east")
    cluster.run_board()
    cluster.run_beat()
    eventually(lambda: cluster.finished() >= 5, within_s=60, what="probing has begun")


def test_slow_database_delays_the_books_and_not_the_clock(cluster: Cluster, lab: Lab) -> None:
    """Each question takes 0.2 s longer for forty seconds; what is timed meanwhile is timed as before."""
    with SlowLink(socket_dir(cluster.folder / "pg") / ".s.PGSQL.5432") as link:
        cluster.program_url = f"postgresql://leaderboard@127.0.0.1:{link.port}/leaderboard"
        run_board(cluster, lab)
        ((began,),) = cluster.query("select now()")
        before = cluster.finished()
        link.delay_s = SLOW_S
        time.sleep(40)  # how long the trouble lasts is what is tested
        during = cluster.finished()
        link.delay_s = 0.0
        ((ended,),) = cluster.query("select now()")
        took_s = recovery_s(cluster)
        for name in list(cluster.programs):
            cluster.end(name)

    print(f"slow: {during - before} finished meanwhile, three more after {took_s:.1f} s")  # noqa: T201 read with -s
    # A probe asks the database about ten questions, so fewer fit in; what does not begin in time is left out.
    check_books(cluster, finished_share=0.25)
    assert during > before
    ((slow_ttft,),) = cluster.query(TTFT.format(f"between '{began}' and '{ended}'"))
    ((ttft,),) = cluster.query(TTFT.format(f"< '{began}'"))
    assert slow_ttft == pytest.approx(ttft, abs=5), "milliseconds: the line is 100 ms slow in each direction"


@pytest.fixture
def small_disk(folder: Path) -> Iterator[Path]:
    """Where the cluster's database will lie; its logs lie elsewhere."""
    disk = folder / "pg"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("only root may mount a small disk")
    (folder / "logs").mkdir()
    (disk / "logs").symlink_to(folder / "logs")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


def fill(disk: Path) -> Path:
    """Until nothing more goes on it."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (1 << 20, 4096, 1):
            while True:
                try:
                    file.write(b"x" * size)
                except OSError:
                    break
    return ballast


def test_disk_that_is_really_full_costs_no_finished_probe(
    small_disk: Path, cluster: Cluster, lab: Lab
) -> None:
    """The database refuses to grow, and may stop; once there is room, it is started again as a supervisor would."""
    run_board(cluster, lab)
    log = cluster.folder / "logs" / "postgres.log"

    ballast = fill(small_disk)
    eventually(
        lambda: "No space left on device" in log.read_text(errors="replace"), within_s=120, what="a full disk"
    )
    time.sleep(10)  # how long the trouble lasts is what is tested
    ballast.unlink()
    stopped = cluster.postgres.process is None or cluster.postgres.process.poll() is not None
    if stopped:
        cluster.postgres.start()
    took_s = recovery_s(cluster)

    print(f"disk full: database stopped: {stopped}, three more after {took_s:.1f} s")  # noqa: T201 read with -s
    check_books(cluster)
