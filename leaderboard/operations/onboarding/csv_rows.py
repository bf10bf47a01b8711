"""A CSV of offers into the catalogue: each row is judged, shown, and only then applied, all or nothing."""

from __future__ import annotations

import csv
import datetime as dt
import hashlib
import io
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction

from leaderboard.catalogue.addresses import looks_private
from leaderboard.catalogue.history import record_revision
from leaderboard.catalogue.identity import free_public_id
from leaderboard.catalogue.intake import Judgement, judge_row
from leaderboard.catalogue.model_names import identify
from leaderboard.catalogue.models import Offering, Price, Provider, Quantization, utc_today
from leaderboard.catalogue.names import fold_name
from leaderboard.catalogue.pricing import Rates
from leaderboard.catalogue.queries import prices_in_force
from leaderboard.catalogue.review import note_edit, retire
from leaderboard.operations.onboarding.choosing import Choice, find_or_add_model, match_models
from leaderboard.operations.onboarding.forms import free_slug
from leaderboard.operations.onboarding.model_lists import ListedModel

COLUMNS = (
    "provider",
    "model",
    "model_id",
    "base_url",
    "input",
    "output",
    "cache_read",
    "unit",
    "currency",
    "context",
    "precision",
    "listed",
)
MOST_ROWS = 5000
MOST_BYTES = 2_000_000
NO_LONGER_LISTED = "The provider no longer lists it."


class BadCsv(ValueError):
    """The text is no such file; says what was expected."""


class RowsOutdated(Exception):
    """What would happen is no longer what was shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowResult:
    number: int
    provider: str
    model: str
    action: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class RowsPreview:
    results: tuple[RowResult, ...]
    digest: str

    @property
    def counts(self) -> dict[str, int]:
        return dict(sorted(Counter(result.action for result in self.results).items()))


def read_rows(text: str) -> list[dict[str, object]]:
    """The rows as they are written, `listed` as a boolean. Raises BadCsv."""
    reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")), strict=True)
    try:
        names = reader.fieldnames or []
        unknown = [name for name in names if name not in COLUMNS]
        if unknown or not {"provider", "model"} <= set(names):
            seen = (
                f"Unknown column {unknown[0][:40]!r}."
                if unknown
                else "The columns provider and model are needed."
            )
            raise BadCsv(f"{seen} Known are {', '.join(COLUMNS)}.")
        rows: list[dict[str, object]] = []
        for row in reader:
            if None in row or None in row.values():
                raise BadCsv(f"Line {reader.line_num} has another number of cells than the header.")
            rows.append({name: cell for name, cell in row.items() if cell != ""})
    except csv.Error as problem:
        raise BadCsv(f"Line {reader.line_num} is no CSV: {problem}.") from None
    if len(rows) > MOST_ROWS:
        raise BadCsv(f"The file has {len(rows)} rows; {MOST_ROWS} are taken at once.")
    for row in rows:
        if "listed" in row:
            row["listed"] = str(row["listed"]).strip().lower() not in ("false", "no", "0")
    return rows


def preview_rows(text: str, user: User, *, now: dt.datetime) -> RowsPreview:
    with transaction.atomic():
        found = apply_rows(read_rows(text), user, now)
        transaction.set_rollback(True)
    return found


def import_rows(text: str, user: User, *, now: dt.datetime, digest: str) -> RowsPreview:
    """Apply what the preview of that digest showed. Raises RowsOutdated, BadCsv."""
    with transaction.atomic():
        found = apply_rows(read_rows(text), user, now)
        if found.digest != digest:
            raise RowsOutdated("The catalogue or the file changed since this preview. Preview again.")
    return found


def apply_rows(rows: list[dict[str, object]], user: User, now: dt.datetime) -> RowsPreview:
    """Runs inside the caller's transaction."""
    intake = Intake(user, now)
    results = tuple(intake.take(number, row) for number, row in enumerate(rows, start=2))
    said = json.dumps([[r.number, r.action, r.detail] for r in results])
    return RowsPreview(results, hashlib.sha256(said.encode()).hexdigest()[:16])


