"""Features hidden and found again."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import ndcg_score

from acvae.exceptions import FeatureError
from acvae.reproduce.compare import (
    completion,
)
from reproduce.compare.samples import small


def test_recall_and_ndcg_against_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    found, true = rng.random((30, 80)), (rng.random((30, 80)) < 0.2).astype(float)
    quality = completion.ranking_quality(found, sp.csr_array(true))
    for k in (10, 20, 50):
        assert quality[f"ndcg_at_{k}"] == pytest.approx(ndcg_score(true, found, k=k))
        first = np.argsort(-found, axis=1)[:, :k]
        recall = np.take_along_axis(true, first, axis=1).sum(1) / true.sum(1)
        assert quality[f"recall_at_{k}"] == pytest.approx(recall.mean())


def test_no_hidden_feature_reaches_a_method() -> None:
    data = small()
    observed = completion.hidden_half(40, 0)
    assert observed.sum() == 20

    def complete(features, graph, kept, rows, seed):
        np.testing.assert_array_equal(kept, observed)
        assert features[~kept].nnz == 0
        np.testing.assert_array_equal(features[kept].toarray(), data.features[kept].toarray())
        return np.zeros((len(rows), 60))

    completion.score_completion(completion.Completer("m", "M", "rule", complete), data, 0)
    wrong = completion.Completer("m", "M", "rule", lambda *given: np.zeros((3, 3)))
    with pytest.raises(FeatureError, match=r"\(3, 3\)"):
        completion.score_completion(wrong, data, 0)


def test_means_and_propagation_against_loops() -> None:
    data = small(1)
    observed = completion.hidden_half(40, 5)
    rows = np.flatnonzero(~observed)
    x = data.features.toarray().astype(np.float64) * observed[:, None]
    given = (sp.csr_array(x), data.graph, observed, rows, 0)
    mean = x.sum(0) / 20
    for at, v in enumerate(rows):
        known = [u for u in data.graph.neighbors(v) if observed[u]]
        expected = x[known].mean(0) if known else np.zeros(60)
        np.testing.assert_allclose(completion.mean_of_neighbours(*given)[at], expected + 1e-6 * mean)
    degree = np.maximum(data.graph.degrees, 1)
    state = x.copy()
    for _ in range(40):
        following = np.zeros_like(state)
        for u, v in data.graph.edges:
            weight = 1 / np.sqrt(degree[u] * degree[v])
            following[u] += weight * state[v]
            following[v] += weight * state[u]
        following[observed] = x[observed]
        state = following
    np.testing.assert_allclose(completion.feature_propagation(*given), state[rows], atol=2e-5)
    np.testing.assert_allclose(completion.column_means(*given), np.repeat(mean[None], len(rows), axis=0))
