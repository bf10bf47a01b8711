from __future__ import annotations

import datetime as dt
from dataclasses import replace

from leaderboard.measurements.identity import NaturalKey, sample_id

KEY = NaturalKey(
    offering_id="acme~m",
    workload="medium",
    probe_location="local",
    connection_kind="warm",
    scheduled_at=dt.datetime(2026, 7, 15, 12, tzinfo=dt.UTC),
)


def test_id_is_a_uuid_of_version_7_that_begins_with_the_slots_milliseconds() -> None:
    id_ = sample_id(KEY)

    assert id_.version == 7
    assert id_.variant == "specified in RFC 4122"
    assert id_.int >> 80 == 1_784_116_800_000
    assert str(id_) == "019f65a5-ea00-77ff-8474-c922b8b73160"


def test_the_same_key_gives_the_same_id_and_any_other_key_another() -> None:
    others = [
        replace(KEY, offering_id="acme~n"),
        replace(KEY, workload="short"),
        replace(KEY, probe_location="eu"),
        replace(KEY, connection_kind="cold"),
        replace(KEY, sequence=1),
        replace(KEY, scheduled_at=KEY.scheduled_at + dt.timedelta(milliseconds=1)),
    ]

    assert sample_id(replace(KEY)) == sample_id(KEY)
    assert len({sample_id(key) for key in [KEY, *others]}) == 7
