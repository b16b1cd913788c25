"""What the page is given agrees with the posterior."""

from itertools import combinations, pairwise

import numpy as np
import pytest

import acvae
from acvae.exceptions import OptionError
from acvae.gaussian import PairwiseMarginals
from acvae.report import Entry
from acvae.report.links import held_out, known_neighbors, predicted_links
from acvae.report.packing import NOBODY, ids
from acvae.report.paths import by_path_length, rooted_forest
from acvae.report.payload import curves, payload
from report.reading import tree_path, unpack
from report.samples import make_entry


def test_paths_multiply_to_the_pair_correlation(entry):
    q = entry.posterior
    forest = rooted_forest(q)
    parent, correlation = unpack(forest["parent"]), unpack(forest["correlation"]).reshape(-1, q.latent_dim)
    joined = {tuple(sorted(edge)) for edge in q.forest.tolist()}
    apart = 0
    for a, b in combinations(range(q.n_vertices), 2):
        path = tree_path(parent, a, b)
        expected = q.pair_correlation(a, b)
        if path is None:
            apart += 1
            assert (expected == 0).all()
            continue
        assert (path[0], path[-1]) == (a, b)
        steps = list(pairwise(path))
        assert all(tuple(sorted(step)) in joined for step in steps)
        children = [v if parent[v] == u else u for u, v in steps]
        np.testing.assert_allclose(correlation[children].prod(axis=0), expected, atol=1e-5)
    assert apart == 37 * 3 + 3  # three vertices are alone
    assert (forest["edges"], forest["trees"]) == (36, 4)


def test_edges_are_as_wide_as_they_are_strong(entry):
    forest = rooted_forest(entry.posterior)
    width = unpack(forest["width"])
    strength = unpack(forest["correlation"]).reshape(len(width), -1).mean(axis=1)
    assert (np.flatnonzero(width == 255) == np.flatnonzero(unpack(forest["parent"]) == 0xFFFF)).all()
    for number, (low, high) in enumerate(forest["ranges"]):
        assert (strength[width == number].min(), strength[width == number].max()) == (low, high)
    assert [high for _, high in forest["ranges"]] == sorted(high for _, high in forest["ranges"])
    assert len(forest["ranges"]) == 4


def test_equally_strong_edges_have_one_width():
    q = acvae.Posterior(np.zeros((4, 1)), np.ones((4, 1)), [(0, 1), (1, 2), (2, 3)], np.full((3, 1), 0.5))
    assert rooted_forest(q)["ranges"] == [[0.5, 0.5]]


def test_predicted_links_are_the_nearest_unknown(entry):
    q, graph = entry.posterior, entry.graph
    found = predicted_links(q, graph, 10)
    nearest, distance = q.nearest(np.arange(q.n_vertices), 10, exclude=graph)
    assert (unpack(found["ids"]).reshape(-1, 10) == nearest).all()
    np.testing.assert_allclose(unpack(found["distance"]).reshape(-1, 10), distance, rtol=1e-6)


def test_where_links_run_out_there_is_nobody():
    q = acvae.Posterior(np.arange(4.0)[:, None], np.ones((4, 1)))
    found = predicted_links(q, acvae.Graph(4, [(0, 1)]), 10)
    rows = unpack(found["ids"]).reshape(4, 10)
    assert rows[0].tolist() == [2, 3] + [0xFFFF] * 8
    assert rows[2, :3].tolist() == [1, 3, 0]
    assert np.isfinite(unpack(found["distance"])).all()


def test_known_neighbors_come_nearest_first(entry):
    q, graph = entry.posterior, entry.graph
    found = known_neighbors(q, graph)
    start, vertex, distance = (unpack(found[key]) for key in ("start", "ids", "distance"))
    for v in range(graph.n_vertices):
        mine = vertex[start[v] : start[v + 1]].astype(int)
        assert sorted(mine.tolist()) == graph.neighbors(v).tolist()
        expected = q.pair_distance(np.full(len(mine), v), mine)
        np.testing.assert_allclose(distance[start[v] : start[v + 1]], expected, rtol=1e-5)
        assert (np.diff(expected) >= 0).all()


def test_held_out_links_are_the_test_graph(entry):
    found = held_out(entry.test)
    start, vertex = unpack(found["start"]), unpack(found["ids"])
    for v in range(entry.test.n_vertices):
        assert vertex[start[v] : start[v + 1]].tolist() == entry.test.neighbors(v).tolist()


