"""Predicted, known and held-out links of a page, against the posterior and the graphs."""

from dataclasses import replace

import numpy as np

import acvae
from acvae.report import Entry
from acvae.report.links import best_pairs, held_out, known_neighbors, predicted_links
from acvae.report.packing import NOBODY
from report.reading import unpack
from report.samples import Predictor, make_entry


def test_predicted_links_are_the_nearest_unknown(entry):
    q, graph = entry.posterior, entry.graph
    found, distance, probability, asked = predicted_links(entry, 10)
    nearest, expected = q.nearest(np.arange(q.n_vertices), 10, exclude=graph)
    assert (found == nearest).all()
    np.testing.assert_allclose(distance, expected, rtol=1e-6)
    assert probability is None
    assert asked.all()


def test_best_pairs_are_each_there_once_and_no_hub_takes_all():
    found = np.array([[1, 2], [0, 2], [0, 1], [0, 1], [0, -1], [0, -1], [0, -1]])
    distance = np.array([[0.1, 0.5], [0.1, 0.6], [0.5, 0.6], [0.2, 0.9], [0.3, 0], [0.4, 0], [0.45, 0]])
    chosen = best_pairs(found, distance, None)
    # 0–1, 0–3, 0–4; then 0 has had its three; 1–2 at 0.6 and 1–3 at 0.9 are left.
    assert chosen == [[0, 0], [3, 0], [4, 0], [1, 1], [3, 1]]
    assert best_pairs(found, distance, None, count=2) == [[0, 0], [3, 0]]
    by_chance = best_pairs(found, distance, distance / 2)
    assert by_chance[0] == [3, 1]


def test_where_links_run_out_there_is_nobody():
    q = acvae.Posterior(np.arange(4.0)[:, None], np.ones((4, 1)))
    for predictor in (None, Predictor()):
        entry = Entry("a", "vae", "toy", q, acvae.Graph(4, [(0, 1)]), predictor=predictor)
        rows, distance, *_ = predicted_links(entry, 10)
        assert rows[0].tolist() == [2, 3] + [-1] * 8
        assert sorted(rows[2, :3].tolist()) == [0, 1, 3]
        assert np.isfinite(distance).all()


def test_a_hub_lists_its_nearest_neighbours_only(entry):
    found = known_neighbors(entry.posterior, entry.graph, most=2)
    whole = known_neighbors(entry.posterior, entry.graph)
    start, all_start = unpack(found["start"]), unpack(whole["start"])
    assert (unpack(found["degree"]) == entry.graph.degrees).all()
    assert (np.diff(start) == np.minimum(entry.graph.degrees, 2)).all()
    for v in range(40):
        expected = unpack(whole["ids"])[all_start[v] : all_start[v] + 2][: start[v + 1] - start[v]]
        assert (unpack(found["ids"])[start[v] : start[v + 1]] == expected).all()


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


def test_of_a_large_graph_vertices_of_most_neighbours_come_first_until_the_time_is_up(entry):
    told: list[int] = []
    large = make_entry(n=600)
    found, _, _, asked = predicted_links(large, 3, large=500, seconds=0.0, advance=told.append)
    assert asked.sum() == 256  # what was begun
    degrees = large.graph.degrees
    assert degrees[asked].min() >= degrees[~asked].max()
    nearest, _ = large.posterior.nearest(np.flatnonzero(asked), 3, exclude=large.graph)
    assert (found[asked] == nearest).all()
    assert (found[~asked] == NOBODY).all()
    assert sum(told) == 600
    assert predicted_links(large, 3, large=600, seconds=0.0).asked.all()  # not a large one


def test_predicted_links_are_the_predictors_where_there_is_one(entry):
    told: list[int] = []
    found, distance, probability, _ = predicted_links(
        replace(entry, predictor=Predictor()), 3, advance=told.append
    )
    who, chance = Predictor().predict_links(np.arange(40), 3, entry.graph)
    assert (found == who).all()
    np.testing.assert_allclose(probability, chance, rtol=1e-6)
    np.testing.assert_allclose(
        distance[:, 0], entry.posterior.pair_distance(np.arange(40), who[:, 0]), rtol=1e-5
    )
    assert sum(told) == 40


def test_probabilities_that_are_none_are_zero(entry):
    class Odd(Predictor):
        def predict_links(self, rows, k, exclude):
            ids, chance = super().predict_links(rows, k, exclude)
            chance[:, 0], chance[:, 1] = np.nan, 1.5
            return ids, chance

    found = predicted_links(replace(entry, predictor=Odd()), 3)
    assert (found.probability[:, 0] == 0).all()
    assert (found.probability[:, 1] == 1).all()


def test_a_predictor_that_tells_fewer(entry):
    class Short(Predictor):
        def predict_links(self, rows, k, exclude):
            return super().predict_links(rows, 2, exclude)

    found = predicted_links(replace(entry, predictor=Short()), 4)
    assert (found.ids[:, 2:] == NOBODY).all()
    assert (found.distance[:, 2:] == 0).all()
    assert (found.ids[:, 0] >= 0).all()
