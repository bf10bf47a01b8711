"""Planted keys, one in a variable and one stored: after a provider gave them back in every way it could, they are
found nowhere but in the one encrypted column."""

from __future__ import annotations

import base64
import datetime as dt
import logging
import os
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from django.db import connection
from django.test import Client
from pytest_django import Settings

from leaderboard.catalogue.credentials import store_key
from leaderboard.catalogue.models import Offering
from leaderboard.celery import app
from leaderboard.measurements import planning, probing, tasks
from leaderboard.measurements.models import Sample
from leaderboard.operations.embedded.paths import broker_url
from leaderboard.operations.embedded.valkey import EmbeddedValkey
from leaderboard.ranking.models import Snapshot
from tests.factories import make_model, make_offering, make_provider
from tests.ranking.factories import AS_OF, make_saved_snapshot, make_summary
from tests.security.addresses import Maker
from tests.security.echoing import WAYS, echoing_provider

IN_VARIABLE = "sk-canary-variable-7f3a91c2d4e5b608"
STORED = "q9Canary.Stored/Key+b64==0123456789"
LONGEST_TRACE = 12
"""So many characters of a key in a row are a leak."""


def forms(key: str) -> list[str]:
    """The key's pieces as they would look in the open, and the whole key as other encodings write it."""
    pieces = [key[i : i + LONGEST_TRACE] for i in range(len(key) - LONGEST_TRACE + 1)]
    return [*pieces, base64.b64encode(key.encode()).decode()[:-4], key.encode().hex(), key[::-1]]


TRACES = [*forms(IN_VARIABLE), *forms(STORED)]


def leaks(text: str | bytes) -> list[str]:
    found = text if isinstance(text, str) else text.decode("utf-8", "replace")
    return [trace for trace in TRACES if trace in found]


@pytest.fixture
def offerings(settings: Settings, monkeypatch: pytest.MonkeyPatch, db: None) -> Iterator[list[Offering]]:
    """One offering for each way of echoing and each way of keeping a key, all at the echoing provider."""
    settings.CREDENTIALS_KEY = Fernet.generate_key().decode()
    monkeypatch.setenv("ECHO_API_KEY", IN_VARIABLE)
    with echoing_provider() as url:
        named = make_provider(slug="named", kind="self_hosted", base_url=url, api_key_env="ECHO_API_KEY")
        kept = make_provider(slug="kept", kind="self_hosted", base_url=url)
        store_key(kept, STORED, now=AS_OF)
        kept.save()
        yield [
            make_offering(
                public_id=f"{provider.slug}~{way}",
                provider=provider,
                model=make_model(slug=f"maker/{provider.slug}-{way}"),
                provider_model_name=way,
                workloads=["short"],
            )
            for provider in (named, kept)
            for way in WAYS
        ]


@pytest.fixture
def probed(offerings: list[Offering], caplog: pytest.LogCaptureFixture) -> list[Offering]:
    caplog.set_level(logging.DEBUG)
    for slot in planning.plan_now(offerings, now=AS_OF):
        taken = probing.take_up(slot.pk, AS_OF)
        assert taken is not None
        probing.measure(taken)
    snapshot = make_saved_snapshot()
    for offering in offerings:
        make_summary(snapshot, offering, output_speed_tps_p50=100.0, ttft_ms_p50=200.0)
    return offerings


def test_every_way_of_echoing_was_met(probed: list[Offering]) -> None:
    outcomes = dict(Sample.objects.values_list("offering__public_id", "outcome"))

    assert len(outcomes) == 2 * len(WAYS)
    assert outcomes["named~error"] == outcomes["kept~split"] == "auth"
    assert outcomes["named~answer"] == "ok"
    assert outcomes["kept~stream-error"] == "server_error"


def test_logs_hold_no_key(probed: list[Offering], caplog: pytest.LogCaptureFixture) -> None:
    assert [r for r in caplog.records if leaks(r.getMessage() + str(vars(r)))] == []


