from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.charts.labels import Anchor, Label, place_labels


def placed(anchors: list[Anchor]) -> list[Label]:
    return place_labels(anchors, font_px=12, plot_width=694, plot_height=380)


def test_label_stands_left_of_its_point_and_8_px_up() -> None:
    (label,) = placed([Anchor("a", "Name", 300, 200)])

    assert (label.x, label.y, label.align, label.number) == (292, 192, "right", None)


def test_second_label_moves_below_and_third_becomes_a_number() -> None:
    anchors = [Anchor(name, "A name of some length", 300, 200) for name in "abc"]

    first, second, third = placed(anchors)

    assert first.y < 200 < second.y
    assert (third.text, third.number) == ("1", 1)


def test_label_at_the_left_edge_goes_right() -> None:
    (label,) = placed([Anchor("a", "A long name here", 20, 200)])

    assert (label.x, label.align) == (28, "left")


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(0, 694), st.floats(0, 380), st.text(alphabet="abcM 1", min_size=1, max_size=28)),
        max_size=12,
    )
)
def test_no_two_labels_overlap(places: list[tuple[float, float, str]]) -> None:
    anchors = [Anchor(str(i), text, x, y) for i, (x, y, text) in enumerate(places)]

    labels = placed(anchors)

    assert len(labels) == len(anchors)
    for one, other in combinations(labels, 2):
        assert not one.box.overlaps(other.box)
