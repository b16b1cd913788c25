"""Names on a figure: the first come first, and none lies on another."""

from itertools import combinations

import numpy as np
import pytest

from acvae.plot.labels import MOST_TRIED, place_labels


@pytest.fixture
def wide(ax):
    ax.set_xlim(0, 10)
    ax.set_ylim(0, 10)
    return ax


def texts(labels):
    return [label.get_text() for label in labels]


def test_what_lies_on_an_earlier_one_is_left_out(wide):
    place = np.array([[5, 5], [5.01, 5], [5, 2], [5, 8]])
    written = place_labels(wide, place, ["first", "second", "third", "fourth"])
    assert texts(written) == ["first", "third", "fourth"]
    assert texts(wide.texts) == texts(written)  # nothing of the other is left
    boxes = [label.get_window_extent() for label in written]
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))


def test_names_stand_above_their_places(wide):
    (label,) = place_labels(wide, np.array([[5, 5]]), ["name"])
    box, at = label.get_window_extent(), wide.transData.transform((5, 5))
    assert box.y0 > at[1]
    assert box.x0 < at[0] < box.x1


def test_at_most_so_many(wide):
    place = np.array([[5, y] for y in (1, 3, 5, 7)])
    assert texts(place_labels(wide, place, list("abcd"), count=2)) == ["a", "b"]
    assert place_labels(wide, place, list("abcd"), count=0) == []


def test_what_goes_beyond_the_axes_is_left_out_unless_it_is_the_first(wide):
    place = np.array([[5, 5], [9.99, 2]])
    assert texts(place_labels(wide, place, ["in", "a long name"])) == ["in"]
    assert texts(place_labels(wide, place[1:], ["a long name"])) == ["a long name"]


def test_not_all_of_many_are_tried(wide):
    place = np.full((3 * MOST_TRIED, 2), 5.0)
    place[-1] = 2
    written = place_labels(wide, place, [str(k) for k in range(len(place))], count=2)
    assert texts(written) == ["0"]