def test_database_holds_no_key_in_the_open(probed: list[Offering]) -> None:
    found = []
    with connection.cursor() as cursor:
        cursor.execute(
            "select table_name from information_schema.tables where table_schema = 'public' and table_type <> 'VIEW'"
        )
        for (table,) in cursor.fetchall():
            cursor.execute(f'select row_to_json(t)::text from "{table}" t')
            found += [(table, leak) for (row,) in cursor.fetchall() for leak in leaks(row)]

    assert found == []


@pytest.mark.parametrize("person", ["visitor", "admin"])
def test_no_page_file_or_feed_holds_a_key(
    probed: list[Offering], person: str, request: pytest.FixtureRequest
) -> None:
    client: Client = request.getfixturevalue(person)
    offering = probed[-1]
    creator, _, model = offering.model.slug.partition("/")
    values = {
        "creator": (creator,),
        "model": (model,),
        "provider": (offering.provider.slug,),
        "slug": (offering.provider.slug,),
        "offering_id": (offering.public_id,),
        "object_id": (str(offering.pk), str(offering.provider_id)),
        "app_label": ("catalogue",),
    }
    found = {}
    for address in Maker(values).addresses():
        answer = client.get(address.path)
        body = b"".join(answer) if answer.streaming else answer.content
        if leaks(body) or leaks(str(answer.headers)):
            found[address.path] = leaks(body)

    assert found == {}


def test_offering_samples_are_published_without_keys(probed: list[Offering], visitor: Client) -> None:
    for offering in probed:
        answer = visitor.get(f"/offerings/{offering.public_id}.csv?full=1")
        body = b"".join(answer) if answer.streaming else answer.content

        assert answer.status_code == 200
        assert offering.public_id.encode() in body
        assert leaks(body) == []


def test_messages_to_workers_hold_ids_and_no_key(
    offerings: list[Offering], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker = EmbeddedValkey(tmp_path)
    broker.start()
    monkeypatch.setattr(app.conf, "broker_url", broker_url(tmp_path))
    slots = planning.plan_now(offerings[:1] + offerings[-1:], now=dt.datetime.now(dt.UTC))
    try:
        with app.connection_for_write(broker_url(tmp_path)) as sending:
            for slot in slots:
                tasks.probe.apply_async((slot.pk,), queue=f"probes.{slot.probe_location}", connection=sending)
    finally:
        broker.stop()

    kept = b"".join(path.read_bytes() for path in (tmp_path / "valkey").rglob("*") if path.is_file())
    assert b"measurements.probe" in kept
    assert leaks(kept) == []


def test_traceback_of_a_crash_in_mid_probe_holds_no_key(
    offerings: list[Offering], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As a crash reporter sees it: with the local variables of every frame."""

    async def crash(*_: object, **__: object) -> None:
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(probing, "run_workload", crash)
    (slot,) = planning.plan_now(offerings[-1:], now=AS_OF)
    taken = probing.take_up(slot.pk, AS_OF)
    assert taken is not None

    with pytest.raises(RuntimeError) as caught:
        probing.measure(taken)

    seen = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    ours = [f for f in seen.stack if "/leaderboard/" in f.filename or "/probes/" in f.filename]
    assert len(ours) >= 1
    assert leaks(str([f.locals for f in ours])) == []


def test_data_directory_holds_no_key(probed: list[Offering], settings: Settings) -> None:
    folder = Path(settings.DATA_DIR)

    assert [p for p in folder.rglob("*") if p.is_file() and leaks(p.read_bytes())] == []
    assert Snapshot.objects.count() == 1


def test_the_search_finds_what_it_looks_for() -> None:
    assert leaks(f"the key is {STORED[3:18]}")
    assert leaks(os.environ.get("ECHO_API_KEY", IN_VARIABLE))
    assert not leaks("nothing to see")
