"""Corrections through the admin's own pages, and what they change in figures, days and closed files."""

from __future__ import annotations

import datetime as dt
import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from leaderboard.catalogue.groups import ensure_groups
from leaderboard.catalogue.models import Offering, Provider, Revision
from leaderboard.exports.closed_files import read_manifest
from leaderboard.exports.releases import close_due_days
from leaderboard.exports.tombstones import tombstone_rows
from leaderboard.measurements.models import Sample
from leaderboard.operations.correcting import recompute_day
from leaderboard.operations.onboarding.retesting import endpoint_to_test
from leaderboard.ranking.daily import make_day
from leaderboard.ranking.models import DailySummary, Summary
from leaderboard.ranking.profiles import refresh_profiles
from leaderboard.ranking.summarise import make_snapshot
from probes.lab.server import Lab
from tests.factories import make_offering, make_provider
from tests.measurements.factories import AS_OF, make_samples

pytestmark = pytest.mark.django_db

DAY = AS_OF.date()
NEXT_NOON = AS_OF + dt.timedelta(days=1)


@pytest.fixture(autouse=True)
def plain_settings(settings: Settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }


@pytest.fixture
def lab() -> Iterator[Lab]:
    with Lab() as running:
        yield running


@pytest.fixture
def client() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("ada"))
    return client


def act(client: Client, model: str, action: str, rows: list[Any], **answers: str) -> str:
    address = reverse(f"admin:{model}_changelist")
    posted = {"action": action, "_selected_action": [str(row.pk) for row in rows], **answers}
    response = client.post(address, posted, follow=True)
    return response.content.decode()


def exclusion(**answers: str) -> dict[str, str]:
    return {
        "confirmed": "Exclude samples",
        "since": "2026-07-15 00:00",
        "until": "2026-07-15 10:00",
        "kind": "maintenance",
        "reason": "announced work on the 15th",
    } | answers


def make_measured_offering(**fields: Any) -> Offering:
    """Samples at 03:00, 06:00, 09:00 and 12:00 UTC of 100, 200, 300 and 400 tokens/s."""
    offering = make_offering(**fields)
    make_samples(offering, count=4, output_speed_tps=[100.0, 200.0, 300.0, 400.0])
    return offering


def test_excluding_asks_first_with_the_count_and_changes_nothing(client: Client) -> None:
    offering = make_measured_offering()

    page = act(client, "catalogue_offering", "exclude_samples", [offering])

    assert "Exclude samples: 1 row." in page
    assert not Sample.objects.filter(excluded=True).exists()


def test_excluded_samples_leave_the_next_snapshot_and_the_day(client: Client) -> None:
    offering = make_measured_offering()
    make_day(DAY, now=NEXT_NOON)

    act(client, "catalogue_offering", "exclude_samples", [offering], **exclusion())

    make_snapshot(as_of=AS_OF)
    row = Summary.objects.get()
    assert (row.samples_total, row.samples_ok, row.samples_excluded) == (4, 1, 3)
    assert (row.output_speed_tps_p50, row.exclusions) == (400.0, {"maintenance": 3})
    day = DailySummary.objects.get()
    assert (day.samples_ok, day.samples_excluded, day.output_speed_tps_p50) == (1, 3, 400.0)


def test_exclusion_stands_among_the_public_corrections(client: Client) -> None:
    offering = make_measured_offering(public_id="acme~fast")

    act(client, "catalogue_offering", "exclude_samples", [offering], **exclusion())

    revision = Revision.objects.get()
    assert (revision.kind, revision.subject_id, revision.is_public) == ("corrected", "acme~fast", True)
    assert revision.old == "3 counted, 2026-07-15 00:00 to 2026-07-15 10:00 UTC"
    assert revision.new == "excluded: maintenance"
    page = Client().get("/corrections/").content.decode()
    assert "announced work on the 15th" in page
    assert "ada" not in page


