"""Gaussians given by a sparse precision matrix: elimination, solving, sampling, variances.

`elimination` finds an order that is shared by all latent dimensions, `factor` does the arithmetic of one.
"""

from acvae.precision.elimination import Elimination, TooLargeError, eliminate
from acvae.precision.factor import Factor, NotPositiveError, factorise

__all__ = ["Elimination", "Factor", "NotPositiveError", "TooLargeError", "eliminate", "factorise"]
