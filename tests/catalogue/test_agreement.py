from __future__ import annotations

from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import call_command

from leaderboard.catalogue.agreement import PairAgreement, agreement_by_pair, price_agreement
from leaderboard.catalogue.models import Offering, SourceQuote
from tests.factories import make_offering

pytestmark = pytest.mark.django_db


def say(offering: Offering, source: str, given: str | None, returned: str | None) -> None:
    SourceQuote.objects.create(
        offering=offering,
        source=source,
        input_usd_per_mtok=None if given is None else Decimal(given),
        output_usd_per_mtok=None if returned is None else Decimal(returned),
    )


@pytest.fixture
def quoted() -> None:
    alike, apart, free, alone = (
        make_offering(public_id=f"o~{name}") for name in ("alike", "apart", "free", "alone")
    )
    for source in ("genai-prices", "litellm"):
        say(alike, source, "0.1", "0.4")
    say(apart, "genai-prices", "0.1", "0.4")
    say(apart, "litellm", "0.3", "0.5")
    say(apart, "models-dev", None, None)
    say(free, "genai-prices", "0", "0")
    say(free, "models-dev", "0.1", "0.4")
    say(alone, "litellm", "1", "2")


@pytest.mark.usefixtures("quoted")
def test_only_offerings_of_several_sources_are_compared() -> None:
    found = price_agreement()

    assert (found.compared, found.equal) == (3, 1)
    assert found.share_equal == pytest.approx(1 / 3)
    assert [(each.offering_id, each.factor) for each in found.disagreements] == [
        ("o~free", None),
        ("o~apart", Decimal(3)),
    ]
    assert [quote.source for quote in found.disagreements[1].quotes] == ["genai-prices", "litellm"]


@pytest.mark.usefixtures("quoted")
def test_two_sources_are_set_against_each_other() -> None:
    assert agreement_by_pair() == [
        PairAgreement("genai-prices", "litellm", 2, 1),
        PairAgreement("genai-prices", "models-dev", 1, 0),
    ]


@pytest.mark.usefixtures("quoted")
def test_command_says_who_says_what() -> None:
    written = StringIO()

    call_command("price_agreement", stdout=written)

    said = written.getvalue()
    assert said.startswith("3 offerings are priced by several sources; 1 agree (33.3%).")
    assert "o~apart: genai-prices 0.1 in, 0.4 out; litellm 0.3 in, 0.5 out" in said


def test_board_of_one_source_has_nothing_to_compare() -> None:
    assert price_agreement().share_equal is None
