"""What is real before anything was measured: who is registered, and their list prices."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal

from django.utils import timezone

from leaderboard.catalogue.models import Offering, ProbeState, Provider
from leaderboard.catalogue.pricing import median_usd_per_mtok
from leaderboard.catalogue.queries import prices_in_force


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """A provider with the medians of its offerings' list prices; None where no price is known."""

    provider: Provider
    models: int
    input_usd_per_mtok: Decimal | None
    output_usd_per_mtok: Decimal | None
    priced: int


def registered_providers() -> list[Registered]:
    """Most models first; three queries."""
    offerings = Offering.objects.exclude(probe_state=ProbeState.RETIRED).values_list(
        "id", "provider_id", "model_id"
    )
    models: defaultdict[int, set[int]] = defaultdict(set)
    owner: dict[int, int] = {}
    for offering_id, provider_id, model_id in offerings:
        models[provider_id].add(model_id)
        owner[offering_id] = provider_id
    inputs: defaultdict[int, list[Decimal | None]] = defaultdict(list)
    outputs: defaultdict[int, list[Decimal | None]] = defaultdict(list)
    for offering_id, price in prices_in_force(owner, timezone.now()).items():
        inputs[owner[offering_id]].append(price.input_usd_per_mtok)
        outputs[owner[offering_id]].append(price.output_usd_per_mtok)
    found = [
        Registered(
            provider=provider,
            models=len(models[provider.pk]),
            input_usd_per_mtok=median_usd_per_mtok(inputs[provider.pk])[0],
            output_usd_per_mtok=median_usd_per_mtok(outputs[provider.pk])[0],
            priced=len(inputs[provider.pk]),
        )
        for provider in Provider.objects.filter(simulated=False, retired_on__isnull=True)
    ]
    return sorted(found, key=lambda r: (-r.models, r.provider.name))
