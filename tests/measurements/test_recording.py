from __future__ import annotations

import datetime as dt

import pytest

from leaderboard.catalogue.models import Offering
from leaderboard.measurements.models import Sample
from leaderboard.measurements.recording import record_few, record_sample, record_samples
from tests.factories import make_offering
from tests.measurements.factories import AS_OF, build_sample

pytestmark = pytest.mark.django_db


def test_a_sample_recorded_twice_is_there_once_and_as_it_was_first() -> None:
    offering = make_offering()

    assert record_sample(build_sample(offering, AS_OF, ttft_ms=200.0)) is True
    assert record_sample(build_sample(offering, AS_OF, ttft_ms=100.0)) is False

    assert list(Sample.objects.values_list("ttft_ms", flat=True)) == [200.0]


def test_every_field_comes_back_as_it_was_recorded() -> None:
    sample = build_sample(
        make_offering(),
        AS_OF,
        flags=["usage_zero", 'odd "{,}'],
        server_timing={"decode_ms": 1.5},
        served_model="m\twith\nbreaks",
        cost_usd="0.0000001234",
        reasoning_tokens=0,
        ttft_ms=0.001,
    )

    record_sample(sample)
    singly = Sample.objects.get()
    Sample.objects.all().delete()
    record_samples([sample])
    batched = Sample.objects.get()

    for name in (f.attname for f in Sample._meta.local_fields if f.attname != "recorded_at"):
        assert getattr(singly, name) == getattr(batched, name), name
    assert batched.flags == ["usage_zero", 'odd "{,}']
    assert batched.server_timing == {"decode_ms": 1.5}
    assert (batched.reasoning_tokens, batched.cached_input_tokens) == (0, None)


def test_a_batch_counts_only_what_is_new_and_keeps_the_first_of_a_slot() -> None:
    offering = make_offering()
    record_sample(build_sample(offering, AS_OF))
    slots = [AS_OF - dt.timedelta(hours=3 * n) for n in range(4)]

    assert record_samples(build_sample(offering, at) for at in [*slots, slots[3]]) == 3
    assert record_samples(build_sample(offering, at) for at in slots) == 0
    assert Sample.objects.count() == 4


def test_a_batch_is_stored_whole_or_not_at_all() -> None:
    offering = make_offering()
    good, bad = build_sample(offering, AS_OF), build_sample(offering, AS_OF, sequence=1, ttft_ms=-1.0)

    with pytest.raises(Exception, match="sample_ttft_positive"):
        record_samples([good, bad])

    # the surrounding test transaction is lost with it, which is the point


def test_an_offering_hears_of_its_newest_success_whatever_the_order() -> None:
    offering = make_offering()
    later, earlier = AS_OF, AS_OF - dt.timedelta(days=1)

    record_few([build_sample(offering, later), build_sample(offering, earlier)])
    record_sample(build_sample(offering, AS_OF + dt.timedelta(hours=3), outcome="timeout"))

    heard = Offering.objects.get()
    assert (heard.last_ok_at, heard.first_probed_on) == (later, earlier.date())
    assert heard.not_before is None


def test_a_retry_after_sets_the_earliest_next_probe_and_is_capped_at_a_day() -> None:
    offering = make_offering()

    record_sample(build_sample(offering, AS_OF, outcome="rate_limited", retry_after_s=7200.0))
    assert Offering.objects.get().not_before == AS_OF + dt.timedelta(hours=2)

    later = AS_OF + dt.timedelta(hours=3)
    record_sample(build_sample(offering, later, outcome="rate_limited", retry_after_s=1e9))
    assert Offering.objects.get().not_before == later + dt.timedelta(days=1)


def test_the_natural_key_tells_ten_at_once_apart() -> None:
    offering = make_offering()

    stored = record_few([build_sample(offering, AS_OF, sequence=n, concurrency=10) for n in range(10)])

    assert (stored, Sample.objects.count()) == (10, 10)
