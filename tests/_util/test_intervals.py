import numpy as np
import pytest
from scipy.optimize import brentq

from acvae._util.intervals import Z_95, wilson


@pytest.mark.parametrize(("hits", "total"), [(1, 10), (5, 10), (9, 10), (130, 1000), (1, 3)])
def test_ends_are_where_the_score_test_begins_to_reject(hits, total):
    """|p̂ − p| = z·√(p(1 − p)/n), solved for p on both sides of the share."""
    share = hits / total
    low, high = wilson(np.array([hits]), np.array([total]))

    def score(p):
        return (share - p) ** 2 - Z_95**2 * p * (1 - p) / total

    assert low[0] == pytest.approx(brentq(score, 1e-12, share), abs=1e-9)
    assert high[0] == pytest.approx(brentq(score, share, 1 - 1e-12), abs=1e-9)


def test_none_and_all_stay_within_0_and_1():
    low, high = wilson(np.array([0, 7]), np.array([7, 7]))
    assert (low[0], high[1]) == pytest.approx((0, 1), abs=1e-15)
    assert low[0] >= 0
    assert high[1] <= 1
    assert 0 < high[0] < 0.5 < low[1] < 1
