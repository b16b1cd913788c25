"""A straightforward dense PyTorch training step, written as the paper describes it: the peer to beat.

Dense rows, the pair network run on concatenated features in both orders, plain tensor expressions and a
plain Adam. It takes its parameters from our module, so that losses and gradients can be compared.
"""

import math

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid, softplus

from acvae.nn import Autoencoder


class DenseStep:
    """Owns copies of the parameters of an `Autoencoder` and takes steps on dense data."""

    def __init__(
        self,
        module: Autoencoder,
        x: Tensor,
        n_edges: int,
        tau: float,
        gamma: float,
        learning_rate: float = 1e-3,
    ) -> None:
        assert module.pair_encoder is not None
        h2 = module.pair_encoder.hidden_dim
        own = {
            "w1": module.encoder.hidden.weight,
            "b1": module.encoder.hidden.bias,
            "w2": module.encoder.output.weight,
            "b2": module.encoder.output.bias,
            "v1": module.decoder.hidden.weight,
            "c1": module.decoder.hidden.bias,
            "v2": module.decoder.output.weight,
            "c2": module.decoder.output.bias,
            "u1": torch.cat(module.pair_encoder.weight.split(h2, dim=1)),  # (2D, h2): on [x_i; x_j]
            "d1": module.pair_encoder.bias,
            "u2": module.pair_encoder.output.weight,
            "d2": module.pair_encoder.output.bias,
        }
        self.p = {name: value.detach().clone().requires_grad_() for name, value in own.items()}
        self.x, self.n_edges, self.tau, self.gamma = x, n_edges, tau, gamma
        self.optimizer = torch.optim.Adam(self.p.values(), lr=learning_rate)

    def encode(self, x: Tensor) -> tuple[Tensor, Tensor]:
        p = self.p
        out = torch.relu(x @ p["w1"] + p["b1"]) @ p["w2"] + p["b2"]
        d = out.shape[1] // 2
        return out[:, :d], softplus(out[:, d:])

    def correlate(self, xi: Tensor, xj: Tensor) -> Tensor:
        p = self.p
        one = torch.relu(torch.cat([xi, xj], 1) @ p["u1"] + p["d1"]) @ p["u2"] + p["d2"]
        two = torch.relu(torch.cat([xj, xi], 1) @ p["u1"] + p["d1"]) @ p["u2"] + p["d2"]
        return 0.5 * (one + two)

    def loss(self, vertices: Tensor, edges: Tensor, weights: Tensor, pairs: Tensor, noise: Tensor) -> Tensor:
        p, tau, n = self.p, self.tau, len(self.x)
        x = self.x[vertices]
        mean, std = self.encode(x)
        logits = torch.relu((mean + std * noise) @ p["v1"] + p["c1"]) @ p["v2"] + p["c2"]
        log_probability = torch.log_softmax(logits, dim=1)
        coefficient = torch.lgamma(x.sum(1) + 1) - torch.lgamma(x + 1).sum(1)
        likelihood = (x * log_probability).sum(1) + coefficient
        kl = (0.5 * (mean**2 + std**2 - 1) - std.log()).sum(1)
        xi, xj = self.x[edges[0]], self.x[edges[1]]
        (mi, si), (mj, sj) = self.encode(xi), self.encode(xj)
        c = self.correlate(xi, xj)
        rho = (1 - 1e-6) * (2 * torch.sigmoid(c) - 1)
        log_rest = math.log(4) + logsigmoid(c) + logsigmoid(-c)
        kl_i = (0.5 * (mi**2 + si**2 - 1) - si.log()).sum(1)
        kl_j = (0.5 * (mj**2 + sj**2 - 1) - sj.log()).sum(1)
        quadratic = mi**2 + mj**2 + si**2 + sj**2 - 2 * tau * (mi * mj + rho * si * sj)
        kl_ij = 0.5 * (quadratic / (1 - tau**2) - 2 + math.log(1 - tau**2) - log_rest) - si.log() - sj.log()
        mass = kl_ij.sum(1) - kl_i - kl_j
        c = self.correlate(self.x[pairs[0]], self.x[pairs[1]])
        independence = -0.5 * (math.log(4) + logsigmoid(c) + logsigmoid(-c)).sum(1)
        return (
            -likelihood.mean()
            + (1 + self.gamma) * kl.mean()
            + self.n_edges / n * (weights * mass).mean()
            + self.gamma * (n - 1) / n * independence.mean()
        )

    def step(self, *batch: Tensor) -> Tensor:
        loss = self.loss(*batch)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.detach()
