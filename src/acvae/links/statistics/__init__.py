"""The numbers of a pair that its link is read from, a file for each sort of number.

Every sort answers for whole rows, for single pairs, and for candidates of a query without the query's edge.
"""

from acvae._util.lazy import when_used

_HOMES = {
    "FLOOR": "scales",
    "GraphStatistics": "graph",
    "PosteriorStatistics": "posterior",
    "Scale": "scales",
}

__all__ = sorted(_HOMES)
__getattr__ = when_used(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
