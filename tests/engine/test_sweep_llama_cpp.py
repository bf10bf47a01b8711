"""The whole way on a real engine: registered, swept at four levels, costed, on the page and in the file.

The truth is llama.cpp's own counters, read all the while: they know every token that was made.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
import threading
from collections.abc import Iterator
from dataclasses import dataclass

import httpx
import numpy as np
import pytest
from django.test import Client
from pytest_django import Settings

from leaderboard.catalogue.engines.prometheus import count
from leaderboard.catalogue.gpus import load_gpus
from leaderboard.catalogue.models import Deployment, Gpu
from leaderboard.measurements.sweep_rules import SweepPlan
from leaderboard.measurements.sweeping import sweep_deployment
from probes.attempt import warm_up
from probes.level import METRICS, Level
from tests.factories import make_deployment, make_model, make_offering, make_price, make_provider
from tests.pages.html import read
from tests.real_engine.engine import real_engine

pytestmark = [pytest.mark.engine, pytest.mark.django_db]

LEVELS = (1, 2, 4, 8)
PHASE_S = 12.0
RATE = "1.30"


@pytest.fixture(scope="module")
def engine() -> Iterator[str]:
    """As many slots as the highest level, so that nobody waits for one."""
    with real_engine(parallel=8) as url:
        warm_up()
        yield url


@pytest.fixture(autouse=True)
def plain_static_files(settings: Settings) -> None:
    backend = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": backend}


def register(url: str) -> Deployment:
    load_gpus()
    provider = make_provider(slug="our-machine", name="Our machine", kind="self_hosted", base_url=url)
    model = make_model(slug="nobody/tiny-random", name="Tiny Random")
    offering = make_offering(
        provider=provider,
        model=model,
        hosting="self_hosted",
        quantization="other",
        provider_model_name="tiny-random",
        workloads=["short"],
    )
    seller = make_offering(public_id="seller~tiny-random", model=model)
    make_price(seller, output_usd_per_mtok="5")
    return make_deployment(
        endpoint_id="tiny-cpu",
        offering=offering,
        gpu=Gpu.objects.get(name="CPU only"),
        engine="llama.cpp",
        engine_version="",
        cost_basis="rental_on_demand",
        usd_per_gpu_hour=RATE,
    )


@dataclass(frozen=True, slots=True)
class Reading:
    """All tokens the engine had made by then, those of answers under way included."""

    at: dt.datetime
    tokens: int


class Watcher(threading.Thread):
    """Asks the engine ten times a second what it has made so far."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.readings: list[Reading] = []
        self._root = url.removesuffix("/v1")
        self._stopped = threading.Event()

    def run(self) -> None:
        with httpx.Client(trust_env=False, timeout=30) as client:
            while not self._stopped.wait(0.1):
                finished = self.finished(client)
                slots = client.get(f"{self._root}/slots").json()
                at = dt.datetime.now(dt.UTC)
                # An answer that ended in between would be counted twice or not at all: such a reading is dropped.
                if self.finished(client) == finished:
                    under_way = sum(s["next_token"][0]["n_decoded"] for s in slots if s["is_processing"])
                    self.readings.append(Reading(at, finished + under_way))

    def finished(self, client: httpx.Client) -> int:
        return count(client.get(f"{self._root}/metrics").text, "llamacpp:tokens_predicted_total") or 0

    def stop(self) -> None:
        self._stopped.set()
        self.join()

    def tokens_per_second(self, start: dt.datetime, end: dt.datetime) -> float:
        return (self.tokens_at(end) - self.tokens_at(start)) / (end - start).total_seconds()

    def tokens_at(self, moment: dt.datetime) -> float:
        """Between two readings, taken as evenly made."""
        times = [reading.at.timestamp() for reading in self.readings]
        return float(np.interp(moment.timestamp(), times, [reading.tokens for reading in self.readings]))


def window_of(level: Level) -> tuple[dt.datetime, dt.datetime]:
    end = level.measured_at + dt.timedelta(seconds=PHASE_S)
    return end - dt.timedelta(seconds=level.window_s), end


def test_a_real_engine_is_swept_costed_and_published(engine: str, client: Client) -> None:
    deployment, levels, watcher = register(engine), list[Level](), Watcher(engine)
    watcher.start()
    plan = SweepPlan(levels=LEVELS, phase_s=PHASE_S, stops_when_flat=False)
    sweep = sweep_deployment(deployment, plan, planned_at=dt.datetime.now(dt.UTC), on_level=levels.append)
    watcher.stop()

    # The engine told its own set-up.
    assert sweep is not None
    assert (sweep.max_model_len, sweep.speculative_decoding) == (16_384, "none")

    # Throughput agrees with the engine's own count within 3 %, at each of the four levels.
    assert [level.concurrency for level in levels] == list(LEVELS)
    for level in levels:
        truth = watcher.tokens_per_second(*window_of(level))
        measured = level.throughput_tps or 0
        print(  # noqa: T201 the figures of a real engine, shown with -s
            f"{level.concurrency} at once: {measured:.1f} tokens/s, {100 * (measured / truth - 1):+.2f} % off "
            f"its own count, {level.samples_ok} whole answers, client late by {level.client_lag_ms or 0:.1f} ms"
        )
        assert measured == pytest.approx(truth, rel=0.03), level.concurrency

    # In the file, costed at the stated rate.
    rows = list(csv.DictReader(io.StringIO(client.get("/data/v1/gpu_endpoints.csv").content.decode())))
    kept = {row.concurrency: row for row in sweep.levels.filter(excluded=False)}
    assert [int(row["concurrency"]) for row in rows] == list(kept)
    for row in rows:
        cost = float(RATE) * 1e6 / (float(row["throughput_tps"]) * 3600)
        assert float(row["usd_per_mtok_output"]) == pytest.approx(cost, abs=1e-9)
        assert (row["endpoint_id"], row["engine"], row["gpu_model"]) == ("tiny-cpu", "llama.cpp", "CPU only")

    # Every metric of every level, and every request behind them.
    told = list(csv.DictReader(io.StringIO(client.get("/data/v1/gpu_levels.csv").content.decode())))
    requests = list(csv.DictReader(io.StringIO(client.get("/data/v1/gpu_samples.csv").content.decode())))
    assert [int(row["concurrency"]) for row in told] == list(LEVELS)
    assert all(row[f"{metric}_p50"] for row in told for metric in METRICS)
    assert sum(int(row["samples_total"]) for row in told) == len(requests)
    assert all(row["success_rate"] == "1" for row in told)

    # On the page, the same levels, and nowhere the address.
    page = client.get("/self-hosted/")
    shown = read(page.content).one("table", data_table="gpu_endpoints").all("tr", data_id=None)
    assert [line.attributes["data-id"] for line in shown] == [
        f"tiny-cpu@{row['concurrency']}" for row in rows
    ]
    assert engine.removesuffix("/v1").removeprefix("http://") not in page.content.decode()
