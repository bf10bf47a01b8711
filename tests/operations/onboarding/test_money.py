from __future__ import annotations

import csv
import datetime as dt
import io
from decimal import Decimal
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from leaderboard.catalogue.models import Board, Offering, SourceQuote
from leaderboard.measurements.models import Sample
from leaderboard.measurements.partitions import make_partitions_for
from leaderboard.measurements.spending import spending_by_day
from tests.factories import make_offering, make_provider

pytestmark = pytest.mark.django_db

NOW = dt.datetime(2026, 7, 15, 9, 0, tzinfo=dt.UTC)


def sample(offering: Offering, at: dt.datetime, cost: str | None, *, simulated: bool = False) -> None:
    make_partitions_for([at])
    Sample.objects.create(
        sample_id=uuid4(),
        offering=offering,
        scheduled_at=at,
        started_at=at,
        probe_location="local",
        workload="medium",
        workload_version=1,
        methodology_version="1.0.0",
        outcome="ok",
        simulated=simulated,
        cost_usd=None if cost is None else Decimal(cost),
    )


def test_spending_is_summed_by_provider_and_utc_day() -> None:
    alfa = make_offering(provider=make_provider(slug="alfa", name="Alfa"))
    beta = make_offering(provider=make_provider(slug="beta", name="Beta"))
    yesterday = NOW - dt.timedelta(days=1)
    for minutes, cost in enumerate(("0.10", "0.20", None)):
        sample(alfa, NOW - dt.timedelta(minutes=minutes), cost)
    sample(alfa, yesterday, "0.05")
    sample(beta, NOW, "0.5")
    sample(beta, NOW - dt.timedelta(minutes=1), "9", simulated=True)
    sample(beta, NOW - dt.timedelta(days=7), "9")

    found = spending_by_day(NOW, days=7)

    assert [(row.day.day, row.provider_id, row.probes, row.unpriced, row.usd) for row in found] == [
        (15, "beta", 1, 0, Decimal("0.5")),
        (15, "alfa", 3, 1, Decimal("0.3")),
        (14, "alfa", 1, 0, Decimal("0.05")),
    ]


def test_spending_is_a_page_and_a_file_and_a_reached_cap_is_said(client: Client) -> None:
    now = dt.datetime.now(dt.UTC)
    sample(
        make_offering(provider=make_provider(slug="alfa", name="=Alfa", daily_cap_usd=Decimal("0.5"))),
        now,
        "0.75",
    )

    page = client.get(reverse("onboarding:spending")).content.decode()
    file = client.get(reverse("onboarding:spending-csv"))

    assert "Paused until 00:00 UTC: the daily cap of 0.50 USD for =Alfa is reached." in page
    rows = list(csv.reader(io.StringIO(file.content.decode())))
    assert rows[0] == ["day", "provider_id", "provider_name", "probes", "unpriced_probes", "cost_usd"]
    assert rows[1] == [now.date().isoformat(), "alfa", "'=Alfa", "1", "0", "0.75"]
    assert Board.objects.get().daily_cap_usd > 0


def test_price_agreement_is_a_page(client: Client) -> None:
    offering = make_offering(public_id="alfa~m")
    for source, amount in (("genai-prices", "0.1"), ("litellm", "0.3")):
        SourceQuote.objects.create(offering=offering, source=source, input_usd_per_mtok=Decimal(amount))

    page = client.get(reverse("onboarding:agreement")).content.decode()

    assert "1 offerings are priced by several sources; 0 agree to the digit." in page
    assert '<tr data-id="alfa~m">' in page


def test_money_needs_the_right_to_see_it() -> None:
    client = Client()
    client.force_login(User.objects.create_user("vic", is_staff=True))

    for name in ("spending", "spending-csv", "agreement"):
        assert client.get(reverse(f"onboarding:{name}")).status_code == 403
