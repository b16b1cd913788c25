import numpy as np
import pytest
from sklearn.metrics import normalized_mutual_info_score

from acvae import metrics
from acvae.exceptions import InputError, OptionError


class TestNmi:
    @staticmethod
    def by_counting(a, b, normalizer):
        """I(A; B) over the mean of the entropies, from the joint table of counts."""
        table = np.array([[np.mean((a == x) & (b == y)) for y in np.unique(b)] for x in np.unique(a)])
        rows, columns = table.sum(axis=1), table.sum(axis=0)
        outer = np.outer(rows, columns)
        mutual = sum(p * np.log(p / o) for p, o in zip(table.ravel(), outer.ravel(), strict=True) if p > 0)
        entropies = [-(p * np.log(p)).sum() for p in (rows, columns)]
        mean = np.mean(entropies) if normalizer == "arithmetic" else np.sqrt(np.prod(entropies))
        return mutual / mean

    @pytest.mark.parametrize("normalizer", ["arithmetic", "geometric"])
    def test_against_scikit_learn_and_counting(self, normalizer):
        rng = np.random.default_rng(0)
        a = rng.integers(0, 5, size=300)
        b = np.where(rng.random(300) < 0.6, a, rng.integers(0, 3, size=300))
        found = metrics.nmi(a, b, normalizer)
        assert found == pytest.approx(normalized_mutual_info_score(a, b, average_method=normalizer))
        assert found == pytest.approx(self.by_counting(a, b, normalizer))

    def test_names_of_labels_do_not_matter(self):
        assert metrics.nmi([0, 0, 1, 1], ["b", "b", "a", "a"]) == pytest.approx(1)
        assert metrics.nmi([0, 0, 1, 1], [0, 1, 0, 1]) == pytest.approx(0)

    def test_bad_input(self):
        with pytest.raises(OptionError, match=r"'max' is unknown; choose one of 'arithmetic', 'geometric'"):
            metrics.nmi([0, 1], [0, 1], normalizer="max")
        with pytest.raises(InputError, match=r"same points are needed, got shapes \(2,\) and \(3,\)"):
            metrics.nmi([0, 1], [0, 1, 2])
