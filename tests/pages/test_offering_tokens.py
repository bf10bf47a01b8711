"""What the pair page says of billed tokens."""

from __future__ import annotations

import pytest
from django.test import Client

from leaderboard.catalogue.models import Offering
from leaderboard.ranking.models import SeriesProfile
from tests.factories import make_provider
from tests.ranking.factories import AS_OF, make_saved_snapshot

from .boards import make_row
from .html import read

pytestmark = pytest.mark.django_db


def make_offering_with(**profile: float | int | None) -> Offering:
    row = make_row(make_saved_snapshot(), provider=make_provider(slug="acme"), output_speed_tps_p50=100.0)
    SeriesProfile.objects.create(
        offering=row.offering, probe_location="local", workload="medium", as_of=AS_OF, **profile
    )
    return row.offering


def tiles_of(offering: Offering) -> dict[str, tuple[str, str]]:
    response = Client().get(f"/offerings/{offering.public_id}/")
    page = read(response.content)
    return {
        tile.attributes["data-tile"]: (tile.attributes["data-value"], tile.text)
        for tile in page.all("li", data_tile=None)
        if "inflation" in tile.attributes["data-tile"]
    }


def test_billed_tokens_stand_with_their_n() -> None:
    offering = make_offering_with(
        output_token_ratio=1.25, output_token_samples=24, input_token_ratio=None, input_token_samples=0
    )

    tiles = tiles_of(offering)

    assert tiles["output-inflation"][0] == "1.25"
    assert "n 24" in tiles["output-inflation"][1]
    assert tiles["input-inflation"][0] == ""


def test_nothing_is_said_where_nothing_can_be_compared() -> None:
    assert tiles_of(make_offering_with()) == {}
