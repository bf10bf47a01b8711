"""What a form need not ask: the set-up of a new deployment, as engine and host tell it themselves."""

from __future__ import annotations

from typing import Any

from leaderboard.catalogue.engines.facts import EngineFacts
from leaderboard.catalogue.engines.flags import cleaned_flags
from leaderboard.catalogue.engines.power import HostGpus, ask_this_machine
from leaderboard.catalogue.engines.refreshing import (
    FROM_FACTS,
    LONGEST_WORD,
    base_url_of_offering,
    is_kind,
    is_this_machine,
    reader_of_offering,
)
from leaderboard.catalogue.models import Gpu, Offering


def suggested_deployment(offering: Offering) -> dict[str, Any]:
    """Field values for a new deployment behind an offering; only the offering where nothing answers."""
    suggested: dict[str, Any] = {"offering": offering.pk}
    if not offering.is_self_hosted:
        return suggested
    with reader_of_offering(offering) as reader:
        facts = reader.facts()
    if facts is not None:
        suggested |= told_by_engine(facts)
    if is_this_machine(base_url_of_offering(offering)) and not offering.provider.simulated:
        suggested |= told_by_host(ask_this_machine())
    return suggested


def told_by_engine(facts: EngineFacts) -> dict[str, Any]:
    values: dict[str, Any] = {field: getattr(facts, told) for field, told in FROM_FACTS.items()}
    told = {
        field: value[:LONGEST_WORD] if isinstance(value, str) else value for field, value in values.items()
    }
    told |= {"engine": facts.engine, "engine_args": cleaned_flags(facts.flags)}
    return {field: value for field, value in told.items() if value not in (None, "")}


def told_by_host(host: HostGpus) -> dict[str, Any]:
    """The kind of GPU and how many, where all are of one kind that the catalogue knows."""
    if not host.names:
        return {}
    fitting = [gpu for gpu in Gpu.objects.all() if all(is_kind(name, gpu.name) for name in host.names)]
    told: dict[str, Any] = {"gpu_count": len(host.names)}
    if host.driver_version:
        told["driver_version"] = host.driver_version[:LONGEST_WORD]
    if len(fitting) == 1:
        told["gpu"] = fitting[0].pk
    return told
