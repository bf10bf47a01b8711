from __future__ import annotations

import datetime as dt
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from leaderboard.ranking.models import Snapshot
from tests.factories import make_offering
from tests.measurements.factories import AS_OF, make_samples

pytestmark = pytest.mark.django_db


def run(*words: str) -> str:
    out = StringIO()
    call_command("snapshot", *words, stdout=out)
    return out.getvalue()


def test_as_of_a_time_makes_kept_snapshots_of_every_window() -> None:
    make_samples(make_offering(), count=24)

    said = run("--as-of", "2026-07-15T14:00:00+02:00")

    assert said == "as_of 2026-07-15T12:00:00Z: 1 rows, 1 of them ranked, from 24 samples of 72 hours\n"
    assert sorted(Snapshot.objects.values_list("as_of", "window_hours", "is_pinned")) == [
        (AS_OF, 24, True),
        (AS_OF, 72, True),
        (AS_OF, 336, True),
    ]


def test_without_a_time_old_samples_are_ranked_as_of_the_newest() -> None:
    make_samples(make_offering(), count=1, until=dt.datetime(2020, 1, 1, tzinfo=dt.UTC))

    assert run().startswith("as_of 2020-01-01T00:00:00Z: 1 rows, 0 of them ranked")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("soon", "no ISO 8601 time"),
        ("9999-12-31", "in the future"),
        ("0001-01-01T00:00+14:00", "no ISO 8601"),
    ],
)
def test_a_bad_time_is_refused_with_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        run("--as-of", text)
