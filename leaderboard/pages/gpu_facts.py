"""What the page of an endpoint says of its set-up. Where it answers is not among it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from leaderboard.catalogue.engines.flags import cleaned_flags
from leaderboard.catalogue.models import Deployment
from leaderboard.catalogue.models.hosting_terms import HostingTerms
from leaderboard.pages.numbers import money


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of what is known of a deployment; no value is unknown."""

    name: str
    value: str


def facts(deployment: Deployment) -> list[Fact]:
    """Everything public of it, as it stands now; former terms with until when they held."""
    gpu = deployment.gpu
    read = "read from the host" if deployment.hardware_source == "measured" else "as the operator states"
    memory = f", {gpu.memory_gib:,.0f} GiB each" if gpu.memory_gib else ""
    speculative = deployment.speculative_decoding
    return [
        Fact("Hardware", f"{deployment.gpu_count} × {gpu.name}{memory} ({read})"),
        Fact("Driver", deployment.driver_version),
        Fact("Region", deployment.region),
        Fact("Engine", f"{deployment.engine} {deployment.engine_version}".strip()),
        Fact("Flags", cleaned_flags(deployment.engine_args)),
        Fact("Quantization", deployment.offering.quantization),
        Fact("Parallel", parallel_words(deployment)),
        Fact("Speculative decoding", speculative),
        Fact("Longest context", f"{deployment.max_model_len:,} tokens" if deployment.max_model_len else ""),
        Fact("Cost basis", cost_words(deployment, deployment.gpu_count)),
        *(
            Fact(f"Cost until {former.held_until:%-d %B %Y}", cost_words(former, deployment.gpu_count))
            for former in reversed(deployment.former_terms.all())
        ),
        Fact("Power", power_words(deployment)),
    ]


def parallel_words(deployment: Deployment) -> str:
    degrees = (
        ("tensor", deployment.tensor_parallel),
        ("pipeline", deployment.pipeline_parallel),
        ("expert", deployment.expert_parallel),
    )
    return ", ".join(f"{name} {degree}" for name, degree in degrees if degree)


def cost_words(terms: HostingTerms, gpu_count: int) -> str:
    hourly = terms.hourly_cost_of(gpu_count)
    basis = terms.cost_basis.replace("_", " ")
    if hourly is None:
        return "unknown" if terms.cost_basis == "unknown" else f"{basis}, a part of it unknown"
    if terms.usd_per_gpu_hour is not None:
        return f"{basis}: {gpu_count} × {money(terms.usd_per_gpu_hour)} = {money(hourly)} USD per hour"
    purchase, hours = terms.purchase_usd, terms.lifetime_hours
    return (
        f"{basis}: {money(purchase or 0)} USD ÷ {hours or 0:,.0f} h + {gpu_count} × "
        f"{terms.watts_per_gpu or 0:,.0f} W × {terms.pue or 1:f} × {money(terms.usd_per_kwh or 0)} "
        f"USD per kWh = {money(hourly)} USD per hour"
    )


def power_words(deployment: Deployment) -> str:
    if deployment.watts_per_gpu is None:
        return ""
    stated = "measured" if deployment.power_source == "measured" else "as the operator states"
    return f"{deployment.watts_per_gpu:,.0f} W a GPU ({stated}), PUE {(deployment.pue or Decimal(1)).normalize():f}"
