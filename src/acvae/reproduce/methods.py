"""The methods by name: which model each is, and the baselines that need no training."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

import acvae
from acvae.forests import initial_weights
from acvae.gaussian.forest.joint import ForestJoint
from acvae.gaussian.joint import DistanceBlocks
from acvae.gaussian.posterior import Posterior
from acvae.graph import Graph
from acvae.reproduce.spec import RunSpec

__all__ = ["make_model", "random_forest_posteriors"]

TAU = 0.99
UNTIE = 1e-4  # paths of fewer than 1/UNTIE edges keep their order by length
DIGITS = 9  # more than rounding of τ^hops leaves, less than one hop makes


def make_model(spec: RunSpec) -> Any:
    """The untrained model of a run, on the CPU, where it is the same to the last digit every time."""
    options: dict[str, Any] = {**spec.options, "seed": spec.run, "device": "cpu", "progress": False}
    if spec.gamma is not None:
        options["gamma"] = spec.gamma
    match spec.method:
        case "vae":
            return acvae.VAE(**options)
        case "graphsage":
            return acvae.GraphSAGE(**options)
        case "cvae-ind":
            return acvae.CVAE(correlated=False, **options)
        case "cvae-corr":
            return acvae.CVAE(correlated=True, **options)
        case "acvae-eb":
            return acvae.ACVAE(objective="empirical-bayes", **options)
        case "acvae-sp":
            return acvae.ACVAE(objective="saddle-point", **options)
    raise ValueError(f"{spec.method} is not a model")


def random_forest_posteriors(graph: Graph, seed: int) -> dict[str, Posterior]:
    """What is left of ACVAE when nothing is learnt: a random spanning forest, μ = 0, σ = 1 and ρ = τ.

    The expected distance 2·(1 − τ^hops) then orders by hops. "hops" keeps all ties, which count against the
    method; "hops-untied" breaks them at random, as the small differences of a trained model do.
    """
    forest = graph.edges[initial_weights(graph, seed).weights > 0]
    exponent = 1 + UNTIE * np.random.default_rng([seed, 1]).random((len(forest), 1))
    mean, std = np.zeros((graph.n_vertices, 1)), np.ones((graph.n_vertices, 1))
    same = ForestJoint(graph.n_vertices, forest, np.full((len(forest), 1), TAU))
    return {
        "hops": Posterior.from_correlations(mean, std, _Rounded(same), dtype=np.float64),
        "hops-untied": Posterior(mean, std, forest, TAU**exponent, dtype=np.float64),
    }


class _Rounded:
    """Correlations whose distances are rounded, so that paths of equal length tie exactly."""

    def __init__(self, inner: ForestJoint) -> None:
        self.inner, self.edges = inner, inner.edges

    def pairs(self, i: npt.NDArray[np.int64], j: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        return self.inner.pairs(i, j)

    def distance_blocks(self, mean: npt.NDArray[Any], std: npt.NDArray[Any]) -> _RoundedBlocks:
        return _RoundedBlocks(self.inner.distance_blocks(mean, std))


class _RoundedBlocks:
    def __init__(self, inner: DistanceBlocks) -> None:
        self.inner, self.columns = inner, inner.columns

    def blocks(
        self, rows: npt.NDArray[np.int64], block_rows: int
    ) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[Any]]]:
        for at, block in self.inner.blocks(rows, block_rows):
            yield at, np.round(block, DIGITS, out=block)
