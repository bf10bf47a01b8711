"""Whole catalogues as they were recorded; they lie beside the checkout and are no part of it."""

from __future__ import annotations

import os
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import Group
from django.core.management import CommandError, call_command

from leaderboard.catalogue.loading import load_catalogue
from leaderboard.catalogue.models import CatalogueImport, LanguageModel, Offering, Price, Provider

pytestmark = pytest.mark.django_db

SNAPSHOTS = Path(__file__).parents[3] / "shared" / "catalogues"


def snapshot(name: str) -> Path:
    path = SNAPSHOTS / name
    if not path.exists() and "CI" not in os.environ:
        pytest.skip(f"{name} is not beside the checkout")
    return path


def import_file(source: str, name: str, *options: str) -> str:
    written = StringIO()
    call_command("import_prices", source, str(snapshot(name)), *options, stdout=written)
    return written.getvalue()


def test_fresh_board_lists_the_market_offline() -> None:
    load_catalogue()

    priced = Offering.objects.filter(prices__isnull=False, retired_on=None).distinct()
    assert priced.count() >= 1200
    assert priced.values("provider").distinct().count() >= 40
    assert Provider.objects.count() >= 70
    assert set(Offering.objects.values_list("probe_state", flat=True)) <= {"draft", "retired"}
    assert set(Group.objects.values_list("name", flat=True)) == {"viewer", "editor", "approver", "operator"}


def test_second_start_reads_nothing_again() -> None:
    load_catalogue()
    written = Price.objects.count()

    assert load_catalogue() is None
    assert (Price.objects.count(), CatalogueImport.objects.count()) == (written, 1)


def test_models_dev_snapshot_has_one_gpt_oss_120b_with_forty_sellers() -> None:
    said = import_file("models-dev", "models-dev.json")

    named = LanguageModel.objects.filter(slug__contains="gpt-oss-120b", offerings__retired_on=None).distinct()
    assert named.filter(creator="OpenAI").values_list("slug", flat=True).get() == "openai/gpt-oss-120b"
    offerings = Offering.objects.filter(model__slug="openai/gpt-oss-120b")
    assert offerings.values("provider").distinct().count() >= 40
    assert "   4757  quotes read" in said
    assert "nano-gpt: its name shows no maker" in said


@pytest.mark.parametrize(
    ("source", "name", "least"),
    [
        ("genai-prices", "genai-prices.json", 1200),
        ("litellm", "litellm-prices.json", 2500),
        ("litellm", "litellm-prices-2025-08.json", 800),
        ("openrouter", "openrouter-models.json", 300),
    ],
)
def test_snapshot_is_imported_and_nothing_is_lost_in_silence(source: str, name: str, least: int) -> None:
    import_file(source, name)

    done = CatalogueImport.objects.get()
    counts = done.counts
    assert Offering.objects.count() >= least
    assert counts["quotes read"] == (
        counts["offerings added"] + counts.get("second names of one offering", 0) + counts["names not mapped"]
    )
    assert len(done.unmapped) == counts["names not mapped"] + counts["entries refused"]


def test_year_old_prices_then_todays_show_the_changes() -> None:
    import_file("litellm", "litellm-prices-2025-08.json")

    said = import_file("litellm", "litellm-prices.json")

    assert CatalogueImport.objects.count() == 2
    assert "prices changed" in said
    changed = Offering.objects.filter(public_id="deepseek~deepseek-chat").get()
    assert changed.prices.count() >= 1


def test_dry_run_of_the_command_writes_nothing() -> None:
    said = import_file("openrouter", "openrouter-models.json", "--dry-run")

    assert said.startswith("Would import openrouter:")
    assert not Offering.objects.exists()


@pytest.mark.parametrize(
    ("content", "sentence"), [(None, "There is no file"), ("<html>", "this is not JSON")]
)
def test_file_that_is_no_catalogue_is_refused_in_a_sentence(
    tmp_path: Path, content: str | None, sentence: str
) -> None:
    file = tmp_path / "prices.json"
    if content is not None:
        file.write_text(content)

    with pytest.raises(CommandError, match=sentence):
        call_command("import_prices", "openrouter", str(file))
