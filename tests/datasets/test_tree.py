"""The synthetic tree: its shape, its law, and that the true tree can be told from the rest."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import roc_auc_score

import acvae.datasets
from acvae.datasets import Dataset, tree
from acvae.exceptions import InputError, OptionError
from acvae.graph import Graph


@pytest.fixture(scope="module")
def data() -> Dataset:
    return acvae.datasets.load("tree", seed=0)


def test_defaults_give_twice_as_many_random_edges_as_tree_edges(data):
    assert data.name == "tree"
    assert data.features.shape == (2000, 200)
    assert data.graph.n_edges == 1999 + 2 * 1999
    assert data.details["tree_edges"] == 1999
    assert data.details["random_edges"] == 3998


def test_features_are_binary_float32_csr(data):
    assert isinstance(data.features, sp.csr_array)
    assert data.features.dtype == np.float32
    assert set(np.unique(data.features.data)) == {1.0}
    assert 0.2 < data.features.mean() < 0.8


def test_labels_split_the_vertices_in_half(data):
    assert data.labels.dtype == np.int64
    assert np.bincount(data.labels).tolist() == [1000, 1000]


def test_labels_follow_the_first_principal_component(data):
    z = tree.true_latents(data)
    covariance = np.cov(z.T)
    score = (z - z.mean(0)) @ np.linalg.eigh(covariance)[1][:, -1]
    agreement = (data.labels == (score > np.median(score))).mean()
    assert agreement in (0.0, 1.0)  # the sign of a principal component is a convention


def test_true_tree_spans_the_graph_and_lies_in_it(data):
    truth = tree.true_tree(data)
    assert truth.n_edges == 1999
    assert truth.n_components == 1
    assert data.graph.has_edges(truth.edges).all()


def test_neighbours_in_the_tree_have_correlation_tau(data):
    z = tree.true_latents(data)
    u, v = tree.true_tree(data).edges.T
    # E |z_u − z_v|² = 2(1−τ)·d for marginals N(0, I); 20,000 squared steps put this within a few per cent.
    child_steps = ((z[u] - z[v]) ** 2).mean()
    assert child_steps == pytest.approx(2 * (1 - 0.95), rel=0.1)


def test_ids_say_nothing_about_the_time_of_arrival(data):
    # Old vertices of a recursive tree have many children; after shuffling, id and degree are unrelated.
    degree = tree.true_tree(data).degrees
    assert abs(np.corrcoef(np.arange(2000), degree)[0, 1]) < 0.1


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_features_tell_tree_edges_from_random_edges(seed):
    data = tree.load(seed=seed)
    x = data.features.toarray()
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    u, v = data.graph.edges.T
    similarity = (x[u] * x[v]).sum(axis=1)
    truth = tree.true_tree(data).has_edges(data.graph.edges)
    assert roc_auc_score(truth, similarity) > 0.88


def test_same_seed_same_data_and_no_global_state():
    np.random.seed(1)  # noqa: NPY002 - the point is that the global state has no say
    first = tree.load(n_vertices=50, seed=7)
    np.random.seed(2)  # noqa: NPY002
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    second = tree.load(n_vertices=50, seed=7)
    assert first.graph == second.graph
    assert (first.features != second.features).nnz == 0
    assert np.array_equal(first.labels, second.labels)
    assert np.array_equal(np.random.get_state()[1], state)  # noqa: NPY002


def test_another_seed_gives_other_data():
    first, second = tree.load(n_vertices=50, seed=0), tree.load(n_vertices=50, seed=1)
    assert first.graph != second.graph
    assert (first.features != second.features).nnz > 0


def test_number_of_random_edges_does_not_change_the_tree_or_the_features():
    few, many = tree.load(n_vertices=60, extra_edges=0), tree.load(n_vertices=60, extra_edges=5)
    assert tree.true_tree(few) == tree.true_tree(many) == few.graph
    assert (few.features != many.features).nnz == 0
    assert many.graph.n_edges == 59 + 5 * 59


def test_smallest_tree_is_one_edge():
    data = tree.load(n_vertices=2, extra_edges=0)
    assert data.graph.edges.tolist() == [[0, 1]]
    assert sorted(data.labels.tolist()) == [0, 1]


def test_random_edges_may_fill_the_graph_exactly():
    # 6 vertices: 15 pairs, 5 in the tree, 10 = 2·5 left.
    data = tree.load(n_vertices=6, extra_edges=2.0)
    assert data.graph.n_edges == 15


@pytest.mark.parametrize(("n_vertices", "extra_edges"), [(2, 1.0), (6, 2.2), (2, 2.0)])
def test_more_random_edges_than_pairs_is_refused(n_vertices, extra_edges):
    with pytest.raises(OptionError, match=r"extra_edges asks for .* leave room for"):
        tree.load(n_vertices=n_vertices, extra_edges=extra_edges)


def test_random_edges_are_uniform_over_the_pairs_outside_the_tree():
    # 5 vertices: 10 pairs, 4 in the tree. One extra edge over many draws must hit each of the other 6
    # equally often, whatever the tree's numbering: checked by drawing for one fixed tree.
    path = Graph(5, [(0, 1), (1, 2), (2, 3), (3, 4)])
    random = np.random.default_rng(0)
    counts: dict[tuple[int, int], int] = {}
    for _ in range(6000):
        ((u, v),) = tree._other_edges(random, path, 1).tolist()
        counts[u, v] = counts.get((u, v), 0) + 1
    assert set(counts) == {(0, 2), (0, 3), (0, 4), (1, 3), (1, 4), (2, 4)}
    assert min(counts.values()) > 850  # 1000 expected, standard deviation 29
    assert max(counts.values()) < 1150


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("n_vertices", 1),
        ("n_vertices", 10.0),
        ("extra_edges", -0.5),
        ("extra_edges", float("nan")),
        ("n_features", 0),
        ("latent_dim", 0),
        ("hidden_dim", 0),
        ("tau", 1.0),
        ("tau", -0.1),
        ("logit_scale", 0.0),
        ("seed", -1),
        ("seed", None),
    ],
)
def test_bad_options_are_named(option, value):
    with pytest.raises(OptionError, match=f"^{option} must be"):
        tree.load(**{option: value})


def test_huge_logits_do_not_overflow():
    data = tree.load(n_vertices=20, logit_scale=1e6)
    assert np.isin(data.features.toarray(), [0, 1]).all()


def test_details_are_plain_json_and_hold_what_was_chosen():
    details = tree.load(n_vertices=np.int64(30), tau=0.9, seed=3).details
    assert json.loads(json.dumps(details)) == details
    assert (details["n_vertices"], details["tau"], details["latent_dim"], details["seed"]) == (30, 0.9, 10, 3)


def test_true_tree_of_another_data_set_is_refused(data):
    other = Dataset("debian", data.features, data.graph)
    with pytest.raises(InputError, match="'debian' has none"):
        tree.true_tree(other)


def test_true_tree_of_a_thinned_graph_is_refused(data):
    thinned = Dataset("tree", data.features, Graph(2000, data.graph.edges[::2]), details=data.details)
    with pytest.raises(InputError, match="does not hold the tree"):
        tree.true_latents(thinned)
