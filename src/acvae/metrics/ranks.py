"""Exact ranks of links by expected distance, streamed over blocks of rows.

The test rank of j for i is the number of vertices k ≠ i that are not train neighbours of i and have
dis_ik ≤ dis_ij: ties count against the model, and other test neighbours stay in. The train rank is among all
k ≠ i.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from acvae._util.checks import whole_number
from acvae._util.text import shown
from acvae._util.threads import over_ranges
from acvae.exceptions import GraphError, OptionError, PosteriorError
from acvae.gaussian.rankings import Ranking, checked_blocks, need_ranking
from acvae.graph import Graph
from acvae.metrics.ranking import rank_block

__all__ = ["LinkRanks", "link_ranks"]

IntArray = npt.NDArray[np.int64]


class LinkRanks(NamedTuple):
    """Rank of every link, once from each of its ends."""

    n_vertices: int
    train_vertex: IntArray  # (2·train edges,) the vertex that ranks, sorted
    train_rank: IntArray
    test_vertex: IntArray  # (2·test edges,)
    test_rank: IntArray
    candidates: IntArray  # (n,) how many vertices the test ranking of each vertex is among


def link_ranks(posterior: Ranking, train: Graph, test: Graph, *, part: tuple[int, int] = (0, 1)) -> LinkRanks:
    """Rank all train and test links by expected distance, or by what else a ranking has for it.

    `part=(p, parts)` ranks only the links of part p of the vertices, and leaves zeros elsewhere; the sum of
    the parts' ranks is the whole.
    """
    n = need_ranking("ranking links", posterior).n_vertices
    for name, graph in (("train", train), ("test", test)):
        if not isinstance(graph, Graph):
            raise GraphError(f"the {name} links must be an acvae.Graph, not {type(graph).__name__}.")
        if graph.n_vertices != n:
            raise GraphError(f"the {name} graph has {graph.n_vertices} vertices, the posterior {n}.")
    if train.has_edges(test.edges).any():
        raise GraphError("some test edges are train edges too; split_edges gives disjoint ones.")
    train_ptr, train_nbr = train.csr
    test_ptr, test_nbr = test.csr
    train_rank, test_rank = np.zeros(len(train_nbr), np.int64), np.zeros(len(test_nbr), np.int64)
    linked = np.flatnonzero(train.degrees + test.degrees)
    if not (isinstance(part, tuple) and len(part) == 2):
        raise OptionError(f"part must be (p, parts), not {shown(part)}.")
    parts = whole_number("parts", part[1], minimum=1)
    whole_number("part", part[0], minimum=0, maximum=parts - 1)
    if part != (0, 1):
        share = getattr(posterior, "part_of_rows", None)
        linked = linked[part[0] :: part[1]] if share is None else share(linked, *part)
    position = np.empty(n, dtype=np.int64)
    for rows, columns, block in checked_blocks(posterior, linked):
        position[columns] = np.arange(n)
        links = (position, train_ptr, train_nbr, test_ptr, test_nbr, train_rank, test_rank)

        def rank(start: int, stop: int, block: Any = block, rows: Any = rows, links: Any = links) -> None:
            failed = rank_block(block[start:stop], rows[start:stop], *links)
            if failed >= 0:
                raise PosteriorError(f"vertex {failed} has a link whose distance is not a number (nan).")

        over_ranges(rank, len(rows), at_least=8, uneven=True)
    return LinkRanks(
        n,
        np.repeat(np.arange(n), train.degrees),
        train_rank,
        np.repeat(np.arange(n), test.degrees),
        test_rank,
        n - 1 - train.degrees,
    )
