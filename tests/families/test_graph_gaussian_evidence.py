"""Whether real values give their direction or their position: told by the links."""

import numpy as np
import pytest
from sklearn.neighbors import kneighbors_graph

import acvae
from acvae.families import graph_gaussian_evidence as module
from acvae.families.graph_gaussian_evidence import fit_evidence
from acvae.links.statistics.scales import unit_rows


def nearest(x, k=5):
    """The graph of the k nearest of each."""
    return acvae.Graph.from_scipy(kneighbors_graph(x, k).maximum(kneighbors_graph(x, k).T))


def reciprocal_rank(unit, graph, i, j, others):
    """Of j for i, among others that are not linked with i."""
    ahead = 0
    for k in others:
        if k not in (i, j) and k not in graph.neighbors(i):
            ahead += unit[i] @ unit[k] >= unit[i] @ unit[j]
    return 1 / (1 + ahead)


@pytest.fixture(scope="module")
def plane():
    return np.random.default_rng(0).random((300, 2)) * [1, 20] + [3, -40]


def test_links_between_the_nearest_want_positions(plane):
    found = fit_evidence(plane, nearest(plane), 64, None, 0)
    assert found.evidence.kind == "position"
    assert found.tried["position"] > 2 * found.tried["real"]
    assert found.rows.shape == (300, 3)
    assert found.seen.all()


def test_links_between_the_same_directions_do_not(plane):
    rng = np.random.default_rng(1)
    x = rng.standard_normal((300, 4))
    direction = x - x.mean(axis=0)
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    found = fit_evidence(x * rng.uniform(0.2, 5, (300, 1)), nearest(direction), 64, None, 0)
    assert found.evidence.kind == "real"
    assert found.tried["real"] > found.tried["position"]


def test_mean_reciprocal_ranks_are_those_of_a_double_loop(plane, monkeypatch):
    monkeypatch.setattr(module, "BLOCK", 7)
    graph, observed = nearest(plane), np.arange(300) % 3 > 0
    found = fit_evidence(plane, graph, 64, observed, 0)
    kept = np.flatnonzero(observed)
    links = graph.edges[observed[graph.edges].all(axis=1)]
    for kind, value in found.tried.items():
        evidence = module.Evidence.fit(plane[kept], 64, position=kind == "position")
        unit = unit_rows(evidence.project(plane)[0])
        # Either end may be asked for the other: the mean of both is within a few standard errors.
        both = np.concatenate([links, links[:, ::-1]])
        expected = np.array([reciprocal_rank(unit, graph, i, j, kept) for i, j in both])
        assert abs(value - expected.mean()) < 4 * expected.std() / np.sqrt(len(links))


def test_what_is_unobserved_has_no_say(plane):
    observed, wrong = np.arange(300) < 150, plane.copy()
    wrong[150:] = np.random.default_rng(3).standard_normal((150, 2)) * 1e3
    graph = nearest(plane)
    one, other = (fit_evidence(x, graph, 64, observed, 0) for x in (plane, wrong))
    assert one.tried == other.tried
    np.testing.assert_array_equal(one.rows, other.rows)


@pytest.mark.parametrize("edges", [[], [(0, 1)], [(k, k + 1) for k in range(10)]])
def test_few_links_leave_it_at_the_direction(plane, edges):
    found = fit_evidence(plane, acvae.Graph(300, np.array(edges, dtype=int).reshape(-1, 2)), 64, None, 0)
    assert (found.evidence.kind, found.tried) == ("real", {})


def test_other_kinds_are_not_asked(plane):
    counts = np.random.default_rng(0).poisson(0.3, (300, 20))
    found = fit_evidence(counts, nearest(plane), 64, None, 0)
    assert (found.evidence.kind, found.tried) == ("count", {})


def test_a_model_of_positions_fits_saves_extends_and_explains(plane, tmp_path):
    graph = nearest(plane)
    model = acvae.GraphGaussian(progress=False).fit(plane, graph)
    assert model.evidence_ == "position"
    assert set(model.choice_["evidence"]) == {"real", "position"}
    model.save(tmp_path / "model")
    again = acvae.load(tmp_path / "model")
    assert again.evidence_ == "position"
    assert again.choice_ == model.choice_
    i, j = np.arange(20), np.arange(20, 40)
    np.testing.assert_array_equal(again.link_probability(i, j), model.link_probability(i, j))
    np.testing.assert_array_equal(again.transform(plane[:4]), model.transform(plane[:4]))
    larger = again.extend(plane[:1] + 1e-3)
    # A vertex of features alone hears nobody: it lies where the evidence has it.
    near = unit_rows(larger.posterior.mean)
    assert (near[:300] @ near[300])[0] > 0.8
    told = model.explain(*graph.edges[0])
    assert told.shared_features
