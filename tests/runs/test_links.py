"""Best links of a run's vertices, a block of vertices at a time, and as a table."""

import types

import numpy as np
import pytest

from acvae import Graph, Posterior
from acvae.runs import links as module
from acvae.runs.links import BestLinks, best_links, links_columns

LINE = Posterior([[0.0], [1.0], [3.0], [7.0]], np.ones((4, 1)), dtype="float64")
GRAPH = Graph(4, [(0, 1)], ["a", "b", "c", "d"])


def fake(**stored):
    told = types.SimpleNamespace(display_names=None, **stored)
    return types.SimpleNamespace(
        graph=GRAPH, test=None, stored_graph=told, class_names=lambda vertices: None, ranker=LINE
    )


@pytest.fixture(autouse=True)
def _ranker(monkeypatch):
    monkeypatch.setattr(module, "ranker", lambda run, by: run.ranker)


@pytest.mark.parametrize("size", [1, 2, 1024])
def test_by_distance_some_vertices_at_a_time(size, monkeypatch):
    monkeypatch.setattr(module, "ROWS_AT_A_TIME", size)
    parts = list(best_links(fake(), [2, 0, 3], 2, by="distance", exclude=None))
    assert len(parts) == -(-3 // size)
    assert np.concatenate([part.rows for part in parts]).tolist() == [2, 0, 3]
    assert np.concatenate([part.ids for part in parts]).tolist() == [[1, 0], [1, 2], [2, 1]]
    distances = np.concatenate([part.values for part in parts])  # (gap)² and two variances of one
    np.testing.assert_allclose(distances, [[4 + 2, 9 + 2], [1 + 2, 9 + 2], [16 + 2, 36 + 2]])
    assert parts[0].what == "distance"


def test_without_known_links():
    (found,) = best_links(fake(), 0, 3, by="distance", exclude=GRAPH)
    assert found.ids.tolist() == [[2, 3, -1]]


def test_by_links_there_are_probabilities():
    class Ranking:
        n_vertices = 4

        def best_blocks(self, rows, k, known):
            yield rows, np.full((len(rows), k), 3), np.full((len(rows), k), np.log(3))

    run = fake()
    run.ranker = Ranking()
    (found,) = best_links(run, [0, 1], 1, by="link", exclude=None)
    assert found.what == "probability"
    np.testing.assert_allclose(found.values, [[3 / 4], [3 / 4]])
    assert found.distances is None


def test_turns_may_be_shared(monkeypatch):
    monkeypatch.setattr(module, "ROWS_AT_A_TIME", 1)
    asked = []

    def backwards(count, work):
        asked.append(count)
        return [work(part) for part in reversed(range(count))]

    parts = list(best_links(fake(), [0, 1, 2], 1, by="distance", exclude=None, turns=backwards))
    assert asked == [3]
    assert [part.rows.tolist() for part in parts] == [[2], [1], [0]]


FOUND = BestLinks(np.array([0, 3]), np.array([[2, 3], [1, -1]]), None, np.array([[0.5, 0.25], [0.75, 0]]))


def test_a_row_for_every_link():
    columns = links_columns(fake(), FOUND)
    assert {name: column.tolist() for name, column in columns.items()} == {
        "source": ["a", "a", "d"],
        "target": ["c", "d", "b"],
        "rank": [1, 2, 1],
        "probability": [0.5, 0.25, 0.75],
    }


def test_what_else_is_known_of_the_ends():
    run = fake()
    run.stored_graph.display_names = ["A", "B", "C", "D"]
    run.class_names = lambda vertices: np.array(["x", "y", "z", ""], dtype=object)[vertices]
    run.test = Graph(4, [(1, 3)])
    columns = links_columns(run, FOUND)
    assert columns["source_label"].tolist() == ["A", "A", "D"]
    assert columns["target_class"].tolist() == ["z", "", "y"]
    assert columns["test_link"].tolist() == [False, False, True]


def test_without_names_there_are_ids():
    run = fake()
    run.graph = Graph(4, [(0, 1)])
    assert links_columns(run, FOUND)["target"].tolist() == [2, 3, 1]
