"""One batch on its way through the standard networks and back, for the fused gradient.

The work of each stage is cut into tasks that write to different memory: by rows and by pairs on the way
forward, by hidden units and by features on the way back. Tasks are run by as many threads as pay; how they
are cut does not depend on that, and neither do the bits that come out.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch.nn.functional import softplus

from acvae._util.overrides import written_beside
from acvae.engine.batches import Batch
from acvae.engine.kernels.adam import FlatAdam, Learned
from acvae.engine.kernels.elementwise import (
    bias_relu,
    column_sums,
    half_plus,
    join_halves,
    relu_backward,
    singleton_terms,
    split_halves,
)
from acvae.engine.kernels.first_layer import DenseInput, LayerInput, SparseInput
from acvae.engine.kernels.pair_terms import Decay, decay_of, edge_sums, pair_sums
from acvae.engine.workspace import Buffers, Layers, cut, is_small
from acvae.graph import Graph
from acvae.nn import Autoencoder, Likelihood
from acvae.nn.encoder import SMALLEST_STD
from acvae.nn.features import Features, Rows
from acvae.nn.kernels.pair_layer import pair_layer_backward, pair_layer_forward

__all__ = ["ElboOnBatches", "FusedBatch", "Tasks"]

Array = npt.NDArray[Any]
Tasks = list[Callable[[int], None]]

OFTEN = 2.0  # ends of pairs per distinct row from which on the pair layer's halves of a row are kept; if they
# are few numbers, they are kept too


class ElboOnBatches(Protocol):
    """The ELBO of standard networks on data: what this is the gradient of."""

    module: Autoencoder
    features: Features
    graph: Graph | None
    tau: float
    gamma: float
    device: torch.device

    @property
    def n_vertices(self) -> int: ...

    @property
    def draws_pairs(self) -> bool: ...


class BatchGradient(Protocol):
    """What serves all batches: the networks' layers, Adam, and buffers that stay."""

    problem: ElboOnBatches
    encoder: Layers
    decoder: Layers
    pairs: Layers | None
    adam: FlatAdam
    buffers: Buffers
    latent_dim: int


