"""Sparse symmetric positive definite matrices: elimination, solving, entries of the inverse.

`order` finds an order of elimination that several matrices may share, `factor` does the arithmetic of one.
"""

from acvae.forests.elimination.factor import Factor, NotPositiveError, factorise
from acvae.forests.elimination.inverse import InverseFactor, factorise_by_inverse
from acvae.forests.elimination.order import Elimination, TooLargeError, eliminate
from acvae.forests.elimination.pace import seconds_for

__all__ = [
    "Elimination",
    "Factor",
    "InverseFactor",
    "NotPositiveError",
    "TooLargeError",
    "eliminate",
    "factorise",
    "factorise_by_inverse",
    "seconds_for",
]
