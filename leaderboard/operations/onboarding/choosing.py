"""Which of a provider's models become offerings: matched by name, never guessed; previewed, then made.

The preview and the making are one code path; the preview is rolled back and carries a hash of what it would do.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal

from django.contrib.auth.models import User
from django.db import transaction

from leaderboard.catalogue.history import record_revision
from leaderboard.catalogue.identity import free_public_id
from leaderboard.catalogue.model_names import ModelIdentity, identify
from leaderboard.catalogue.models import MODEL_SLUG, LanguageModel, Offering, Price, ProbeState, Provider
from leaderboard.catalogue.queries import prices_in_force
from leaderboard.catalogue.review import note_edit
from leaderboard.operations.onboarding.model_lists import ListedModel


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A listed model and ours: `how` is exactly, by alias, as sold by another, new, or unknown."""

    listed: ListedModel
    how: str
    slug: str = ""
    """Ours; a proposal where it is new, empty where it is unknown."""

    @property
    def is_matched(self) -> bool:
        return self.how not in ("new", "unknown")


def match_models(listed: Iterable[ListedModel]) -> list[Match]:
    """Each listed model with ours of the same identity, in three queries."""
    by_slug = {model.slug: model for model in LanguageModel.objects.filter(retired_on=None)}
    by_alias = {alias.lower(): model for model in by_slug.values() for alias in model.aliases}
    sold_as = dict(
        Offering.objects.filter(retired_on=None, provider__simulated=False).values_list(
            "provider_model_name", "model__slug"
        )
    )
    return [match_model(model, by_slug, by_alias, sold_as) for model in listed]


def match_model(
    listed: ListedModel,
    by_slug: Mapping[str, LanguageModel],
    by_alias: Mapping[str, LanguageModel],
    sold_as: Mapping[str, str],
) -> Match:
    alias = by_alias.get(listed.name.lower())
    if alias:
        return Match(listed=listed, how="by alias", slug=alias.slug)
    identity = identify(listed.name)
    if identity and identity.slug in by_slug:
        return Match(listed=listed, how="exactly", slug=identity.slug)
    if listed.name in sold_as:
        return Match(listed=listed, how="as sold by another", slug=sold_as[listed.name])
    if identity:
        return Match(listed=listed, how="new", slug=identity.slug)
    return Match(listed=listed, how="unknown")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One model to offer, under our name for it."""

    name: str
    slug: str
    context_tokens: int | None = None
    input_usd_per_mtok: Decimal | None = None
    output_usd_per_mtok: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRow:
    """What becomes of one choice: create, change or skip, and why."""

    action: str
    name: str
    slug: str
    offering_id: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Preview:
    rows: tuple[PlannedRow, ...]
    digest: str

    def count(self, action: str) -> int:
        return sum(row.action == action for row in self.rows)

    @property
    def sentence(self) -> str:
        created = self.count("create")
        return (
            f"Will create {created} offering{'' if created == 1 else 's'}, "
            f"change {self.count('change')}, skip {self.count('skip')}"
        )

    @property
    def done_sentence(self) -> str:
        created = self.count("create")
        return (
            f"Created {created} offering{'' if created == 1 else 's'}, "
            f"changed {self.count('change')}, skipped {self.count('skip')}."
        )


class PreviewOutdated(Exception):
    """What would happen is no longer what was shown."""


def preview(provider: Provider, choices: Sequence[Choice], user: User, *, now: dt.datetime) -> Preview:
    with transaction.atomic():
        found = apply_choices(provider, choices, user, now=now)
        transaction.set_rollback(True)
    return found


def create(
    provider: Provider,
    choices: Sequence[Choice],
    user: User,
    *,
    now: dt.datetime,
    digest: str,
    capabilities: Mapping[str, bool],
) -> Preview:
    """Make what the preview of that digest showed. Raises PreviewOutdated where it would be something else now."""
    with transaction.atomic():
        Provider.objects.select_for_update().get(pk=provider.pk)
        found = apply_choices(provider, choices, user, now=now, capabilities=capabilities)
        if found.digest != digest:
            raise PreviewOutdated("The catalogue changed since this preview. Preview again.")
    return found


def apply_choices(
    provider: Provider,
    choices: Sequence[Choice],
    user: User | None,
    *,
    now: dt.datetime,
    capabilities: Mapping[str, bool] | None = None,
) -> Preview:
    """Runs inside the caller's transaction."""
    before = state_of(provider)
    rows = tuple(apply_choice(provider, choice, user, now, dict(capabilities or {})) for choice in choices)
    said = json.dumps([before, [asdict(row) for row in rows]], sort_keys=True, default=str)
    return Preview(rows, hashlib.sha256(said.encode()).hexdigest()[:16])


