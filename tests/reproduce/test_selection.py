import pytest

from acvae.reproduce.selection import average, best_gamma, group


def test_gamma_is_chosen_by_mean_train_ncrr_for_each_kind(results):
    grid = group(results)["citation-1998", "acvae-eb"]
    assert best_gamma(grid, "bp") == 10.0
    assert best_gamma(grid, "pairwise") == 0.1
    assert best_gamma({}, "bp") is None
    found = average(grid[10.0], "bp", "ncrr", "test")
    assert found == pytest.approx((0.12, 0.02 * 2**0.5, 2))  # deviations ±0.02, n − 1 = 1


def test_equal_scores_take_the_smaller_gamma(make_result):
    runs = [make_result("d", "acvae-sp", g, 0, bp=(0.5, 0.1)) for g in (10.0, 0.01, 1.0)]
    assert best_gamma(group(runs)["d", "acvae-sp"], "bp") == 0.01
