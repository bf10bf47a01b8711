from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, transaction

from tests.factories import make_deployment, make_sweep

pytestmark = pytest.mark.django_db

OK = {"concurrency": 1}


@pytest.mark.parametrize(
    ("constraint", "levels", "fields"),
    [
        ("sweep_phase_positive", [OK], {"phase_s": 0}),
        ("one_level_per_sweep_and_concurrency", [OK, OK], {}),
        ("level_concurrency_from_one", [{"concurrency": 0}], {}),
        ("level_figures_positive", [OK | {"throughput_tps": 0.0}], {}),
        ("level_figures_positive", [OK | {"ttft_ms_p50": -1.0}], {}),
        ("level_figures_positive", [OK | {"power_w": 0.0}], {}),
        ("level_excluded_has_reason", [OK | {"excluded": True}], {}),
        ("level_excluded_has_reason", [OK | {"exclusion_reason": "client_lag"}], {}),
    ],
)
def test_the_database_refuses(constraint: str, levels: list[dict[str, Any]], fields: dict[str, Any]) -> None:
    deployment = make_deployment()

    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        make_sweep(deployment, levels, **fields)


def test_one_plan_gives_one_sweep() -> None:
    deployment = make_deployment()
    make_sweep(deployment, [OK])

    with pytest.raises(IntegrityError, match="one_sweep_per_plan"), transaction.atomic():
        make_sweep(deployment, [OK])
