"""The candidates of a query: the answer, and negatives that stand for all vertices that are no neighbours.

Negatives are of four kinds, each vertex of one kind only. The strongest in a row of K and, where vertices
have evidence, the likest by it (or by another table) are all taken: a head that never met them would trust
either number too far.
Of those next in the row some are drawn, and of all others some, uniformly; they weigh as many as were left
out.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae.gaussian.graph.rows import CovarianceRows

__all__ = ["columns_of", "draw_candidates"]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
Array = npt.NDArray[np.float32]

HARD = 200  # the strongest in a row; of these
HARDEST, SOME_HARD = 30, 30  # all of so many, and some of the rest
LIKEST = 10  # by evidence
UNIFORM = 40


def columns_of(*, removed: bool, alike: sp.csr_array | None, likest: int = LIKEST) -> int:
    """How many candidates a query has, the answer among them if there is one."""
    return int(removed) + HARDEST + (0 if alike is None else likest) + SOME_HARD + UNIFORM


def draw_candidates(
    ends: IntArray,
    at: IntArray,
    rows: CovarianceRows,
    std: FloatArray,
    linked: tuple[IntArray, IntArray],
    rng: np.random.Generator,
    *,
    removed: bool,
    alike: sp.csr_array | None,
    likest: int = LIKEST,
) -> tuple[IntArray, Array]:
    """Candidates (q, c) of queries (q, 2) sorted by their first end, and the logs of their weights.

    Negatives are ordered by K_ik/std_k, of the `rows` (u, n) of K of the vertices `at`, and by `alike`
    (n, n), which has zeros where vertices are not alike, and of which the `likest` are taken; `linked` are
    the neighbours, as pointers and ids. Where there are too few of a kind, columns are left over: their log
    weight is −∞, and the candidate is i.
    """
    columns = columns_of(removed=removed, alike=alike, likest=likest)
    n = len(std)
    candidates = np.repeat(ends[:, :1], columns, axis=1)
    log_weight = np.full((len(ends), columns), -np.inf, dtype=np.float32)
    if removed:
        candidates[:, 0], log_weight[:, 0] = ends[:, 1], 0
    chance = rng.random((len(ends), SOME_HARD + UNIFORM))
    pointer, neighbours = linked
    taken = np.zeros(n, dtype=np.int8)
    starts = np.flatnonzero(np.diff(ends[:, 0], prepend=-1))
    stops = np.append(starts[1:], len(ends))
    nobody: tuple[IntArray, FloatArray] = (np.zeros(0, dtype=np.int64), np.zeros(0))
    for i, start, stop in zip(ends[starts, 0], starts, stops, strict=True):
        others, value = rows.row(int(np.searchsorted(at, i)))
        like, likeness = nobody if alike is None else _row(alike, i)
        own = slice(start, stop)
        _draw(
            i, neighbours[pointer[i] : pointer[i + 1]], others, value / std[others], like, likeness,
            likest, taken, chance[own], candidates[own, int(removed) :], log_weight[own, int(removed) :],
        )  # fmt: skip
    return candidates, log_weight


def _row(table: sp.csr_array, i: int) -> tuple[IntArray, FloatArray]:
    own = slice(table.indptr[i], table.indptr[i + 1])
    return table.indices[own].astype(np.int64), table.data[own].astype(np.float64)


@numba.njit(cache=True, nogil=True)
def _draw(
    i: int,
    neighbours: Any,
    others: Any,
    value: Any,
    like: Any,
    likeness: Any,
    likest: int,
    taken: Any,
    chance: Any,
    candidates: Any,
    log_weight: Any,
) -> None:
    """Fill the negatives of all queries of i; `taken` (n,) is zero, and is again afterwards."""
    taken[i] = 1
    for k in neighbours:
        taken[k] = 1
    near = _largest(others, value, taken, HARD)
    for k in near[:HARDEST]:
        taken[k] = 1
    alike = _largest(like, likeness, taken, likest)
    for k in alike:
        taken[k] = 1
    rest = near[HARDEST:]
    rest = rest[taken[rest] == 0]
    for k in rest:
        taken[k] = 1
    gone = np.sort(np.concatenate((neighbours, np.array([i]), near[:HARDEST], alike, rest)))
    before = gone - np.arange(len(gone))  # how many are free before each
    far = len(taken) - len(gone)
    some = min(len(rest), SOME_HARD)
    of_rest = np.log(len(rest) / some) if some else 0.0
    of_far = np.log(far / UNIFORM) if far else 0.0
    for q in range(len(candidates)):
        column = 0
        for kept in (near[:HARDEST], alike):
            for k in kept:
                candidates[q, column], log_weight[q, column] = k, 0.0
                column += 1
        cards = rest.copy()
        for s in range(some):  # the first of a shuffle
            t = s + int(chance[q, s] * (len(cards) - s))
            cards[s], cards[t] = cards[t], cards[s]
            candidates[q, column], log_weight[q, column] = cards[s], of_rest
            column += 1
        for s in range(UNIFORM if far else 0):
            k = int(chance[q, SOME_HARD + s] * far)
            candidates[q, column] = k + np.searchsorted(before, k, side="right")
            log_weight[q, column] = of_far
            column += 1
    for k in gone:
        taken[k] = 0


@numba.njit(cache=True, nogil=True)
def _largest(ids: Any, value: Any, taken: Any, count: int) -> Any:
    """The ids of the largest values that are not taken, in falling order, smaller ids first."""
    heap_ids, heap = np.empty(count, dtype=np.int64), np.empty(count)
    size = 0
    for p in range(len(ids)):
        k, v = ids[p], value[p]
        if taken[k] or count == 0:
            continue
        if size < count:
            at = size
            size += 1
            while at > 0:  # rise above parents that are larger
                parent = (at - 1) // 2
                if not _before(heap[parent], heap_ids[parent], v, k):
                    break
                heap[at], heap_ids[at] = heap[parent], heap_ids[parent]
                at = parent
        elif _before(v, k, heap[0], heap_ids[0]):
            at = _sink(heap, heap_ids, size, v, k)
        else:
            continue
        heap[at], heap_ids[at] = v, k
    out = np.empty(size, dtype=np.int64)
    while size:
        size -= 1
        out[size] = heap_ids[0]
        v, k = heap[size], heap_ids[size]
        at = _sink(heap, heap_ids, size, v, k)
        heap[at], heap_ids[at] = v, k
    return out


@numba.njit(cache=True, nogil=True)
def _before(value: float, k: int, other_value: float, other: int) -> bool:
    return value > other_value or (value == other_value and k < other)


@numba.njit(cache=True, nogil=True)
def _sink(heap: Any, ids: Any, size: int, value: float, k: int) -> int:
    """Where (value, k) belongs if it takes the place of the first of a heap, whose others are moved up."""
    at = 0
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and _before(heap[child], ids[child], heap[child + 1], ids[child + 1]):
            child += 1
        if not _before(value, k, heap[child], ids[child]):
            break
        heap[at], ids[at] = heap[child], ids[child]
        at = child
    return at
