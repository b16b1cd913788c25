"""What the members of a cluster have in common, in words."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

__all__ = ["common_features"]

WORDS = 3
LEAST_SHARE = 0.15  # of the members that have a feature, for the feature to stand for them
LEAST_LIFT = 1.5
SMOOTHING = 3.0  # members that a share is watered down by


def common_features(
    labels: npt.NDArray[np.int64], features: sp.csr_array, names: npt.NDArray[np.object_], words: int = WORDS
) -> list[list[str]]:
    """For each cluster the features that tell most of it.

    A feature's lift is its share among the members over its share overall; features are ordered by
    share · log lift, the part of the cluster's surprise that is due to them. Features that are rare among
    the members, or hardly more frequent than elsewhere, are left out, so that the list may be empty.
    """
    n, k = len(labels), int(labels.max(initial=-1)) + 1
    size = np.bincount(labels, minlength=k)
    member = sp.csr_array((np.ones(n), (labels, np.arange(n))), shape=(k, n))
    present = sp.csr_array(features)
    present = sp.csr_array(
        ((present.data > 0).astype(np.float64), present.indices, present.indptr), shape=present.shape
    )
    overall = np.asarray(present.sum(axis=0)).ravel() / n
    inside = sp.csr_array(member @ present)
    found = []
    for c in range(k):
        row = slice(inside.indptr[c], inside.indptr[c + 1])
        feature, have = inside.indices[row], inside.data[row]
        share = have / size[c]
        lift = (
            (have + SMOOTHING * overall[feature])
            / (size[c] + SMOOTHING)
            / np.maximum(overall[feature], 1e-300)
        )
        good = (share >= LEAST_SHARE) & (lift >= LEAST_LIFT)
        worth = np.where(good, share * np.log(np.maximum(lift, 1e-300)), -np.inf)
        best = np.argsort(-worth, kind="stable")[:words]
        found.append([str(names[feature[b]]) for b in best if good[b]])
    return found
