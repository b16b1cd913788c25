"""A family, a joint and an estimator as a user would write them: one class each, nothing else changed."""

from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from acvae import Posterior
from acvae.engine.distributed import ALONE
from acvae.exceptions import OptionError, PosteriorError
from acvae.families import FamilyState, Terms
from acvae.models.estimator import FamilyEstimator


class Equicorrelated:
    """All pairs are correlated alike: R_k = (1 − ρ_k)·I + ρ_k·11ᵀ in dimension k, with 0 ≤ ρ_k < 1.

    Only correlations, no `Joint`: enough for distances, neighbours, metrics and clusters.
    """

    def __init__(self, n, rho):
        self.n, self.rho = n, rho

    def pairs(self, i, j):
        return np.where((i == j)[:, None], 1.0, self.rho.astype(float))

    def distance_blocks(self, mean, std):
        return EquicorrelatedDistances(mean, std, self.rho)

    def pack(self):
        return {"rho": self.rho}

    @classmethod
    def unpack(cls, arrays, n, d):
        rho = arrays["rho"]
        if rho.shape != (d,) or not ((rho >= 0) & (rho < 1)).all():
            raise PosteriorError(f"equal correlations must be {d} numbers from 0 to below 1.")
        return cls(n, rho)


class EquicorrelatedDistances:
    """d_ij = Σ_k (μ_i − μ_j)² + σ_i² + σ_j² − 2·ρ_k·σ_i·σ_j, and 0 on the diagonal."""

    def __init__(self, mean, std, rho):
        self.columns, self.mean, self.std, self.rho = np.arange(len(mean)), mean, std, rho

    def blocks(self, rows, block_rows):
        for start in range(0, len(rows), block_rows):
            at = rows[start : start + block_rows]
            gap = (self.mean[at, None] - self.mean) ** 2 + self.std[at, None] ** 2 + self.std**2
            out = (gap - 2 * self.rho * self.std[at, None] * self.std).sum(-1)
            out[np.arange(len(at)), at] = 0
            yield at, out


class Springs(nn.Module):
    """Where the vertices are (n, d)."""

    def __init__(self, n_vertices, latent_dim, seed):
        super().__init__()
        generator = torch.Generator().manual_seed(seed)
        self.place = nn.Parameter(torch.randn((n_vertices, latent_dim), generator=generator))


class SpringBatch(NamedTuple):
    """Edges (b, 2), and noise (b, d) on their length."""

    edges: torch.Tensor
    noise: torch.Tensor


class SpringFamily:
    """Edges are springs, and vertices are held near the unit sphere; springs tire, each by its length.

    −E‖(z_u − z_v)·√s_uv + ε‖² − h·E(‖z_u‖² − 1)², with s_uv ← s_uv / (1 + ‖z_u − z_v‖²/10) after an epoch.
    """

    same_order = False
    figures = ("elbo", "stretch")
    threads = 1
    device = torch.device("cpu")

    def __init__(self, module, graph, *, hold=1.0, batch_edges=16, name="Springs"):
        self.module, self.graph, self.batch_edges, self.name = module, graph, batch_edges, name
        self.hold = hold
        self.stiffness, self.epochs = np.ones(graph.n_edges), 0

    @property
    def size(self):
        return self.graph.n_edges

    def identity(self):
        return {"batch_edges": self.batch_edges, "hold": self.hold, "n_edges": self.size}

    def batches(self, rng, noise, world=ALONE):
        share = world.share(self.size)
        order = share.own.start + rng.permutation(len(share.own))
        for start in range(0, len(order), self.batch_edges):
            chosen = order[start : start + self.batch_edges]
            shape = (len(chosen), self.module.place.shape[1])
            yield SpringBatch(torch.from_numpy(chosen), 0.01 * torch.randn(shape, generator=noise))

    def objective(self, batch):
        u, v = torch.from_numpy(self.graph.edges[batch.edges.numpy()].T.copy())
        place = self.module.place
        stiffness = torch.from_numpy(self.stiffness[batch.edges.numpy()]).to(place.dtype)
        pull = (place[u] - place[v]) * stiffness.sqrt()[:, None] + batch.noise
        stretch = pull.square().sum(-1).mean()
        hold = (place[u].square().sum(-1) - 1).square().mean()
        value = -stretch - self.hold * hold
        return Terms(value, (value, stretch))

    def after_epoch(self, world=ALONE):
        self.epochs += 1
        self.stiffness = self.stiffness / (1 + self._lengths() / 10)
        return {"stiffest": float(self.stiffness.max())}

    def elbo(self, world=ALONE):
        return -float((self.stiffness * self._lengths()).mean())

    def posterior(self, world=ALONE, *, pairwise=False):
        if pairwise:
            raise OptionError("springs have no pair network.")
        mean = self.module.place.detach().numpy().copy()
        rho = np.full(mean.shape[1], 1 - 1 / (1 + self.stiffness.mean()))
        return Posterior.from_correlations(mean, np.full_like(mean, 0.1), Equicorrelated(len(mean), rho))

    def display(self, figures):
        return {"stretch": f"{figures['stretch']:.2f}"}

    def state(self):
        return FamilyState({"stiffness": self.stiffness}, {"epochs": self.epochs})

    def restore(self, state):
        self.stiffness, self.epochs = state.arrays["stiffness"], state.values["epochs"]

    def _lengths(self):
        place = self.module.place.detach().numpy().astype(float)
        u, v = self.graph.edges.T
        return ((place[u] - place[v]) ** 2).sum(1)


class SpringModel(FamilyEstimator):
    """The estimator around the family: options in, family out.

    Parameters
    ----------
    hold
        How firmly vertices are held near the unit sphere.
    """

    def __init__(
        self,
        latent_dim=2,
        *,
        hold=1.0,
        epochs=6,
        learning_rate=1e-2,
        seed=0,
        device="cpu",
        progress=False,
    ):
        self.latent_dim, self.hold, self.epochs, self.learning_rate = latent_dim, hold, epochs, learning_rate
        self.seed, self.device, self.progress = seed, device, progress

    def networks(self, n_features):
        return Springs(n_features, self.latent_dim, self.seed)

    def fit(self, features, graph=None, *, callbacks=(), checkpoint=None):
        family = SpringFamily(self.networks(graph.n_vertices), graph, hold=self.hold)
        self._train(family, callbacks, checkpoint)
        self.graph_, self.weights_, self.n_features_in_ = graph, None, graph.n_vertices
        return self
