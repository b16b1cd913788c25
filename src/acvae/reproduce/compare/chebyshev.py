"""Solves with I − M for a symmetric sparse M whose eigenvalues lie in [−radius, radius], radius < 1.

Katz and personalised PageRank are rows of such an inverse. A sparse factor of a graph with many edges fills
up; Chebyshev's semi-iteration needs only products with M, and the number of steps for a given error is known
beforehand.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from acvae._util.checks import real_number

__all__ = ["solve", "steps_needed"]

TOLERANCE = 1e-6


def steps_needed(radius: float, tolerance: float = TOLERANCE) -> int:
    """Smallest k with 1/T_k(1/radius) ≤ tolerance, the bound on the relative error in the 2-norm.

    T_k(x) = cosh(k·arcosh x) is Chebyshev's polynomial.
    """
    radius = real_number("radius", radius, at_least=0, below=1)
    if radius == 0:
        return 1
    return max(1, int(np.ceil(np.arccosh(1 / tolerance) / np.arccosh(1 / radius))))


def solve(
    matrix: Any, right: npt.NDArray[np.float64], radius: float, tolerance: float = TOLERANCE
) -> npt.NDArray[np.float64]:
    """(I − M)⁻¹·B for B (n, r): Algorithm 12.1 of Saad's Iterative Methods for Sparse Linear Systems."""
    steps = steps_needed(radius, tolerance)
    if radius == 0:
        return right.copy()
    residual = right.copy()
    step = residual.copy()  # the spectrum of I − M is centred at 1, with half-width `radius`
    found = np.zeros_like(right)
    rho = radius
    for _ in range(steps):
        found += step
        residual -= step - matrix @ step
        following = 1 / (2 / radius - rho)
        step = following * rho * step + (2 * following / radius) * residual
        rho = following
    return found + step
