"""Paths of two and three steps, by hand and by products of dense matrices."""

import numpy as np
import pytest
import scipy.sparse as sp

from acvae.links.statistics import paths as module
from acvae.links.statistics.paths import NO_PATH, Paths

N = 8
EDGES = np.array([(0, 1), (1, 2), (2, 3), (0, 2), (3, 4), (4, 5), (3, 5), (5, 6)])  # 7 is alone


def linked(edges):
    table = np.zeros((N, N))
    table[tuple(edges.T)] = 1
    return table + table.T


def made(edges):
    table = linked(edges)
    return Paths(sp.csr_array(table), table.sum(axis=0).astype(np.int64))


def dense(edges):
    """(n, n, 2) of all pairs: A·D⁻¹·A and A·D⁻¹·A·D⁻¹·A."""
    table = linked(edges)
    degree = table.sum(axis=0)
    share = np.diag(np.where(degree > 0, 1 / np.maximum(degree, 1), 0))
    two = table @ share @ table
    return np.log(NO_PATH + np.stack([two, two @ share @ table], axis=-1))


def test_a_path_of_four_by_hand():
    found = made(np.array([(0, 1), (1, 2), (2, 3)])).rows(np.array([0]))[0]
    two, three = np.exp(found).T - NO_PATH
    # From 0 past 1, of degree 2, back to 0 or on to 2; then past 0, of degree 1, or past 2, of degree 2.
    np.testing.assert_allclose(two, [1 / 2, 0, 1 / 2, 0, 0, 0, 0, 0], atol=1e-12)
    np.testing.assert_allclose(three, [0, 1 / 2 + 1 / 4, 0, 1 / 4, 0, 0, 0, 0], atol=1e-12)


@pytest.mark.parametrize("share", [-1.0, 2.0], ids=["dense rows", "sparse rows"])
def test_rows_on_either_way(share, monkeypatch):
    monkeypatch.setattr(module, "MANY", share)
    np.testing.assert_allclose(made(EDGES).rows(np.arange(N)), dense(EDGES), atol=1e-12)


def test_lookups():
    rng = np.random.default_rng(0)
    at, place, others = np.array([6, 0, 3]), rng.integers(0, 3, 40), rng.integers(0, N, 40)
    found = made(EDGES).of(at, place, others)
    np.testing.assert_allclose(found, dense(EDGES)[at[place], others], atol=1e-12)


@pytest.mark.parametrize("edge", range(len(EDGES)))
@pytest.mark.parametrize("turned", [False, True])
def test_without_an_edge_is_the_graph_that_never_had_it(edge, turned):
    query = EDGES[[edge], ::-1] if turned else EDGES[[edge]]
    i = query[0, 0]
    at, others = np.unique(query), np.delete(np.arange(N), i)[None]
    found = made(EDGES).without(at, np.searchsorted(at, query), query, others)
    np.testing.assert_allclose(found[0], dense(np.delete(EDGES, edge, axis=0))[i, others[0]], atol=1e-10)


def test_a_query_of_a_vertex_and_itself_takes_nothing_away():
    everyone = np.arange(N)
    itself = np.stack([everyone, everyone], axis=1)
    found = made(EDGES).without(everyone, itself, itself, np.tile(everyone, (N, 1)))
    np.testing.assert_allclose(found, dense(EDGES), atol=1e-12)
