from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from leaderboard.ranking.models import Summary
from leaderboard.ranking.summary_copy import copy_summaries
from leaderboard.ranking.window import NEVER, microseconds
from tests.factories import make_offering
from tests.ranking.factories import AS_OF, make_saved_snapshot

pytestmark = pytest.mark.django_db


def written(**columns: Any) -> list[dict[str, Any]]:
    """What the table holds after writing two rows of these columns beside what every row must have."""
    offering = make_offering()
    needed: dict[str, Any] = {
        "offering_id": np.array([offering.pk] * 2),
        "probe_location": ["here", "there"],
        "workload": ["medium"] * 2,
        "workload_version": [1, 2],
        "methodology_version": ["1.0.0"] * 2,
        "simulated": np.array([False, True]),
        "outcomes": ['{"ok": 3}', "{}"],
        "exclusions": ["{}"] * 2,
        "blend": ["input:output=3:1"] * 2,
        "freshness": ["fresh"] * 2,
        "standing": ["official"] * 2,
        "dominated_by": ["", "é~ü"],
        **{
            name: np.array([7, 8])
            for name in ("samples_total", "samples_ok", "samples_excluded", "speed_samples", "ttft_samples")
        },
        **{name: [True, False] for name in ("frontier_speed_ttft", "frontier_speed_price")},
    }
    copy_summaries(make_saved_snapshot().pk, needed | columns)
    return list(Summary.objects.order_by("workload_version").values(*needed, *columns))


def test_every_kind_of_cell_comes_back_as_it_was() -> None:
    rows = written(
        output_speed_tps_p50=np.array([0.1 + 0.2, np.nan]),
        rank_speed=[None, 2],
        blended_usd_per_mtok=[Decimal("0.17500000"), None],
        input_usd_per_mtok=[Decimal(0), Decimal("123456.00000001")],
        last_ok_at=np.array([microseconds(AS_OF), NEVER]),
        price_verified_at=[None, AS_OF + dt.timedelta(milliseconds=1)],
    )

    assert [row["output_speed_tps_p50"] for row in rows] == [0.30000000000000004, None]
    assert [row["rank_speed"] for row in rows] == [None, 2]
    assert [row["blended_usd_per_mtok"] for row in rows] == [Decimal("0.175"), None]
    assert [row["input_usd_per_mtok"] for row in rows] == [Decimal(0), Decimal("123456.00000001")]
    assert [row["last_ok_at"] for row in rows] == [AS_OF, None]
    assert [row["price_verified_at"] for row in rows] == [None, AS_OF + dt.timedelta(milliseconds=1)]
    assert [row["simulated"] for row in rows] == [False, True]
    assert [row["frontier_speed_ttft"] for row in rows] == [True, False]
    assert [row["outcomes"] for row in rows] == [{"ok": 3}, {}]
    assert [row["dominated_by"] for row in rows] == ["", "é~ü"]
    assert [(row["samples_ok"], row["workload_version"]) for row in rows] == [(7, 1), (8, 2)]