def test_correlations_by_path_length_are_over_all_pairs_of_a_chain():
    q = acvae.Posterior(
        np.zeros((4, 2)), np.ones((4, 2)), [(0, 1), (1, 2), (2, 3)], [[0.5, 0.5], [0.5, 0.5], [0.25, 0.25]]
    )
    found = by_path_length(q)
    assert found["length"] == [1, 2, 3]
    assert found["pairs"] == [6, 4, 2]  # each pair from both of its ends
    assert found["all"]
    medians = [row[2] for row in found["quantiles"]]
    np.testing.assert_allclose(medians, [0.5, (0.25 + 0.125) / 2, 0.0625])


def test_longer_paths_are_counted():
    n = 20
    q = acvae.Posterior(
        np.zeros((n, 1)), np.ones((n, 1)), [(v, v + 1) for v in range(n - 1)], [[0.9]] * (n - 1)
    )
    found = by_path_length(q)
    assert found["length"][-1] == 15
    assert found["longer"] == 2 * (4 + 3 + 2 + 1)


def test_many_vertices_are_sampled():
    entry = make_entry(n=60)
    found = by_path_length(entry.posterior, sources=5)
    assert found["sources"] == 5
    assert not found["all"]
    assert by_path_length(entry.posterior, sources=5) == found


def test_ids_take_two_bytes_where_they_fit():
    assert ids(np.array([0, NOBODY]), 0xFFFE)["kind"] == "u16"
    wide = ids(np.array([70_000, NOBODY]), 100_000)
    assert wide["kind"] == "u32"
    assert unpack(wide).tolist() == [70_000, 0xFFFFFFFF]


def test_names_of_runs_on_the_same_data_are_there_once():
    data = payload(
        [make_entry("a"), make_entry("b", seed=1), make_entry("c", n=30, data="other")], maps="pca"
    )
    assert [run["names"] for run in data["runs"]] == [0, 0, 1]
    assert [len(names) for names in data["names"]] == [40, 30]
    assert [run["n"] for run in data["runs"]] == [40, 40, 30]


def test_maps_have_a_place_for_every_vertex(entry):
    run = payload([entry])["runs"][0]
    assert list(run["maps"]) == ["tsne", "pca"]
    for place in run["maps"].values():
        assert len(unpack(place["x"])) == len(unpack(place["y"])) == 40
    assert list(payload([entry], maps="pca")["runs"][0]["maps"]) == ["pca"]


def test_without_a_forest_there_are_links_but_no_paths():
    run = payload([make_entry(forest=False)], maps="pca")["runs"][0]
    assert run["forest"] is None
    assert run["lengths"] is None
    assert run["links"]["k"] == 10
    assert run["dendrogram"]["merges"]


def test_pairwise_posteriors_have_links_but_no_paths():
    rng = np.random.default_rng(0)
    pairs = PairwiseMarginals(*(rng.normal(size=s).astype(np.float32) for s in [(12, 4), (12, 4), (4, 2), 2]))
    q = acvae.Posterior.from_correlations(rng.normal(size=(12, 2)), np.ones((12, 2)), pairs)
    graph = acvae.Graph(12, [(0, 1), (3, 4)])
    run = payload([Entry("c", "cvae-corr", "toy", q, graph)], maps="pca")["runs"][0]
    assert run["forest"] is None
    assert run["test"] is None
    nearest, _ = q.nearest(np.arange(12), 10, exclude=graph)
    assert (unpack(run["links"]["ids"]).reshape(12, 10) == np.where(nearest < 0, 0xFFFF, nearest)).all()


def test_one_dimension_is_a_map_too():
    q = acvae.Posterior(np.arange(6.0)[:, None], np.ones((6, 1)))
    run = payload([Entry("one", "vae", "toy", q, acvae.Graph(6, [(0, 1)]))], maps="pca")["runs"][0]
    assert (unpack(run["maps"]["pca"]["y"]) == 0).all()


def test_curves_leave_out_what_is_no_number(entry):
    found = curves(entry.history)
    assert found["elbo"] == {"epoch": [1, 2], "value": [-5.0, -4.0]}
    assert found["kl"] == {"epoch": [1], "value": [0.5]}
    assert found["test_ncrr"] == {"epoch": [2], "value": [0.2]}
    assert curves([]) == {}


@pytest.mark.parametrize("wrong", [{"maps": "umap"}, {"clusters": 0}, {"clusters": 1000}])
def test_wrong_options_are_refused(entry, wrong):
    with pytest.raises(OptionError):
        payload([entry], **wrong)
