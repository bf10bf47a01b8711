"""The whole road on real input: a real engine, registered through the admin, measured by the worker, on the board."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest

from tests.real_engine.engine import real_engine
from tests.stack.board import RunningBoard, eventually
from tests.stack.forms import Visitor

pytestmark = [pytest.mark.engine, pytest.mark.stack, pytest.mark.xdist_group("stack")]


def test_engine_goes_from_the_admin_to_the_home_page_and_the_csv(data_dir: Path) -> None:
    login = {"DJANGO_SUPERUSER_USERNAME": "ada", "DJANGO_SUPERUSER_PASSWORD": "correct horse battery"}
    with real_engine() as engine, RunningBoard(data_dir, "--no-demo", **login) as board:
        visitor = Visitor(board.wait_until_ready())
        visitor.sign_in(login["DJANGO_SUPERUSER_USERNAME"], login["DJANGO_SUPERUSER_PASSWORD"])

        register(visitor, engine)
        visitor.press("Probe now")
        # One of the three asked for is enough: each takes 6,300 tokens in and 1,500 out.
        eventually(
            lambda: re.search(r"[1-3] of 3 samples", visitor.open(visitor.address)),
            within_s=300,
            what="a sample",
        )
        visitor.press("Publish")

        row = eventually(lambda: leaderboard_row(visitor), within_s=60, what="its row in the CSV")
        home = visitor.open("/")
        assert board.stop() == 0

    print(row)  # noqa: T201 the figures of a real engine, shown with -s
    assert row["provider_name"] == "Tiny engine"
    assert (row["simulated"], row["standing"], row["workload"]) == ("false", "provisional", "medium")
    assert 1 <= int(row["samples_ok"]) <= 3
    assert float(row["output_speed_tps_p50"]) > 5
    assert 0 < float(row["ttft_ms_p50"]) < 60_000
    assert row["blended_usd_per_mtok"] == "0.175"
    assert "Tiny engine" in home


def register(visitor: Visitor, engine: str) -> None:
    visitor.open("/admin/add-provider/")
    visitor.press(
        "Save and choose models",
        preset="llama-cpp",
        name="Tiny engine",
        base_url=engine,
        kind="self_hosted",
    )
    visitor.press("Preview", choose="0", **{"ours-0": "test/tiny-random"})
    assert "Will create 1 offering" in visitor.text
    visitor.press("Create")
    visitor.press("Save prices", input_usd_per_mtok="0.10", output_usd_per_mtok="0.40")


def leaderboard_row(visitor: Visitor) -> dict[str, str] | None:
    rows = list(csv.DictReader(io.StringIO(visitor.open("/leaderboard.csv"))))
    return next((row for row in rows if row["samples_ok"] != "0"), None)
