"""Answers about links and neighbours by id or by name, of whatever has a posterior, a graph and a ranking."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from acvae._util.checks import flag, whole_number
from acvae.exceptions import GraphError
from acvae.gaussian.checks import check_pairs
from acvae.gaussian.posterior import Posterior
from acvae.graph import Graph
from acvae.links.prediction import best_links, link_blocks, probability_of
from acvae.links.ranking import LinkRanking
from acvae.models.vertices import names_of, vertex_ids

__all__ = ["LinkAnswers", "check_apart", "check_graph_type"]


class LinkAnswers:
    """What can be asked about the vertices of a fitted model, or of one that was extended."""

    posterior_: Posterior
    graph_: Graph | None

    if TYPE_CHECKING:

        @property
        def links_(self) -> LinkRanking:
            """Scores and probabilities of links."""

    def _need_fit(self, what: str) -> None:
        """Raise if there is nothing to ask yet."""

    def link_probability(self, i: Any, j: Any) -> Any:
        """Probability (...) of a link between vertices, if links are missing as `split_edges` hides them.

        That is one link of every vertex, or 5 % of them (`acvae.links.missing`). `i` and `j` are ids or
        names, one or arrays that broadcast.
        """
        self._need_fit("link_probability")
        a, b = check_pairs(self._ids(i), self._ids(j), self.posterior_.n_vertices)
        check_apart(a, b)
        odds = self.links_.log_odds(a.ravel(), b.ravel())
        found = probability_of(odds).reshape(a.shape)
        return float(found) if found.ndim == 0 else found

    def predict_links(
        self, rows: Any, k: int = 10, exclude: Graph | None = None, *, names: bool = False
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
        """The k likeliest new links of each vertex, with their probabilities.

        Parameters
        ----------
        rows
            Ids or names of vertices.
        exclude
            Links that are known and not to be told; by default those the model was fitted on.
        names
            Give names in place of ids, None where no vertex is left.

        Returns
        -------
        ids (r, k) and probabilities (r, k), best first. Where fewer than k vertices are left, −1 and 0.
        """
        self._need_fit("predict_links")
        ids, k, known = self._asked(rows, k, exclude)
        names = flag("names", names)
        best, probabilities = best_links(self.links_, ids, k, known)
        return (names_of(best, self.graph_) if names else best), probabilities

    def link_blocks(
        self, rows: Any = None, k: int = 10, exclude: Graph | None = None
    ) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float64]]]:
        """`predict_links` of many vertices, by default all, some at a time: `(rows, ids, probabilities)`.

        Memory is that of a block of rows, however many are asked for.
        """
        self._need_fit("link_blocks")
        everyone = np.arange(self.posterior_.n_vertices) if rows is None else rows
        return link_blocks(self.links_, *self._asked(everyone, k, exclude))

    def _asked(
        self, rows: Any, k: Any, exclude: Graph | None
    ) -> tuple[npt.NDArray[np.int64], int, Graph | None]:
        """Vertices, how many links of each, and the links to leave out, as they should be."""
        ids = self._rows(rows)
        known = self.graph_ if exclude is None else exclude
        if known is not None:
            check_graph_type(known)
            if known.n_vertices != self.posterior_.n_vertices:
                raise GraphError(
                    f"the graph to exclude has {known.n_vertices} vertices, the model "
                    f"{self.posterior_.n_vertices}."
                )
        return ids, whole_number("k", k, minimum=1), known

    def nearest(
        self, rows: Any, k: int = 10, exclude: Graph | None = None, *, names: bool = False
    ) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """`posterior_.nearest` by id or by name: the k nearest and their distances, both (r, k)."""
        self._need_fit("nearest")
        names = flag("names", names)
        ids, distances = self.posterior_.nearest(self._rows(rows), k, exclude)
        return (names_of(ids, self.graph_) if names else ids), distances

    def _ids(self, vertices: Any) -> npt.NDArray[np.int64]:
        """Ids of vertices that are given by id or by name, one or an array of any shape."""
        return vertex_ids(vertices, self.posterior_.n_vertices, self.graph_)

    def _rows(self, vertices: Any) -> npt.NDArray[np.int64]:
        """Ids of one vertex or a list of them, as a list."""
        ids = np.atleast_1d(self._ids(vertices))
        if ids.ndim != 1:
            raise GraphError(f"rows must be a list of vertices, got shape {ids.shape}.")
        return ids


def check_apart(i: npt.NDArray[np.int64], j: npt.NDArray[np.int64]) -> None:
    """Refuse a vertex with itself; ids of one shape."""
    if (i == j).any():
        same = int(i[i == j].flat[0])
        raise GraphError(f"a link joins two vertices, but vertex {same} was asked for with itself.")


def check_graph_type(graph: Any) -> None:
    """Anything but a Graph is answered with how to make one."""
    if not isinstance(graph, Graph):
        raise GraphError(
            f"graph must be an acvae.Graph, not {type(graph).__name__}; see Graph.from_edges, "
            "from_networkx, from_scipy, from_pyg and from_pandas."
        )
