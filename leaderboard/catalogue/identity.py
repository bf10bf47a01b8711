"""Public ids of offerings; which names mean the same model is in `model_names`."""

from __future__ import annotations

import re

from leaderboard.catalogue.models import LanguageModel, Offering, Provider


def variant_slug(variant: str) -> str:
    return re.sub(r"[^a-z0-9._-]+", "-", variant.lower()).strip("-.")


def offering_public_id(
    provider_slug: str, model_slug: str, variant: str = "", *, with_creator: bool = False
) -> str:
    """`provider~model[~variant]`; with the creator where two creators' models share a name at one provider."""
    creator, _, name = model_slug.partition("/")
    model = f"{creator}-{name}" if with_creator else name
    tail = variant_slug(variant)
    return f"{provider_slug}~{model}" + (f"~{tail}" if tail else "")


def free_public_id(provider: Provider, model: LanguageModel, variant: str = "") -> str:
    """The id a new offering gets; ids of other offerings, retired ones included, are never reused."""
    short = offering_public_id(provider.slug, model.slug, variant)
    if not Offering.objects.filter(public_id=short).exists():
        return short
    return offering_public_id(provider.slug, model.slug, variant, with_creator=True)
