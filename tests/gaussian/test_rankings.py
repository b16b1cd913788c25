"""What metrics and clustering take, and what they say to anything else."""

import numpy as np
import pytest

import acvae
from acvae import Graph, Posterior, metrics
from acvae.exceptions import PosteriorError

TRAIN, TEST = Graph(4, [(0, 1)]), Graph(4, [(1, 2)])


class Reversed:
    """Vertices with the largest ids first, whoever asks."""

    n_vertices = 4

    def distance_blocks(self, rows=None, block_rows=None):
        ids = np.arange(4) if rows is None else rows
        yield ids, np.arange(4), np.tile(-np.arange(4.0), (len(ids), 1))


def test_anything_that_ranks():
    """Test ranks: of 2 for 1, one other (3) is before it and 0 is known: 2; of 1 for 2: 3 is, so 2."""
    assert metrics.mrr(Reversed(), TRAIN, TEST).test == 0.5
    halves = [metrics.link_ranks(Reversed(), TRAIN, TEST, part=(p, 2)).test_rank for p in range(2)]
    np.testing.assert_array_equal(sum(halves), metrics.link_ranks(Reversed(), TRAIN, TEST).test_rank)


@pytest.mark.parametrize(
    "ask", [metrics.ncrr, metrics.mrr, metrics.hits_at, metrics.evaluate, metrics.link_ranks]
)
@pytest.mark.parametrize(
    ("given", "telling"),
    [
        (acvae.VAE(), r"not a VAE: give it what the model has learnt.*model\.posterior_ or model\.links_"),
        (np.zeros((4, 2)), "needs a Posterior or a ranking of links, not a ndarray"),
        (None, "not a NoneType"),
        (Posterior, "not the class Posterior"),
    ],
)
def test_metrics_of_something_else(ask, given, telling):
    with pytest.raises(PosteriorError, match=telling):
        ask(given, TRAIN, TEST)


@pytest.mark.parametrize(
    ("given", "telling"),
    [(acvae.VAE(), r"clustering needs a Posterior, not a VAE.*model\.posterior_\."), ([1, 2], "not a list")],
)
def test_clusters_of_something_else(given, telling):
    with pytest.raises(PosteriorError, match=telling):
        acvae.cluster(given, k=2)


class Blocks:
    """A ranking of three vertices that gives what it is told to."""

    n_vertices = 3
    mean = np.zeros((3, 1))

    def __init__(self, *block):
        self.block = block

    def distance_blocks(self, rows=None, block_rows=None):
        yield self.block


ROWS, COLUMNS, BLOCK = np.arange(3), np.array([2, 0, 1]), np.ones((3, 3))


@pytest.mark.parametrize(
    "block",
    [
        (ROWS, COLUMNS, np.ones((3, 2))),
        (ROWS[:2], COLUMNS, BLOCK),
        (ROWS + 1, COLUMNS, BLOCK),
        (ROWS, COLUMNS + 10**12, BLOCK),
        (ROWS, np.array([0, 0, 1]), BLOCK),
        (ROWS.astype(float), COLUMNS, BLOCK),
        (ROWS.tolist(), COLUMNS, BLOCK),
    ],
)
def test_blocks_that_are_none_never_reach_compiled_code(block):
    train, test = Graph(3, [(0, 1)]), Graph(3, [(1, 2)])
    for ask in (lambda: metrics.ncrr(Blocks(*block), train, test), lambda: acvae.cluster(Blocks(*block), 2)):
        with pytest.raises(PosteriorError, match="gave no block of rows"):
            ask()


def test_blocks_in_any_order_of_columns_are_blocks():
    found = metrics.ncrr(Blocks(ROWS, COLUMNS, BLOCK), Graph(3, [(0, 1)]), Graph(3, [(1, 2)]))
    assert np.isfinite(found).all()