class Intake:
    """Rows one after the other, each seeing what those before it made."""

    def __init__(self, user: User, now: dt.datetime) -> None:
        self.user = user
        self.now = now
        self.providers = {fold_name(p.name): p for p in Provider.objects.filter(retired_on=None)}
        self.offerings = list(Offering.objects.filter(retired_on=None).select_related("provider", "model"))

    def take(self, number: int, row: Mapping[str, object]) -> RowResult:
        judged = judge_row(row, [pair_of(offering) for offering in self.same_provider(row)])
        action, detail = judged.action, judged.reason
        match judged.action:
            case "accept":
                action, detail = self.add(row, judged)
            case "update":
                detail = self.update(self.find(row), judged)
            case "deactivate":
                retire(self.find(row), self.user, reason=NO_LONGER_LISTED, today=utc_today())
        return RowResult(
            number=number,
            provider=str(row.get("provider", ""))[:120],
            model=str(row.get("model", ""))[:200],
            action=action,
            detail=detail,
        )

    def same_provider(self, row: Mapping[str, object]) -> list[Offering]:
        wanted = fold_name(str(row.get("provider", "")))
        return [offering for offering in self.offerings if fold_name(offering.provider.name) == wanted]

    def find(self, row: Mapping[str, object]) -> Offering:
        """The offering that judge_row called the same."""
        name = fold_name(str(row["model"]))
        precision = fold_name(str(row.get("precision", "")))
        return next(
            o
            for o in self.same_provider(row)
            if fold_name(o.provider_model_name) == name and (pair_of(o)["precision"] or "") == precision
        )

    def add(self, row: Mapping[str, object], judged: Judgement) -> tuple[str, str]:
        name = str(judged.normalized["model"])
        slug = str(row.get("model_id", "")) or match_models([ListedModel(name=name)])[0].slug
        if not slug:
            return "hold", "Its name shows no maker: give our name for it under model_id, as maker/model."
        provider = self.provider_of(judged)
        context = judged.normalized["context_tokens"]
        choice = Choice(name=name, slug=slug, context_tokens=context if isinstance(context, int) else None)
        model = find_or_add_model(choice, identify(name), self.user)
        precision = str(judged.normalized.get("precision", ""))
        offering = Offering(
            provider=provider,
            model=model,
            variant=precision,
            provider_model_name=name,
            quantization=precision if precision in QUANTIZATIONS else "undisclosed",
            quantization_source="operator" if precision in QUANTIZATIONS else "undisclosed",
            context_tokens=choice.context_tokens,
            workloads=["medium"],
            edited_by=self.user,
        )
        return self.save_new(offering, judged)

    def save_new(self, offering: Offering, judged: Judgement) -> tuple[str, str]:
        same = Offering.objects.filter(
            provider=offering.provider, model=offering.model, variant=offering.variant
        )
        if same.exists():
            return (
                "duplicate",
                f"{offering.provider} already serves this model as {same[0].provider_model_name}.",
            )
        offering.public_id = free_public_id(offering.provider, offering.model, offering.variant)
        offering.save()
        record_revision(offering, self.user, kind="added", is_public=True)
        self.offerings.append(offering)
        self.append_price(offering, judged)
        return "accept", f"creates {offering.public_id}"

    def provider_of(self, judged: Judgement) -> Provider:
        name = str(judged.normalized["provider"])
        known = self.providers.get(fold_name(name))
        if known:
            return known
        base_url = str(judged.normalized.get("base_url", ""))
        kind = Provider.Kind.SELF_HOSTED if looks_private(base_url) else Provider.Kind.HOST
        provider = Provider.objects.create(slug=free_slug(name), name=name, kind=kind, base_url=base_url)
        record_revision(provider, self.user, kind="added", is_public=True)
        self.providers[fold_name(name)] = provider
        return provider

    def update(self, offering: Offering, judged: Judgement) -> str:
        return "appends a price" if self.append_price(offering, judged) else "changes nothing"

    def append_price(self, offering: Offering, judged: Judgement) -> bool:
        """Append the row's price unless it is unknown or holds already."""
        read = judged.price
        if read is None or read.rates == Rates():
            return False
        old = prices_in_force([offering.pk], self.now).get(offering.pk)
        if old and all(getattr(old, field) == getattr(read.rates, field) for field in COMPARED):
            return False
        price = Price(
            offering=offering,
            valid_from=self.now,
            verified_at=self.now,
            source="operator",
            **{field: getattr(read.rates, field) for field in COMPARED},
        )
        price.save()
        record_revision(price, self.user, kind="added", is_public=True)
        note_edit(offering, self.user)
        offering.save()
        return True


COMPARED = ("input_usd_per_mtok", "output_usd_per_mtok", "cache_read_usd_per_mtok")
QUANTIZATIONS = frozenset(Quantization.values)


def pair_of(offering: Offering) -> dict[str, object]:
    return {
        "provider": offering.provider.name,
        "model": offering.provider_model_name,
        "precision": "" if offering.quantization == "undisclosed" else offering.quantization,
    }
