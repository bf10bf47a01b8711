"""One row of a catalogue file → what to do with it: accept, update, duplicate, reject, hold or deactivate.

Pure: the row and what exists come in, a judgement goes out. Text is stored as it is written; it is made
harmless where it leaves (CSV, HTML), not here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from leaderboard.catalogue.addresses import BadBaseUrl, looks_private, tidy_base_url
from leaderboard.catalogue.amounts import BadAmount, ReadPrice, read_price
from leaderboard.catalogue.names import (
    LONGEST_MODEL_NAME,
    LONGEST_PROVIDER_NAME,
    BadName,
    fold_name,
    read_token_count,
    tidy_name,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """`action` is accept, update, duplicate, reject, hold or deactivate; `reason` says why where it is not accept."""

    action: str
    reason: str = ""
    normalized: Mapping[str, object] = field(default_factory=dict)
    price: ReadPrice | None = None


def judge_row(row: Mapping[str, object], existing: Iterable[Mapping[str, object]]) -> Judgement:
    """Judge a row with provider, model, base_url, input, output, unit, and maybe context, tier_above, precision.

    `existing` are pairs of the catalogue as provider, model and maybe precision. The same pair again is an
    update; the same under another spelling of a name is a duplicate for a person to look at.
    """
    try:
        provider = tidy_name(row.get("provider"), longest=LONGEST_PROVIDER_NAME)
        model = tidy_name(row.get("model"), longest=LONGEST_MODEL_NAME)
        same = find_same(row, provider, model, existing)
        if row.get("listed") is False:
            return judge_unlisted(same)
        normalized = normalize(row, provider, model)
        price = read_price(row, unit=str(row.get("unit") or "per_1m"))
    except (BadName, BadBaseUrl, BadAmount) as problem:
        return Judgement(action="reject", reason=str(problem))
    if price.hold_reason:
        return Judgement(action="hold", reason=price.hold_reason, normalized=normalized, price=price)
    if same is None:
        return Judgement(action="accept", normalized=normalized, price=price)
    if is_spelled_alike(row, same):
        return Judgement(action="update", reason="The pair is known.", normalized=normalized, price=price)
    reason = f"{same['provider']} already serves this model under another spelling."
    normalized |= {name: tidy_name(same[name], longest=LONGEST_MODEL_NAME) for name in ("provider", "model")}
    return Judgement(action="duplicate", reason=reason, normalized=normalized, price=price)


def normalize(row: Mapping[str, object], provider: str, model: str) -> dict[str, object]:
    normalized: dict[str, object] = {
        "provider": provider,
        "model": model,
        "context_tokens": read_token_count(row.get("context")),
        "tier_above": read_token_count(row.get("tier_above")),
    }
    if row.get("base_url") is not None:
        typed = str(row["base_url"])
        normalized["base_url"] = tidy_base_url(typed, may_be_private=looks_private(typed))
    if row.get("precision"):
        normalized["precision"] = fold_name(str(row["precision"]))
    return normalized


def find_same(
    row: Mapping[str, object], provider: str, model: str, existing: Iterable[Mapping[str, object]]
) -> Mapping[str, object] | None:
    key = pair_key(provider, model, row.get("precision"))
    for pair in existing:
        if pair_key(str(pair.get("provider")), str(pair.get("model")), pair.get("precision")) == key:
            return pair
    return None


def pair_key(provider: str, model: str, precision: object) -> tuple[str, str, str]:
    """Another precision is another offering."""
    return fold_name(provider), fold_name(model), fold_name(str(precision or ""))


def is_spelled_alike(row: Mapping[str, object], same: Mapping[str, object]) -> bool:
    return all(str(row[key]).split() == str(same[key]).split() for key in ("provider", "model"))


def judge_unlisted(same: Mapping[str, object] | None) -> Judgement:
    if same is None:
        return Judgement(action="reject", reason="It is neither listed nor known.")
    return Judgement(action="deactivate", reason="The provider no longer lists it; its history stays.")
