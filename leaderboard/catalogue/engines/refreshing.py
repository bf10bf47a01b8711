"""A deployment's set-up brought up to date from what its engine and its host say. What neither says stays as typed.

Its offering gains what was unknown of it: number format, context, and the model's name before the first probe.
"""

from __future__ import annotations

import datetime as dt
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from leaderboard.catalogue.credentials import key_for
from leaderboard.catalogue.engines.facts import EngineCounters, EngineFacts
from leaderboard.catalogue.engines.flags import cleaned_flags
from leaderboard.catalogue.engines.power import HostGpus, ask_exporter, ask_this_machine
from leaderboard.catalogue.engines.reading import EngineReader
from leaderboard.catalogue.history import record_revision
from leaderboard.catalogue.models import Deployment, Offering
from leaderboard.catalogue.names import LONGEST_MODEL_NAME

LONGEST_WORD = 60
FROM_FACTS = {
    "engine_version": "version",
    "max_model_len": "max_model_len",
    "tensor_parallel": "tensor_parallel",
    "pipeline_parallel": "pipeline_parallel",
    "expert_parallel": "expert_parallel",
    "speculative_decoding": "speculative_decoding",
}
TOLD = "told by its engine"
FROM_HOST = ("driver_version", "hardware_source")


def base_url_of_offering(offering: Offering) -> str:
    return offering.base_url or offering.provider.base_url


def reader_of_offering(offering: Offering) -> EngineReader:
    return EngineReader(base_url_of_offering(offering), api_key=key_for(offering.provider))


def base_url_of(deployment: Deployment) -> str:
    return base_url_of_offering(deployment.offering)


def reader_of(deployment: Deployment) -> EngineReader:
    return reader_of_offering(deployment.offering)


def refresh_deployment(deployment: Deployment, *, now: dt.datetime) -> bool:
    """Ask engine and host, save what they told; whether the engine answered. Only for GPUs of our own."""
    if not deployment.is_ours:
        return False
    with reader_of(deployment) as reader:
        facts = reader.facts(engine=deployment.engine)
    if facts is not None:
        take_facts(deployment, facts, now=now)
        fill_offering(deployment.offering, facts)
    take_host(deployment, ask_host(deployment))
    # Named, so that a rate typed meanwhile is not overwritten.
    deployment.save(update_fields=[*FROM_FACTS, *FROM_HOST, "engine_args", "engine_read_at", "updated_at"])
    return facts is not None


def take_facts(deployment: Deployment, facts: EngineFacts, *, now: dt.datetime) -> None:
    for field, told in FROM_FACTS.items():
        value = getattr(facts, told)
        if value is not None:
            setattr(deployment, field, value[:LONGEST_WORD] if isinstance(value, str) else value)
    if facts.flags and not deployment.engine_args:
        deployment.engine_args = cleaned_flags(facts.flags)
    deployment.engine_read_at = now


def fill_offering(offering: Offering, facts: EngineFacts) -> None:
    """What the engine knows better, with a line in the history; nothing that a person or a probe has settled."""
    filled: dict[str, Any] = {}
    if facts.quantization and offering.quantization == "undisclosed":
        filled |= {"quantization": facts.quantization, "quantization_source": "provider_api"}
    if facts.max_model_len and offering.context_tokens is None:
        filled["context_tokens"] = facts.max_model_len
    name = only_name(facts)
    if name and name != offering.provider_model_name and offering.first_probed_on is None:
        filled["provider_model_name"] = name
    for field, value in filled.items():
        old = getattr(offering, field)
        setattr(offering, field, value)
        record_revision(offering, None, kind="edited", field=field, old=old, new=value, reason=TOLD)
    if filled:
        offering.save(update_fields=[*filled, "updated_at"])


def only_name(facts: EngineFacts) -> str | None:
    """What the engine calls its only model; None where it serves several, or where the name is a path of its host."""
    names = [name for name in facts.models if not name.startswith(("/", "./", "~")) and "\\" not in name]
    return names[0] if len(facts.models) == 1 and names and len(names[0]) <= LONGEST_MODEL_NAME else None


def ask_host(deployment: Deployment) -> HostGpus:
    """The exporter where one is named; else this machine, where the engine runs on it. A simulated one has no host."""
    if deployment.offering.provider.simulated:
        return HostGpus()
    if deployment.power_meter_url:
        return ask_exporter(deployment.power_meter_url)
    return ask_this_machine() if is_this_machine(base_url_of(deployment)) else HostGpus()


def take_host(deployment: Deployment, host: HostGpus) -> None:
    """The hardware counts as read only where the host names as many GPUs, and that kind."""
    if host.driver_version:
        deployment.driver_version = host.driver_version[:60]
    as_many = len(host.names) == deployment.gpu_count
    if host.names and as_many and all(is_kind(name, deployment.gpu.name) for name in host.names):
        deployment.hardware_source = "measured"


def is_kind(told: str, catalogued: str) -> bool:
    """`NVIDIA H200` told of `NVIDIA H200 SXM`: every word of the shorter name is in the longer."""
    short, long = sorted((set(told.lower().split()), set(catalogued.lower().split())), key=len)
    return bool(short) and short <= long


def is_this_machine(base_url: str) -> bool:
    host = urlsplit(base_url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def read_counters(deployment: Deployment) -> EngineCounters:
    """Its token counters as they stand now; all None where the engine shows none."""
    with reader_of(deployment) as reader:
        return reader.counters(engine=deployment.engine)
