"""Another board's samples beside one's own: is it me or them?"""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django.fixtures import Settings

from leaderboard.catalogue.models import Offering, Price, Provider
from leaderboard.exports.recompute.running import run
from leaderboard.measurements.models import ProbeLocation, Sample
from leaderboard.ranking.queries import latest_snapshot, leaderboard_rows
from leaderboard.ranking.summarise import make_snapshot
from probes.__main__ import main
from tests.exports.boards import make_history
from tests.exports.rows import AS_OF

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_data_dir(settings: Settings, tmp_path: Path) -> Iterator[None]:
    settings.DATA_DIR = tmp_path / "data"
    with time_machine.travel(AS_OF + dt.timedelta(minutes=5), tick=False):
        yield


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    make_history(hours=40)
    make_snapshot(as_of=AS_OF)
    folder = tmp_path / "dataset"
    call_command("export_dataset", str(folder), stdout=io.StringIO())
    return folder


def merge(folder: Path, place: str = "oslo") -> str:
    said = io.StringIO()
    call_command("load_samples", str(folder / "samples.csv"), "--as-location", place, stdout=said)
    return said.getvalue()


def test_two_boards_merge_into_rows_of_two_locations_with_the_same_figures(exported: Path) -> None:
    before = Sample.objects.count()

    said = merge(exported)

    assert f"{before} of them new" in said
    locations = Counter(Sample.objects.values_list("probe_location", flat=True))
    assert locations == {"local": before, "oslo": before}
    rows = leaderboard_rows(latest_snapshot())
    here, there = (
        {(r.offering_id, r.workload): r.output_speed_tps_p50 for r in rows if r.probe_location == place}
        for place in ("local", "oslo")
    )
    assert here == there
    assert len(here) == 14


def test_merged_board_still_recomputes_from_what_it_publishes(exported: Path, tmp_path: Path) -> None:
    merge(exported)
    again = tmp_path / "again"

    call_command("export_dataset", str(again), stdout=io.StringIO())

    said: list[str] = []
    assert (run(str(again), said.append), said[:-1]) == (0, [])
    (again / "samples.csv").unlink()  # closed days and today's, as a reader of a running board has them
    assert run(str(again), said.append) == 0
    assert "samples loaded of oslo. sha256 was" in (again / "CHANGELOG.md").read_text()


def test_merging_twice_changes_nothing(exported: Path) -> None:
    merge(exported)

    assert " 0 of them new" in merge(exported)


def test_own_catalogue_stands_and_only_what_is_new_comes_in(exported: Path) -> None:
    Provider.objects.filter(slug="alfa").update(name="Our name for it")
    Offering.objects.filter(public_id="bravo~model-b").update(probe_state="active", interval_s=7200)
    Sample.objects.filter(offering__public_id="charlie~model-a").delete()
    Price.objects.filter(offering__public_id="charlie~model-a").delete()
    Offering.objects.filter(public_id="charlie~model-a").delete()
    Price.objects.filter(offering__public_id="alfa~model-a").delete()

    merge(exported)

    assert Provider.objects.get(slug="alfa").name == "Our name for it"
    kept = Offering.objects.get(public_id="bravo~model-b")
    assert (kept.probe_state, kept.interval_s) == ("active", 7200)
    assert not Price.objects.filter(offering__public_id="alfa~model-a").exists()
    assert Price.objects.filter(offering__public_id="charlie~model-a").count() == 2


def test_nothing_is_planned_for_the_other_boards_place(exported: Path) -> None:
    merge(exported)

    assert not ProbeLocation.objects.filter(name="oslo").exists()


def test_named_places_keep_their_names_behind_the_boards(exported: Path) -> None:
    path = exported / "samples.csv"
    path.write_text(path.read_text().replace(",local,", ",eu-west,"))

    merge(exported)

    assert set(Sample.objects.values_list("probe_location", flat=True)) == {"local", "oslo-eu-west"}


@pytest.mark.parametrize(
    ("place", "complaint"),
    [
        ("local", "local is a place that this board probes from itself"),
        ("here", "here is a place that this board probes from itself"),
        ("Oslo!", "is no label"),
        ("o" * 65, "longer than 64"),
    ],
)
def test_place_of_ones_own_or_of_no_form_is_refused(exported: Path, place: str, complaint: str) -> None:
    ProbeLocation.objects.create(name="here")
    before = Sample.objects.count()

    with pytest.raises(CommandError, match=complaint):
        merge(exported, place)

    assert Sample.objects.count() == before


def test_saved_run_compares_with_a_boards_files_over_http(
    exported: Path,
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with (exported / "samples.csv").open(newline="") as stream:
        mine = [
            r
            for r in csv.DictReader(stream)
            if (r["offering_id"], r["workload"]) == ("alfa~model-a", "short")
        ]
    saved = tmp_path / "run.jsonl"
    slow = [r | {"output_speed_tps": "0.5", "excluded": False, "outcome": "ok"} for r in mine[-4:]]
    saved.write_text("".join(json.dumps(row) + "\n" for row in slow))

    def get(address: str, **_: Any) -> httpx.Response:
        answer = client.get(address.removeprefix("http://board.test"))
        body = b"".join(answer) if answer.streaming else answer.content
        return httpx.Response(answer.status_code, content=body, request=httpx.Request("GET", address))

    monkeypatch.setattr(httpx, "get", get)

    status = main(
        ["compare", str(saved), "http://board.test/data/v1/", "--offering", "alfa~model-a", "--json"]
    )

    told = json.loads(capsys.readouterr().out)
    speed = next(one for one in told["figures"] if one["column"] == "output_speed_tps")
    assert status == 0
    assert (told["verdict"], speed["verdict"], speed["yours"]) == ("you", "you", 0.5)
    assert speed["near_n"] >= 3