class FusedBatch:
    """One batch on its way through the networks and back; each stage needs the ones before it."""

    def __init__(self, gradient: BatchGradient, batch: Batch, learn: bool) -> None:
        self._problem, self._buffers, self._own = gradient.problem, gradient.buffers, batch.n_own
        self._encoder, self._decoder, self._pairs = gradient.encoder, gradient.decoder, gradient.pairs
        self._adam, self._learn = gradient.adam, learn
        if learn:
            self._adam.advance()
        problem, buffer, d = self._problem, self._buffers, gradient.latent_dim
        if problem.graph is None:
            self._pairs = None
        assert batch.noise is not None
        self._batch, self._noise = batch, batch.noise.numpy()
        self._n_rows, self._n_edges = batch.rows.shape[0], batch.weights.shape[0]
        rows = problem.features.rows(batch.rows)
        self._own_rows: Rows = rows.head(batch.n_own)
        self._rows = _input(rows, problem.features.n_columns, self._encoder.weight.value.dtype)
        r = batch.n_encoded
        self._hidden = buffer("hidden", r, self._encoder.hidden)
        self._out, self._d_out = buffer("out", r, 2 * d), buffer("d_out", r, 2 * d)
        self._mean, self._std = buffer("mean", r, d), buffer("std", r, d)
        self._slope = buffer("slope", r, d)  # d std / d out
        self._d_mean, self._d_std = buffer("d_mean", r, d), buffer("d_std", r, d)
        self._likelihood = self._divergence = self._structure = self._rho = 0.0
        self._independence: dict[int, float] = {}  # by the first pair of a task
        self._halves: Array | None = None
        self._parts: list[tuple[Layers, slice, Array]] = []  # first layers' units, and their gradient
        if self._pairs is not None:
            self._i, self._j = batch.pairs.numpy()
            k, h = len(self._i), self._pairs.hidden
            self._both, self._on = buffer("both", k, h), buffer("on", k, h, np.uint8)
            self._logits, self._d_logits = buffer("logits", k, d), buffer("d_logits", k, d)
            self._decay = Decay(buffer("decay", k, d), buffer("log_one_plus", k, d))
            r = self._n_rows
            if isinstance(self._rows, DenseInput) or 2 * k > OFTEN * r or is_small(2 * h * r):
                self._halves = buffer("halves", r, 2 * h)
        # What the objective multiplies each mean with (objectives.elbo).
        n = problem.n_vertices
        m = 0 if problem.graph is None else problem.graph.n_edges
        draws = problem.draws_pairs and self._pairs is not None
        self._edge_factor = m / n
        self._pair_factor = problem.gamma * (n - 1) / n if draws else 0.0
        self._divergence_factor = 1 + problem.gamma if draws else 1.0

    # ------------------------------------------------------------------ forward

    def read(self) -> Tasks:
        """The first layers on every row, and what follows from them for vertices and edges."""
        own, n_encoded, width = self._own, self._batch.n_encoded, self._encoder.hidden
        if is_small(4 * n_encoded * width):  # too few to be worth a task of their own
            own = n_encoded
        tasks: Tasks = [partial(self._decode, own)]
        tasks += [partial(self._encode, own + a, own + b) for a, b in cut(n_encoded - own, width)]
        if self._halves is None:
            return tasks + self._relate_edges()
        assert self._pairs is not None
        weight, halves = self._pairs.weight.value, self._halves
        return tasks + [partial(_times, self._rows, weight, a, b, halves) for a, b in cut(*halves.shape)]

    def relate(self) -> Tasks:
        """The pair encoder on the edges, if that had to wait for all halves."""
        return [] if self._halves is None else self._relate_edges()

    def _relate_edges(self) -> Tasks:
        """The pair encoder on the edges alone, or on few edges and pairs at once."""
        if self._pairs is None:
            return []
        if is_small(self._both.size):
            return [partial(self._relate, 0, len(self._i))]
        return [partial(self._relate, *ends) for ends in cut(self._n_edges, 3 * self._pairs.hidden)]

    def _encode(self, first: int, last: int, slot: int = 0) -> None:
        """Mean and std of some rows."""
        net = self._encoder
        hidden, out = self._hidden[first:last], self._out[first:last]
        self._rows.times(net.weight.value, first, last, self._hidden)
        bias_relu(hidden, net.bias.value)
        np.matmul(hidden, net.output.value, out=out)
        slope, std = self._slope[first:last], self._std[first:last]
        split_halves(out, net.output_bias.value, self._mean[first:last], slope)
        spread = torch.from_numpy(slope)
        torch.clamp_min(softplus(spread), SMALLEST_STD, out=torch.from_numpy(std))
        spread.sigmoid_()
        self._d_mean[first:last] = 0
        self._d_std[first:last] = 0

    def _decode(self, encoded: int, slot: int) -> None:
        """The sampled vertices: encoder, decoder and likelihood, and back to mean and std.

        `encoded` rows, these and maybe more, go through the encoder.
        """
        self._encode(0, encoded)
        net, b, buffer = self._decoder, self._own, self._buffers
        mean, std = self._mean[:b], self._std[:b]
        z = mean + std * self._noise
        hidden = buffer("decoder hidden", b, net.hidden)
        np.matmul(z, net.weight.value, out=hidden)
        bias_relu(hidden, net.bias.value)
        outputs = buffer("decoder outputs", b, len(net.output_bias.value))
        np.matmul(hidden, net.output.value, out=outputs)
        outputs += net.output_bias.value
        likelihood = self._problem.module.likelihood
        if written_beside(likelihood, "with_gradient", "forward"):
            with_gradient = likelihood.with_gradient
        else:  # a user's own, which may have none, or inherit that of another likelihood
            with_gradient = partial(Likelihood.with_gradient, likelihood)
        self._likelihood, d_outputs = with_gradient(torch.from_numpy(outputs), self._own_rows, -1 / b)
        d_out = d_outputs.numpy()
        np.matmul(hidden.T, d_out, out=net.output.gradient)
        column_sums(d_out, net.output_bias.gradient)
        d_hidden = buffer("decoder gradient", b, net.hidden)
        np.matmul(d_out, net.output.value.T, out=d_hidden)
        relu_backward(d_hidden, hidden, 0, net.hidden, net.bias.gradient)
        np.matmul(z.T, d_hidden, out=net.weight.gradient)
        log_std = torch.log(torch.from_numpy(std)).numpy()
        self._divergence = (
            singleton_terms(
                mean,
                std,
                log_std,
                self._noise,
                d_hidden @ net.weight.value.T,
                self._divergence_factor / b,
                self._d_mean,
                self._d_std,
            )
            / b
        )
        self._descend(net.weight, net.bias, net.output, net.output_bias)

    def _relate(self, first: int, last: int, slot: int) -> None:
        """The pair encoder on some pairs."""
        net = self._pairs
        assert net is not None
        i, j = self._i[first:last], self._j[first:last]
        both, on, logits = self._both[first:last], self._on[first:last], self._logits[first:last]
        if self._halves is None:
            assert isinstance(self._rows, SparseInput)
            self._rows.relate(net.weight.value, net.bias.value, i, j, both, on)
        else:
            pair_layer_forward(self._halves, net.bias.value, i, j, both, on)
        np.matmul(both, net.output.value, out=logits)
        half_plus(logits, net.output_bias.value)
        decay_of(logits, self._decay.part(first, last))

    # ------------------------------------------------------------------ where edges meet

    def couple(self) -> Tasks:
        """The terms of edges and of pairs, with their gradients to what the encoders put out."""
        tasks: Tasks = [self._couple_edges]
        if self._pairs is None:
            return tasks
        e, k = self._n_edges, len(self._i)
        return tasks + [
            partial(self._couple_pairs, e + a, e + b) for a, b in cut(k - e, 3 * self._pairs.hidden)
        ]

    def _couple_edges(self, slot: int) -> None:
        n_edges = self._n_edges
        if self._pairs is None:
            logits = np.zeros((n_edges, self._mean.shape[1]), dtype=self._mean.dtype)
            d_logits, decay = np.empty_like(logits), Decay(np.empty_like(logits), np.empty_like(logits))
            decay_of(logits, decay)
        else:
            logits, d_logits = self._logits[:n_edges], self._d_logits[:n_edges]
            decay = self._decay.part(0, n_edges)
        if n_edges:
            scale = self._edge_factor / n_edges
            structure, rho = edge_sums(
                self._mean,
                self._std,
                logits,
                decay,
                self._batch.edges.numpy(),
                self._batch.weights.numpy(),
                self._problem.tau,
                scale,
                self._d_mean,
                self._d_std,
                d_logits,
            )
            self._structure = scale * structure
            if self._pairs is not None:
                self._rho = rho / logits.size
        d_logits *= d_logits.dtype.type(0.5)
        join_halves(self._d_mean, self._d_std, self._slope, self._std, SMALLEST_STD, self._d_out)
        column_sums(self._d_out, self._encoder.output_bias.gradient)

    def _couple_pairs(self, first: int, last: int, slot: int) -> None:
        """Some random pairs, from the pair encoder on where they have not been through it."""
        if not is_small(self._both.size):
            self._relate(first, last, slot)
        logits, d_logits = self._logits[first:last], self._d_logits[first:last]
        scale = self._pair_factor / (len(self._i) - self._n_edges)
        self._independence[first] = scale * pair_sums(logits, self._decay.part(first, last), scale, d_logits)
        d_logits *= d_logits.dtype.type(0.5)

    # ------------------------------------------------------------------ backward

    def differentiate(self) -> Tasks:
        """Gradients of second layers, and of the first ones' activations, some hidden units at a time."""
        r, d, tasks = self._n_rows, self._d_out.shape[1], []
        if self._pairs is not None:
            for a, b in cut(self._pairs.hidden, r // 2):
                d_halves = self._buffers(("d_halves", a), r, 2 * (b - a))
                self._parts.append((self._pairs, slice(a, b), d_halves))
                tasks.append(partial(self._relate_back, a, b, d_halves))
        for a, b in cut(self._encoder.hidden, d * len(self._d_out) // 64):
            d_hidden = self._buffers(("d_hidden", a), len(self._d_out), b - a)
            self._parts.append((self._encoder, slice(a, b), d_hidden))
            tasks.append(partial(self._encode_back, a, b, d_hidden))
        return [*tasks, self._output_biases]  # small tasks come last, for whichever thread is free

    def collect(self) -> Tasks:
        """Gradients of first layers' weights, and Adam's step on them."""
        adam = self._adam.constants if self._learn else ()
        return [
            partial(_descend, self._rows, grad, units, net.weight, slice(*ends), adam)
            for net, units, grad in self._parts
            for ends in cut(len(net.weight.value), grad.shape[1])
        ]

    def _relate_back(self, a: int, b: int, d_halves: Array, slot: int) -> None:
        net, d_logits = self._pairs, self._d_logits
        assert net is not None
        np.matmul(self._both[:, a:b].T, d_logits, out=net.output.gradient[a:b])
        d_both = self._buffers(("d_both", slot), len(d_logits), b - a)
        np.matmul(d_logits, net.output.value[a:b].T, out=d_both)
        pair_layer_backward(self._on, self._i, self._j, d_both, a, b, d_halves, net.bias.gradient)
        self._descend(net.bias, net.output, units=slice(a, b))

    def _encode_back(self, a: int, b: int, d_hidden: Array, slot: int) -> None:
        net, d_out = self._encoder, self._d_out
        np.matmul(self._hidden[:, a:b].T, d_out, out=net.output.gradient[a:b])
        np.matmul(d_out, net.output.value[a:b].T, out=d_hidden)
        relu_backward(d_hidden, self._hidden, a, b, net.bias.gradient)
        self._descend(net.bias, net.output, units=slice(a, b))

    def _output_biases(self, slot: int) -> None:
        self._descend(self._encoder.output_bias)
        if self._pairs is not None:
            bias = self._pairs.output_bias
            column_sums(self._d_logits, bias.gradient)
            bias.gradient[:] *= 2  # d_logits are halved by now
            self._descend(bias)

    def _descend(self, *parameters: Learned, units: slice = slice(None)) -> None:
        """Adam's step on parameters whose gradient is complete, and which nobody needs as they were."""
        if self._learn:
            for parameter in parameters:
                self._adam.update(parameter.part(units))

    # ------------------------------------------------------------------ what is told of it

    def figures(self) -> npt.NDArray[np.float64]:
        """ELBO and its terms per vertex, and the mean correlation of the edges."""
        penalty = (self._divergence_factor - 1) * self._divergence + sum(
            self._independence[t] for t in sorted(self._independence)
        )
        value = self._likelihood - self._divergence - self._structure - penalty
        return np.array(
            [value, self._likelihood, self._divergence, self._structure, penalty, self._rho], dtype=np.float64
        )


def _times(rows: LayerInput, weight: Array, first: int, last: int, out: Array, slot: int) -> None:
    rows.times(weight, first, last, out)


def _descend(
    rows: LayerInput, grad: Array, units: slice, weight: Learned, columns: slice, adam: Any, slot: int
) -> None:
    rows.descend(grad, units, weight, columns, adam)


def _input(rows: Rows, n_columns: int, dtype: Any) -> LayerInput:
    table = getattr(rows, "table", None)
    if table is not None:
        return DenseInput(table.numpy().astype(dtype, copy=False))
    columns, offsets, values = rows.columns, rows.offsets, rows.values  # type: ignore[attr-defined]
    return SparseInput(
        columns.numpy(), offsets.numpy(), None if values is None else values.numpy(), n_columns
    )
