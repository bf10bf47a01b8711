from __future__ import annotations

from decimal import Decimal

import pytest
from django.http import QueryDict

from leaderboard.ranking.endpoints import gpu_endpoint_rows
from leaderboard.ranking.filters import BadFilter
from leaderboard.ranking.which_gpu import Question, answers, known_rates, parse_question
from tests.factories import make_deployment, make_gpu, make_sweep

pytestmark = pytest.mark.django_db


def test_nothing_is_answered_before_the_size_is_given() -> None:
    question = parse_question(QueryDict("context_tokens=4096&params_total_b="))

    assert not question.is_asked
    assert answers(question, []) == []


def test_the_need_is_what_was_typed() -> None:
    need = parse_question(
        QueryDict("params_total_b=117&params_active_b=5.1&bits_per_weight=4.25&requests=32")
    ).need()

    assert (need.shape.params_total_b, need.shape.params_active_b) == (Decimal(117), Decimal("5.1"))
    assert (need.shape.bits_per_weight, need.context_tokens, need.concurrency) == (Decimal("4.25"), 8192, 32)


def test_no_more_is_read_for_a_token_than_there_is() -> None:
    assert Question(params_total_b=Decimal(7)).need().shape.params_active_b == 7
    assert Question(params_total_b=Decimal(7), params_active_b=Decimal(9)).need().shape.params_active_b == 7


@pytest.mark.parametrize(
    "query",
    [
        "params_total_b=0",
        "params_total_b=many",
        "requests=0",
        "requests=1.5",
        "context_tokens=-1",
        "bits_per_weight=64",
        "power_max_w=NaN",
        "layers=²",
    ],
)
def test_a_value_that_cannot_be_is_refused_by_name(query: str) -> None:
    with pytest.raises(BadFilter) as refused:
        parse_question(QueryDict(query))

    assert refused.value.parameter == query.partition("=")[0]


def test_measured_rows_stand_beside_the_estimate() -> None:
    gpu = make_gpu(name="Maker X", memory_gib="80", bandwidth_gb_per_s="3350")
    deployment = make_deployment(gpu=gpu, cost_basis="rental_on_demand", usd_per_gpu_hour="2")
    make_sweep(
        deployment, [{"concurrency": 1, "throughput_tps": 50.0}, {"concurrency": 8, "throughput_tps": 300.0}]
    )

    (answer,) = answers(Question(params_total_b=Decimal(7)), gpu_endpoint_rows())

    assert (answer.candidate.gpu, answer.candidate.count, answer.candidate.usd_per_hour) == (gpu, 1, 2)
    assert [row.concurrency for row in answer.measured] == [8]


def test_the_rate_of_a_kind_is_the_median_of_what_is_paid_for_it() -> None:
    gpu = make_gpu()
    for rate in ("1", "2", "6"):
        make_deployment(gpu=gpu, cost_basis="rental_on_demand", usd_per_gpu_hour=rate)
    make_deployment(gpu=gpu, cost_basis="rental_on_demand", usd_per_gpu_hour="99", is_public=False)
    make_deployment(gpu=make_gpu())

    assert known_rates() == {gpu.pk: Decimal(2)}
