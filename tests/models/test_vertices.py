"""Vertices by id and by name, and whole numbers that may be either."""

import numpy as np
import pytest

import acvae
from acvae.exceptions import GraphError, UnknownNameError
from acvae.models.vertices import names_of, vertex_ids

EDGES = [[0, 1], [1, 2], [2, 3]]
TEXT = acvae.Graph(4, EDGES, ["ann", "bob", "cid", "dee"])
YEARS = acvae.Graph(4, EDGES, [2001, 2002, 2003, 2004])
GRID = acvae.Graph.from_edges([((0, 0), (0, 1)), ((0, 1), (1, 1))])
MIXED = acvae.Graph(4, EDGES, [3, 0, 1, 2])


@pytest.mark.parametrize(
    ("graph", "given", "expected"),
    [
        (TEXT, "cid", 2),
        (TEXT, ["dee", "ann"], [3, 0]),
        (TEXT, 2, 2),
        (GRID, (0, 1), 1),
        (GRID, [(1, 1), (0, 0)], [2, 0]),
        (GRID, 2, 2),
        (GRID, [0, 1], [0, 1]),
        (TEXT, [[0], [3]], [[0], [3]]),
        (YEARS, 2003, 2),
        (YEARS, [2004, 2001], [3, 0]),
        (YEARS, 3, 3),
        (YEARS, np.array([0, 2]), [0, 2]),
        (YEARS, np.array([2002]), [1]),
        (MIXED, np.array([0, 3]), [0, 3]),  # an array holds ids
        (acvae.Graph(4, EDGES, [0, 1, 2, 3]), [1, 3], [1, 3]),
        (None, [1, 3], [1, 3]),
    ],
)
def test_who_is_meant(graph, given, expected):
    assert vertex_ids(given, 4, graph).tolist() == expected


def test_a_number_that_is_both_is_refused():
    with pytest.raises(
        GraphError, match=r"3 is the name of a vertex and the id of another.*graph\.index\(3\)"
    ):
        vertex_ids([3], 4, MIXED)


def test_strangers():
    with pytest.raises(UnknownNameError, match="no vertex is called 'eve'"):
        vertex_ids(["eve"], 4, TEXT)
    with pytest.raises(UnknownNameError, match="no vertex is called 2005"):
        vertex_ids([2005], 4, YEARS)


def test_names_of_ids():
    assert names_of(np.array([[1, -1]]), TEXT).tolist() == [["bob", None]]
    assert names_of(np.array([1, 0]), None).tolist() == [1, 0]


def test_models_take_and_give_names():
    rng = np.random.default_rng(0)
    names = [f"v{i}" for i in range(30)]
    graph = acvae.Graph(30, rng.integers(0, 30, (90, 2)), names)
    model = acvae.GraphGaussian(latent_dim=3, progress=False).fit(rng.random((30, 5)), graph)
    ids, chance = model.predict_links(["v3", "v7"], k=4)
    called, same = model.predict_links([3, 7], k=4, names=True)
    assert called.tolist() == [[names[i] for i in row] for row in ids]
    assert np.array_equal(chance, same)
    ids, distance = model.nearest("v3", k=2, exclude=graph)
    expected = model.posterior_.nearest(3, 2, exclude=graph)
    assert np.array_equal(ids, expected[0])
    assert np.array_equal(distance, expected[1])
    assert model.nearest("v3", k=1, names=True)[0].ravel().tolist() == [
        names[int(model.nearest(3, k=1)[0].flat[0])]
    ]
