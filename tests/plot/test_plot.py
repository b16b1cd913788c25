"""Figures are drawn with everything on them, and refuse what cannot be drawn."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest

import acvae
from acvae import plot
from acvae.exceptions import GraphError, InputError, PosteriorError


@pytest.fixture
def posterior() -> acvae.Posterior:
    rng = np.random.default_rng(0)
    forest = [(int(rng.integers(0, i)), i) for i in range(1, 25)]  # vertices 25 … 29 are alone
    return acvae.Posterior(
        rng.normal(size=(30, 3)), np.ones((30, 3)), forest, rng.uniform(0.2, 0.9, (len(forest), 3))
    )


@pytest.fixture
def ax():
    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


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


HISTORY = [
    {"epoch": e, "elbo": -10.0 / e, **({"test_ncrr": e / 10} if e % 2 == 0 else {})} for e in range(1, 7)
]


def test_curves_of_one_history(ax) -> None:
    plot.curves(HISTORY, ax)
    (line,) = ax.lines
    np.testing.assert_allclose(line.get_ydata(), [-10.0 / e for e in range(1, 7)])
    assert ax.get_ylabel() == "ELBO"
    assert ax.get_legend() is None


def test_curves_of_several_are_drawn_where_they_were_measured(ax) -> None:
    plot.curves({"a": HISTORY, "b": HISTORY[:1]}, ax, figure="test_ncrr")
    (line,) = ax.lines  # b was never evaluated
    assert line.get_xdata().tolist() == [2, 4, 6]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a"]


def test_curves_name_what_there_is(ax) -> None:
    with pytest.raises(InputError, match="no history has the figure 'nmi'; there are elbo, epoch, test_ncrr"):
        plot.curves(HISTORY, ax, figure="nmi")


def test_gamma_sweep_has_means_and_spreads(ax) -> None:
    plot.gamma_sweep({"acvae": {1.0: [0.2, 0.4], 0.1: [0.1]}}, ax, without={"vae": [0.05, 0.07]})
    sweep, level = ax.lines
    assert sweep.get_xdata().tolist() == [0.1, 1.0]
    np.testing.assert_allclose(sweep.get_ydata(), [0.1, 0.3])
    np.testing.assert_allclose(level.get_ydata(), [0.06, 0.06])
    assert ax.get_xscale() == "log"
    band = ax.collections[0].get_paths()[0].vertices
    np.testing.assert_allclose(band[:, 1].max(), 0.3 + np.std([0.2, 0.4], ddof=1))


@pytest.mark.parametrize(
    ("scores", "message"),
    [({}, "no scores"), ({"a": {0.0: 1.0}}, "must be positive"), ({"a": {}}, "must be positive")],
)
def test_gamma_sweep_refuses(ax, scores, message) -> None:
    with pytest.raises(InputError, match=message):
        plot.gamma_sweep(scores, ax)


def test_reliability_counts_links_by_distance(ax) -> None:
    """Five vertices on a line: of ten ordered pairs that are not trained on, the nearest four are links."""
    place = np.array([[0.0], [1.0], [3.0], [6.0], [10.0]])
    q = acvae.Posterior(place, np.full((5, 1), 1e-3))
    train = acvae.Graph(5, [(0, 1), (0, 2), (0, 3), (0, 4), (1, 4)])
    test = acvae.Graph(5, [(1, 2), (2, 3)])
    plot.reliability(q, train, test, ax, bins=2)
    overall, curve = ax.lines
    # Left over: 12 at 4, 23 at 9, 34 at 16, 13 at 25, 24 at 49, each from both ends; the first five are
    # 12 twice, 23 twice and one of 34.
    np.testing.assert_allclose(curve.get_ydata(), [4 / 5, 0])
    np.testing.assert_allclose(curve.get_xdata(), [9, 25], rtol=1e-4)
    np.testing.assert_allclose(overall.get_ydata(), [0.4, 0.4])
    low, high = np.sort(ax.collections[0].get_paths()[0].vertices[:, 1])[[0, -1]]
    assert low == 0
    # Wilson: 4 of 5 is 1.96 standard errors below the upper bound p, at the bound's own standard error.
    assert (high - 0.8) / np.sqrt(high * (1 - high) / 5) == pytest.approx(1.96, abs=0.01)


def test_reliability_refuses_what_says_nothing(posterior, ax) -> None:
    graph = acvae.Graph(30, [(0, 1)])
    with pytest.raises(GraphError, match="no candidate pair is a test link"):
        plot.reliability(posterior, graph, graph.with_edges([]), ax)
    with pytest.raises(GraphError, match="30 vertices, the train graph 29"):
        plot.reliability(posterior, acvae.Graph(29, []), graph, ax)
    with pytest.raises(InputError, match="too few for"):
        plot.reliability(posterior, acvae.Graph(30, []), graph, ax, bins=2000)
    plot.reliability(posterior, acvae.Graph(30, []), graph, ax, sources=29, seed=1)


@pytest.mark.parametrize("kind", ["png", "pdf", "svg"])
def test_figures_can_be_saved(ax, kind, tmp_path) -> None:
    plot.curves(HISTORY, ax)
    ax.figure.savefig(tmp_path / f"curves.{kind}")
    assert (tmp_path / f"curves.{kind}").stat().st_size > 1000
