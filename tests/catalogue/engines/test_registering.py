from __future__ import annotations

import pytest

from leaderboard.catalogue.engines.power import HostGpus
from leaderboard.catalogue.engines.registering import told_by_engine, told_by_host
from leaderboard.catalogue.engines.vllm import read_facts
from tests.catalogue.engines.replies import VLLM
from tests.factories import make_gpu


@pytest.mark.django_db
def test_the_host_names_kind_and_count_where_all_are_of_one_known_kind() -> None:
    h200 = make_gpu(name="NVIDIA H200 SXM")
    make_gpu(name="NVIDIA H100 SXM")

    told = told_by_host(HostGpus(names=("NVIDIA H200", "NVIDIA H200"), driver_version="580.1"))

    assert told == {"gpu_count": 2, "gpu": h200.pk, "driver_version": "580.1"}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("names", "told"), [((), {}), (("Maker Z9",), {"gpu_count": 1}), (("NVIDIA H",), {"gpu_count": 1})]
)
def test_a_kind_that_is_unknown_or_not_the_only_one_is_left_to_a_person(
    names: tuple[str, ...], told: dict[str, int]
) -> None:
    make_gpu(name="NVIDIA H SXM")
    make_gpu(name="NVIDIA H PCIe")

    assert told_by_host(HostGpus(names=names)) == told


def test_what_the_engine_leaves_unsaid_is_not_suggested() -> None:
    facts = read_facts(VLLM | {"/server_info": None})

    assert facts is not None
    told = told_by_engine(facts)
    assert (told["engine"], told["engine_version"], told["max_model_len"]) == ("vllm", "0.11.0", 131072)
    assert "tensor_parallel" not in told
