"""The joint Gaussian on a forest as a PyTorch distribution, differentiable in all its parameters."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.distributions import Distribution, constraints, register_kl

from acvae.exceptions import PosteriorError
from acvae.forests.rooted import RootedForest, root_forest
from acvae.gaussian.checks import check_edges

__all__ = ["ForestNormal"]


class _OpenUnitInterval(constraints.Constraint):
    """Strictly between −1 and 1."""

    def check(self, value: Tensor) -> Tensor:
        return value.abs() < 1


class ForestNormal(Distribution):
    """n vertices in d dimensions, Gaussian, with correlations along a forest; event shape (n, d).

    A root is N(μ, σ²); in standardised coordinates a child given its parent is N(ρ·parent, 1 − ρ²). Sampling
    takes one step per level of depth, density and entropy a single one, whatever the number of vertices.

    Parameters
    ----------
    loc, scale
        (..., n, d) means and standard deviations.
    forest
        (m, 2) edges without a cycle.
    correlation
        (..., m, d) of the ends of each edge, strictly between −1 and 1.
    """

    arg_constraints = {  # noqa: RUF012 (the name and the kind are PyTorch's)
        "loc": constraints.independent(constraints.real, 2),
        "scale": constraints.independent(constraints.positive, 2),
        "correlation": constraints.independent(_OpenUnitInterval(), 2),
    }
    support = constraints.independent(constraints.real, 2)
    has_rsample = True

    def __init__(
        self, loc: Any, scale: Any, forest: Any, correlation: Any, *, validate_args: bool | None = None
    ) -> None:
        loc = torch.as_tensor(loc)
        scale, correlation = (
            torch.as_tensor(x, dtype=loc.dtype, device=loc.device) for x in (scale, correlation)
        )
        if not loc.is_floating_point() or loc.dim() < 2 or loc.shape[-2:] != scale.shape[-2:]:
            raise PosteriorError(
                f"loc and scale must be floating-point tensors (..., n, d), got {tuple(loc.shape)} "
                f"{loc.dtype} and {tuple(scale.shape)}."
            )
        n, d = loc.shape[-2:]
        edges = check_edges(forest, n)
        if correlation.shape[-2:] != (len(edges), d):
            raise PosteriorError(
                f"correlation must have shape (..., {len(edges)}, {d}), got {tuple(correlation.shape)}."
            )
        batch = torch.broadcast_shapes(loc.shape[:-2], scale.shape[:-2], correlation.shape[:-2])
        self.forest = edges
        self._rooted = root_forest(n, edges)
        self._set(loc, scale, correlation, batch, validate_args)

    def _set(
        self, loc: Tensor, scale: Tensor, correlation: Tensor, batch: torch.Size, validate: bool | None
    ) -> None:
        n, d = loc.shape[-2:]
        self.loc, self.scale = loc.expand(*batch, n, d), scale.expand(*batch, n, d)
        self.correlation = correlation.expand(*batch, len(self.forest), d)
        super().__init__(batch, torch.Size((n, d)), validate_args=validate)

    def expand(self, batch_shape: Any, _instance: Any = None) -> ForestNormal:
        new = self._get_checked_instance(ForestNormal, _instance)
        new.forest, new._rooted = self.forest, self._rooted
        new._set(self.loc, self.scale, self.correlation, torch.Size(batch_shape), False)
        new._validate_args = self._validate_args
        return new

    # ------------------------------------------------------------------ moments

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def stddev(self) -> Tensor:
        return self.scale

    @property
    def variance(self) -> Tensor:
        return self.scale.square()

    # ------------------------------------------------------------------ samples, density, entropy

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draws (*sample_shape, *batch, n, d) through which gradients reach all parameters."""
        shape = self._extended_shape(torch.Size(sample_shape))
        noise = torch.randn(shape, dtype=self.loc.dtype, device=self.loc.device)
        return self.loc + self.scale * self._correlate(noise)

    def _correlate(self, noise: Tensor) -> Tensor:
        """Standardised draws from standard normals (..., n, d): one step down the trees for each depth."""
        order = np.argsort(self._rooted.depth, kind="stable")  # positions in the layout, shallow first
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        bounds = np.searchsorted(self._rooted.depth[order], np.arange(self._rooted.depth.max(initial=0) + 2))
        conditional = ((1 - self.correlation) * (1 + self.correlation)).sqrt()
        levels: list[Tensor] = []
        for level, (start, stop) in enumerate(pairwise(bounds)):
            at = order[start:stop]
            own = noise[..., self._index(self._rooted.vertex[at]), :]
            if level > 0:
                above = self._index(rank[self._rooted.parent[at]] - bounds[level - 1])
                edge = self._index(self._rooted.edge[at])
                rho, rest = self.correlation[..., edge, :], conditional[..., edge, :]
                own = rho * levels[-1][..., above, :] + rest * own
            levels.append(own)
        return torch.cat(levels, dim=-2)[..., self._index(rank[self._rooted.position]), :]

    def log_prob(self, value: Tensor) -> Tensor:
        """Log density (...) at value (..., n, d)."""
        if self._validate_args:
            self._validate_sample(value)
        standard = (value - self.loc) / self.scale
        root, child, above, edge = self._families()
        rho = self.correlation[..., edge, :]
        residual = standard[..., child, :] - rho * standard[..., above, :]
        quadratic = standard[..., root, :].square().sum((-2, -1))
        quadratic = quadratic + (residual.square() / ((1 - rho) * (1 + rho))).sum((-2, -1))
        constant = math.prod(self.event_shape) * math.log(2 * math.pi)
        return -0.5 * (quadratic + constant) - self._log_scale()

    def entropy(self) -> Tensor:
        """Differential entropy (batch,) in nats."""
        return 0.5 * math.prod(self.event_shape) * (1 + math.log(2 * math.pi)) + self._log_scale()

    def _log_scale(self) -> Tensor:
        """½·log det of the covariance: Σ log σ + ½·Σ log(1 − ρ²)."""
        edges = torch.log1p(-self.correlation) + torch.log1p(self.correlation)
        return self.scale.log().sum((-2, -1)) + 0.5 * edges.sum((-2, -1))

    # ------------------------------------------------------------------ inside

    def _families(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Ids of the roots; and of every other vertex, of its parent, and the number of the edge between."""
        forest = self._rooted
        below = np.flatnonzero(forest.parent >= 0)
        return (
            self._index(forest.vertex[forest.parent < 0]),
            self._index(forest.vertex[below]),
            self._index(forest.vertex[forest.parent[below]]),
            self._index(forest.edge[below]),
        )

    def _pair_correlation(self, pairs: npt.NDArray[np.int64]) -> Tensor:
        """(..., k, d) product of the correlations on the path between the ends of each pair (k, 2).

        All pairs walk up at once, the deeper end first: as many steps as the longest path has edges.
        """
        product = self.correlation.new_ones((*self.batch_shape, len(pairs), self.event_shape[1]))
        for active, edge in _path_steps(self._rooted, pairs):
            factor = torch.where(self._index(active)[:, None], self.correlation[..., self._index(edge), :], 1)
            product = product * factor
        a, b = self._rooted.position[pairs].T
        joined = self._index(self._rooted.tree[a] == self._rooted.tree[b])
        return torch.where(joined[:, None], product, 0)

    def _index(self, array: npt.NDArray[Any]) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.loc.device)


def _path_steps(
    forest: RootedForest, pairs: npt.NDArray[np.int64]
) -> Iterator[tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64]]]:
    """Yield (k,) whether each pair still walks, and the edge it takes: the deeper of its two ends goes up."""
    a, b = (x.copy() for x in forest.position[pairs].T)
    same = forest.tree[a] == forest.tree[b]
    while (active := same & (a != b)).any():
        first = forest.depth[a] >= forest.depth[b]
        deeper = np.where(first, a, b)
        yield active, np.where(active, forest.edge[deeper], 0)
        up = np.where(active, forest.parent[deeper], deeper)
        a, b = np.where(first, up, a), np.where(first, b, up)


@register_kl(ForestNormal, ForestNormal)
def _kl_of_two_forests(q: ForestNormal, p: ForestNormal) -> Tensor:
    """KL(q ‖ p) on any two forests over the same vertices, as in `acvae.gaussian.forest.divergence`."""
    if q.event_shape != p.event_shape:
        raise PosteriorError(
            f"both distributions must have the same event shape, got {tuple(q.event_shape)} and "
            f"{tuple(p.event_shape)}."
        )
    gap, scale = (q.loc - p.loc) / p.scale, q.scale / p.scale
    root, child, above, edge = p._families()
    rho = p.correlation[..., edge, :]
    own = q._pair_correlation(p.forest)[..., edge, :]
    size, sign = rho.abs(), rho.sign()
    spread = (scale[..., child, :] - size * scale[..., above, :]).square()
    spread = spread + 2 * size * scale[..., child, :] * scale[..., above, :] * (1 - sign * own)
    square = (gap[..., child, :] - rho * gap[..., above, :]).square() + spread
    at_roots = (gap[..., root, :].square() + scale[..., root, :].square()).sum((-2, -1))
    along_edges = (square / ((1 - rho) * (1 + rho))).sum((-2, -1))
    return 0.5 * (at_roots + along_edges - math.prod(q.event_shape)) + p._log_scale() - q._log_scale()
