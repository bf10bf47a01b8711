"""Samples by COPY: the same text as the writer makes of the same rows, streamed in blocks."""

from __future__ import annotations

import datetime as dt
import json
import uuid
from decimal import Decimal

import pytest
from django.db import connection
from django.test import Client

from leaderboard.exports.columns import SAMPLES
from leaderboard.exports.copying import copied_csv, samples_query, with_crlf
from leaderboard.exports.sample_choice import SampleChoice
from leaderboard.exports.writers import csv_text
from tests.exports.rows import AS_OF, any_partition, make_sample
from tests.factories import make_offering

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _partition() -> None:
    any_partition()


def make_awkward_samples() -> None:
    offering = make_offering(public_id="alfa~qwen3-0.6b")
    make_sample(
        offering,
        ttft_ms=123.456789,
        ttfat_ms=0.1 + 0.2 + 200,
        end_to_end_ms=1e-05,
        output_speed_tps=1e16,
        largest_chunk_share=1 / 3,
        cost_usd=Decimal("0.0000100000"),
        connect_ms=0.0,
        http_status=200,
        started_at=dt.datetime(2026, 7, 15, 11, 0, 0, 999_999, tzinfo=dt.UTC),
        connection_reused=True,
        finish_reason="stop",
    )
    make_sample(
        offering, finish_reason="length", ttft_ms=99_999_999_999_999.0, ttfat_ms=1e14, connect_ms=9e-05
    )
    make_sample(offering, outcome="timeout", detail="stalled", finish_reason='=cmd|"x", y')
    make_sample(offering, finish_reason="two\nlines\x07\u0085", scheduled_at=AS_OF)
    make_sample(
        offering, finish_reason="＝full", excluded=True, exclusion_reason="admin", excluded_from="all"
    )


def copied(choice: SampleChoice) -> str:
    return b"".join(copied_csv(samples_query(choice.condition()))).decode()


def test_copy_writes_what_the_writer_writes() -> None:
    make_awkward_samples()

    assert copied(SampleChoice()) == csv_text(SAMPLES.columns, SampleChoice().rows())


def test_choices_agree_between_copy_and_rows() -> None:
    make_awkward_samples()
    other = make_offering(public_id="bravo~x")
    make_sample(other, workload="short", probe_location="eu-west")

    for choice, rows in [
        (SampleChoice(offering_pk=other.pk), 1),
        (SampleChoice(since=AS_OF), 1),
        (SampleChoice(until=AS_OF), 5),
        (SampleChoice(workloads=("short",)), 1),
        (SampleChoice(probe_locations=("eu-west", "local")), 6),
    ]:
        assert len(list(choice.rows())) == rows
        assert copied(choice) == csv_text(SAMPLES.columns, choice.rows())


def test_line_ends_inside_cells_are_kept() -> None:
    assert with_crlf([b"a,1\n", b"b,2\n"]) == b"a,1\r\nb,2\r\n"
    assert with_crlf([b'"a\nb",1\n', b"b,2\n"]) == b'"a\nb",1\r\nb,2\r\n'


def test_rows_come_in_blocks() -> None:
    offering = make_offering()
    for n in range(900):
        make_sample(offering, scheduled_at=AS_OF - dt.timedelta(minutes=n), sample_id=uuid.uuid4())

    blocks = list(copied_csv(samples_query(SampleChoice().condition())))

    assert len(blocks) <= 5
    assert b"".join(blocks).count(b"\r\n") == 901


def test_a_broken_copy_raises_instead_of_ending() -> None:
    query = samples_query(SampleChoice().condition())
    stream = copied_csv(query)
    next(stream)  # the header is out

    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("alter table measurements_sample rename to hidden")
    with pytest.raises(Exception, match="does not exist"):
        list(stream)


def test_the_pages_file_is_its_window_and_full_is_everything(client: Client) -> None:
    offering = make_offering(public_id="alfa~qwen3-0.6b")
    make_sample(offering, scheduled_at=AS_OF)
    make_sample(offering, scheduled_at=AS_OF - dt.timedelta(hours=73))

    window = b"".join(client.get("/offerings/alfa~qwen3-0.6b.csv"))
    whole = b"".join(client.get("/offerings/alfa~qwen3-0.6b.csv?full=1"))
    rows = json.loads(b"".join(client.get("/offerings/alfa~qwen3-0.6b.json")))["rows"]

    assert window.count(b"\r\n") == 2
    assert whole.count(b"\r\n") == 3
    assert [row["scheduled_at"] for row in rows] == ["2026-07-15T12:00:00.000Z"]


@pytest.mark.parametrize("read_all", [True, False])
def test_sorting_is_off_only_while_a_file_is_read(read_all: bool) -> None:
    make_awkward_samples()

    blocks = copied_csv(samples_query(SampleChoice().condition()))
    if read_all:
        list(blocks)
    else:
        next(blocks)
        blocks.close()  # type: ignore[attr-defined]

    with connection.cursor() as cursor:
        cursor.execute("show enable_sort")
        assert cursor.fetchone() == ("on",)
