"""GraphGaussian's numbers in arrays and back, for both solvers; ranking files are tested in `links`."""

import numpy as np
import pytest

from acvae import Graph
from acvae.exceptions import PosteriorError
from acvae.families.graph_gaussian import make_statistics
from acvae.gaussian.graph.solver import solver_named
from acvae.gaussian.stored import Stored
from acvae.links.statistics.stored import pack_graph, unpack_graph

N = 12


def made(solver, features):
    rng = np.random.default_rng(0)
    edges = np.array([(i, j) for i in range(N - 1) for j in range(i) if rng.random() < 0.3])
    graph = Graph(N, edges, weights=rng.uniform(0.5, 2, len(edges)))
    rows = rng.standard_normal((N, features))
    seen = np.full(N, features > 0)
    return make_statistics(graph, rows, seen, (1.5, 15.0), 1.0, solver_named(solver, N, graph.edges))


def unpack(arrays, about):
    return unpack_graph(Stored(arrays), arrays, about, None)


@pytest.mark.parametrize("features", [0, 3])
@pytest.mark.parametrize("solver", ["exact", "local"])
def test_there_and_back(solver, features):
    statistics = made(solver, features)
    arrays, about = pack_graph(statistics)
    assert about == {"labels": ["1.5", "15"], "solver": solver}
    assert ("variance" in arrays) == (solver == "local")  # a factorisation finds it again
    assert ("mean" in arrays) == (features > 0)
    again = unpack(arrays, about)
    assert again.names == statistics.names
    assert again.solver.name == solver
    at = np.arange(N)
    np.testing.assert_allclose(again.rows(at), statistics.rows(at), rtol=1e-6, atol=1e-6)


def changes():
    yield "strength", lambda a: -a, "precision is not positive"
    yield "diagonal", lambda a: 0 * a, "precision is not positive"
    yield "diagonal", lambda a: a[:0], "precision is not positive"
    yield "weight", lambda a: 0 * a, "weights are not positive"
    yield "variance", lambda a: -a, "variances are not positive"
    yield "alike/values", lambda a: -a, "likeness is negative"
    yield "alike/start", lambda a: a[::-1].copy(), "do not follow one another"
    yield "links", lambda a: a[:, ::-1].copy(), "first vertex is not the smaller"


@pytest.mark.parametrize(("name", "change", "message"), list(changes()))
def test_nothing_is_believed(name, change, message):
    arrays, about = pack_graph(made("local", 3))
    arrays[name] = change(arrays[name])
    if name == "diagonal" and len(arrays[name]) == 0:
        arrays["strength"] = arrays["strength"][:0]
    with pytest.raises(PosteriorError, match=message):
        unpack(arrays, about)


def test_a_solver_that_is_not_there():
    arrays, about = pack_graph(made("exact", 0))
    with pytest.raises(PosteriorError, match="no solver 'quick'"):
        unpack(arrays, about | {"solver": "quick"})
