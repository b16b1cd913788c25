"""Which solver a graph gets, and that both say the same."""

import numpy as np
import pytest

from acvae.exceptions import OptionError, PosteriorError
from acvae.gaussian.graph import solver as module
from acvae.gaussian.graph.solver import ExactSolver, LocalSolver, solver_for, solver_named

N = 12
RING = np.array([(k, k + 1) for k in range(N - 1)] + [(0, N - 1)])
COMPLETE = np.array([(i, j) for j in range(N) for i in range(j)])


def test_by_name():
    assert solver_named("exact", N, RING).name == "exact"
    assert solver_named("local", N, RING).name == "local"
    for wrong in ("auto", "quick"):
        with pytest.raises(PosteriorError, match=f"no solver '{wrong}'; there are exact and local"):
            solver_named(wrong, N, RING)


def test_a_wish():
    assert isinstance(solver_for("exact", N, RING), ExactSolver)
    assert isinstance(solver_for("local", N, RING), LocalSolver)
    assert isinstance(solver_for("auto", N, RING), ExactSolver)
    with pytest.raises(OptionError, match="solver"):
        solver_for("quick", N, RING)


@pytest.mark.parametrize(
    ("name", "value", "edges"),
    [
        ("MOST_EDGES", 11, RING),
        ("MOST_JOINED", 3, RING),  # the first that goes joins two, which counts for four
        ("MOST_CORE", 2, COMPLETE),
        ("SHARE", 1e-12, COMPLETE),
    ],
)
def test_auto_is_local_where_exact_would_be_too_much(name, value, edges, monkeypatch):
    assert isinstance(solver_for("auto", N, edges), ExactSolver)
    monkeypatch.setattr(module, name, value)
    if name in ("MOST_CORE", "SHARE"):  # of what is dense, if nothing is worth eliminating
        monkeypatch.setattr("acvae.forests.elimination.order.ALWAYS_ELIMINATE", 0)
    if name == "SHARE":
        monkeypatch.setattr(module, "available_memory", lambda: 10**9)
    assert isinstance(solver_for("auto", N, edges), LocalSolver)


def test_auto_where_memory_is_not_known(monkeypatch):
    monkeypatch.setattr(module, "available_memory", lambda: None)
    assert isinstance(solver_for("auto", N, COMPLETE), ExactSolver)


def test_both_make_the_same_gaussian():
    rng = np.random.default_rng(0)
    diagonal, strength = rng.uniform(1, 2, N), rng.uniform(0.5, 2, len(RING))
    exact, local = (solver_named(name, N, RING).gaussian(diagonal, strength) for name in ("exact", "local"))
    at = np.array([3, 0])
    np.testing.assert_allclose(exact.rows(at), local.rows(at), atol=1e-5)
    np.testing.assert_allclose(exact.variance, local.variance, rtol=1e-2)


def test_a_variance_that_is_known_is_taken():
    known = np.full(N, 0.25)
    gaussian = LocalSolver(N, RING).gaussian(np.ones(N), np.ones(len(RING)), known)
    assert gaussian.variance is known


def test_an_order_is_made_once():
    first = ExactSolver(N, RING)
    assert ExactSolver(N, RING, first.order).order is first.order
    assert first.gaussian(np.ones(N), np.ones(len(RING))).order is first.order


def test_only_local_has_to_be_restricted_and_only_exact_takes_time():
    exact, local = ExactSolver(N, RING), LocalSolver(N, RING)
    assert (exact.restricts, local.restricts) == (False, True)
    assert local.seconds == 0
    assert exact.seconds >= 0