def test_exclusion_of_simulated_samples_stays_private(client: Client) -> None:
    offering = make_measured_offering(provider=make_provider(simulated=True))

    act(client, "catalogue_offering", "exclude_samples", [offering], **exclusion())

    assert Revision.objects.get().is_public is False


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"until": "2026-07-14 00:00"}, "Choose a start before the end, at most 31 days apart."),
        ({"since": "2026-05-01 00:00"}, "Choose a start before the end, at most 31 days apart."),
        ({"until": "2026-07-15 01:00"}, "No sample that counts was scheduled in that time."),
    ],
)
def test_span_without_sense_is_refused_in_words(client: Client, answers: dict[str, str], words: str) -> None:
    offering = make_measured_offering()

    page = act(client, "catalogue_offering", "exclude_samples", [offering], **exclusion(**answers))

    assert words in page
    assert not Revision.objects.exists()
    assert not Sample.objects.filter(excluded=True).exists()


def test_closed_file_of_the_day_is_replaced_and_the_change_log_has_both_checksums(client: Client) -> None:
    offering = make_measured_offering()
    close_due_days(NEXT_NOON)
    path = "samples/2026/07/samples-2026-07-15.csv.gz"
    before = read_manifest().file(path)

    act(client, "catalogue_offering", "exclude_samples", [offering], **exclusion())

    after = read_manifest().file(path)
    assert before is not None
    assert after is not None
    assert (after.rows, after.sha256 != before.sha256) == (4, True)
    log = client.get("/data/v1/CHANGELOG.md").content.decode()
    assert "## 1.0.1" in log
    assert f"{path} rewritten: samples of {offering} excluded, announced work on the 15th." in log
    assert f"sha256 was {before.sha256}, is {after.sha256}." in log


def test_correction_is_a_patch_of_the_dataset_and_leaves_tombstones(client: Client) -> None:
    offering = make_measured_offering(public_id="acme~fast")
    close_due_days(NEXT_NOON)
    unknown = client.get("/data/v1/latest.json")
    assert (unknown.json()["version"], client.get("/data/v1/tombstones.json").json()["rows"]) == ("1.0.0", [])

    with time_machine.travel(NEXT_NOON, tick=False):
        act(client, "catalogue_offering", "exclude_samples", [offering], **exclusion())

    told = client.get("/data/v1/latest.json", headers={"If-None-Match": unknown["ETag"]})
    assert told.json()["version"] == "1.0.1"
    rows = client.get("/data/v1/tombstones.json").json()["rows"]
    excluded = Sample.objects.filter(excluded=True).order_by("sample_id")
    assert [row["sample_id"] for row in rows] == [str(sample.sample_id) for sample in excluded]
    assert rows[0] == {
        "sample_id": rows[0]["sample_id"],
        "offering_id": "acme~fast",
        "day": "2026-07-15",
        "change": "excluded",
        "corrected_at": "2026-07-16T12:00:00Z",
        "reason": f"samples of {offering} excluded, announced work on the 15th",
        "version_before": "1.0.0",
        "version": "1.0.1",
        "simulated": False,
    }


def test_second_correction_counts_on_and_counting_anew_without_a_change_does_not(client: Client) -> None:
    first, second = make_measured_offering(), make_measured_offering()
    close_due_days(NEXT_NOON)

    act(client, "catalogue_offering", "exclude_samples", [first], **exclusion())
    act(client, "catalogue_offering", "exclude_samples", [second], **exclusion())
    make_day(DAY, now=NEXT_NOON)
    recompute_day(DAY, None, words="to be sure", now=NEXT_NOON)

    assert {r.version for r in read_manifest().rewritten} == {"1.0.1", "1.0.2"}
    versions = [(t.version_before, t.version) for t in tombstone_rows()]
    assert sorted(versions) == [("1.0.0", "1.0.1")] * 3 + [("1.0.1", "1.0.2")] * 3


