"""Scales are chosen only where others are clearly better, and what was tried is told."""

import numpy as np

import acvae
from acvae.families.graph_gaussian import OPTIONS, SCALES, make_scale, make_statistics
from acvae.gaussian.graph.solver import ExactSolver
from acvae.links import choosing
from acvae.links.choosing import choose_scales


def ring(n=400, seed=0):
    """Vertices on a ring, linked with some that are near, and where they are as features."""
    rng = np.random.default_rng(seed)
    i = np.repeat(np.arange(n), 4)
    j = (i + rng.integers(1, 9, len(i))) % n
    graph = acvae.Graph.from_edges([(int(a), int(b)) for a, b in zip(i, j, strict=True)])
    angle = 2 * np.pi * np.arange(n) / n
    return graph, np.stack([np.cos(angle), np.sin(angle)], axis=1)


def chosen(options, seed=0):
    graph, rows = ring()
    seen, order = np.ones(graph.n_vertices, bool), ExactSolver(graph.n_vertices, graph.edges)
    made = []

    def make(t):
        made.append(t)
        return make_scale(graph, rows, seen, t, 1.0, order)

    first = make_statistics(graph, rows, seen, options[0], 1.0, order)
    return choose_scales(first, graph, options, make, seed), made


def test_only_a_clear_lead_is_taken(monkeypatch):
    rng = np.random.default_rng(0)
    leads = iter([0.0, 0.001, 0.05, 0.04])  # of which the noise of some hundreds of queries is about 0.004

    def judged(queries, own, half, seed):
        first = np.random.default_rng(1).random(len(half))
        return first + next(leads) + 0.1 * (rng.standard_normal(len(half)))

    monkeypatch.setattr(choosing, "_judged", judged)
    options = [SCALES, (0.5, 5.0), (5.0, 50.0), (3.0, 30.0)]
    found, made = chosen(options)
    assert found.scales == (5.0, 50.0)
    assert made == [0.5, 5.0, 5.0, 50.0, 3.0, 30.0]  # those of the first are known
    assert (found.tried[0]["lead"], found.tried[0]["error"]) == (0, 0)
    for row in found.tried[1:]:
        lead = row["reciprocal_rank"] - found.tried[0]["reciprocal_rank"]
        np.testing.assert_allclose(row["lead"], lead)
        assert 0.002 < row["error"] < 0.02


def test_scales_as_good_as_the_first_are_not_taken():
    found, _ = chosen([SCALES, (1.6, 16.0), (1.4, 14.0)])
    assert found.scales == SCALES
    assert len(found.tried) == 3
    assert found.tried[0]["reciprocal_rank"] > 0.1  # chance is some 0.02


def test_with_too_few_links_nothing_is_tried(monkeypatch):
    monkeypatch.setattr(choosing, "ENOUGH", 10**6)
    found, made = chosen([SCALES, (5.0, 50.0)])
    assert found == (SCALES, [])
    assert made == []


def test_the_model_tells_what_it_tried_and_repeats_it(tmp_path):
    graph, rows = ring()
    one, other = (acvae.GraphGaussian(seed=3, progress=False).fit(rows, graph) for _ in range(2))
    assert [tuple(row["scales"]) for row in one.choice_["scales"]] == list(OPTIONS)
    assert one.choice_ == other.choice_
    assert one.scales_ in OPTIONS
    assert one.precision_ == 1
    assert one.choice_["held_out"]["head"] > 0
    one.save(tmp_path / "model")
    assert acvae.load(tmp_path / "model").choice_ == one.choice_
    given = acvae.GraphGaussian(scales=[2.0], progress=False).fit(rows, graph)
    assert (given.scales_, given.choice_["scales"]) == ((2.0,), [])
