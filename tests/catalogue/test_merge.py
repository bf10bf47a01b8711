from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest

from leaderboard.catalogue.importers.merge import ImportReport, import_reading
from leaderboard.catalogue.importers.quotes import LeftOut, ModelFacts, PriceLine, PriceList, Quote, Reading
from leaderboard.catalogue.models import (
    CatalogueImport,
    HeldPrice,
    LanguageModel,
    Offering,
    Price,
    Provider,
    SourceQuote,
)
from leaderboard.catalogue.pricing import Rates

pytestmark = pytest.mark.django_db

JULY = dt.datetime(2026, 7, 1, tzinfo=dt.UTC)
AUGUST = dt.datetime(2026, 8, 1, tzinfo=dt.UTC)


def price_list(
    input_usd: str | None, output_usd: str | None = "0.6", *, valid_from: dt.datetime | None = None
) -> PriceList:
    rates = Rates(
        input_usd_per_mtok=None if input_usd is None else Decimal(input_usd),
        output_usd_per_mtok=None if output_usd is None else Decimal(output_usd),
    )
    return PriceList(valid_from, (PriceLine(rates=rates),))


def quote(
    provider: str = "groq",
    model: str = "openai/gpt-oss-120b",
    *lists: PriceList,
    facts: ModelFacts | None = None,
) -> Quote:
    return Quote(
        provider=provider,
        model=model,
        display_name="GPT OSS 120B",
        price_lists=lists or (price_list("0.15"),),
        facts=facts or ModelFacts(),
    )


def take(
    *quotes: Quote, at: dt.datetime = JULY, source: str = "models-dev", dry_run: bool = False
) -> ImportReport:
    return import_reading(Reading(source=source, quotes=quotes), now=at, dry_run=dry_run)


def test_sellers_of_one_model_become_its_offerings() -> None:
    take(
        quote("groq"),
        quote("fireworks-ai", "accounts/fireworks/models/gpt-oss-120b"),
        quote("openrouter", "openai/gpt-oss-120b"),
        quote("openrouter", "openai/gpt-oss-120b:free", price_list("0", "0")),
    )

    model = LanguageModel.objects.get()
    assert (model.slug, model.name, model.weights) == ("openai/gpt-oss-120b", "GPT OSS 120B", "open")
    assert set(Offering.objects.values_list("public_id", "probe_state")) == {
        ("groq~gpt-oss-120b", "draft"),
        ("fireworks~gpt-oss-120b", "draft"),
        ("openrouter~gpt-oss-120b", "draft"),
        ("openrouter~gpt-oss-120b~free", "draft"),
    }
    assert Price.objects.get(offering__public_id="openrouter~gpt-oss-120b~free").input_usd_per_mtok == 0


def test_second_import_confirms_and_appends_nothing() -> None:
    take(quote())

    report = take(quote(), at=AUGUST)

    price = Price.objects.get()
    assert (price.valid_from, price.verified_at, price.entered_by, price.source) == (
        JULY,
        AUGUST,
        "job",
        "third_party",
    )
    assert report.counts["prices confirmed"] == 1
    assert (report.counts["offerings added"], report.counts["price lists added"]) == (0, 0)


def test_changed_price_is_appended_and_the_old_one_stays() -> None:
    take(quote())

    report = take(quote("groq", "openai/gpt-oss-120b", price_list("0.10")), at=AUGUST)

    assert list(Price.objects.order_by("valid_from").values_list("valid_from", "input_usd_per_mtok")) == [
        (JULY, Decimal("0.15")),
        (AUGUST, Decimal("0.10")),
    ]
    assert report.counts["prices changed"] == 1
    assert report.differences == [
        "groq~gpt-oss-120b: input 0.15000000, output 0.60000000 → input 0.10, output 0.6"
    ]


def test_another_source_does_not_replace_the_price_but_its_word_is_kept() -> None:
    take(quote())

    report = take(quote("groq", "groq/openai/gpt-oss-120b", price_list("0.12")), at=AUGUST, source="litellm")

    assert Price.objects.count() == 1
    assert report.counts["prices that another source states differently"] == 1
    assert set(SourceQuote.objects.values_list("source", "input_usd_per_mtok")) == {
        ("models-dev", Decimal("0.15")),
        ("litellm", Decimal("0.12")),
    }


def test_price_an_admin_entered_is_never_replaced() -> None:
    take(quote())
    Price.objects.create(
        offering=Offering.objects.get(),
        valid_from=JULY + dt.timedelta(days=1),
        input_usd_per_mtok=Decimal("0.2"),
    )

    take(quote("groq", "openai/gpt-oss-120b", price_list("0.10")), at=AUGUST)

    assert Price.objects.latest("valid_from").input_usd_per_mtok == Decimal("0.2")


