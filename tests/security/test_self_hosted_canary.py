"""Where our own endpoints answer is on no page, in no file, feed or error: planted host names and addresses."""

from __future__ import annotations

import datetime as dt

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from leaderboard.catalogue.models import Deployment
from leaderboard.measurements.models import Slot
from leaderboard.measurements.probing import sample_of
from leaderboard.measurements.recording import record_sample
from probes.redaction import clean_message
from probes.result import ProbeResult
from tests.factories import make_deployment, make_model, make_offering, make_price, make_provider, make_sweep
from tests.measurements.sweeps import make_measured_sweep
from tests.ranking.factories import AS_OF, make_saved_snapshot, make_summary
from tests.security.addresses import Maker

HOST = "gpu01.canary-rack.internal"
ADDRESS = "10.98.76.54"
PORT = "48123"
TRACES = ("canary", "gpu01", ADDRESS, "10-98-76-54", PORT)
BAD_QUERIES = (
    "?utilisation_percent=0",
    "?display=x",
    "?endpoint=nobody",
    "?sort=nothing",
    "?params_total_b=-1",
)


def leaks(text: bytes | str) -> list[str]:
    found = text if isinstance(text, str) else text.decode("utf-8", "replace")
    return [trace for trace in TRACES if trace in found]


@pytest.fixture
def deployments(db: None) -> list[Deployment]:
    """One by name and one by address, each with its place in every field that an operator may fill."""
    model = make_model(slug="maker/own", name="Own")
    snapshot = make_saved_snapshot()
    made = []
    for number, host in enumerate((HOST, ADDRESS)):
        base_url = f"http://{host}:{PORT}/v1"
        provider = make_provider(
            slug=f"own-{number}", name=f"Own {number}", kind="self_hosted", base_url=base_url
        )
        offering = make_offering(
            public_id=f"own-{number}~own",
            provider=provider,
            model=model,
            hosting="self_hosted",
            base_url=base_url,
            quantization="fp8",
        )
        deployment = make_deployment(
            endpoint_id=f"rack-{number}",
            offering=offering,
            engine_args=f"--host {host} --max-num-seqs 64",
            power_meter_url=f"http://{host}:9400/metrics",
            cost_basis="rental_on_demand",
            usd_per_gpu_hour="2",
        )
        level = {
            "concurrency": 1,
            "throughput_tps": 90.0,
            "output_speed_tps_user_p50": 95.0,
            "ttft_ms_p50": 40.0,
            "ttft_ms_p95": 60.0,
        }
        earlier = AS_OF - dt.timedelta(days=30)
        make_sweep(
            deployment,
            [level],
            measured_at=earlier,
            engine_args=f"--dist-init-addr {host}:5000 --max-num-seqs 64",
        )
        make_measured_sweep(deployment)
        make_summary(snapshot, offering, output_speed_tps_p50=95.0, ttft_ms_p50=40.0)
        make_failed_sample(deployment, host)
        made.append(deployment)
    make_price(make_offering(public_id="seller~own", model=model), output_usd_per_mtok="0.50")
    return made


def make_failed_sample(deployment: Deployment, host: str) -> None:
    """A failure whose text names the place, as a proxy in front of an engine writes it; cleaned as every probe's."""
    slot = Slot.objects.create(
        offering=deployment.offering,
        workload="medium",
        probe_location="local",
        scheduled_at=AS_OF - dt.timedelta(hours=1),
        expires_at=AS_OF,
    )
    result = ProbeResult(
        request_id="r",
        started_at=slot.scheduled_at,
        workload="medium",
        workload_version=1,
        outcome="server_error",
        message=clean_message(f"upstream http://{host}:{PORT} did not answer"),
    )
    record_sample(sample_of(result, slot, 0))


def test_no_page_file_or_feed_tells_where(deployments: list[Deployment], visitor: Client) -> None:
    offering = deployments[0].offering
    values = {
        "creator": ("maker",),
        "model": ("own",),
        "provider": (offering.provider.slug,),
        "slug": (offering.provider.slug,),
        "offering_id": (offering.public_id,),
        "endpoint": ("rack-0", "rack-1", "nobody"),
    }
    public = [a.path for a in Maker(values).addresses() if not a.path.startswith("/admin/")]

    found = {}
    for path in public:
        answer = visitor.get(path)
        body = b"".join(answer) if answer.streaming else answer.content
        if leaks(body) or leaks(str(answer.headers)):
            found[path] = leaks(body) or leaks(str(answer.headers))

    assert found == {}
    assert "/self-hosted/rack-1/" in public
    assert {
        "/data/v1/gpu_endpoints.csv",
        "/data/v1/gpu_levels.csv",
        "/data/v1/gpu_samples.csv",
        "/self-hosted/rack-1/samples.csv",
    } <= set(public)


@pytest.mark.parametrize("query", BAD_QUERIES)
@pytest.mark.parametrize(
    "path", ["/self-hosted/", "/self-hosted/rack-0/", "/self-hosted.json", "/self-hosted/rack-0.csv"]
)
def test_no_error_tells_where(deployments: list[Deployment], visitor: Client, path: str, query: str) -> None:
    answer = visitor.get(path + query)

    assert answer.status_code in (200, 400)
    assert leaks(answer.content) == []


def test_a_refused_sweep_does_not_tell_where(deployments: list[Deployment]) -> None:
    Deployment.objects.update(retired_on=dt.date(2026, 7, 1))

    with pytest.raises(CommandError) as refused:
        call_command("sweep", endpoint="rack-0")

    assert leaks(str(refused.value)) == []


def test_the_search_finds_what_it_looks_for(deployments: list[Deployment]) -> None:
    assert leaks(deployments[0].offering.base_url)
    assert leaks(f"answers at {ADDRESS}")
    assert not leaks("rack-0")
