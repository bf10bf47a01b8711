"""Saved objects from plain keyword functions; a test names every value it asserts on."""

from __future__ import annotations

import itertools
from typing import Any

from leaderboard.catalogue.models import LanguageModel, Offering, Price, Provider

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
