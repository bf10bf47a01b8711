"""Export, recompute, load into an empty board: the same digits every time."""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import hashlib
import io
import shutil
from collections.abc import Iterator
from email.message import Message
from pathlib import Path
from urllib.error import HTTPError

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from pytest_django.fixtures import Settings

from leaderboard.catalogue.models import LanguageModel, Offering, Price, Provider
from leaderboard.exports.recompute import reading
from leaderboard.exports.recompute.running import run
from leaderboard.measurements.models import Sample
from leaderboard.ranking.models import Snapshot
from leaderboard.ranking.summarise import make_snapshot
from tests.exports.boards import make_history
from tests.exports.rows import AS_OF, make_sample
from tests.factories import make_deployment
from tests.measurements.sweeps import SWEPT_AT, make_measured_sweep

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_data_dir(settings: Settings, tmp_path: Path) -> Iterator[None]:
    settings.DATA_DIR = tmp_path / "data"
    with time_machine.travel(AS_OF + dt.timedelta(minutes=5), tick=False):
        yield


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    make_history()
    make_snapshot(as_of=AS_OF)
    folder = tmp_path / "dataset"
    call_command("export_dataset", str(folder), stdout=io.StringIO())
    return folder


def empty_the_board() -> None:
    Snapshot.objects.all().delete()
    with connection.cursor() as cursor:
        cursor.execute("delete from measurements_sample")
    for model in (Price, Offering, LanguageModel, Provider):
        model.objects.all().delete()


def recomputed(folder: Path) -> tuple[int, list[str]]:
    said: list[str] = []
    return run(str(folder), said.append), said


def test_every_published_figure_recomputes_from_the_published_samples(exported: Path) -> None:
    status, said = recomputed(exported)

    assert (status, said[:-1]) == (0, [])
    assert said[-1].endswith("samples: no differences")
    assert len((exported / "leaderboard.csv").read_text().splitlines()) == 15
    assert len((exported / "daily.csv").read_text().splitlines()) > 50


def test_what_is_measured_once_a_day_recomputes_by_its_own_interval(tmp_path: Path) -> None:
    make_history(hours=3)
    offering = Offering.objects.get(public_id="alfa~model-a")
    make_sample(offering, workload="parallel-10", scheduled_at=AS_OF - dt.timedelta(hours=30))
    make_snapshot(as_of=AS_OF)
    call_command("export_dataset", str(tmp_path / "dataset"), stdout=io.StringIO())

    with (tmp_path / "dataset" / "leaderboard.csv").open() as stream:
        found = {row["workload"]: row["freshness"] for row in csv.DictReader(stream)}
    assert found == {"short": "fresh", "medium": "fresh", "parallel-10": "fresh"}
    assert recomputed(tmp_path / "dataset")[0] == 0


def test_a_changed_digit_is_found_and_named(exported: Path) -> None:
    path = exported / "leaderboard.csv"
    header, first, *rest = path.read_text().splitlines()
    column = header.split(",").index("ttft_ms_p50")
    cells = first.split(",")
    cells[column] += "1" if "." in cells[column] else ".001"
    path.write_text("\r\n".join([header, ",".join(cells), *rest]) + "\r\n")

    status, said = recomputed(exported)

    assert status == 1
    assert said[0].startswith("leaderboard alfa~model-a local medium: ttft_ms_p50 is ")


def test_a_missing_sample_is_noticed(exported: Path) -> None:
    path = exported / "samples.csv"
    lines = path.read_text().splitlines()
    path.write_text("\r\n".join(lines[:-1]) + "\r\n")

    assert recomputed(exported)[0] == 1


def test_every_figure_of_a_sweep_recomputes_from_its_published_requests(tmp_path: Path) -> None:
    folder = exported_sweep(tmp_path)

    status, said = recomputed(folder)

    assert (status, said[:-1]) == (0, [])
    # Two levels of 80 metric cells and the 10 that go before them; 25 and 12 requests.
    assert said[-1].startswith("2 rows and 180 figures recomputed from 37 samples")


@pytest.mark.parametrize("column", ["throughput_tps", "ttfat_ms_p50_low", "uptime", "outcomes"])
def test_a_changed_figure_of_a_level_is_found_and_named(tmp_path: Path, column: str) -> None:
    folder = exported_sweep(tmp_path)
    change_cell(folder / "gpu_levels.csv", column)

    status, said = recomputed(folder)

    assert status == 1
    assert said[0].startswith("gpu_levels own 2026-07-14T03:00:00Z 1: ")
    assert f"{column} is " in said[0]


def test_a_missing_request_of_a_sweep_is_noticed(tmp_path: Path) -> None:
    folder = exported_sweep(tmp_path)
    lines = (folder / "gpu_samples.csv").read_text().splitlines()
    (folder / "gpu_samples.csv").write_text("\r\n".join(lines[:-1]) + "\r\n")

    assert recomputed(folder)[0] == 1


