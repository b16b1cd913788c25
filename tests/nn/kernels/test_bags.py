import numpy as np
import pytest

from acvae.nn.kernels.bags import bag_sum


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 9])
@pytest.mark.parametrize("has_values", [False, True])
def test_against_a_product(count, has_values):
    rng = np.random.default_rng(0)
    weight, columns = rng.normal(size=(7, 4)), rng.integers(0, 7, count + 2)
    values = rng.normal(size=count + 2)
    target = np.full(4, np.nan)
    bag_sum(weight, columns, 1, 1 + count, values, has_values, target)
    x = values[1 : 1 + count] if has_values else np.ones(count)
    np.testing.assert_allclose(target, x @ weight[columns[1 : 1 + count]], atol=1e-12)
