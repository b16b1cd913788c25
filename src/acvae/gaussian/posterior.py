"""Posterior: one joint Gaussian over the embeddings of all vertices, to be asked anything about pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from acvae._util.checks import whole_number
from acvae.exceptions import InputError, PosteriorError, SavedModelError
from acvae.gaussian import density, saving
from acvae.gaussian.checks import (
    check_correlations,
    check_embeddings,
    check_exclude,
    check_forest,
    check_joint,
    check_marginals,
    check_memory,
    check_pairs,
    check_points,
    check_rows,
    check_strategy,
    check_weights,
    generator,
    inside_unit_interval,
)
from acvae.gaussian.distance_matrix import DistanceMatrix
from acvae.gaussian.joint import Correlations, Joint
from acvae.gaussian.nearest import nearest_of_blocks
from acvae.graph import Graph

if TYPE_CHECKING:
    import networkx
    import pandas
    import torch_geometric.data
    from torch.distributions import Distribution

__all__ = ["Posterior"]

IntArray = npt.NDArray[np.int64]
Arrays = dict[str, npt.NDArray[Any]]


class Posterior:
    """Gaussian embeddings of n vertices in d dimensions, correlated along a forest (or `on_graph`).

    Each dimension is independent of the others. Within one, the correlation of two vertices is the product
    of the correlations on the forest path between them, and zero without a path, so that every marginal is
    exact. The expected squared distance of two embeddings is

        dis_ij = Σ_k (μ_ik − μ_jk)² + σ_ik² + σ_jk² − 2·σ_ik·σ_jk·ρ_ijk.

    Parameters
    ----------
    mean, std
        (n, d) means and standard deviations; std is positive.
    forest
        (m, 2) edges without a cycle; none for independent vertices.
    correlation
        (m, d) correlation of the two ends of each edge, strictly between −1 and 1.
    dtype
        "float32" (default) or "float64": how values are kept and distances computed.
    """

    def __init__(
        self,
        mean: npt.ArrayLike,
        std: npt.ArrayLike,
        forest: npt.ArrayLike | None = None,
        correlation: npt.ArrayLike | None = None,
        *,
        dtype: npt.DTypeLike = np.float32,
    ) -> None:
        from acvae.gaussian.forest.joint import ForestJoint  # a stored posterior loads the one it needs

        self._set_marginals(mean, std, dtype)
        edges, values = check_forest(forest, correlation, *self.mean.shape)
        self._joint: Any = ForestJoint(len(self.mean), edges, inside_unit_interval(values, self.mean.dtype))

    @classmethod
    def on_graph(
        cls,
        mean: npt.ArrayLike,
        std: npt.ArrayLike,
        graph: Graph,
        correlation: npt.ArrayLike,
        weights: npt.ArrayLike | None = None,
        *,
        dtype: npt.DTypeLike = np.float32,
    ) -> Posterior:
        """A joint on a whole graph, cycles and all: the mean of the precisions of its spanning forests.

        Parameters
        ----------
        mean, std
            (n, d) means and standard deviations; std is positive.
        graph
            The graph, of m edges.
        correlation
            (m, d) what the correlation of the two ends of each edge is in every forest that has the edge,
            strictly between −1 and 1, and no closer to them than 1e−9. In the joint it is another, since all
            paths between them count.
        weights
            (m,) probability of each edge in a random spanning forest; by default that in which all spanning
            forests are equally likely (`spanning_tree_probabilities`). Weights that no random forest has are
            refused here if they sum to too much, else when the joint is first asked, if it is none.
        """
        from acvae.forests.resistance import spanning_tree_probabilities
        from acvae.gaussian.graph.joint import GraphJoint

        if not isinstance(graph, Graph):
            raise PosteriorError(f"on_graph needs an acvae.Graph, not {type(graph).__name__}.")
        posterior = cls.__new__(cls)
        posterior._set_marginals(mean, std, dtype)
        n, d = posterior.mean.shape
        if graph.n_vertices != n:
            raise PosteriorError(f"the graph has {graph.n_vertices} vertices, but mean has {n} rows.")
        rho = check_correlations(correlation, graph.n_edges, d)
        share = spanning_tree_probabilities(graph) if weights is None else check_weights(weights, graph)
        posterior._joint = GraphJoint.of_forests(n, graph.edges, rho, share)
        return posterior

    @classmethod
    def from_correlations(
        cls,
        mean: npt.ArrayLike,
        std: npt.ArrayLike,
        correlations: Correlations,
        *,
        dtype: npt.DTypeLike = np.float32,
    ) -> Posterior:
        """A posterior whose correlations come from any strategy, such as one of your own."""
        posterior = cls.__new__(cls)
        posterior._set_marginals(mean, std, dtype)
        posterior._joint = check_strategy(correlations, posterior.mean.shape)
        return posterior

    def _set_marginals(self, mean: npt.ArrayLike, std: npt.ArrayLike, dtype: npt.DTypeLike) -> None:
        self.mean, self.std = check_marginals(mean, std, dtype)
        self._original_ids: IntArray | None = None

    # ------------------------------------------------------------------ what it is made of

    @property
    def joint(self) -> Any:
        """The strategy that knows the correlations of all pairs: a `ForestJoint`, a `GraphJoint`, …"""
        return self._joint

    @property
    def has_joint(self) -> bool:
        """Whether there is one joint distribution, or only pairwise approximations (CVAE)."""
        return isinstance(self._joint, Joint)

    @property
    def has_forest(self) -> bool:
        """Whether the joint is on a forest that has an edge."""
        return len(getattr(self._joint, "edges", ())) > 0

    @property
    def forest(self) -> IntArray:
        """(m, 2) edges of the forest that the joint is on; their correlations are `joint.correlation`."""
        edges: IntArray | None = getattr(self._joint, "edges", None)
        if edges is None:
            raise PosteriorError(
                f"there is no forest: this posterior has {self._describe()}. ACVAE learns a forest, and VAE "
                "has one without edges; a joint on a graph has its edges in joint.links."
            )
        return edges

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return len(self.mean)

    @property
    def latent_dim(self) -> int:
        """Number of dimensions of an embedding."""
        return int(self.mean.shape[1])

    @property
    def original_ids(self) -> IntArray:
        """(n,) ids these vertices had before `condition` removed others; 0 … n−1 if it never did."""
        return np.arange(self.n_vertices) if self._original_ids is None else self._original_ids

    # ------------------------------------------------------------------ pairs

    def pair_correlation(self, i: npt.ArrayLike, j: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Exact correlation (..., d) of z_i and z_j; `i` and `j` are ids that broadcast."""
        a, b = check_pairs(i, j, self.n_vertices)
        # Copies: broadcast views warn when their flags are looked at, as numba does.
        flat: npt.NDArray[np.float64] = self._joint.pairs(a.flatten(), b.flatten())
        return flat.reshape(*a.shape, self.latent_dim)

    def pair_distance(self, i: npt.ArrayLike, j: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Exact expected squared distance (...) of z_i and z_j; `i` and `j` are ids that broadcast."""
        a, b = check_pairs(i, j, self.n_vertices)
        rho = self.pair_correlation(a, b)
        gap = self.mean[a].astype(np.float64) - self.mean[b]
        return density.expected_square(
            gap, self.std[a].astype(np.float64), self.std[b].astype(np.float64), rho
        )

    # ------------------------------------------------------------------ rows

    def distances(self, rows: npt.ArrayLike) -> npt.NDArray[Any]:
        """Expected squared distances (len(rows), n) from the given vertices to all, exact."""
        ids = check_rows(rows, self.n_vertices)
        check_memory(
            f"{len(ids):,} rows of distances",
            len(ids) * self.n_vertices * self.mean.dtype.itemsize,
            "ask for fewer at a time, or stream them (distance_blocks)",
        )
        return self._distances.all_columns(ids)

    def distance_blocks(
        self, rows: npt.ArrayLike | None = None, block_rows: int | None = None
    ) -> Iterator[tuple[IntArray, IntArray, npt.NDArray[Any]]]:
        """Stream `(rows, columns, distances)` over blocks of rows; memory is block·n, never n².

        Rows come in whatever order is fastest; entry [r, c] of a block is between `rows[r]` and
        `columns[c]`, and the block is overwritten by the next.
        """
        ids = np.arange(self.n_vertices) if rows is None else check_rows(rows, self.n_vertices)
        if block_rows is not None:
            block_rows = whole_number("block_rows", block_rows, minimum=1)
        if len(ids) == 0:
            return
        yield from self._distances.blocks(ids, block_rows)

    def part_of_rows(self, rows: npt.ArrayLike, part: int, parts: int) -> IntArray:
        """One of `parts` parts of some rows, for processes that share the work of `distance_blocks`.

        A part is made of whole blocks, so that each row's distances have the same bits as without parts.
        """
        ids, parts = check_rows(rows, self.n_vertices), whole_number("parts", parts, minimum=1)
        return self._distances.share(ids, whole_number("part", part, minimum=0, maximum=parts - 1), parts)

    def nearest(
        self, rows: npt.ArrayLike, k: int = 10, exclude: Graph | None = None
    ) -> tuple[IntArray, npt.NDArray[Any]]:
        """The k nearest vertices of each row, itself left out, and the neighbours in `exclude` too.

        Returns
        -------
        ids (r, k) and distances (r, k), nearest first, equal distances by id. Where fewer than k vertices
        are left, the rest is −1 and infinity.
        """
        ids = check_rows(rows, self.n_vertices)
        k = whole_number("k", k, minimum=1)
        known = check_exclude(exclude, self.n_vertices)
        check_memory(f"{k:,} neighbours of {len(ids):,} vertices", 48 * k * max(1, len(ids)), "ask for fewer")
        unique, where = np.unique(ids, return_inverse=True)
        best, distance = nearest_of_blocks(self.distance_blocks(unique), unique, k, known, self.mean.dtype)
        return best[where], distance[where]

    # ------------------------------------------------------------------ the joint

    def sample(self, size: int = 1, seed: int | np.random.Generator = 0) -> npt.NDArray[Any]:
        """Draws (size, n, d) from the joint over all vertices; on a forest in time linear in n·d."""
        joint = check_joint(self._joint, "sample")
        size = whole_number("size", size, minimum=0)
        check_memory(f"{size:,} samples", size * self.mean.nbytes, "draw fewer at a time")
        noise = generator(seed).standard_normal((size, *self.mean.shape), dtype=self.mean.dtype.type)
        out = joint.correlate(noise)
        out *= self.std
        out += self.mean
        return out

    def log_prob(self, z: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Log density (...) of the joint at z (..., n, d); on a forest in time linear in n·d."""
        joint = check_joint(self._joint, "log_prob")
        points = check_points("z", z, self.mean.shape)
        return density.log_prob(joint, self.mean, self.std, points)

    def entropy(self) -> float:
        """Differential entropy of the joint in nats, in closed form."""
        return density.entropy(check_joint(self._joint, "entropy"), self.std)

    def kl_divergence(self, other: Posterior) -> float:
        """KL(self ‖ other) of two joints over the same vertices, in closed form, whatever they are made of.

        Between forests the time is O(n·d) if they are the same; otherwise it also grows with the lengths of
        the paths in this posterior's forest between the ends of the other's edges.
        """
        joint = check_joint(self._joint, "kl_divergence")
        if not isinstance(other, Posterior):
            raise PosteriorError(f"kl_divergence needs another Posterior, not {type(other).__name__}.")
        reference = check_joint(other._joint, "kl_divergence")
        if self.mean.shape != other.mean.shape:
            raise PosteriorError(
                f"both posteriors must be over the same vertices and dimensions, got {self.mean.shape} and "
                f"{other.mean.shape}."
            )
        return density.kl_divergence(joint, self.mean, self.std, reference, other.mean, other.std)

    def condition(self, observed: Mapping[int, npt.ArrayLike]) -> Posterior:
        """The exact posterior of all other vertices, given the embeddings of some; O(n·d) on a forest.

        The vertices that were observed are gone from the result, since what is known has no density; the
        others keep their order, and `original_ids` of the result tells which they are. A forest stays a
        forest: means move, standard deviations shrink, the correlations along edges change, and trees fall
        apart where a vertex was observed. On a whole graph it takes a factorisation of what is left.

        Parameters
        ----------
        observed
            The embedding (d,) of each observed vertex, by its id.
        """
        joint = check_joint(self._joint, "condition")
        points = check_embeddings(observed, self.latent_dim)
        ids = check_rows(list(observed), self.n_vertices)
        kept, mean, std, left = density.condition(joint, self.mean, self.std, ids, points)
        posterior = Posterior.from_correlations(mean, std, left, dtype=self.mean.dtype)
        posterior._original_ids = self.original_ids[kept]
        return posterior

    # ------------------------------------------------------------------ other tools

    def to_torch(self) -> Distribution:
        """The joint as a `torch.distributions.Distribution`, with gradients through its samples."""
        make = getattr(self._joint, "to_torch", None)
        if make is None:
            raise PosteriorError(
                "to_torch needs a joint on a forest: ACVAE, or VAE for independent embeddings."
            )
        distribution: Distribution = make(self.mean.copy(), self.std.copy())
        return distribution

    def to_networkx(self, names: Graph | Iterable[Any] | None = None) -> networkx.Graph:
        """The forest as a NetworkX graph, with `mean` and `std` of nodes, `correlation` of edges."""
        from acvae.gaussian import conversion

        return conversion.to_networkx(self, names)

    def to_pyg(self) -> torch_geometric.data.Data:
        """A PyTorch Geometric `Data`: means as `x`, `std`, and the forest with its correlations."""
        from acvae.gaussian import conversion

        return conversion.to_pyg(self)

    def to_pandas(
        self, names: Graph | Iterable[Any] | None = None, table: str = "embeddings"
    ) -> pandas.DataFrame:
        """A data frame of the embeddings, one row per vertex, or of the forest's edges (`table="forest"`)."""
        from acvae.gaussian import conversion

        return conversion.to_pandas(self, names, table)

    # ------------------------------------------------------------------ stored

    def save(self, path: str | PathLike[str]) -> None:
        """Write it to one safetensors file, which appears whole or not at all."""
        saving.write(path, *self.pack())

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Posterior:
        """Read what `save` wrote; neither networks nor PyTorch are needed."""
        arrays, about = saving.read(path)
        try:
            return cls.unpack(arrays, about)
        except InputError as error:
            raise SavedModelError(f"{path} holds no posterior that can be used: {error}") from error

    def pack(self) -> tuple[Arrays, dict[str, Any]]:
        """The arrays it is made of, and the kind of its joint."""
        return saving.pack(saving.PosteriorParts(self.mean, self.std, self._joint, self._original_ids))

    @classmethod
    def unpack(cls, arrays: Mapping[str, npt.NDArray[Any]], about: Mapping[str, Any]) -> Posterior:
        """Of what `pack` gave, or of anything else, which is an error."""
        parts = saving.unpack(arrays, about)
        posterior = cls.from_correlations(parts.mean, parts.std, parts.joint, dtype=parts.mean.dtype)
        posterior._original_ids = parts.original_ids
        return posterior

    # ------------------------------------------------------------------ inside

    def __getstate__(self) -> dict[str, Any]:
        return {
            name: value for name, value in self.__dict__.items() if name != "_distances"
        }  # tables come again

    @cached_property
    def _distances(self) -> DistanceMatrix:
        return DistanceMatrix(self.mean, self.std, self._joint)

    # ------------------------------------------------------------------ Python's own

    def __repr__(self) -> str:
        sizes = f"n_vertices={self.n_vertices:,}, latent_dim={self.latent_dim}"
        return f"Posterior({sizes}, {self._describe()})"

    def _describe(self) -> str:
        describe = getattr(self._joint, "describe", None)
        return type(self._joint).__name__ if describe is None else str(describe())
