"""Power and hardware as the host tells them: a Prometheus exporter beside the GPUs, or nvidia-smi on this machine."""

from __future__ import annotations

import math
import shutil
import subprocess
from dataclasses import dataclass
from statistics import fmean

import httpx

from leaderboard.catalogue.engines.prometheus import read_series
from leaderboard.catalogue.engines.reading import TIMEOUT_S, fetched

WATTS = (
    "DCGM_FI_DEV_POWER_USAGE",
    "nvidia_smi_power_draw_watts",
    "nvidia_gpu_power_usage_watts",
    "amd_gpu_average_package_power",
    "gpu_package_power",
    "gpu_average_package_power",
)
MILLIWATTS = ("nvidia_gpu_power_usage_milliwatts",)
QUERY = "name,memory.total,driver_version,power.draw"


@dataclass(frozen=True, slots=True, kw_only=True)
class HostGpus:
    """What the host says is in it; watts are those of the moment, over all GPUs. None is unknown."""

    names: tuple[str, ...] = ()
    memory_gib: float | None = None
    """Of one GPU."""
    driver_version: str | None = None
    watts: float | None = None


def read_exporter(page: object) -> HostGpus:
    """One power figure for each GPU is summed; a page with several measures of it is read by the first."""
    series = list(read_series(page))
    for name, scale in [(n, 1.0) for n in WATTS] + [(n, 0.001) for n in MILLIWATTS]:
        mine = [s for s in series if s.name == name]
        if mine:
            labels = [s.labels for s in mine]
            return HostGpus(
                names=tuple(filter(None, (one.get("modelName") or one.get("name") for one in labels))),
                driver_version=labels[0].get("DCGM_FI_DRIVER_VERSION"),
                watts=sum(s.value for s in mine) * scale,
            )
    return HostGpus()


def read_nvidia_smi(text: str) -> HostGpus:
    """The lines of `nvidia-smi --query-gpu={QUERY} --format=csv,noheader,nounits`: MiB and watts."""
    rows = [[cell.strip() for cell in line.split(",")] for line in text.splitlines() if line.count(",") == 3]
    if not rows:
        return HostGpus()
    watts = [number(row[3]) for row in rows]
    memory = number(rows[0][1])
    return HostGpus(
        names=tuple(row[0] for row in rows),
        memory_gib=None if memory is None else round(memory / 1024, 2),
        driver_version=rows[0][2] or None,
        watts=None if None in watts else sum(w for w in watts if w is not None),
    )


def number(text: str) -> float | None:
    """None for what a card without a meter says: [N/A] or [Not Supported]."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and value > 0 else None


def ask_exporter(url: str) -> HostGpus:
    """Nothing known where the exporter does not answer."""
    try:
        with httpx.Client(trust_env=False, timeout=TIMEOUT_S) as client:
            return read_exporter(fetched(client, url))
    except (httpx.HTTPError, httpx.InvalidURL, ValueError):
        return HostGpus()


def ask_this_machine() -> HostGpus:
    """Nothing known where there is no nvidia-smi, or it has nothing to say."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return HostGpus()
    try:
        told = subprocess.run(  # noqa: S603 (a fixed command of the driver's own program)
            [program, f"--query-gpu={QUERY}", "--format=csv,noheader,nounits"],
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return HostGpus()
    return read_nvidia_smi(told.stdout) if told.returncode == 0 else HostGpus()


def mean_watts(readings: list[HostGpus]) -> float | None:
    """The mean over readings of one phase; None when none had a figure."""
    known = [reading.watts for reading in readings if reading.watts is not None]
    return fmean(known) if known else None