def test_an_older_sweep_stays_among_the_levels_without_its_requests(tmp_path: Path) -> None:
    deployment = make_deployment(endpoint_id="own")
    make_measured_sweep(deployment)
    make_measured_sweep(deployment, at=SWEPT_AT + dt.timedelta(days=1))

    folder = exported_to(tmp_path)

    assert len((folder / "gpu_levels.csv").read_text().splitlines()) == 5
    assert "2026-07-14T03" not in (folder / "gpu_samples.csv").read_text().partition("sent_ms")[0]
    assert recomputed(folder)[0] == 0


def exported_sweep(tmp_path: Path) -> Path:
    make_measured_sweep(make_deployment(endpoint_id="own"))
    return exported_to(tmp_path)


def exported_to(tmp_path: Path) -> Path:
    folder = tmp_path / "dataset"
    call_command("export_dataset", str(folder), stdout=io.StringIO())
    return folder


def change_cell(path: Path, column: str) -> None:
    header, first, *rest = path.read_text().splitlines()
    cells = first.split(",")
    cells[header.split(",").index(column)] += "9"
    path.write_text("\r\n".join([header, ",".join(cells), *rest]) + "\r\n")


def test_a_missing_file_is_said(exported: Path) -> None:
    (exported / "prices.csv").unlink()

    status, said = recomputed(exported)

    assert status == 2
    assert said == [f"{exported} has no prices.csv. {reading.WHAT_TO_NAME}"]


@pytest.mark.parametrize(
    ("place", "complaint"),
    [
        ("/nonexistent", "/nonexistent is no folder. Name a folder that export_dataset wrote"),
        (__file__, f"{__file__} is no folder. Name a folder that export_dataset wrote"),
        ("http://127.0.0.1:1/data/v1/", "http://127.0.0.1:1/data/v1/ does not answer: Connection refused."),
        ("https://", "leaderboard.csv cannot be read from https://: "),
    ],
)
def test_recompute_says_what_to_name_instead(place: str, complaint: str) -> None:
    said: list[str] = []

    status = run(place, said.append)

    assert status == 2
    assert said[0].startswith(complaint)
    assert "Errno" not in said[0]


def test_recompute_tells_an_address_that_is_no_dataset(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(address: str, timeout: float) -> io.BytesIO:
        raise HTTPError(address, 404, "Not Found", Message(), None)

    monkeypatch.setattr(reading, "urlopen", missing)
    said: list[str] = []

    status = run("http://board.test/", said.append)

    assert status == 2
    assert said == [f"http://board.test/ has no leaderboard.csv: it answers 404. {reading.WHAT_TO_NAME}"]


def test_recompute_reads_closed_days_where_there_is_no_whole_file(exported: Path) -> None:
    (exported / "samples.csv").unlink()

    assert recomputed(exported)[0] == 0


def test_an_export_loads_into_an_empty_board_as_the_same_leaderboard(exported: Path, tmp_path: Path) -> None:
    empty_the_board()
    said = io.StringIO()

    call_command("load_samples", str(exported / "samples.csv"), stdout=said)

    again = tmp_path / "again"
    call_command("export_dataset", str(again), stdout=io.StringIO())
    assert "as_of 2026-07-15T12:00:00Z" in said.getvalue()
    for name in ("leaderboard.csv", "leaderboard.json", "daily.csv", "samples.csv", "prices.csv"):
        assert (again / name).read_bytes() == (exported / name).read_bytes(), name


def test_loading_twice_changes_nothing(exported: Path) -> None:
    said = io.StringIO()

    call_command("load_samples", str(exported / "samples.csv"), "--catalogue", str(exported), stdout=said)

    assert "0 of them new" in said.getvalue()
    assert Price.objects.count() == 14


def test_a_schedule_is_told_from_the_slots_where_no_file_says_it(exported: Path) -> None:
    (exported / "latest.json").unlink()
    before = dict(Offering.objects.values_list("public_id", "interval_s"))
    empty_the_board()

    call_command("load_samples", str(exported / "samples.csv"), stdout=io.StringIO())

    assert dict(Offering.objects.values_list("public_id", "interval_s")) == before
    assert recomputed(exported)[0] == 0


def test_loaded_providers_wait_for_an_operator(exported: Path) -> None:
    empty_the_board()

    call_command("load_samples", str(exported / "samples.csv"), stdout=io.StringIO())

    assert set(Provider.objects.values_list("paused_reason", flat=True)) == {
        "Loaded from published files, which hold no address and no key."
    }


@pytest.mark.parametrize(
    ("column", "text", "complaint"),
    [
        ("ttft_ms", "soon", "ttft_ms is 'soon', which is no number"),
        ("ttft_ms", "-1", "ttft_ms is -1.0; allowed is >0"),
        ("outcome", "", "outcome is empty and must not be"),
        ("outcome", "fine", "outcome is 'fine'; allowed are ok, rate_limited"),
        ("started_at", "2026-07-15T11:00:00", "which is no datetime"),
        ("sample_id", "7", "sample_id '7' is no UUID"),
        ("probe_location", "=cmd", "probe_location '=cmd' is no label"),
        ("offering_id", "zulu~x", "zulu~x is not in the catalogue"),
        ("input_tokens", "9" * 25, "input_tokens is '9999999999999999999999999', which is no integer"),
        ("concurrency", "40000", "a value that the board cannot store: .*out of range"),
        ("finish_reason", "x" * 65, "a value that the board cannot store: value too long"),
        ("finish_reason", "a\0b", r"finish_reason is 'a\\x00b', which is no string"),
    ],
)
def test_what_cannot_be_loaded_is_said_and_nothing_is(
    exported: Path, column: str, text: str, complaint: str
) -> None:
    path = exported / "samples.csv"
    header, first, *rest = path.read_text().splitlines()
    cells = first.split(",")
    cells[header.split(",").index(column)] = text
    path.write_text("\r\n".join([header, *rest, ",".join(cells)]) + "\r\n")
    empty_the_board()

    with pytest.raises(CommandError, match=complaint):
        call_command("load_samples", str(path), stdout=io.StringIO())

    assert not Sample.objects.exists()


def test_a_file_that_is_no_samples_file_is_refused(exported: Path) -> None:
    with pytest.raises(
        CommandError, match=r"providers.csv is not a samples file: it has no column sample_id"
    ):
        call_command("load_samples", str(exported / "providers.csv"))
    with pytest.raises(CommandError, match=r"There is no file .*none.csv"):
        call_command("load_samples", str(exported / "none.csv"))
    with pytest.raises(CommandError, match=r"is a folder; name the file in it, such as .*samples.csv"):
        call_command("load_samples", str(exported))


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("samples.csv", b"\xff\xfe\x00", "is not text in UTF-8"),
        ("samples.csv.gz", b"sample_id,", "is damaged: it does not unpack"),
        (
            "samples.csv.gz",
            gzip.compress(b"sample_id," * 900, mtime=0)[:30],
            "is damaged: it does not unpack",
        ),
        ("samples.csv", b'"' + b"x" * 140_000, "is no CSV: field larger than field limit"),
    ],
)
def test_a_file_that_cannot_be_read_is_said(
    tmp_path: Path, name: str, content: bytes, complaint: str
) -> None:
    (tmp_path / name).write_bytes(content)

    with pytest.raises(CommandError, match=complaint):
        call_command("load_samples", str(tmp_path / name))


