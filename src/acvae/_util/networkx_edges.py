"""Read a NetworkX graph without importing NetworkX."""

from typing import Any

import numpy as np
import numpy.typing as npt

from acvae._util.checks import as_array, called, shown
from acvae.exceptions import GraphError, OptionError


def edges_of_networkx(
    graph: Any, weight: str | None
) -> tuple[list[Any], npt.NDArray[np.int64], npt.NDArray[Any] | None]:
    """Nodes in the graph's order, edges (m, 2) by position among them, weights (m,) or None."""
    if not hasattr(graph, "nodes") or not hasattr(graph, "edges"):
        raise GraphError(f"from_networkx needs a NetworkX graph, not {type(graph).__name__}.")
    if weight is not None and not isinstance(weight, str):
        raise OptionError(f"weight must be the name of an attribute of edges, not {shown(weight)}.")
    try:
        nodes = list(graph.nodes)
        position = {node: i for i, node in enumerate(nodes)}
        ends, found = [], []
        for u, v, attributes in graph.edges(data=True):
            ends.append((position[u], position[v]))
            found.append(None if weight is None else attributes.get(weight))
    except Exception as error:  # it has the names of a graph's parts, not the parts
        raise GraphError(f"from_networkx needs a NetworkX graph, not {called(graph)}: {error}") from None
    weights = None
    if any(value is not None for value in found):
        weights = as_array("weights", [1 if value is None else value for value in found], GraphError)
    elif weight not in (None, "weight") and ends:
        raise OptionError(f"no edge has the attribute {weight!r}.")
    return nodes, np.array(ends, dtype=np.int64).reshape(-1, 2), weights
