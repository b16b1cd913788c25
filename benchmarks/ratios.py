"""How benchmarks print a ratio: its median and its spread over repeats."""

import numpy as np

__all__ = ["spread"]


def spread(ratios) -> str:
    """For example "1.42× (1.38–1.51 over 5)"."""
    values = np.asarray(ratios)
    return f"{np.median(values):.2f}× ({values.min():.2f}–{values.max():.2f} over {len(values)})"
