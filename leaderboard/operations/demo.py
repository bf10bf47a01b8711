"""The demo: simulated providers, served by the lab and measured by the real pipeline.

They are ordinary catalogue rows with `simulated` set; what they show is measured, what they are is not real.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.db import transaction

from leaderboard.catalogue.models import (
    CostBasis,
    Deployment,
    Gpu,
    LanguageModel,
    Offering,
    Price,
    ProbeState,
    Provider,
    utc_today,
)

DEMO_FILE = Path(__file__).with_name("demo.toml")
INTERVAL_S = 60
WORKLOAD = "medium"
SIMULATED_GPU = "Simulated GPU"
ENDED_AT_START = "The board was started without the demo."
ENDED_BY_OPERATOR = "An administrator ended the demo."
# The lab costs nothing; its list prices must not eat the board's real budget.
NO_CAP_USD = Decimal(1_000_000)


def read_demo() -> dict[str, Any]:
    return tomllib.loads(DEMO_FILE.read_text())


def lab_url(port: int) -> str:
    return f"http://127.0.0.1:{port}/v1"


@transaction.atomic
def load_demo(port: int, *, revive: bool = False) -> int:
    """Bring the simulated rows up to date with the lab's address; how many offerings there are.

    A demo that an administrator has ended stays ended, 0, unless `revive`.
    """
    ended = Offering.objects.filter(provider__simulated=True, retired_reason=ENDED_BY_OPERATOR)
    if not revive and ended.exists():
        return 0
    demo = read_demo()
    models = {fields["slug"]: save_model(fields) for fields in demo["models"]}
    count = 0
    for fields in demo["providers"]:
        provider = save_provider(fields, lab_url(port))
        for offered in fields["offerings"]:
            offering = save_offering(provider, models[offered["model"]], offered)
            save_price(offering, offered)
            save_deployment(offering, offered.get("deployment"))
            count += 1
    return count


@transaction.atomic
def end_demo(reason: str) -> int:
    """Retire every simulated row: off the board and no longer probed; its samples stay. How many there were."""
    today = utc_today()
    Provider.objects.filter(simulated=True, retired_on=None).update(retired_on=today)
    offerings = Offering.objects.filter(provider__simulated=True)
    Deployment.objects.filter(offering__in=offerings, retired_on=None).update(
        retired_on=today, is_public=False
    )
    LanguageModel.objects.filter(slug__in=demo_model_slugs(), retired_on=None).update(retired_on=today)
    if reason == ENDED_BY_OPERATOR:
        offerings.update(retired_reason=reason)
    return offerings.exclude(probe_state=ProbeState.RETIRED).update(
        probe_state=ProbeState.RETIRED, retired_on=today, retired_reason=reason
    )


def is_demo_running() -> bool:
    """Whether simulated offerings are on the board; one query."""
    return Offering.objects.filter(provider__simulated=True, probe_state=ProbeState.ACTIVE).exists()


def demo_model_slugs() -> list[str]:
    return [str(fields["slug"]) for fields in read_demo()["models"]]


def save_model(fields: Mapping[str, Any]) -> LanguageModel:
    known = {name: value for name, value in fields.items() if name != "slug"}
    defaults = known | {"modality_in": ["text"], "modality_out": ["text"], "retired_on": None}
    return LanguageModel.objects.update_or_create(slug=fields["slug"], defaults=defaults)[0]


def save_provider(fields: Mapping[str, Any], base_url: str) -> Provider:
    defaults = {
        "name": fields["name"],
        "kind": fields.get("kind", Provider.Kind.HOST),
        "protocol": "openai-chat",
        "base_url": base_url,
        "account_kind": "operator_owned",
        "daily_cap_usd": NO_CAP_USD,
        "simulated": True,
        "retired_on": None,
    }
    return Provider.objects.update_or_create(slug=fields["slug"], defaults=defaults)[0]


def save_offering(provider: Provider, model: LanguageModel, fields: Mapping[str, Any]) -> Offering:
    variant = fields.get("variant", "")
    short_name = model.slug.partition("/")[2]
    defaults = {
        "public_id": "~".join(part for part in (provider.slug, short_name, variant) if part),
        "provider_model_name": f"{short_name}@{fields['lab']}",
        "quantization": fields.get("quantization", "undisclosed"),
        "quantization_source": "operator" if "quantization" in fields else "undisclosed",
        "context_tokens": model.context_tokens,
        "interval_s": fields.get("interval_s", INTERVAL_S),
        "hosting": "self_hosted" if provider.kind == Provider.Kind.SELF_HOSTED else "serverless",
        "workloads": [WORKLOAD],
        "probe_state": ProbeState.ACTIVE,
        "retired_on": None,
        "retired_reason": "",
    }
    return Offering.objects.update_or_create(
        provider=provider, model=model, variant=variant, defaults=defaults
    )[0]


def save_price(offering: Offering, fields: Mapping[str, Any]) -> None:
    """A price once; an offering without one in the file is the example of an unknown price."""
    if "input" not in fields or offering.prices.exists():
        return
    cached = fields.get("cache_read")
    Price.objects.create(
        offering=offering,
        input_usd_per_mtok=Decimal(fields["input"]),
        output_usd_per_mtok=Decimal(fields["output"]),
        cache_read_usd_per_mtok=Decimal(cached) if cached is not None else None,
        source="operator",
        entered_by="job",
        note="Simulated price of the demo.",
    )


def save_deployment(offering: Offering, fields: Mapping[str, Any] | None) -> None:
    """GPUs that do not exist: their kind has no figures, so that nothing is estimated from them."""
    if fields is None:
        return
    gpu, _ = Gpu.objects.get_or_create(
        name=SIMULATED_GPU, defaults={"vendor": "Demo", "note": "The demo's; no such board exists."}
    )
    defaults = {
        "offering": offering,
        "gpu": gpu,
        "gpu_count": fields["gpu_count"],
        "engine": "other",
        "engine_version": "demo lab",
        "tensor_parallel": fields["tensor_parallel"],
        "speculative_decoding": "none",
        "max_model_len": fields["max_model_len"],
        "cost_basis": CostBasis.RENTAL_ON_DEMAND,
        "usd_per_gpu_hour": Decimal(fields["usd_per_gpu_hour"]),
        "watts_per_gpu": Decimal(fields["watts_per_gpu"]),
        "power_source": "declared",
        "pue": Decimal("1.2"),
        "usd_per_kwh": Decimal("0.12"),
        "is_public": True,
        "retired_on": None,
    }
    Deployment.objects.update_or_create(endpoint_id=fields["endpoint_id"], defaults=defaults)