def state_of(provider: Provider) -> list[str]:
    """What a preview rests on: the offerings there are and their prices in force."""
    offerings = dict(provider.offerings.order_by("public_id").values_list("id", "public_id"))
    prices = prices_in_force(offerings, dt.datetime.now(dt.UTC))
    told = {key: (price.input_usd_per_mtok, price.output_usd_per_mtok) for key, price in prices.items()}
    return [f"{public_id} {told.get(key)}" for key, public_id in offerings.items()]


def apply_choice(
    provider: Provider, choice: Choice, user: User | None, now: dt.datetime, capabilities: dict[str, bool]
) -> PlannedRow:
    if not re.fullmatch(MODEL_SLUG, choice.slug):
        detail = "Give it a name of ours (maker/model) or leave it out."
        return PlannedRow(action="skip", name=choice.name, slug=choice.slug, detail=detail)
    identity = identify(choice.name)
    variant = variant_of(identity, choice.slug)
    model = find_or_add_model(choice, identity, user)
    known = provider.offerings.filter(model=model, variant=variant).first()
    if known:
        return take_up(known, choice, user, now)
    offering = Offering(
        public_id=free_public_id(provider, model, variant),
        provider=provider,
        model=model,
        variant=variant,
        provider_model_name=choice.name,
        quantization=(identity.quantization if identity else "") or "undisclosed",
        quantization_source="provider_api" if identity and identity.quantization else "undisclosed",
        context_tokens=choice.context_tokens,
        hosting="self_hosted" if provider.kind == Provider.Kind.SELF_HOSTED else "serverless",
        workloads=["medium"],
        capabilities=capabilities,
        edited_by=user,
    )
    offering.save()
    record_revision(offering, user, kind="added", is_public=True)
    add_price(offering, choice, now)
    return PlannedRow(action="create", name=choice.name, slug=choice.slug, offering_id=offering.public_id)


def variant_of(identity: ModelIdentity | None, slug: str) -> str:
    """What the provider's name says beyond the model; nothing where the name was understood otherwise."""
    if identity is None or identity.slug != slug:
        return ""
    return "-".join(part for part in (identity.variant, identity.quantization, identity.region) if part)[:60]


def find_or_add_model(choice: Choice, identity: ModelIdentity | None, user: User | None) -> LanguageModel:
    model = LanguageModel.objects.filter(slug=choice.slug).first()
    if model:
        if identity is None or identity.slug != choice.slug:
            model.aliases = sorted({*model.aliases, choice.name})
            model.save(update_fields=["aliases", "updated_at"])
        return model
    creator = choice.slug.partition("/")[0]
    same = identity if identity and identity.slug == choice.slug else None
    model = LanguageModel.objects.create(
        slug=choice.slug,
        name=choice.name.rpartition("/")[2],
        creator=same.creator if same else creator,
        weights=same.weights if same else "open",
        context_tokens=choice.context_tokens,
        modality_in=["text"],
        modality_out=["text"],
        aliases=[] if same else [choice.name],
    )
    record_revision(model, user, kind="added", is_public=True)
    return model


def take_up(known: Offering, choice: Choice, user: User | None, now: dt.datetime) -> PlannedRow:
    """An offering that was only listed becomes ours to probe; one that is probed is left as it is."""
    if known.probe_state != ProbeState.DRAFT or known.first_probed_on:
        since = (
            f" since {known.first_probed_on.day} {known.first_probed_on:%B}" if known.first_probed_on else ""
        )
        detail = f"{known.provider} already serves this model ({known.probe_state}{since}). Open it, or add a variant."
        return PlannedRow(
            action="skip", name=choice.name, slug=choice.slug, offering_id=known.public_id, detail=detail
        )
    old = known.provider_model_name
    known.provider_model_name = choice.name
    known.context_tokens = choice.context_tokens or known.context_tokens
    note_edit(known, user)
    known.save()
    if old != choice.name:
        record_revision(known, user, kind="edited", field="provider_model_name", old=old, new=choice.name)
    detail = "Listed so far; now with the name the provider's own list gives."
    return PlannedRow(
        action="change", name=choice.name, slug=choice.slug, offering_id=known.public_id, detail=detail
    )


def add_price(offering: Offering, choice: Choice, now: dt.datetime) -> None:
    """The price the provider's own list gives, where it gives one."""
    if choice.input_usd_per_mtok is None and choice.output_usd_per_mtok is None:
        return
    Price.objects.create(
        offering=offering,
        valid_from=now,
        verified_at=now,
        input_usd_per_mtok=choice.input_usd_per_mtok,
        output_usd_per_mtok=choice.output_usd_per_mtok,
        source="provider_api",
        source_url=offering.provider.pricing_url,
        entered_by="job",
    )