def test_closed_file_holds_the_reason(client: Client, tmp_path: Path) -> None:
    offering = make_measured_offering()
    close_due_days(NEXT_NOON)

    act(client, "catalogue_offering", "exclude_samples", [offering], **exclusion())

    packed = tmp_path / "dataset" / "samples/2026/07/samples-2026-07-15.csv.gz"
    assert gzip.decompress(packed.read_bytes()).count(b",maintenance,") == 3


def test_day_is_counted_anew_once_for_all_its_rows(client: Client) -> None:
    make_measured_offering()
    make_measured_offering()
    make_day(DAY, now=NEXT_NOON)
    DailySummary.objects.update(samples_ok=99)

    page = act(
        client,
        "ranking_dailysummary",
        "recompute",
        list(DailySummary.objects.all()),
        confirmed="Recompute the day",
        reason="late load",
    )

    assert "Recompute the day: 2 done." in page
    assert set(DailySummary.objects.values_list("samples_ok", "final")) == {(4, True)}
    revision = Revision.objects.get()
    assert (revision.field, revision.new, revision.reason) == (
        "day 2026-07-15",
        "2 rows counted anew",
        "late load",
    )


def test_holes_of_a_day_whose_slots_are_forgotten_stay_counted() -> None:
    make_measured_offering()
    make_day(DAY, now=NEXT_NOON)
    DailySummary.objects.update(samples_scheduled=8)

    make_day(DAY, now=NEXT_NOON + dt.timedelta(days=60))

    assert DailySummary.objects.get().samples_scheduled == 8


def test_only_an_operator_may_correct(client: Client) -> None:
    offering = make_measured_offering()
    ensure_groups()
    approver = User.objects.create_user("eve", is_staff=True)
    approver.groups.set(approver.groups.model.objects.filter(name__in=["editor", "approver"]))
    other = Client()
    other.force_login(approver)

    response = other.post(
        reverse("admin:catalogue_offering_changelist"),
        {"action": "exclude_samples", "_selected_action": [str(offering.pk)], **exclusion()},
    )

    assert response.status_code == 403
    assert not Sample.objects.filter(excluded=True).exists()


def test_several_providers_are_tested_at_once_each_with_its_own_outcome(client: Client, lab: Lab) -> None:
    good = make_provider(name="Alfa", slug="alfa", kind="self_hosted", base_url=lab.url)
    make_offering(provider=good, provider_model_name="steady-tps2000-ttft20")
    bad = make_provider(name="Beta", slug="beta", kind="self_hosted", base_url="http://127.0.0.1:1/v1")

    page = act(client, "catalogue_provider", "test_connection", [good, bad], confirmed="Test connection")

    assert "Test connection: 1 done." in page
    assert "Beta: Could not connect: nothing answers on port 1." in page
    tested = {p.slug: p.last_test[-1][0] for p in Provider.objects.exclude(last_tested_at=None)}
    assert tested == {"alfa": None, "beta": False}


def test_list_of_offerings_shows_the_token_inflation_of_the_longest_series(client: Client) -> None:
    offering = make_offering()
    make_samples(offering, count=2, output_tokens=1250, reference_tokens=1000)
    make_samples(offering, count=1, workload="short", output_tokens=3000, reference_tokens=1000)
    make_offering()
    refresh_profiles(AS_OF)

    page = client.get(reverse("admin:catalogue_offering_changelist")).content.decode()

    assert re.findall(r'class="field-token_inflation[^"]*">([^<]*)<', page) == ["1.25", "unknown"]


def test_a_test_again_asks_the_model_that_answered_last() -> None:
    provider = make_provider()
    make_offering(provider=provider, provider_model_name="never", last_ok_at=None)
    make_offering(provider=provider, provider_model_name="answers", last_ok_at=AS_OF)

    assert endpoint_to_test(provider).model == "answers"


def test_a_test_again_needs_no_offering() -> None:
    provider = make_provider(base_url="https://alfa.example/v1")

    endpoint = endpoint_to_test(provider)

    assert (endpoint.base_url, endpoint.model) == ("https://alfa.example/v1", "")
