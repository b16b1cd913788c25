"""Ranks of links, by hand and by a double loop."""

import numpy as np
import pytest

import oracles
from acvae import Graph, Posterior, metrics
from acvae.exceptions import GraphError, OptionError, PosteriorError

# Four vertices on a line at 0, 1, 3, 4: from 0 the others are met in the order 1, 2, 3.
LINE = Posterior([[0.0], [1.0], [3.0], [4.0]], np.ones((4, 1)))


def tied(n=32):
    """Vertices on a small grid, their distances, and links to rank; many distances are equal."""
    rng = np.random.default_rng(0)
    mean = rng.integers(0, 3, size=(n, 2)).astype(float)
    edges = rng.permutation(oracles.random_graph_edges(rng, n, 80))
    distances = oracles.dense_distances(mean, np.ones((n, 2)), np.eye(n)[:, :, None])
    return Posterior(mean, np.ones((n, 2))), distances, Graph(n, edges[:50]), Graph(n, edges[50:])


def test_ranks_of_every_link():
    q, distances, train, test = tied()
    found = metrics.link_ranks(q, train, test)
    train_rank, test_rank = oracles.link_ranks(distances, train, test)
    # By vertex and, within one, by neighbour: the order in which the oracle goes through them.
    assert found.train_vertex.tolist() == [i for i, _ in train_rank]
    assert found.train_rank.tolist() == list(train_rank.values())
    assert found.test_vertex.tolist() == [i for i, _ in test_rank]
    assert found.test_rank.tolist() == list(test_rank.values())
    assert found.candidates.tolist() == [31 - len(train.neighbors(i)) for i in range(32)]


def test_ranks_leave_out_train_neighbours_only():
    train, test = Graph(4, [[0, 1]]), Graph(4, [[0, 2], [0, 3]])
    found = metrics.link_ranks(LINE, train, test)
    # Train: 1 is nearest to 0 and 0 to 1. Test from 0: 2 is first and 3 second once 1 is left out;
    # from 2 and from 3 vertex 0 comes last of three.
    assert found.train_rank.tolist() == [1, 1]
    assert found.test_rank.tolist() == [1, 2, 3, 3]


def test_ties_count_against_us():
    same = Posterior(np.zeros((4, 1)), np.ones((4, 1)))
    found = metrics.link_ranks(same, Graph(4, [[0, 1]]), Graph(4, [[0, 2]]))
    assert found.train_rank.tolist() == [3, 3]
    assert found.test_rank.tolist() == [2, 3]


def test_every_other_vertex_is_known():
    # Vertex 0 of a star is joined to all but its one test link, which can only come first.
    train, test = Graph(5, [[0, 1], [0, 2], [0, 3]]), Graph(5, [[0, 4]])
    found = metrics.link_ranks(
        Posterior(np.random.default_rng(2).normal(size=(5, 3)), np.ones((5, 3))), train, test
    )
    assert found.test_rank[0] == 1
    assert found.candidates[0] == 1


@pytest.mark.parametrize("parts", [2, 3, 50])
def test_parts_add_up_to_the_whole(parts):
    q, _, train, test = tied()
    whole = metrics.link_ranks(q, train, test)
    found = [metrics.link_ranks(q, train, test, part=(p, parts)) for p in range(parts)]
    for name in ("train_rank", "test_rank"):
        ranks = np.stack([getattr(each, name) for each in found])
        assert ((ranks > 0).sum(axis=0) == 1).all()  # one process has each
        np.testing.assert_array_equal(ranks.sum(axis=0), getattr(whole, name))
    for each in found:
        np.testing.assert_array_equal(each.candidates, whole.candidates)


def test_parts_of_a_ranking_that_says_nothing_of_them():
    class Bare:
        n_vertices = 4

        def distance_blocks(self, rows):
            yield from LINE.distance_blocks(rows)

    train, test = Graph(4, [[0, 1], [2, 3]]), Graph(4, [[0, 3]])
    found = [metrics.link_ranks(Bare(), train, test, part=(p, 2)) for p in range(2)]
    # Every other of the vertices with links: 0 and 2, then 1 and 3.
    assert [(each.train_rank > 0).tolist() for each in found] == [
        [True, False, True, False],
        [False, True, False, True],
    ]
    whole = metrics.link_ranks(LINE, train, test)
    assert sum(each.test_rank for each in found).tolist() == whole.test_rank.tolist()


def test_a_ranking_may_choose_its_parts():
    class Halves(Posterior):
        def part_of_rows(self, rows, part, parts):
            return rows[rows < 2] if part == 0 else rows[rows >= 2]

    q = Halves([[0.0], [1.0], [3.0], [4.0]], np.ones((4, 1)))
    found = metrics.link_ranks(q, Graph(4, [[0, 3]]), Graph(4, [[1, 2]]), part=(0, 2))
    assert found.train_rank.tolist() == [3, 0]
    assert found.test_rank.tolist() == [2, 0]


@pytest.mark.parametrize("part", [1, (0,), (0, 0), (2, 2), (-1, 2), (0.5, 2)])
def test_parts_that_are_none(part):
    with pytest.raises(OptionError, match="part"):
        metrics.link_ranks(LINE, Graph(4, []), Graph(4, []), part=part)


def test_graphs_that_do_not_fit():
    for train, test in ((Graph(5, []), Graph(4, [])), (Graph(4, [[0, 1]]), Graph(4, [[1, 0]])), ("a", "b")):
        with pytest.raises(GraphError):
            metrics.link_ranks(LINE, train, test)


@pytest.mark.parametrize("part", ["train", "test"])
def test_a_distance_that_is_not_a_number_is_an_error(part):
    """As a cosine with an empty row of features would be."""

    class Scores:
        n_vertices = 4

        def distance_blocks(self, rows):
            block = np.ones((len(rows), 4))
            block[rows == 2, 1] = np.nan
            yield rows, np.arange(4), block

    links, others = Graph(4, [[0, 3], [1, 2]]), Graph(4, [[0, 2]])
    split = (links, others) if part == "train" else (others, links)
    with pytest.raises(PosteriorError, match=r"vertex 2 has a link whose distance is not a number \(nan\)"):
        metrics.link_ranks(Scores(), *split)
