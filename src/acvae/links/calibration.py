"""Do probabilities of links hold? On hidden links, against a weighted sample of hidden pairs that are none.

Pairs are put into bins of log-odds. In each, the share of links is compared with the mean probability. Only
the bins count that together hold 99 % of the links, the likeliest first: nearly all pairs are certainly no
links, and would make every model look right. Even so most of what is counted by pairs is unlikely; counted by
links, bins weigh as they do for whoever looks at links.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from acvae._util.intervals import wilson
from acvae.exceptions import InputError
from acvae.graph import Graph
from acvae.links.prediction import probability_of
from acvae.links.scaling import fit_line

__all__ = ["Calibration", "HiddenPairs", "calibration", "hidden_pairs", "platt"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

BIN = 0.5  # of log-odds
HELD_LINKS = 0.99
CERTAIN = 1000.0  # log-odds from which on a probability is 0 or 1 in double precision


class HiddenPairs(NamedTuple):
    """Pairs that are not in the train graph; links among them, and how many pairs each stands for."""

    i: IntArray
    j: IntArray
    link: npt.NDArray[np.bool_]
    weight: FloatArray


class Calibration(NamedTuple):
    """Scores of probabilities, and the reliability curve with 95 % bands, a row per bin."""

    error: float  # expected calibration error of the bins that hold 99 % of the links, counted by pairs
    link_error: float  # the same counted by links
    log_loss: float  # per link: minus the log likelihood of all hidden pairs, over the number of links
    log_odds: FloatArray  # (b,) lower edge of each bin
    predicted: FloatArray  # (b,) mean probability
    observed: FloatArray  # (b,) share of links
    low: FloatArray  # (b,)
    high: FloatArray  # (b,)
    links: FloatArray  # (b,)
    pairs: FloatArray  # (b,)
    counted: npt.NDArray[np.bool_]  # (b,) whether the bin is in `error`


def hidden_pairs(train: Graph, test: Graph, size: int = 200_000, seed: int = 0) -> HiddenPairs:
    """All test links, and a sample of the pairs that are links of neither graph, in two groups.

    Pairs with a common neighbour in the train graph, which are the ones that may be taken for links, are all
    there, or all those of some vertices once they are more than twice `size`; of all others there are uniform
    ones. Weights make up for what was left out.
    """
    n = train.n_vertices
    rng = np.random.default_rng(seed)
    near, near_weight = _two_steps(train, rng, size)
    uniform = np.sort(rng.integers(0, n, (size, 2)), axis=1)
    uniform = np.unique(uniform[uniform[:, 0] < uniform[:, 1]], axis=0)
    uniform = uniform[~(train.has_edges(uniform) | test.has_edges(uniform))]
    keep = ~(train.has_edges(near) | test.has_edges(near)) if len(near) else np.zeros(0, dtype=bool)
    near, near_weight = near[keep], near_weight[keep]
    all_none = n * (n - 1) / 2 - train.n_edges - test.n_edges
    inside = _are_near(train, uniform)
    far = uniform[~inside]
    far_total = all_none * len(far) / max(1, len(uniform))
    pairs = np.concatenate([test.edges, near, far])
    weight = np.concatenate(
        [np.ones(test.n_edges), near_weight, np.full(len(far), far_total / max(1, len(far)))]
    )
    link = np.arange(len(pairs)) < test.n_edges
    return HiddenPairs(pairs[:, 0], pairs[:, 1], link, weight)


def _two_steps(train: Graph, rng: np.random.Generator, size: int) -> tuple[IntArray, FloatArray]:
    """Pairs with a common neighbour, all or a sample of the vertices', and how many each stands for."""
    adjacency = train.to_scipy().astype(np.float32)
    rows = rng.permutation(train.n_vertices)
    found, total, done = [], 0, 0
    while done < len(rows) and total < 2 * size:
        at = rows[done : done + 256]
        block = (adjacency[at] @ adjacency).tocoo()
        pair = np.stack([at[block.coords[0]], block.coords[1]], axis=1).astype(np.int64)
        found.append(pair[pair[:, 0] != pair[:, 1]])
        total, done = total + len(found[-1]), done + len(at)
    if not found:
        return np.empty((0, 2), dtype=np.int64), np.empty(0)
    pairs = np.sort(np.concatenate(found), axis=1)
    unique, times = np.unique(pairs, axis=0, return_counts=True)
    # Seen from `done` of n vertices, a pair is met `times` of its two times.
    return unique.astype(np.int64), np.asarray(times * (train.n_vertices / (2 * done)), dtype=np.float64)


def _are_near(train: Graph, pairs: IntArray) -> npt.NDArray[np.bool_]:
    adjacency = train.to_scipy().astype(np.float32)
    out = np.zeros(len(pairs), dtype=bool)
    for first in range(0, len(pairs), 50_000):
        i, j = pairs[first : first + 50_000].T
        shared = adjacency[i].multiply(adjacency[j]).sum(axis=1)
        out[first : first + len(i)] = np.asarray(shared).ravel() > 0
    return out


def calibration(log_odds: npt.ArrayLike, pairs: HiddenPairs) -> Calibration:
    """Of log-odds (k,) for hidden pairs, which may be infinite; all that are beyond CERTAIN share a bin."""
    f = np.asarray(log_odds, dtype=np.float64)
    if f.shape != pairs.i.shape:
        raise InputError(f"{len(pairs.i)} log-odds are needed, one a pair, got shape {f.shape}.")
    if np.isnan(f).any():
        raise InputError(f"log-odds must be numbers, but that of pair {int(np.isnan(f).argmax())} is NaN.")
    if not pairs.link.any():
        raise InputError("there are no hidden links to compare with.")
    chance = probability_of(f)
    weight, link = pairs.weight, pairs.link
    loss = np.logaddexp(0, np.where(link, -f, f))
    bins, place = np.unique(
        np.floor(np.clip(f, -CERTAIN, CERTAIN) / BIN).astype(np.int64), return_inverse=True
    )
    total, links, expected = (
        np.bincount(place, each).astype(np.float64) for each in (weight, weight * link, weight * chance)
    )
    predicted = expected / total
    observed = links / total
    # Bins from the likeliest on, until they hold 99 % of the links.
    above = np.cumsum(links[::-1])[::-1] - links
    counted = above < HELD_LINKS * links.sum()
    gap = np.abs(predicted - observed)[counted]
    error, link_error = (float(gap @ each[counted] / each[counted].sum()) for each in (total, links))
    low, high = wilson(links, total)
    return Calibration(
        error,
        link_error,
        float((weight * loss).sum() / (weight * link).sum()),
        (bins * BIN).astype(np.float64),
        predicted,
        observed,
        low,
        high,
        links,
        total,
        counted,
    )


def platt(scores: npt.ArrayLike, link: npt.NDArray[np.bool_], weight: FloatArray) -> tuple[float, float]:
    """a and b of the log-odds a·score + b that fit best: Platt's scaling."""
    return fit_line(
        scores,
        weight,
        lambda z: np.logaddexp(0, np.where(link, -z, z)),
        lambda z: 0.5 * (1 + np.tanh(0.5 * z)) - link,
    )