def test_a_dataset_is_not_written_onto_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(CommandError, match=r"is a file. Name a folder"):
        call_command("export_dataset", str(tmp_path / "file"))


def test_checksums_cover_every_file(exported: Path) -> None:
    lines = (exported / "SHA256SUMS").read_text().splitlines()
    named = {line.split("  ")[1]: line.split("  ")[0] for line in lines}

    files = {p.relative_to(exported).as_posix(): p for p in exported.rglob("*") if p.is_file()}
    assert set(files) == {*named, "SHA256SUMS"}
    assert all(
        hashlib.sha256(files[name].read_bytes()).hexdigest() == digest for name, digest in named.items()
    )
    assert not [name for name in files if ".unfinished" in name]


def test_exporting_again_over_the_folder_works(exported: Path) -> None:
    shutil.rmtree(exported / "samples")

    call_command("export_dataset", str(exported), stdout=io.StringIO())

    assert recomputed(exported)[0] == 0


def test_a_running_board_recomputes_over_http_with_probes_in_flight(live_board: str) -> None:
    said: list[str] = []

    status = run(live_board, said.append)

    assert (status, said[:-1]) == (0, [])


@pytest.fixture
def live_board(monkeypatch: pytest.MonkeyPatch, client: Client) -> str:
    """A board whose newest sample came after its snapshot; its files are fetched through the test client."""
    make_history(hours=40)
    make_snapshot(as_of=AS_OF)
    late = make_sample(Offering.objects.get(public_id="alfa~model-a"), scheduled_at=AS_OF, ttft_ms=1.5)
    with connection.cursor() as cursor:
        cursor.execute("update measurements_sample set recorded_at = now() - interval '1 hour'")
        cursor.execute("update ranking_snapshot set made_at = now() - interval '1 minute'")
        cursor.execute(
            "update measurements_sample set recorded_at = now() where sample_id = %s", [late.sample_id]
        )

    def fetched(address: str, timeout: float) -> io.BytesIO:
        response = client.get(address.removeprefix("http://board.test"))
        assert response.status_code == 200, address
        return io.BytesIO(b"".join(response) if response.streaming else response.content)

    monkeypatch.setattr(reading, "urlopen", fetched)
    return "http://board.test/data/v1/"
