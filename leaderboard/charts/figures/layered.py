"""What every figure ends with: layers of inline rows become one Vega-Lite dict of fixed size on no background."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, ClassVar

import altair as alt
from altair.utils import schemapi

from leaderboard.charts import theme

Spec = dict[str, Any]
# Altair checks every object against Vega-Lite's schema as it is made, rows included: 13 s for a page of histories.
# The tests check each figure's whole spec once instead.
schemapi.DEBUG_MODE = False
# Altair gives encode() no return type, so a finished layer is untyped here and a plain dict after to_dict().
Layer = Any


class Rows:
    """A layer's rows as Altair hands them through: plain lists it copies with every layer, which is half its time."""

    _schema: ClassVar[dict[str, str]] = {"type": "array"}

    def __init__(self, rows: Sequence[Spec]) -> None:
        self.rows = list(rows)

    def to_dict(self) -> list[Spec]:
        return self.rows


def rows_chart(rows: Sequence[Spec], name: str) -> alt.Chart:
    """A layer's rows, inline: no file, no address, no row limit."""
    handed_through: Any = Rows(rows)  # Altair's types know only what it copies
    return alt.Chart(alt.InlineData(values=handed_through), name=name)


def layered(
    layers: Sequence[Layer],
    *,
    size: tuple[float, float],
    padding: tuple[float, float, float, float],
    description: str,
    font: float,
    usermeta: Spec,
) -> Spec:
    """`size` is the plot's width and height; `padding` is left, right, top, bottom, so the picture's size is exact."""
    left, right, top, bottom = padding
    chart = alt.layer(*[layer for layer in layers if layer is not None]).properties(
        width=size[0], height=size[1], description=description
    )
    with alt.data_transformers.enable(consolidate_datasets=False):
        spec: Spec = chart.to_dict(validate=False)
    name_apart(spec)
    return spec | {
        "background": None,
        "autosize": "none",
        "padding": {"left": left, "right": right, "top": top, "bottom": bottom},
        "config": theme.config(font),
        "usermeta": usermeta,
    }


def name_apart(spec: Spec) -> None:
    """Vega-Lite refuses two layers of one name: the second and later ones get a number."""
    seen: Counter[str] = Counter()
    pending = [spec]
    while pending:
        view = pending.pop()
        if name := view.get("name"):
            seen[name] += 1
            if seen[name] > 1:
                view["name"] = f"{name}_{seen[name]}"
        pending += reversed(view.get("layer", []))


def at_px(field: str) -> alt.X:
    """A horizontal place given in pixels, outside the scale that the marks use."""
    return alt.X(f"{field}:Q", scale=None, axis=None)


def at_py(field: str) -> alt.Y:
    """The same for a vertical place, counted from the top."""
    return alt.Y(f"{field}:Q", scale=None, axis=None)
