import numpy as np
import pytest

from acvae.reproduce.compare.chebyshev import solve, steps_needed


@pytest.mark.parametrize("radius", [0.0, 0.3, 0.95])
def test_chebyshev_keeps_its_bound(radius: float) -> None:
    rng = np.random.default_rng(2)
    m = rng.standard_normal((25, 25))
    m = m + m.T
    m *= radius / np.abs(np.linalg.eigvalsh(m)).max()
    b = rng.standard_normal((25, 3))
    exact = np.linalg.solve(np.eye(25) - m, b)
    for tolerance in (1e-3, 1e-9):
        error = np.linalg.norm(solve(m, b, radius, tolerance) - exact)
        assert error <= tolerance * np.linalg.norm(exact) + 1e-12
    assert steps_needed(radius, 1e-9) >= steps_needed(radius, 1e-3)
