"""The same probing over each broker that is installed: workers in two locations, and two beats by mistake."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path

import pytest

from probes.lab import Lab
from tests.drill.brokers import KINDS
from tests.drill.cluster import Cluster, eventually

pytestmark = [pytest.mark.drill, pytest.mark.xdist_group("drill")]

PLACES = ("east", "west")
ENOUGH = 6
# Valkey is always there. The others take half a minute each to start and stop on a small machine.
KINDS_TRIED = sorted(KINDS) if os.environ.get("DRILL") == "whole" else ["valkey"]


@pytest.mark.parametrize("kind", KINDS_TRIED, indirect=True)
def test_two_locations_and_two_beats_store_each_slot_once(cluster: Cluster, lab: Lab) -> None:
    cluster.seed(lab.url, offerings=24, interval_s=20)
    for place in PLACES:
        cluster.run_worker(place)
    cluster.run_board()
    cluster.run_beat()
    cluster.run_beat("second-beat")

    def enough() -> bool:
        counts = cluster.counts()
        return all(counts.get(place, {}).get("finished", 0) >= ENOUGH for place in PLACES)

    eventually(enough, within_s=120, what="samples from each location")
    counts = cluster.counts()
    assert {place: counts[place]["most"] for place in PLACES} == {"east": 1, "west": 1}
    for place in PLACES:
        assert counts[place]["stored"] >= counts[place]["finished"]
    assert cluster.query("select count(*) - count(distinct sample_id) from measurements_sample") == [(0,)]
    assert len(lab.served) >= sum(counts[place]["finished"] for place in PLACES)


@pytest.mark.skipif(os.environ.get("DRILL") != "whole", reason="minutes long: DRILL=whole")
@pytest.mark.parametrize("kind", KINDS_TRIED, indirect=True)
def test_killed_probing_child_gives_its_probe_back(cluster: Cluster, lab: Lab) -> None:
    """kill -9 of the process that measures, in mid-probe: the message comes back at once, on each broker."""
    cluster.seed(lab.url, offerings=2, interval_s=30, model="steady-ttft200-tps20-n80")
    cluster.run_worker("east")
    cluster.run_board()
    cluster.run_beat()
    running = "select id from measurements_slot where started_at is not null and finished_at is null"
    interrupted = eventually(lambda: cluster.query(running), within_s=150, what="a running probe")

    for child in children(cluster.programs["worker-east"].pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)

    ids = ",".join(str(row[0]) for row in interrupted)
    done = f"select count(*) from measurements_slot where id in ({ids}) and finished_at is not null"
    eventually(lambda: cluster.query(done)[0][0] == len(interrupted), within_s=90, what="the probe again")
    assert cluster.counts()["east"]["most"] == 1


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
