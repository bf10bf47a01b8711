"""The text form of Prometheus metrics, as far as engines and power exporters use it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

SERIES = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(.*)\})?[ \t]+(\S+)([ \t]+-?\d+)?[ \t]*")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"')
ESCAPES = {r"\\": "\\", r"\"": '"', r"\n": "\n"}


@dataclass(frozen=True, slots=True)
class Series:
    name: str
    value: float
    labels: dict[str, str] = field(default_factory=dict)


def read_series(text: object) -> Iterator[Series]:
    """Every finite value on the page; what is no series is passed over, whatever it is."""
    if not isinstance(text, str):
        return
    for line in text.splitlines():
        found = SERIES.fullmatch(line)
        if not found:
            continue
        try:
            value = float(found.group(4))
        except ValueError:
            continue
        if math.isfinite(value):
            labels = {name: unescaped(text) for name, text in LABEL.findall(found.group(3) or "")}
            yield Series(found.group(1), value, labels)


def unescaped(text: str) -> str:
    return re.sub(r"\\.", lambda m: ESCAPES.get(m.group(), m.group()), text)


def total(text: object, *names: str) -> float | None:
    """The sum over all series of the first name that has any: engines keep one for each model or worker."""
    sums: dict[str, float] = {}
    for series in read_series(text):
        sums[series.name] = sums.get(series.name, 0.0) + series.value
    return next((sums[name] for name in names if name in sums), None)


def labels_of(text: object, name: str) -> dict[str, str]:
    """The labels of the first series of that name: how info metrics say what they say."""
    return next((series.labels for series in read_series(text) if series.name == name), {})


def count(text: object, *names: str) -> int | None:
    found = total(text, *names)
    return None if found is None or found < 0 else int(found)
