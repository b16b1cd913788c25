"""Scores of pairs that need no training, with the face of a posterior: what a model has to beat."""

from collections.abc import Callable, Iterator

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

BLOCK_ROWS = 512
RESTART = 0.15


class Scores:
    """Ranks by −score(rows), with ties broken at random, through the code that ranks posteriors."""

    def __init__(self, n_vertices: int, score: Callable[[np.ndarray], np.ndarray]) -> None:
        self.n_vertices, self._score = n_vertices, score

    def distance_blocks(self, rows: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        rng = np.random.default_rng(0)
        for start in range(0, len(rows), BLOCK_ROWS):
            part = rows[start : start + BLOCK_ROWS]
            distance = -self._score(part)
            yield part, np.arange(self.n_vertices), distance + 1e-9 * rng.random(distance.shape)


def cosine(features: sp.csr_array) -> Scores:
    """Of the features alone."""
    x = sp.csr_array(features.astype(np.float64))
    length = np.sqrt(x.multiply(x).sum(axis=1))
    unit = sp.csr_array(sp.diags_array(1 / np.maximum(length, 1e-12)) @ x)
    return Scores(x.shape[0], lambda rows: (unit[rows] @ unit.T).toarray())


def adamic_adar(graph) -> Scores:
    """Common neighbours, the fewer links of their own the better."""
    adjacency = graph.to_scipy().astype(np.float64)
    rarity = sp.diags_array(1 / np.log(np.maximum(graph.degrees, 2)))
    return Scores(graph.n_vertices, lambda rows: (adjacency[rows] @ rarity @ adjacency).toarray())


def pagerank(graph) -> Scores:
    """Where walks from a vertex are that restart with probability `RESTART` a step."""
    step = sp.diags_array(1 / np.maximum(graph.degrees, 1)) @ graph.to_scipy().astype(np.float64)
    solver = splu(sp.csc_array(sp.eye_array(graph.n_vertices) - (1 - RESTART) * step))

    def score(rows: np.ndarray) -> np.ndarray:
        start = np.zeros((graph.n_vertices, len(rows)))
        start[rows, np.arange(len(rows))] = 1
        return solver.solve(start, trans="T").T

    return Scores(graph.n_vertices, score)
