from __future__ import annotations

import pytest

from leaderboard.catalogue.engines.power import HostGpus, mean_watts, read_exporter, read_nvidia_smi

DCGM = (
    "# TYPE DCGM_FI_DEV_POWER_USAGE gauge\n"
    'DCGM_FI_DEV_POWER_USAGE{gpu="0",UUID="GPU-1",modelName="NVIDIA H200",Hostname="canary",'
    'DCGM_FI_DRIVER_VERSION="550.90.07"} 612.500000\n'
    'DCGM_FI_DEV_POWER_USAGE{gpu="1",UUID="GPU-2",modelName="NVIDIA H200",Hostname="canary",'
    'DCGM_FI_DRIVER_VERSION="550.90.07"} 600.250000\n'
)


def test_dcgm_gives_the_sum_of_all_gpus_and_no_host_name() -> None:
    told = read_exporter(DCGM)

    assert told == HostGpus(names=("NVIDIA H200",) * 2, driver_version="550.90.07", watts=1212.75)
    assert "canary" not in repr(told)


def test_milliwatts_are_watts_too() -> None:
    assert read_exporter('nvidia_gpu_power_usage_milliwatts{minor_number="0"} 250000').watts == 250


@pytest.mark.parametrize("page", [None, "", "<html>", {"watts": 3}, "other_metric 12"])
def test_a_page_without_power_tells_nothing(page: object) -> None:
    assert read_exporter(page) == HostGpus()


def test_nvidia_smi_lines() -> None:
    told = read_nvidia_smi("NVIDIA H200, 143771, 570.124.06, 76.55\nNVIDIA H200, 143771, 570.124.06, 80.00\n")

    assert told == HostGpus(
        names=("NVIDIA H200",) * 2, memory_gib=140.4, driver_version="570.124.06", watts=156.55
    )


@pytest.mark.parametrize("answer", ["[N/A]", "[Not Supported]", "nan", "0"])
def test_a_card_without_a_meter_has_no_power(answer: str) -> None:
    assert read_nvidia_smi(f"NVIDIA X, 24576, 1.2, {answer}\n").watts is None


def test_nvidia_smi_that_failed_tells_nothing() -> None:
    assert read_nvidia_smi("NVIDIA-SMI has failed because it couldn't talk to the driver.\n") == HostGpus()


def test_mean_watts_of_a_phase_ignores_readings_that_failed() -> None:
    readings = [HostGpus(watts=100), HostGpus(), HostGpus(watts=300)]

    assert mean_watts(readings) == 200
    assert mean_watts([HostGpus()]) is None
