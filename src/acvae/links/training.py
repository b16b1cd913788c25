"""How heads are trained: by the softmax of the true answer for ranking, by the logistic loss for odds.

Adam with a rising and falling step, a fixed number of passes, a few networks from different starts. All in
NumPy and from a seed, so that the same data give the same head.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from acvae._util.threads import n_threads, one_blas_thread, run_tasks
from acvae.links.head import CLIP, Head, Parameters, backward, forward, start
from acvae.links.queries import Queries
from acvae.links.statistics.symmetry import symmetric

__all__ = ["fit_probability", "fit_ranking", "reciprocal_ranks"]

FloatArray = npt.NDArray[np.float64]
Array = npt.NDArray[np.float32]

HIDDEN, NETWORKS, PASSES, STEP, DECAY = 16, 3, 6, 1e-2, 1e-4
BATCH, PAIR_BATCH = 64, 4096  # queries, pairs
CERTAIN = 4.0  # log-odds
# A batch's loss and its derivative by the scores, from scores and the batch's ids.
Loss = Callable[[Array, npt.NDArray[np.int64]], Array]


def fit_ranking(
    queries: Queries,
    per_query: FloatArray,
    seed: int,
    progress: Callable[[float], None] | None = None,
    networks: int = NETWORKS,
    left_out: Sequence[npt.NDArray[np.bool_]] | None = None,
) -> Head:
    """A head that puts true answers before other candidates; queries weigh `per_query` (q,).

    `left_out` are masks (q,), one a network, of the queries that it does not learn from.
    """
    x, log_weight = queries.statistics, queries.log_weight
    weight = per_query.astype(np.float32)
    centre, spread = _moments(x[:, 1:][np.isfinite(log_weight[:, 1:])])
    inputs = _standardise(x, centre, spread)

    def slope(scores: Array, at: npt.NDArray[np.int64]) -> Array:
        scores = scores.reshape(len(at), -1) + log_weight[at]
        scores -= scores.max(axis=1, keepdims=True)
        chance = np.exp(scores)
        chance /= chance.sum(axis=1, keepdims=True)
        chance[:, 0] -= 1
        own = weight[at]
        chance *= (own / max(own.sum(), 1e-30))[:, None]
        return chance.reshape(-1)

    firsts = [start(x.shape[-1], HIDDEN, seed + k) for k in range(networks)]
    own = None if left_out is None else [np.flatnonzero(~mask) for mask in left_out]
    return Head(centre, spread, _train_all(inputs, slope, firsts, seed, BATCH, progress, own))


def fit_probability(
    links: Array,
    link_weight: FloatArray,
    others: Array,
    other_weight: FloatArray,
    seed: int,
    directed: int = 1,
) -> Head:
    """A head whose score is the log-odds of a link, from statistics of links (a, F) and non-links (b, F).

    Weights say how many pairs of the population each stands for, so the odds are those of its density.
    `directed` is how many pairs of statistics tell the ends apart (`symmetric`).
    """
    x = symmetric(np.concatenate([links, others]), directed)
    target = np.concatenate([np.ones(len(links), np.float32), np.zeros(len(others), np.float32)])
    weight = np.concatenate([link_weight, other_weight])
    centre, spread = _moments(x)
    inputs = _standardise(x, centre, spread)[:, None, :]
    # Steps are made on pairs drawn by √weight, which is between few heavy and many light ones.
    weight = weight / link_weight.sum()
    offset = np.float32(np.log(link_weight.sum() / other_weight.sum()))
    share = weight.astype(np.float32) * len(weight)

    def slope(scores: Array, at: npt.NDArray[np.int64]) -> Array:
        return _slope(scores, target[at]) * share[at] / np.float32(len(at))

    begin = np.array([offset])
    firsts = [start(x.shape[-1], HIDDEN, seed + 100 + k)._replace(offset=begin) for k in range(NETWORKS)]
    head = Head(centre, spread, _train_all(inputs, slope, firsts, seed, PAIR_BATCH, None))
    with one_blas_thread():  # the same bits on any number of threads
        scores = head(x)
    return _rescale(head, scores, target, weight)


def reciprocal_ranks(scores: Array, queries: Queries) -> FloatArray:
    """(q,) estimates of 1/rank of true answers among all that are no neighbours; ties count against."""
    before = (scores[:, 1:] >= scores[:, :1]) * np.exp(queries.log_weight[:, 1:])
    return np.asarray(1 / (1 + before.sum(axis=1)), dtype=np.float64)


def _moments(x: Array) -> tuple[Array, Array]:
    """Centre and spread of statistics (N, F); a constant one is left out by a spread that is not zero."""
    centre, spread = x.mean(axis=0, dtype=np.float64), x.std(axis=0, dtype=np.float64)
    return centre.astype(np.float32), np.where(spread > 1e-6, spread, 1.0).astype(np.float32)


def _standardise(x: Array, centre: Array, spread: Array) -> Array:
    return np.clip((x - centre) / spread, -CLIP, CLIP)


def _train_all(
    inputs: Array,
    slope: Loss,
    firsts: list[Parameters],
    seed: int,
    batch: int,
    progress: Callable[[float], None] | None,
    own: list[npt.NDArray[np.int64]] | None = None,
) -> tuple[Parameters, ...]:
    """Networks from different starts, a thread each; matrices are too small for BLAS's own threads.

    `own` are the ids of the inputs that each learns from, all of them if there are none.
    """
    everything = np.arange(len(inputs))
    trained: list[Parameters] = list(firsts)
    done = [0]

    def task(k: int) -> Callable[[int], None]:
        def work(_: int) -> None:
            trained[k] = _adam(
                inputs, everything if own is None else own[k], slope, firsts[k], seed + k, batch
            )
            done[0] += 1
            if progress is not None:
                progress(done[0] / len(firsts))

        return work

    with one_blas_thread():
        run_tasks([task(k) for k in range(len(firsts))], n_threads())
    return tuple(trained)


def _adam(
    inputs: Array, ids: npt.NDArray[np.int64], slope: Loss, first: Parameters, seed: int, batch: int
) -> Parameters:
    """Minimise from `first` over those `ids` of the `inputs` (q, c, F)."""
    rng = np.random.default_rng(seed)
    flat = np.concatenate([part.ravel() for part in first])  # one vector, so that a step is a few operations
    value = _parts_of(flat, first)
    mean, square = np.zeros_like(flat), np.zeros_like(flat)
    steps = PASSES * -(-len(ids) // batch)
    t = 0
    for _ in range(PASSES):
        order = rng.permutation(ids)
        for begin in range(0, len(order), batch):
            at = order[begin : begin + batch]
            x = inputs[at].reshape(-1, inputs.shape[-1])
            scores, one, two = forward(value, x)
            gradient = backward(value, x, one, two, slope(scores, at))
            t += 1
            done = t / steps
            rate = STEP * min(1.0, done / 0.15) * (0.5 + 0.5 * np.cos(np.pi * max(0.0, (done - 0.15) / 0.85)))
            g = np.concatenate([part.ravel() for part in gradient])
            g += np.float32(DECAY) * flat
            mean += np.float32(0.1) * (g - mean)
            square += np.float32(0.01) * (g * g - square)
            flat -= (
                np.float32(rate / (1 - 0.9**t))
                * mean
                / (np.sqrt(square / np.float32(1 - 0.99**t)) + np.float32(1e-8))
            )
    return value


def _parts_of(flat: Array, like: Parameters) -> Parameters:
    """Views of a vector in the shapes of parameters."""
    ends = np.cumsum([part.size for part in like])
    return Parameters(
        *(part.reshape(old.shape) for part, old in zip(np.split(flat, ends[:-1]), like, strict=True))
    )


def _slope(log_odds: npt.NDArray[Any], link: Array) -> npt.NDArray[Any]:
    """Derivative of the loss by the log-odds f of links, and of pairs that missing links are among.

    A pair that is not known to be a link may be a missing one, for which a known link stands. With M of these
    and U pairs, U − M are no links, and minus the log likelihood is

        −Σ_M log p − (Σ_U − Σ_M) log(1 − p) = −Σ_M f + Σ_U log(1 + exp f),

    least where p = M/U; were the pairs all taken for no links, it would be least at M/(M + U), which is too
    low wherever links are likely. Beyond CERTAIN a link is as likely as it needs to be.
    """
    chance = 1 / (1 + np.exp(-log_odds))
    return np.where(link > 0, np.where(log_odds < CERTAIN, -1.0, chance - 1), chance).astype(log_odds.dtype)


def _rescale(head: Head, scores: Array, target: Array, weight: FloatArray) -> Head:
    """The head with its scores turned to a·f + b, by the best weighted logistic fit (Newton's steps)."""
    f, a, b = scores.astype(np.float64), 1.0, 0.0
    for _ in range(30):
        chance = 1 / (1 + np.exp(-(a * f + b)))
        error, curve = weight * _slope(a * f + b, target), weight * chance * (1 - chance) * (1 - target)
        slope = np.array([(error * f).sum(), error.sum()])
        matrix = np.array([[(curve * f * f).sum(), (curve * f).sum()], [(curve * f).sum(), curve.sum()]])
        step = np.linalg.solve(matrix + 1e-9 * np.eye(2), slope)
        a, b = a - float(np.clip(step[0], -0.5, 0.5)), b - float(np.clip(step[1], -2, 2))
        if np.abs(step).max() < 1e-10:
            break
    if not (np.isfinite(a) and np.isfinite(b) and a > 0):
        return head
    scale, shift = np.float32(a), np.float32(b)
    networks = tuple(
        p._replace(linear=scale * p.linear, last=scale * p.last, offset=scale * p.offset + shift)
        for p in head.networks
    )
    return head._replace(networks=networks)
