"""The dataset's descriptions hold by their own validators and rules, on an exported folder."""

from __future__ import annotations

import datetime as dt
import io
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import time_machine
import yaml
from django.core.management import call_command
from pytest_django.fixtures import Settings

from leaderboard.exports.columns import LEADERBOARD, TABLES
from leaderboard.exports.dataset_files import LIVE_FILES
from leaderboard.exports.descriptions.datapackage import table_schema
from leaderboard.exports.descriptions.json_ld import dataset_json_ld
from leaderboard.ranking.summarise import make_snapshot
from tests.exports.boards import make_history
from tests.exports.rows import AS_OF

pytestmark = pytest.mark.django_db


@pytest.fixture
def exported(settings: Settings, tmp_path: Path) -> Iterator[Path]:
    settings.DATA_DIR = tmp_path / "data"
    with time_machine.travel(AS_OF + dt.timedelta(minutes=5), tick=False):
        make_history(hours=40)
        make_snapshot(as_of=AS_OF)
        call_command("export_dataset", str(tmp_path / "dataset"), stdout=io.StringIO())
        yield tmp_path / "dataset"


def document(folder: Path, name: str) -> Any:
    return json.loads((folder / name).read_text())


VALIDATE = """
import json, sys
import frictionless

report = frictionless.validate(sys.argv[1])
print(json.dumps({"tasks": len(report.tasks), "problems": report.flatten(["type", "title", "rowNumber", "note"])}))
"""


def frictionless_report(folder: Path) -> Any:
    """In a process of its own: the validator leaves files open, which would be a failure here."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", VALIDATE, str(folder / "datapackage.json")],
        capture_output=True,
        check=True,
        text=True,
    )
    return json.loads(done.stdout)


def test_frictionless_finds_nothing_in_any_row_key_or_hash(exported: Path) -> None:
    report = frictionless_report(exported)

    assert report["problems"] == []
    assert report["tasks"] == len([p for p in exported.rglob("*.csv*") if p.name.endswith(("csv", "gz"))])


def test_frictionless_would_find_a_wrong_cell(exported: Path) -> None:
    path = exported / "providers.csv"
    path.write_text(path.read_text().replace(",host,", ",hostess,"))

    assert frictionless_report(exported)["problems"]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_schemas_say_type_meaning_and_constraint_of_every_column(table: Any) -> None:
    schema: Any = table_schema(table)

    assert [field["name"] for field in schema["fields"]] == list(table.column_names)
    assert all(field["description"] and field["type"] for field in schema["fields"])
    required = {f["name"] for f in schema["fields"] if f.get("constraints", {}).get("required")}
    assert required == {column.name for column in table.columns if column.required}


def test_hashes_name_their_kind(exported: Path) -> None:
    resources = document(exported, "datapackage.json")["resources"]

    assert len({resource["name"] for resource in resources}) == len(resources)
    for resource in resources:
        assert re.fullmatch(r"sha256:[0-9a-f]{64}", resource["hash"])
        assert resource["bytes"] == (exported / resource["path"]).stat().st_size


def test_croissant_has_a_field_for_every_column_of_every_file(exported: Path) -> None:
    """The rules of Croissant 1.0 that a reader of ours depends on; the validator itself is no dependency."""
    described = document(exported, "croissant.json")

    assert described["@type"] == "sc:Dataset"
    assert described["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    assert described["isLiveDataset"] is True
    assert {"name", "description", "license", "url", "version", "datePublished", "citeAs"} <= set(described)
    files = {file["@id"]: file for file in described["distribution"]}
    assert all(file["encodingFormat"] and file["contentUrl"] and file["sha256"] for file in files.values())
    identities = [r["@id"] for r in described["recordSet"]]
    for record_set in described["recordSet"]:
        names = {field["@id"] for field in record_set["field"]}
        assert {key["@id"] for key in record_set["key"]} <= names
        for field in record_set["field"]:
            assert field["@id"].startswith(record_set["@id"] + "/")
            assert field["dataType"].startswith("sc:")
            assert field["source"]["fileObject"]["@id"] in files
            header = (
                (exported / field["source"]["fileObject"]["@id"])
                if record_set["@id"] == "leaderboard"
                else None
            )
            assert (
                header is None or field["source"]["extract"]["column"] in header.read_text().split("\r\n")[0]
            )
    assert len(set(identities)) == len(identities) == len(files)


def test_csv_on_the_web_describes_the_leaderboard(exported: Path) -> None:
    described = document(exported, "leaderboard.csv-metadata.json")

    columns = described["tableSchema"]["columns"]
    assert described["@context"][0] == "http://www.w3.org/ns/csvw"
    assert described["url"] == "leaderboard.csv"
    assert [column["name"] for column in columns] == list(LEADERBOARD.column_names)
    assert [column["titles"] for column in columns] == list(LEADERBOARD.column_names)
    assert described["tableSchema"]["primaryKey"] == list(LEADERBOARD.key)
    assert {column["datatype"]["base"] for column in columns} == {
        "string",
        "integer",
        "decimal",
        "boolean",
        "dateTime",
    }


CSVW_VALIDATE = """
import sys
import csvw

