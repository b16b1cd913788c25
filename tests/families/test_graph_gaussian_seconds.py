"""What a fit is expected to take, stage by stage."""

import numpy as np
import pytest

import acvae
from acvae.families.graph_gaussian_seconds import once_ordered, seconds_before
from acvae.gaussian.graph.solver import ExactSolver, LocalSolver

STAGES = ["evidence", "elimination", "scales", "leave-one-out", "head", "probabilities"]


def test_stages_are_those_of_a_fit_in_their_order(monkeypatch):
    told, planned = [], []
    from acvae.families.graph_gaussian import fit_graph_gaussian

    rng = np.random.default_rng(0)
    x, graph = rng.poisson(1.0, (60, 8)), acvae.Graph(60, rng.integers(0, 60, (200, 2)))
    fit_graph_gaussian(
        x, graph, progress=lambda stage, share: told.append((stage, share)), plan=lambda *p: planned.append(p)
    )
    assert list(seconds_before(60, 200, 480)) == STAGES
    assert list(dict.fromkeys(stage for stage, _ in told)) == STAGES
    assert {stage for stage, _ in planned} == {"scales", "leave-one-out"}
    for stage in STAGES:
        shares = [share for name, share in told if name == stage]
        assert shares == sorted(shares)
        assert all(0 < share <= 1 for share in shares)


def test_a_larger_core_takes_longer(monkeypatch):
    monkeypatch.setattr("acvae.gaussian.graph.solver.seconds_for", lambda size: 1e-6 * size**3)
    rng = np.random.default_rng(0)
    sparse = ExactSolver(300, np.stack([np.arange(299), np.arange(1, 300)], axis=1))
    dense = ExactSolver(300, acvae.Graph(300, rng.integers(0, 300, (6_000, 2))).edges)
    for stage in ("scales", "leave-one-out"):
        few, many = (once_ordered(solver, 300, choosing=True)[stage] for solver in (sparse, dense))
        assert few < many
    chosen, given = (once_ordered(dense, 300, choosing=choosing)["scales"] for choosing in (True, False))
    assert chosen > given


def test_without_a_factorisation_it_goes_by_the_vertices():
    edges = np.array([[0, 1], [1, 2]])
    assert LocalSolver(3, edges).seconds == 0
    few, many = (once_ordered(LocalSolver(3, edges), n, choosing=True)["scales"] for n in (3, 10**6))
    assert few == pytest.approx(10, abs=0.1)
    assert many == pytest.approx(60, abs=0.1)
