from __future__ import annotations

import datetime as dt
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from leaderboard.measurements import probing
from leaderboard.measurements.management.commands import probe
from leaderboard.measurements.models import Sample, Slot
from probes.endpoint import Endpoint
from probes.result import ProbeResult
from probes.workloads import Workload
from tests.factories import make_offering, make_provider

pytestmark = pytest.mark.django_db


def run(*words: str) -> str:
    out = StringIO()
    call_command("probe", *words, stdout=out)
    return out.getvalue()


@pytest.fixture
def answered(monkeypatch: pytest.MonkeyPatch) -> None:
    async def answer(endpoint: Endpoint, workload: Workload) -> list[ProbeResult]:
        fields: dict[str, Any] = {"outcome": "ok", "ttft_ms": 205.4, "output_speed_tps": 99.96}
        if endpoint.model == "broken":
            fields = {"outcome": "server_error", "http_status": 503, "message": "overloaded"}
        return [
            ProbeResult(
                request_id="r",
                started_at=dt.datetime.now(dt.UTC),
                workload=workload.slug,
                workload_version=1,
                **fields,
            )
        ]

    monkeypatch.setattr(probing, "run_workload", answer)


@pytest.mark.usefixtures("answered")
def test_waiting_measures_here_and_says_what_came() -> None:
    make_offering(public_id="a")
    make_offering(public_id="b", provider_model_name="broken")
    make_offering(public_id="c", probe_state="draft")

    said = run("--wait")

    assert said.splitlines() == [
        "a ok, first token after 205 ms, 100.0 tokens/s",
        "b server_error (HTTP 503) overloaded",
    ]
    assert Sample.objects.count() == 2
    assert Slot.objects.filter(finished_at=None).count() == 0


@pytest.mark.usefixtures("answered")
def test_without_a_broker_it_measures_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(slots: object) -> None:
        raise ConnectionError

    monkeypatch.setattr(probe, "send", fail)
    make_offering(public_id="a")

    said = run("--offering", "a")

    assert "No broker answers" in said
    assert "a ok, first token after 205 ms" in said


def test_with_workers_it_hands_over(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[Slot] = []
    monkeypatch.setattr(probe, "send", sent.extend)
    make_offering(public_id="a")

    assert run() == "1 probes handed to the workers.\n"
    assert [slot.manual for slot in sent] == [True]


def test_problems_are_sentences() -> None:
    with pytest.raises(CommandError, match="Nothing to probe"):
        run()
    make_offering(public_id="acme~qwen3", provider=make_provider(benchmarks_forbidden=True))
    with pytest.raises(CommandError, match=r"There is no offering acme~qwen\. Did you mean acme~qwen3\?"):
        run("--offering", "acme~qwen")
    with pytest.raises(CommandError, match="Its terms forbid benchmarks"):
        run("--offering", "acme~qwen3")
