"""Densities at points so far out that squares of their coordinates would not be numbers any more."""

import numpy as np
import numpy.typing as npt

from acvae.gaussian.joint import Joint

__all__ = ["log_density_anywhere"]

FloatArray = npt.NDArray[np.float64]

FAR = 1e100  # standard deviations


def log_density_anywhere(joint: Joint, standard: FloatArray) -> FloatArray:
    """(size,) log density of standardised points (size, n, d); −∞ where it is below all numbers, never NaN.

    A Gaussian's log density falls with the square of the distance: at c·z it is that at 0, less c² times
    what it falls by from 0 to z. Far points are brought near by it.
    """
    reach = np.abs(standard).max(axis=(1, 2), initial=0)
    near = reach < FAR
    if near.all():
        return joint.log_density(standard)
    out = np.full(len(standard), -np.inf)
    out[near] = joint.log_density(standard[near])
    far = np.flatnonzero(~near & np.isfinite(reach))
    at_zero = joint.log_density(np.zeros((1, *standard.shape[1:])))
    falls = joint.log_density(standard[far] / reach[far, None, None]) - at_zero
    with np.errstate(over="ignore"):
        out[far] = at_zero + falls * reach[far] * reach[far]
    return out
