"""The forest is drawn with everything on it, and refused where there is none."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import acvae
from acvae import plot
from acvae.exceptions import PosteriorError


def test_map_shows_every_vertex_and_every_edge(posterior, ax) -> None:
    plot.forest_map(posterior, ax, coordinates=posterior.mean[:, :2], groups=np.arange(30) % 5)
    lines, points = ax.collections
    assert len(lines.get_segments()) == 24
    assert len(points.get_offsets()) == 30


def test_tree_shows_the_largest_tree_with_names(posterior, ax) -> None:
    plot.forest_tree(posterior, ax, names=[f"v{i}" for i in range(30)], n_labels=3)
    lines, points = ax.collections
    assert len(lines.get_segments()) == 24
    assert len(points.get_offsets()) == 25
    assert 1 <= len(ax.texts) <= 3
    assert all(text.get_text().startswith("v") for text in ax.texts)


def test_neighborhood_is_a_connected_part_around_the_vertex(posterior, ax) -> None:
    plot.forest_neighborhood(posterior, 0, ax, size=8, max_branches=2)
    shown = [int(text.get_text()) for text in ax.texts]
    assert shown[0] == 0
    assert len(set(shown)) == 8
    inside = np.isin(posterior.forest, shown).all(axis=1)
    assert inside.sum() == 7  # eight vertices joined by seven forest edges: a tree
    assert len(ax.lines) == 7


@pytest.mark.parametrize("draw", ["tree", "neighborhood"])
def test_no_name_lies_on_another(posterior, draw) -> None:
    figure, ax = plt.subplots(figsize=(5, 4), layout="constrained")
    names = [f"a rather long name {i}" for i in range(30)]
    if draw == "tree":
        plot.forest_tree(posterior, ax, names=names)
    else:
        plot.forest_neighborhood(posterior, 0, ax, names=names, size=20)
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in ax.texts]
    plt.close(figure)
    assert len(boxes) >= 2
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])


def test_neighborhood_of_a_lone_vertex_is_itself(posterior, ax) -> None:
    plot.forest_neighborhood(posterior, 29, ax)
    assert [text.get_text() for text in ax.texts] == ["29"]


def test_without_a_forest_there_is_nothing_to_draw(ax) -> None:
    alone = acvae.Posterior(np.zeros((3, 2)), np.ones((3, 2)))
    with pytest.raises(PosteriorError, match="no learnt forest"):
        plot.forest_tree(alone, ax)
    with pytest.raises(PosteriorError, match="no learnt forest"):
        plot.forest_neighborhood(alone, 0, ax)
