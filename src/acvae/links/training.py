"""How heads are trained: by the softmax of the true answer for ranking, by the logistic loss for odds.

Adam with a rising and falling step, a fixed number of passes, a few networks from different starts. All in
NumPy and from a seed, so that the same data give the same head.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from acvae._util.threads import n_threads, one_blas_thread, run_tasks
from acvae.links.curve import Curve
from acvae.links.head import Head, Parameters, backward, forward, start
from acvae.links.queries import Queries
from acvae.links.scaling import fit_curve, fit_line, merged
from acvae.links.statistics.symmetry import symmetric

__all__ = ["fit_probability", "fit_ranking", "reciprocal_ranks"]

FloatArray = npt.NDArray[np.float64]
Array = npt.NDArray[np.float32]

HIDDEN, NETWORKS, PASSES, STEP, DECAY = 16, 3, 6, 1e-2, 1e-4
BATCH = 64  # queries
# Of the head for probabilities.
PAIR_NETWORKS, FOLDS = 4, 4  # each leaves out a fold of the pairs
PAIR_BATCH, PAIR_PASSES, STEPS, MOST_PASSES, ENOUGH_LINKS = 1024, 12, 90, 60, 100
KNOTS, LINKS_A_KNOT, APART = 9, 100, 0.05  # of its curve
OUTERMOST = 0.002  # share of the links beyond each outer knot
MOST_ANYWHERE = 0.5
CERTAIN, LARGEST = 4.0, 80.0  # log-odds
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
    plain = Head(centre, spread, ())
    inputs = plain.standardise(x).reshape(x.shape)

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
    trained = _train_all(inputs, slope, firsts, seed, BATCH, PASSES, progress, own)
    return plain._replace(networks=trained)


def fit_probability(
    links: Array,
    link_weight: FloatArray,
    others: Array,
    other_weight: FloatArray,
    seed: int,
    directed: int = 1,
    folds: npt.NDArray[np.int64] | None = None,
) -> Head:
    """A head whose score is the log-odds of a link, from statistics of links (a, F) and non-links (b, F).

    Weights say how many pairs of the population each stands for, so the odds are those of its density.
    `directed` is how many pairs of statistics tell the ends apart (`symmetric`). What few links have in
    common may be chance: of k known ones, a share 1/(k + 2) of the missing ones is taken to be like any pair.

    `folds` (a + b,) from 0 to FOLDS − 1 say which networks do not learn from a pair, links first. The curve
    from scores to log-odds is then fitted to what those say of it.
    """
    x = symmetric(np.concatenate([links, others]), directed)
    target = np.concatenate([np.ones(len(links), np.float32), np.zeros(len(others), np.float32)])
    weight = np.concatenate([link_weight, other_weight])
    centre, spread = _moments(x)
    plain = Head(centre, spread, ())
    inputs = plain.standardise(x)[:, None, :]
    weight = weight / link_weight.sum()
    offset = np.float32(np.log(link_weight.sum() / other_weight.sum()))
    unlike = 1 / (len(links) + 2)
    anywhere = min(unlike * float(link_weight.sum() / other_weight.sum()), MOST_ANYWHERE)
    weight[: len(links)] *= 1 - unlike
    share = weight.astype(np.float32) * len(weight)

    def slope(scores: Array, at: npt.NDArray[np.int64]) -> Array:
        return _slope(scores, target[at], anywhere) * share[at] / np.float32(len(at))

    begin = np.array([offset])
    firsts = [start(x.shape[-1], HIDDEN, seed + 100 + k)._replace(offset=begin) for k in range(PAIR_NETWORKS)]
    enough = len(links) >= ENOUGH_LINKS
    own = None
    if folds is not None and enough:
        own = [np.flatnonzero(folds != k % FOLDS) for k in range(PAIR_NETWORKS)]
    passes = _passes(len(links), -(-len(inputs) // PAIR_BATCH))
    head = plain._replace(networks=_train_all(inputs, slope, firsts, seed, PAIR_BATCH, passes, None, own))
    with one_blas_thread():  # the same bits on any number of threads
        scores = head(x)
        if folds is not None and own is not None:
            for k in range(FOLDS):
                held = np.flatnonzero(folds == k)
                scores[held] = head._replace(networks=head.networks[k::FOLDS])(x[held])
    return _rescale(head, scores, weight, len(links), anywhere)


def _passes(links: int, steps: int) -> int:
    """How often to go over pairs of so many steps: more often where these are few and links are not."""
    return max(PAIR_PASSES, min(MOST_PASSES, STEPS // steps)) if links >= ENOUGH_LINKS else PASSES


def reciprocal_ranks(scores: Array, queries: Queries) -> FloatArray:
    """(q,) estimates of 1/rank of true answers among all that are no neighbours; ties count against."""
    before = (scores[:, 1:] >= scores[:, :1]) * np.exp(queries.log_weight[:, 1:])
    return np.asarray(1 / (1 + before.sum(axis=1)), dtype=np.float64)


def _moments(x: Array) -> tuple[Array, Array]:
    """Centre and spread of statistics (N, F); a constant one is left out by a spread that is not zero."""
    if len(x) == 0:
        return np.zeros(x.shape[1], dtype=np.float32), np.ones(x.shape[1], dtype=np.float32)
    centre, spread = x.mean(axis=0, dtype=np.float64), x.std(axis=0, dtype=np.float64)
    return centre.astype(np.float32), np.where(spread > 1e-6, spread, 1.0).astype(np.float32)


def _train_all(
    inputs: Array,
    slope: Loss,
    firsts: list[Parameters],
    seed: int,
    batch: int,
    passes: int,
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
                inputs, everything if own is None else own[k], slope, firsts[k], seed + k, batch, passes
            )
            done[0] += 1
            if progress is not None:
                progress(done[0] / len(firsts))

        return work

    with one_blas_thread():
        run_tasks([task(k) for k in range(len(firsts))], n_threads())
    return tuple(trained)


def _adam(
    inputs: Array,
    ids: npt.NDArray[np.int64],
    slope: Loss,
    first: Parameters,
    seed: int,
    batch: int,
    passes: int,
) -> Parameters:
    """Minimise from `first` over those `ids` of the `inputs` (q, c, F)."""
    rng = np.random.default_rng(seed)
    flat = np.concatenate([part.ravel() for part in first])  # one vector, so that a step is a few operations
    value = _parts_of(flat, first)
    mean, square = np.zeros_like(flat), np.zeros_like(flat)
    steps = passes * -(-len(ids) // batch)
    t = 0
    for _ in range(passes):
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


def _slope(log_odds: npt.NDArray[Any], link: Array, anywhere: float = 0.0) -> npt.NDArray[Any]:
    """Derivative of the loss by the log-odds f of links, and of pairs that missing links are among.

    A pair that is not known to be a link may be a missing one, for which a known link stands. With M of these
    and U pairs, U − M are no links, and minus the log likelihood is

        −Σ_M log p − (Σ_U − Σ_M) log(1 − p) = −Σ_M f + Σ_U log(1 + exp f),

    least where p = M/U; were the pairs all taken for no links, it would be least at M/(M + U), which is too
    low wherever links are likely. Beyond CERTAIN a link is as likely as it needs to be. A share `anywhere` of
    all pairs are missing links whatever they are like: −Σ_U anywhere·f.
    """
    chance = 1 / (1 + np.exp(np.minimum(-log_odds, LARGEST)))
    of_link = np.where(log_odds < CERTAIN, -1.0, chance - 1)
    return np.where(link > 0, of_link, chance - anywhere).astype(log_odds.dtype)


def _loss(log_odds: npt.NDArray[Any], link: Array, anywhere: float = 0.0) -> FloatArray:
    """What `_slope` is the derivative of."""
    beyond = np.logaddexp(0, -log_odds) - np.logaddexp(0, -CERTAIN) - CERTAIN
    of_link = np.where(log_odds < CERTAIN, -log_odds, beyond)
    of_pair = np.logaddexp(0, log_odds) - anywhere * log_odds
    return np.asarray(np.where(link > 0, of_link, of_pair), dtype=np.float64)


def _rescale(head: Head, scores: Array, weight: FloatArray, links: int, anywhere: float) -> Head:
    """The head with its scores turned to log-odds by what fits best: by a curve, or a line if links are few.

    `links` is how many of the scores, the first ones, are those of links.
    """
    knots_at = scores[:links].astype(np.float64), weight[:links]
    parts = [merged(scores[part], weight[part]) for part in (slice(links), slice(links, None))]
    target = np.repeat(np.array([1.0, 0.0], dtype=np.float32), [len(part[0]) for part in parts])
    scores, weight = (np.concatenate(both) for both in zip(*parts, strict=True))
    given: dict[str, Any] = {"link": target, "anywhere": anywhere}
    loss, slope = partial(_loss, **given), partial(_slope, **given)
    a, b = fit_line(scores, weight, loss, slope)
    if not (np.isfinite(a) and np.isfinite(b) and a > 0):
        return head
    knots = _knots(a * knots_at[0] + b, knots_at[1])
    if len(knots) > 2:
        at = ((knots - b) / a).astype(np.float32)
        value = fit_curve(scores, weight, at.astype(np.float64), loss, slope).astype(np.float32)
        if (np.diff(at) > 0).all() and (np.diff(value) > 0).all():
            return head._replace(curve=Curve(at, value))
    scale, shift = np.float32(a), np.float32(b)
    networks = tuple(
        p._replace(linear=scale * p.linear, last=scale * p.last, offset=scale * p.offset + shift)
        for p in head.networks
    )
    return head._replace(networks=networks)


def _knots(log_odds: FloatArray, weight: FloatArray) -> FloatArray:
    """At most KNOTS log-odds, of which links have equal shares between them, and none next to another."""
    count = min(KNOTS, len(log_odds) // LINKS_A_KNOT)
    if count < 3:
        return np.empty(0)
    order = np.argsort(log_odds)
    share = np.cumsum(weight[order]) / weight.sum()
    wanted = np.linspace(OUTERMOST, 1 - OUTERMOST, count)
    found = log_odds[order][np.minimum(np.searchsorted(share, wanted), len(order) - 1)]
    kept = [found[0]]
    for knot in found[1:]:
        if knot > kept[-1] + APART:
            kept.append(knot)
    return np.array(kept)
