"""Saved objects from plain keyword functions; a test names every value it asserts on."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Sequence
from typing import Any

from leaderboard.catalogue.models import Deployment, Gpu, LanguageModel, Offering, Price, Provider
from leaderboard.measurements.models import Sweep, SweepLevel

counter = itertools.count(1)


def make_provider(**fields: Any) -> Provider:
    number = next(counter)
    defaults: dict[str, Any] = {
        "slug": f"provider-{number}",
        "name": f"Provider {number}",
        "kind": "host",
        "base_url": "https://api.example.com/v1",
    }
    return Provider.objects.create(**defaults | fields)


def make_model(**fields: Any) -> LanguageModel:
    number = next(counter)
    defaults: dict[str, Any] = {
        "slug": f"maker/model-{number}",
        "name": f"Model {number}",
        "creator": "Maker",
        "weights": "open",
        "modality_in": ["text"],
        "modality_out": ["text"],
    }
    return LanguageModel.objects.create(**defaults | fields)


def make_offering(**fields: Any) -> Offering:
    number = next(counter)
    defaults: dict[str, Any] = {
        "public_id": f"offering-{number}",
        "provider_model_name": "model-x",
        "probe_state": "active",
        "workloads": ["medium"],
    }
    if "provider" not in fields:
        fields["provider"] = make_provider()
    if "model" not in fields:
        fields["model"] = make_model()
    return Offering.objects.create(**defaults | fields)


def make_price(offering: Offering, **fields: Any) -> Price:
    defaults: dict[str, Any] = {
        "input_usd_per_mtok": "0.10",
        "output_usd_per_mtok": "0.40",
        "source": "provider_page",
    }
    price = Price.objects.create(offering=offering, **defaults | fields)
    price.refresh_from_db()
    return price


def make_gpu(**fields: Any) -> Gpu:
    number = next(counter)
    defaults: dict[str, Any] = {"name": f"Maker X{number}", "vendor": "Maker", "memory_gib": "80"}
    gpu = Gpu.objects.create(**defaults | fields)
    gpu.refresh_from_db()
    return gpu


def make_deployment(**fields: Any) -> Deployment:
    """A deployment whose cost and power are unknown, behind an offering of a self-hosted provider."""
    number = next(counter)
    defaults: dict[str, Any] = {
        "endpoint_id": f"endpoint-{number}",
        "engine": "vllm",
        "engine_version": "1.0",
    }
    if "offering" not in fields:
        provider = make_provider(kind="self_hosted", base_url="http://10.1.2.3:8000/v1")
        fields["offering"] = make_offering(provider=provider, hosting="self_hosted", quantization="fp8")
    if "gpu" not in fields:
        fields["gpu"] = make_gpu()
    deployment = Deployment.objects.create(**defaults | fields)
    deployment.refresh_from_db()
    return deployment


def make_sweep(deployment: Deployment, levels: Sequence[dict[str, Any]], **fields: Any) -> Sweep:
    """A finished sweep with the deployment's own set-up; each level names its concurrency and what it asserts on."""
    measured_at = fields.pop("measured_at", dt.datetime(2026, 7, 14, 3, 0, tzinfo=dt.UTC))
    defaults: dict[str, Any] = {
        "planned_at": measured_at,
        "measured_at": measured_at,
        "finished_at": measured_at + dt.timedelta(minutes=5),
        "probe_location": "local",
        "workload": "medium",
        "workload_version": 1,
        "methodology_version": "1.0.0",
        "phase_s": 30,
        "engine": deployment.engine,
        "engine_version": deployment.engine_version,
        "gpu_model": deployment.gpu.name,
        "gpu_count": deployment.gpu_count,
        "gpu_memory_gib": deployment.gpu.memory_gib,
        "hardware_source": deployment.hardware_source,
        "quantization": deployment.offering.quantization,
    }
    sweep = Sweep.objects.create(deployment=deployment, **defaults | fields)
    for level in levels:
        SweepLevel.objects.create(sweep=sweep, **{"samples_ok": 10} | level)
    return sweep
