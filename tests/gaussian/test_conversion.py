"""Posteriors as tables and graphs of other libraries: what stands in them, by hand."""

import networkx
import numpy as np
import pytest

from acvae import Graph, Posterior
from acvae.exceptions import PosteriorError
from acvae.gaussian.conversion import (
    edges_along,
    embedding_columns,
    forest_columns,
    labels_of,
    to_networkx,
    to_pandas,
    to_pyg,
)

MEAN, STD = np.array([[1.0, 2], [1, 0], [0, 0]]), np.array([[1.0, 2], [2, 1], [1, 1]])
NAMES = ["a", "b", "c"]


def tree():
    return Posterior(MEAN, STD, [(0, 1), (2, 1)], [[0.5, -0.25], [0, 0.5]], dtype="float64")


# E‖z_u − z_v‖² = Σ (μ_u − μ_v)² + σ_u² + σ_v² − 2·ρ·σ_u·σ_v
DISTANCE = {(0, 1): 4 + (1 + 4 - 2) + (4 + 1 + 1), (1, 2): 1 + (4 + 1) + (1 + 1 - 1)}


def test_labels_are_ids_or_names():
    q = tree()
    assert labels_of(q, None).tolist() == [0, 1, 2]
    assert labels_of(q, NAMES).tolist() == NAMES
    assert labels_of(q, Graph(3, [], NAMES)).tolist() == NAMES
    assert labels_of(q, Graph(3, [(0, 1)])).tolist() == [0, 1, 2]
    with pytest.raises(PosteriorError, match="has 2, the posterior 3"):
        labels_of(q, Graph(2, []))


def test_columns_of_embeddings():
    found = embedding_columns(tree(), np.array(NAMES), slice(1, 3))
    assert list(found) == ["vertex", "mean_0", "mean_1", "std_0", "std_1"]
    assert found["vertex"].tolist() == ["b", "c"]
    assert found["mean_0"].tolist() == [1, 0]
    assert found["std_1"].tolist() == [1, 1]


def test_columns_of_the_forest():
    found = forest_columns(tree(), np.array(NAMES), slice(None))
    pairs = zip(found["source"], found["target"], found["distance"], found["correlation_1"], strict=True)
    told = {frozenset(pair): (distance, rho) for *pair, distance, rho in pairs}
    assert told[frozenset("ab")] == pytest.approx((DISTANCE[0, 1], -0.25))
    assert told[frozenset("bc")] == pytest.approx((DISTANCE[1, 2], 0.5))


def test_without_a_joint_there_are_no_edges():
    q = Posterior(MEAN, STD)
    edges, along = edges_along(q)
    assert edges.shape == (0, 2)
    assert along.shape == (0, 2)
    assert along.dtype == q.mean.dtype
    assert len(to_pandas(q, table="forest")) == 0
    assert to_networkx(q).number_of_edges() == 0


def test_pandas():
    assert to_pandas(tree(), NAMES).set_index("vertex").loc["a", "mean_1"] == 2
    assert len(to_pandas(tree(), table="forest")) == 2
    with pytest.raises(ValueError, match="table"):
        to_pandas(tree(), table="trees")


def test_networkx():
    q = tree()
    graph = to_networkx(q, NAMES)
    assert networkx.is_tree(graph)
    np.testing.assert_array_equal(graph.nodes["a"]["std"], [1, 2])
    assert graph.edges["c", "b"]["distance"] == pytest.approx(DISTANCE[1, 2])
    assert graph.edges["a", "b"]["correlation"].tolist() == [0.5, -0.25]
    graph.nodes["a"]["mean"][:] = 9  # a copy
    assert q.mean[0].tolist() == [1, 2]


def test_pytorch_geometric():
    data = to_pyg(tree())
    assert data.x.tolist() == MEAN.tolist()
    assert data.std.tolist() == STD.tolist()
    both = {
        tuple(pair): rho
        for pair, rho in zip(data.edge_index.T.tolist(), data.edge_attr.tolist(), strict=True)
    }
    assert both == {(0, 1): [0.5, -0.25], (1, 0): [0.5, -0.25], (1, 2): [0, 0.5], (2, 1): [0, 0.5]}