def test_dated_history_is_kept_and_a_future_price_waits_for_its_day() -> None:
    lists = (
        price_list("0.15", valid_from=JULY - dt.timedelta(days=30)),
        price_list("0.10", valid_from=AUGUST),
    )

    for _ in range(2):
        take(quote("groq", "openai/gpt-oss-120b", *lists))

    assert list(Price.objects.order_by("valid_from").values_list("valid_from", flat=True)) == [
        JULY - dt.timedelta(days=30),
        AUGUST,
    ]


def test_undated_price_that_a_dated_one_ended_is_counted() -> None:
    report = take(
        quote("groq", "openai/gpt-oss-120b", price_list("0.2"), price_list("0.15", valid_from=JULY)),
        at=AUGUST,
    )

    assert Price.objects.get().valid_from == JULY
    assert report.counts["past prices without a date, not kept"] == 1


def test_undated_price_before_a_future_one_holds_now() -> None:
    take(quote("groq", "openai/gpt-oss-120b", price_list("0.2"), price_list("0.15", valid_from=AUGUST)))

    assert set(Price.objects.values_list("valid_from", "input_usd_per_mtok")) == {
        (JULY, Decimal("0.2")),
        (AUGUST, Decimal("0.15")),
    }


def test_price_in_the_wrong_unit_is_held_for_a_person() -> None:
    wrong = quote("groq", "openai/gpt-oss-120b", price_list("150000", "600000"))

    report = take(wrong)
    take(wrong, at=AUGUST)

    assert not Price.objects.exists()
    assert "beyond any list price" in HeldPrice.objects.get().reason
    assert report.counts["prices held for a person"] == 1


def test_price_far_off_what_others_ask_is_held() -> None:
    sellers = [quote(name) for name in ("groq", "cerebras", "baseten", "nebius")]

    take(*sellers, quote("deepinfra", "openai/gpt-oss-120b", price_list("0.001")))

    assert HeldPrice.objects.get().offering.provider.slug == "deepinfra"
    assert Price.objects.count() == 4


def test_unknown_price_lists_the_offering_without_one() -> None:
    report = take(quote("groq", "openai/gpt-oss-120b", price_list(None, None)))

    assert Offering.objects.count() == 1
    assert not Price.objects.exists()
    assert report.counts["offerings without a price"] == 1


def test_names_that_cannot_be_mapped_are_counted_and_listed() -> None:
    report = take(quote("nobody-knows"), quote("opencode", "big-pickle"), quote())

    assert report.unmapped == [
        LeftOut("nobody-knows", "openai/gpt-oss-120b", "the provider is not in our directory"),
        LeftOut("opencode", "big-pickle", "its name shows no maker"),
    ]
    assert CatalogueImport.objects.get().unmapped[1] == ["opencode", "big-pickle", "its name shows no maker"]


def test_two_names_of_one_model_at_one_price_are_one_offering() -> None:
    report = take(quote("groq", "openai/gpt-oss-120b"), quote("groq", "gpt-oss-120b"))

    assert Offering.objects.get().provider_model_name == "openai/gpt-oss-120b"
    assert report.counts["second names of one offering"] == 1


def test_two_names_of_one_model_at_two_prices_are_two_offerings() -> None:
    take(quote("groq", "openai/gpt-oss-120b"), quote("groq", "gpt-oss-120b", price_list("0.3")))

    assert set(Offering.objects.values_list("variant", flat=True)) == {"", "gpt-oss-120b"}


def test_facts_are_filled_where_unknown_and_an_edit_stays() -> None:
    take(quote(), source="genai-prices")
    LanguageModel.objects.update(context_tokens=1000, name="Ours")

    facts = ModelFacts(context_tokens=131_072, modality_in=("text",), released_on=dt.date(2025, 8, 5))
    take(quote("groq", "openai/gpt-oss-120b", facts=facts), at=AUGUST)

    model = LanguageModel.objects.get()
    assert (model.context_tokens, model.name) == (1000, "Ours")
    assert (model.modality_in, model.released_on) == (["text"], dt.date(2025, 8, 5))
    assert Offering.objects.get().context_tokens == 131_072


def test_dry_run_reports_the_same_and_writes_nothing() -> None:
    report = take(quote(), dry_run=True)

    assert report.counts["offerings added"] == 1
    assert not Provider.objects.exists()
    assert take(quote()).counts == report.counts
