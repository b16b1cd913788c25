"""The top of the dendrogram: merges of groups that are large enough to be seen."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from acvae.report.groups import Groups, IntArray

__all__ = ["dendrogram"]

LEAVES = 16


class _Split(NamedTuple):
    node: int
    height: float
    halves: tuple[int, int]


def dendrogram(groups: Groups, degrees: IntArray, names: list[str], leaves: int = LEAVES) -> dict[str, Any]:
    """At most `leaves` groups and the merges that join them, ready to draw.

    From the top, the highest merge of two groups that are both not small is taken apart, again and again;
    what a small group adds on the way is left out. A merge is drawn from `low` to `high`, each a height and
    a place among the leaves; inside a cluster it has that cluster's number, above the cut −1. A leaf is
    called by its vertex of most neighbours; `whole` where it is all of a cluster.
    """
    n = len(groups.members)
    top = 2 * n - 2
    splits = {top: _next_split(groups, top)}
    children: dict[int, _Split] = {}
    while len(splits) < leaves:
        open_ones = [(split.height, node) for node, split in splits.items() if split is not None]
        if not open_ones:
            break
        _, node = max(open_ones)
        split = splits.pop(node)
        assert split is not None
        children[node] = split
        splits |= {half: _next_split(groups, half) for half in split.halves}
    chief = _chiefs(groups, degrees)
    order, merges = _lay_out(groups, top, children, chief)
    sizes = [_size(groups, node) for node in order]
    inside = np.bincount(groups.labels[groups.members]).tolist()
    return {
        "merges": merges,
        "linkage": groups.linkage,
        "leaves": [
            {
                "name": names[chief[node]],
                "size": size,
                "cluster": int(groups.labels[chief[node]]),
                "whole": size == inside[groups.labels[chief[node]]],
            }
            for node, size in zip(order, sizes, strict=True)
        ],
        "left_out": n - sum(sizes),
        "landmarks": n if n < len(groups.labels) else None,
    }


def _size(groups: Groups, node: int) -> int:
    n = len(groups.members)
    return 1 if node < n else int(groups.tree[node - n, 3])


def _next_split(groups: Groups, node: int) -> _Split | None:
    """The first merge below, or at, the node whose two halves are both not small."""
    n = len(groups.members)
    while node >= n:
        left, right = groups.tree[node - n, :2].astype(int).tolist()
        if min(_size(groups, left), _size(groups, right)) >= groups.floor:
            return _Split(node, float(groups.tree[node - n, 2]), (left, right))
        node = left if _size(groups, left) >= _size(groups, right) else right
    return None


def _chiefs(groups: Groups, degrees: IntArray) -> IntArray:
    """For each node of the tree its vertex of most neighbours."""
    n = len(groups.members)
    chief = np.concatenate([groups.members, np.zeros(n - 1, np.int64)])
    for t, (left, right) in enumerate(groups.tree[:, :2].astype(int).tolist()):
        a, b = chief[left], chief[right]
        chief[n + t] = a if degrees[a] >= degrees[b] else b
    return chief


def _cluster(groups: Groups, node: int, chief: IntArray) -> int:
    return -1 if node >= groups.cut else int(groups.labels[chief[node]])


def _lay_out(
    groups: Groups, top: int, children: dict[int, _Split], chief: IntArray
) -> tuple[list[int], list[dict[str, Any]]]:
    """Leaves from the bottom up, smaller halves first, and the merges between them."""
    order: list[int] = []
    merges: list[dict[str, Any]] = []

    def place(node: int) -> tuple[float, float]:  # as deep as there are leaves at most
        if node not in children:
            order.append(node)
            return 0.0, float(len(order) - 1)
        split = children[node]
        low, high = (place(half) for half in sorted(split.halves, key=lambda half: _size(groups, half)))
        height = round(split.height, 5)
        merges.append(
            {"height": height, "cluster": _cluster(groups, split.node, chief), "low": low, "high": high}
        )
        return height, (low[1] + high[1]) / 2

    place(top)
    return order, merges
