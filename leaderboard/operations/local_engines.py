"""Engines found on this machine's loopback: offered to the operator, and put into the catalogue at a word.

Nothing is written and nothing is asked to generate before that word.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable

from django.contrib.auth.models import User
from django.db import transaction

from leaderboard.catalogue.engines.detecting import USUAL_PORTS, LocalEngine, detect_local_engines
from leaderboard.catalogue.history import record_revision
from leaderboard.catalogue.models import Provider
from leaderboard.operations.environment import EnvironmentProblem
from leaderboard.operations.onboarding.choosing import Choice, apply_choices, match_models
from leaderboard.operations.onboarding.model_lists import ListedModel

PREFIX = "local-"


def slug_of(engine: LocalEngine) -> str:
    """`local-ollama`, `local-llama-cpp`: what `--measure` takes."""
    return PREFIX + re.sub(r"[^a-z0-9]+", "-", engine.name.lower()).strip("-")


def new_local_engines(
    *, ports: Iterable[int] = USUAL_PORTS, leave_out: Iterable[int] = ()
) -> list[LocalEngine]:
    """Those that listen and are no provider of the catalogue yet."""
    found = detect_local_engines(ports, leave_out=leave_out)
    known = set(
        Provider.objects.filter(base_url__in=[e.base_url for e in found]).values_list("base_url", flat=True)
    )
    return [engine for engine in found if engine.base_url not in known]


def choices_of(engine: LocalEngine) -> list[Choice]:
    """Its models that have an identity of ours; a path or a nickname has none and is left to a person."""
    matches = match_models(ListedModel(name=name) for name in engine.facts.models)
    return [
        Choice(name=m.listed.name, slug=m.slug, context_tokens=engine.facts.max_model_len)
        for m in matches
        if m.slug
    ]


@transaction.atomic
def add_local_engine(engine: LocalEngine, user: User | None, *, now: dt.datetime) -> Provider:
    """The engine as a self-hosted provider with its models as drafts. Raises EnvironmentProblem where none is known."""
    choices = choices_of(engine)
    if not choices:
        raise EnvironmentProblem(
            f"{engine.name} on {engine.base_url} serves no model that the board knows by name; "
            "add it in the admin under “Add a provider”."
        )
    provider = Provider.objects.create(
        slug=slug_of(engine),
        name=f"{engine.name} on this machine",
        kind=Provider.Kind.SELF_HOSTED,
        base_url=engine.base_url,
        account_kind="operator_owned",
    )
    record_revision(provider, user, kind="added", is_public=True)
    apply_choices(provider, choices, user, now=now)
    return provider


def local_provider(slug: str, user: User | None, *, now: dt.datetime) -> Provider | None:
    """The provider of that slug, put into the catalogue if its engine listens now; None where none does."""
    engine = next((e for e in new_local_engines() if slug_of(e) == slug), None)
    return add_local_engine(engine, user, now=now) if engine else None
