"""Rows of K = J⁻¹ from near their vertex, by pushing what is left over (Gauss–Southwell on the residual).

J = diag(h) + Laplacian is strictly diagonally dominant with no positive entry beside its diagonal, so K has
no negative entry. From x = 0 and the residual r = e_i, a step at u moves r_u/J_uu to x_u and hands
a_uv·r_u/J_uu on to each neighbour v. Throughout

    K·e_i = x + K·r,   x ≥ 0,   r ≥ 0,

so x is below the row, and what it leaves out is bounded by what is left of r: an entry k lacks at most
K_kk·Σ r ≤ Σ r/h_k. On the diagonal, as K is symmetric, the error is of second order:

    K_ii = x_i + xᵀ·r + rᵀ·K·r,   0 ≤ rᵀ·K·r ≤ Σ_u r_u²/h_u,   K_ij = x_i[j] + r_iᵀ·x_j + r_iᵀ·K·r_j.

Steps are made where r_u/J_uu, which is what x_u gains, exceeds a cut. The cut is lowered by and by until a
number of edges has been walked. A step walks all edges of its vertex, so a row costs that number and the
largest degree at most: where no vertex has very many neighbours, it does not know the size of the graph.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt

__all__ = ["Scratch", "push_rows", "push_variances"]

FIRST_CUT, LOWER = 0.25, 0.25  # of 1/J_ii, and by how much it is lowered each time


class Scratch(NamedTuple):
    """Room for one thread: x, r and marks (n,), all zero and left so, touched and waiting vertices (n,)."""

    x: npt.NDArray[np.float64]
    r: npt.NDArray[np.float64]
    mark: npt.NDArray[np.uint8]
    touched: npt.NDArray[np.int32]
    queue: npt.NDArray[np.int32]

    @classmethod
    def of(cls, n: int) -> Scratch:
        """For n vertices."""
        return cls(
            np.zeros(n), np.zeros(n), np.zeros(n, np.uint8), np.empty(n, np.int32), np.empty(n, np.int32)
        )


@numba.njit(nogil=True, cache=True)
def _spread(
    start: Any,
    near: Any,
    strength: Any,
    total: Any,
    own: Any,
    i: int,
    j: int,
    less: float,
    effort: int,
    least: float,
    tolerance: float,
    x: Any,
    r: Any,
    mark: Any,
    touched: Any,
    queue: Any,
) -> int:
    """Push from vertex i; how many vertices were touched, which are the first of `touched`.

    If j is a vertex, the edge (i, j) is not walked, and `less` is off the diagonal at both of its ends.
    Ends once `effort` edges were walked, the cut is `least` of 1/J_ii, or the second-order bound of K_ii is
    below `tolerance` of it (if that is positive). `mark` is 1 for touched, 3 for waiting.
    """
    capacity = len(queue)
    touched[0], count, work = i, 1, 0
    mark[i], r[i] = 1, 1.0
    total_i = total[i] - less
    total_j = total[j] - less if j >= 0 else 0.0
    cut, last = FIRST_CUT / total_i, least / total_i
    while True:
        head, waiting = 0, 0
        for t in range(count):
            u = touched[t]
            if r[u] > cut * (total_i if u == i else total_j if u == j else total[u]):
                queue[waiting] = u
                waiting += 1
                mark[u] = 3
        tail = waiting if waiting < capacity else 0
        while waiting > 0:
            u = queue[head]
            head = head + 1 if head + 1 < capacity else 0
            waiting -= 1
            mark[u] = 1
            if work >= effort:
                continue  # only the marks are taken off
            end = u in (i, j)
            gain = r[u] / (total_i if u == i else total_j if u == j else total[u])
            x[u] += gain
            r[u] = 0.0
            level = cut
            for t in range(start[u], start[u + 1]):
                v = near[t]
                if end and j >= 0 and v in (i, j):
                    continue
                if mark[v] == 0:
                    mark[v] = 1
                    touched[count] = v
                    count += 1
                r[v] += strength[t] * gain
                if mark[v] == 1 and r[v] > level * (total_i if v == i else total_j if v == j else total[v]):
                    mark[v] = 3
                    queue[tail] = v
                    tail = tail + 1 if tail + 1 < capacity else 0
                    waiting += 1
            work += start[u + 1] - start[u] + 1
        if work >= effort or cut <= last:
            return count
        if tolerance > 0:
            bound = 0.0
            for t in range(count):
                u = touched[t]
                bound += r[u] * r[u] / own[u]
            if bound <= tolerance * x[i]:
                return count
        cut = max(LOWER * cut, last)


@numba.njit(nogil=True, cache=True)
def push_rows(
    start: Any,
    near: Any,
    strength: Any,
    total: Any,
    own: Any,
    sources: Any,
    partners: Any,
    less: Any,
    effort: int,
    least: float,
    scratch: Any,
) -> Any:
    """Rows of K from the `sources`, one after the other, each without the edge to its partner (b,).

    A partner of −1 leaves all as it is; `less` (b,) is what the edge adds to the diagonal at its ends.

    Returns where each begins (b + 1,), the vertices it touches, x and r there, and x + r/J: one step further
    everywhere at once, by the diagonal J without the edge.
    """
    x, r, mark, touched, queue = scratch
    begin = np.zeros(len(sources) + 1, np.int64)
    ids, values, rest, further = np.empty(4096, np.int32), np.empty(4096), np.empty(4096), np.empty(4096)
    used = 0
    for s in range(len(sources)):
        i, j = sources[s], partners[s]
        count = _spread(
            start,
            near,
            strength,
            total,
            own,
            i,
            j,
            less[s],
            effort,
            least,
            0.0,
            x,
            r,
            mark,
            touched,
            queue,
        )
        while used + count > len(ids):
            size = 2 * len(ids)
            ids, values = _longer(ids, size), _longer(values, size)
            rest, further = _longer(rest, size), _longer(further, size)
        for t in range(count):
            u = touched[t]
            ids[used], values[used], rest[used] = u, x[u], r[u]
            further[used] = x[u] + r[u] / (total[u] - less[s] if u in (i, j) else total[u])
            used += 1
            x[u], r[u], mark[u] = 0.0, 0.0, 0
        begin[s + 1] = used
    return begin, ids[:used].copy(), values[:used].copy(), rest[:used].copy(), further[:used].copy()


@numba.njit(nogil=True, cache=True)
def push_variances(
    start: Any,
    near: Any,
    strength: Any,
    total: Any,
    own: Any,
    sources: Any,
    effort: int,
    least: float,
    tolerance: float,
    scratch: Any,
) -> Any:
    """K_ii of the `sources`, and how much more each may be at most (b, 2).

    Of rᵀ·K·r the part Σ_u r_u²/J_uu is certain, as K_uu ≥ 1/J_uu, and counted.
    """
    x, r, mark, touched, queue = scratch
    out = np.zeros((len(sources), 2))
    for s in range(len(sources)):
        i = sources[s]
        count = _spread(
            start,
            near,
            strength,
            total,
            own,
            i,
            -1,
            0.0,
            effort,
            least,
            tolerance,
            x,
            r,
            mark,
            touched,
            queue,
        )
        out[s, 0] = x[i]
        for t in range(count):
            u = touched[t]
            out[s, 0] += x[u] * r[u] + r[u] * r[u] / total[u]
            out[s, 1] += r[u] * r[u] * (1 / own[u] - 1 / total[u])
            x[u], r[u], mark[u] = 0.0, 0.0, 0
    return out


@numba.njit(nogil=True, cache=True)
def _longer(array: Any, size: int) -> Any:
    out = np.empty(size, array.dtype)
    out[: len(array)] = array
    return out
