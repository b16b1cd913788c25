"""Read a NetworkX graph without importing NetworkX."""

from typing import Any

import numpy as np
import numpy.typing as npt

from acvae.exceptions import GraphError, OptionError


def edges_of_networkx(
    graph: Any, weight: str | None
) -> tuple[list[Any], npt.NDArray[np.int64], npt.NDArray[Any] | None]:
    """Nodes in the graph's order, edges (m, 2) by position among them, weights (m,) or None."""
    if not hasattr(graph, "nodes") or not hasattr(graph, "edges"):
        raise GraphError(f"from_networkx needs a NetworkX graph, not {type(graph).__name__}.")
    nodes = list(graph.nodes)
    position = {node: i for i, node in enumerate(nodes)}
    ends, found = [], []
    for u, v, attributes in graph.edges(data=True):
        ends.append((position[u], position[v]))
        found.append(None if weight is None else attributes.get(weight))
    weights = None
    if any(value is not None for value in found):
        weights = np.array([1 if value is None else value for value in found])
    elif weight not in (None, "weight") and ends:
        raise OptionError(f"no edge has the attribute {weight!r}.")
    return nodes, np.array(ends, dtype=np.int64).reshape(-1, 2), weights
