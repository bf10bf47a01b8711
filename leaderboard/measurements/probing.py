"""One slot measured: Offering → Endpoint → probe → samples. The key is read here, at the last moment, and not kept."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import structlog

from leaderboard.catalogue.credentials import key_for
from leaderboard.catalogue.models import LanguageModel, Offering, Provider
from leaderboard.catalogue.pricing import cost_usd
from leaderboard.catalogue.queries import prices_in_force
from leaderboard.measurements.identity import NaturalKey, sample_id
from leaderboard.measurements.models import Sample, Slot
from leaderboard.measurements.patience import patiently
from leaderboard.measurements.recording import record_few
from leaderboard.measurements.rounding import rounded, rounded_usd, to_millisecond
from probes.capability import adapt_capabilities
from probes.endpoint import Capabilities, Endpoint
from probes.result import ProbeResult
from probes.run import run_workload
from probes.workloads import get_workload

logger = structlog.get_logger(__name__)

MESSAGE_MAX = 300
DETAIL_MAX = 32
FLAG_MAX = 32


def take_up(slot_id: int, now: dt.datetime, *, is_redelivered: bool = False) -> Slot | None:
    """The slot, claimed for this worker by conditional update; None where it is too late or someone has it.

    A message that a dead worker left behind comes back marked as redelivered and takes its slot over.
    """
    open_slots = Slot.objects.filter(pk=slot_id, finished_at__isnull=True, expires_at__gte=now)
    if not is_redelivered:
        open_slots = open_slots.filter(started_at__isnull=True)
    if not open_slots.update(started_at=now):
        return None
    slot = Slot.objects.select_related("offering__provider", "offering__model").get(pk=slot_id)
    if has_samples(slot):  # stored, and killed before the slot could be marked
        Slot.objects.filter(pk=slot_id).update(finished_at=now)
        return None
    return slot


def has_samples(slot: Slot) -> bool:
    return Sample.objects.filter(
        scheduled_at=to_millisecond(slot.scheduled_at),
        offering=slot.offering_id,
        workload=slot.workload,
        probe_location=slot.probe_location,
    ).exists()


def measure(slot: Slot) -> int:
    """Probe and store; how many samples are new. What a provider does never raises: failures are samples."""
    offering = slot.offering
    with structlog.contextvars.bound_contextvars(slot=slot.pk, offering=offering.public_id):
        endpoint, workload = endpoint_of(offering), get_workload(slot.workload)
        results = asyncio.run(run_workload(endpoint, workload))
        samples = [sample_of(r, slot, n) for n, r in enumerate(results)]
        stored = patiently(lambda: store(slot, samples))
        log_probes(results, samples)
        remember_capabilities(offering, endpoint.capabilities, results)
    return stored


def store(slot: Slot, samples: Sequence[Sample]) -> int:
    """The samples and the mark that the slot is finished; how many were new. Doing it again changes nothing."""
    stored = record_few(samples)
    Slot.objects.filter(pk=slot.pk).update(finished_at=dt.datetime.now(dt.UTC))
    return stored


def log_probes(results: Sequence[ProbeResult], samples: Sequence[Sample]) -> None:
    """A line for each request: the id that the provider saw beside the id that is published."""
    for result, sample in zip(results, samples, strict=True):
        logger.info(
            "probe stored",
            request_id=result.request_id,
            sample_id=str(sample.sample_id),
            workload=sample.workload,
            outcome=sample.outcome,
            detail=sample.detail,
            http_status=sample.http_status,
            ttft_ms=sample.ttft_ms,
            output_speed_tps=sample.output_speed_tps,
        )


def endpoint_of(offering: Offering) -> Endpoint:
    """Where and how to ask; an offering's own address and protocol go before its provider's."""
    provider = offering.provider
    key = key_for(provider)
    if key is None and (provider.api_key_env or provider.encrypted_api_key):
        key = ""  # a key belongs here and is missing: the probe ends as `ours` and says so
    return Endpoint(
        protocol=offering.protocol or provider.protocol,
        base_url=offering.base_url or provider.base_url,
        model=offering.provider_model_name,
        api_key=key,
        region=provider.region or None,
        reasoning_effort=offering.asked_effort,
        capabilities=capabilities_of(offering),
        public_only=not provider.may_be_private,
    )


def endpoint_of_provider(provider: Provider) -> Endpoint:
    """The provider's own address and key, with no model chosen yet."""
    return endpoint_of(Offering(provider=provider, model=LanguageModel()))


def capabilities_of(offering: Offering) -> Capabilities:
    """What was learned before; names of an older version are ignored."""
    known = {f.name for f in dataclasses.fields(Capabilities)}
    return Capabilities(**{k: v for k, v in (offering.capabilities or {}).items() if k in known})


def remember_capabilities(offering: Offering, before: Capabilities, results: Sequence[ProbeResult]) -> None:
    """An option the server refused is left out from the next probe on."""
    after = before
    for result in results:
        after = adapt_capabilities(after, result)
    if after != before:
        Offering.objects.filter(pk=offering.pk).update(capabilities=dataclasses.asdict(after))


SAME_NAME = tuple(
    {f.name for f in dataclasses.fields(ProbeResult)} & {f.name for f in Sample._meta.local_fields}
)
COMPUTED = ("cost_usd", "detail", "message", "flags", "started_at")


def sample_of(result: ProbeResult, slot: Slot, sequence: int) -> Sample:
    """The row of one result, with published decimals and the cost at the price in force when it was sent."""
    offering = slot.offering
    scheduled_at = to_millisecond(slot.scheduled_at)
    key = NaturalKey(
        offering_id=offering.public_id,
        workload=slot.workload,
        probe_location=slot.probe_location,
        connection_kind=result.connection_kind,
        scheduled_at=scheduled_at,
        sequence=sequence,
    )
    return Sample(
        sample_id=sample_id(key),
        offering_id=offering.pk,
        scheduled_at=scheduled_at,
        started_at=to_millisecond(result.started_at),
        probe_location=slot.probe_location,
        sequence=sequence,
        simulated=offering.provider.simulated,
        cost_usd=rounded_usd(cost_of(result, offering)),
        detail=(result.detail or "")[:DETAIL_MAX],
        message=(result.message or "")[:MESSAGE_MAX],
        flags=[flag[:FLAG_MAX] for flag in result.flags],
        **{name: stored(name, getattr(result, name)) for name in SAME_NAME if name not in COMPUTED},
    )


def stored(name: str, value: Any) -> Any:
    """As the column holds it: floats with published decimals, text never null and never too long."""
    if isinstance(value, float):
        return rounded(name, value)
    field = Sample._meta.get_field(name)
    if value is None and not field.null:
        return ""
    if isinstance(value, str):
        return value.replace("\0", "")[: getattr(field, "max_length", None)]
    return value


def cost_of(result: ProbeResult, offering: Offering) -> Decimal | None:
    """USD at the price in force when the request was sent; None where a rate or a count is unknown."""
    whole = prompt_tokens(result)
    price = prices_in_force([offering.pk], result.started_at, prompt_tokens=whole).get(offering.pk)
    return cost_usd(
        price,
        input_tokens=whole,
        output_tokens=result.output_tokens,
        cached_input_tokens=result.cached_input_tokens,
        reasoning_tokens=result.reasoning_tokens,
    )


def prompt_tokens(result: ProbeResult) -> int | None:
    """The whole prompt: some protocols report apart what came from their cache."""
    if result.input_tokens is None or "input_excludes_cache" not in result.flags:
        return result.input_tokens
    return result.input_tokens + (result.cached_input_tokens or 0)