print("OK" if csvw.CSVW(sys.argv[1], validate=True).is_valid else "FAIL")
"""


def csvw_verdict(folder: Path) -> str:
    """What the CSV on the Web validator says; in a process of its own, as above."""
    done = subprocess.run(
        [sys.executable, "-c", CSVW_VALIDATE, "leaderboard.csv-metadata.json"],
        capture_output=True,
        check=False,
        cwd=folder,
        text=True,
    )
    return done.stdout.strip() or done.stderr


def test_a_validator_of_csv_on_the_web_finds_nothing(exported: Path) -> None:
    pytest.importorskip("csvw")

    assert csvw_verdict(exported) == "OK"


@pytest.mark.parametrize(
    ("right", "wrong"),
    [(",72,", ",-72,"), (",open,", ",ajar,"), (",true", ",yes"), ("T12:00:00Z", " noon"), (",medium,", ",,")],
)
def test_a_validator_of_csv_on_the_web_would_find_a_wrong_cell(
    exported: Path, right: str, wrong: str
) -> None:
    pytest.importorskip("csvw")
    path = exported / "leaderboard.csv"
    path.write_text(path.read_text().replace(right, wrong, 1))

    assert csvw_verdict(exported) == "FAIL"


def test_json_ld_keeps_the_rules_of_dataset_search() -> None:
    described = dataset_json_ld(
        LIVE_FILES,
        as_of=AS_OF,
        since=dt.date(2026, 7, 1),
        homepage="https://board.example/data/",
        root="https://board.example/data/v1/",
    )

    assert described["@context"] == "https://schema.org/"
    assert described["@type"] == "Dataset"
    assert isinstance(described["description"], str)
    assert 50 <= len(described["description"]) <= 5000
    assert described["license"] == "https://creativecommons.org/licenses/by/4.0/"
    assert described["isAccessibleForFree"] is True
    assert described["temporalCoverage"] == "2026-07-01/.."
    assert described["dateModified"] == "2026-07-15T12:00:00Z"
    distribution: Any = described["distribution"]
    assert all(d["@type"] == "DataDownload" and d["encodingFormat"] == "text/csv" for d in distribution)
    assert all(d["contentUrl"].startswith("https://board.example/data/v1/") for d in distribution)
    variables: Any = described["variableMeasured"]
    assert "ttft_ms_p50" in {variable["name"] for variable in variables}
    creator: Any = described["creator"]
    assert creator["@type"] == "Organization"
    assert creator["name"]


def test_citation_file_is_valid_yaml_of_a_dataset(exported: Path) -> None:
    citation = yaml.safe_load((exported / "CITATION.cff").read_text())

    assert citation["cff-version"] == "1.2.0"
    assert citation["type"] == "dataset"
    assert citation["title"]
    assert citation["message"]
    assert citation["authors"] == [{"name": "Provider leaderboard contributors"}]
    assert str(citation["date-released"]) == "2026-07-15"
    assert citation["license"] == "CC-BY-4.0"
