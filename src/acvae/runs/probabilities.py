"""Do a run's probabilities of links hold, and how well do its embeddings tell known classes apart?"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from acvae._util.progress import Progress
from acvae.graph import Graph
from acvae.links.evaluation import evaluate_links

__all__ = ["calibration_scores", "classification_scores"]

IntArray = npt.NDArray[np.int64]

PAIRS_AT_A_TIME = 2_000
PAIRS = 50_000  # pairs that are no links, about; each is weighted by how many it stands for
FOLDS = 5
MOST_VERTICES = 20_000  # a classifier learns from
LEAST_OF_A_CLASS = FOLDS


def calibration_scores(
    links: Any, train: Graph, test: Graph, *, size: int = PAIRS, progress: bool = False
) -> dict[str, Any] | None:
    """Calibration error, log-loss, AUC and reliability curve of probabilities; None without test links."""
    if test.n_edges == 0:
        return None
    return evaluate_links(_Parts(links, show=progress), train, test, size=size).as_dict()


class _Parts:
    """The same ranking, asked for some pairs at a time; whether it shows how far it is changes no bit."""

    def __init__(self, links: Any, *, show: bool) -> None:
        self._links, self._show = links, show
        self.n_vertices = links.n_vertices

    def log_odds(self, i: IntArray, j: IntArray) -> npt.NDArray[np.float32]:
        found = np.empty(len(i), dtype=np.float32)
        order = np.argsort(i, kind="stable")  # pairs of a vertex are asked for together
        with Progress(len(i), "probabilities of pairs", show=self._show) as shown:
            for start in range(0, len(i), PAIRS_AT_A_TIME):
                part = order[start : start + PAIRS_AT_A_TIME]
                found[part] = self._links.log_odds(i[part], j[part])
                shown.advance(len(part))
        return found


def classification_scores(
    mean: npt.NDArray[Any], labels: npt.NDArray[np.int64], *, seed: int = 0, progress: bool = False
) -> dict[str, Any] | None:
    """Accuracy of a linear classifier on the embeddings, by cross-validation over the known classes.

    Rows are scaled to a root mean square of one. None where fewer than two classes have a member for each
    fold. With many vertices it is those of a sample.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold

    kinds, size = np.unique(labels[labels >= 0], return_counts=True)
    known = np.flatnonzero(np.isin(labels, kinds[size >= LEAST_OF_A_CLASS]))
    if int((size >= LEAST_OF_A_CLASS).sum()) < 2:
        return None
    if len(known) > MOST_VERTICES:
        known = np.sort(np.random.default_rng(seed).choice(known, MOST_VERTICES, replace=False))
    x = mean[known].astype(np.float64)
    x /= max(float(np.sqrt((x**2).sum() / len(x))), 1e-12)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    chosen = labels[known]
    found = np.empty_like(chosen)
    with warnings.catch_warnings(), Progress(FOLDS, "classes from embeddings", show=progress) as shown:
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", UserWarning)  # a sample may hold fewer of a class than folds
        for train, test in folds.split(x, chosen):
            classifier = LogisticRegression(C=10.0, max_iter=300).fit(x[train], chosen[train])
            found[test] = classifier.predict(x[test])
            shown.advance()
    return {
        "accuracy": float((found == chosen).mean()),
        "majority": float(np.unique(chosen, return_counts=True)[1].max() / len(chosen)),
        "classes": len(np.unique(chosen)),
        "vertices": len(known),
        "folds": FOLDS,
    }
