"""Likelihoods: what a decoder's outputs say of a row of features.

A likelihood of your own is any module with `check` and `forward`; pass it as `likelihood=` to a model.
"""

import copy
import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn.functional import log_softmax, softplus

from acvae._util.checks import choice
from acvae._util.options import setting
from acvae.exceptions import FeatureError
from acvae.nn.features import Features, Rows, SparseRows
from acvae.nn.kernels.multinomial import multinomial_gradient

__all__ = ["Bernoulli", "Gaussian", "Likelihood", "Multinomial", "Poisson", "make_likelihood"]


class Likelihood(nn.Module):
    """log p(x | outputs), summed over the D features of a row."""

    def check(self, features: Features) -> None:
        """Raise FeatureError if the features are not of the kind this likelihood is for."""

    def forward(self, outputs: Tensor, rows: Rows) -> Tensor:
        """Log-likelihood (b,) of rows given decoder outputs (b, D)."""
        raise TypeError("a likelihood defines forward(outputs, rows)")  # abstract

    def with_gradient(self, outputs: Tensor, rows: Rows, scale: float) -> tuple[float, Tensor]:
        """The mean over rows, and the gradient (b, D) of scale·(the sum over rows) with respect to outputs.

        The gradient with respect to parameters of the likelihood's own is added to their `grad`. Here by
        autograd; override it where that is too slow.
        """
        with torch.enable_grad():
            leaf = outputs.detach().requires_grad_()
            values = self(leaf, rows)
            (scale * values.sum()).backward()
        assert leaf.grad is not None
        return float(values.detach().mean()), leaf.grad


class Multinomial(Likelihood):
    """x counts draws with probabilities softmax(outputs); the coefficient log(n!/∏x!) is included."""

    def check(self, features: Features) -> None:
        _check_counts("multinomial", features)

    def forward(self, outputs: Tensor, rows: Rows) -> Tensor:
        total = rows.sum()
        coefficient = torch.lgamma(total + 1) - rows.sum(lambda x: torch.lgamma(x + 1))
        return rows.dot(log_softmax(outputs, dim=-1)) + coefficient

    def with_gradient(self, outputs: Tensor, rows: Rows, scale: float) -> tuple[float, Tensor]:
        # The gradient of x·log softmax(o) is x − (Σx)·softmax(o).
        log_probability = log_softmax(outputs, dim=-1)
        probability = log_probability.exp()
        if isinstance(rows, SparseRows) and outputs.device.type == "cpu":
            values = None if rows.values is None else rows.values.numpy()
            columns, offsets = rows.columns.numpy(), rows.offsets.numpy()
            whole = multinomial_gradient(
                log_probability.numpy(), columns, offsets, values, scale, probability.numpy()
            )
            return whole / len(outputs), probability
        total = rows.sum()
        coefficient = torch.lgamma(total + 1) - rows.sum(lambda x: torch.lgamma(x + 1))
        value = float((rows.dot(log_probability) + coefficient).mean())
        expected = probability.mul_(total.to(outputs.dtype).unsqueeze(-1))
        return value, rows.subtract_from(expected).mul_(-scale)


class Bernoulli(Likelihood):
    """Each feature is 0 or 1, with probability sigmoid(output) of being 1."""

    def check(self, features: Features) -> None:
        values = features.values()
        if bool(((values != 0) & (values != 1)).any()):
            bad = values[(values != 0) & (values != 1)][0].item()
            raise FeatureError(f"the bernoulli likelihood needs features of 0 and 1, but one is {bad:g}.")

    def forward(self, outputs: Tensor, rows: Rows) -> Tensor:
        return rows.dot(outputs) - softplus(outputs).sum(-1)


class Poisson(Likelihood):
    """Each feature is a count of rate exp(output), which beyond e²⁰ grows linearly to stay a number.

    Networks that have not learnt yet may say anything of features that are large.
    """

    LARGEST = 20.0  # log rate up to which the rate is exp

    def check(self, features: Features) -> None:
        _check_counts("poisson", features)

    def forward(self, outputs: Tensor, rows: Rows) -> Tensor:
        beyond = (outputs - self.LARGEST).clamp_min(0)
        within = outputs.clamp_max(self.LARGEST)
        rate = within.exp() * (1 + beyond)
        return rows.dot(within + beyond.log1p()) - rate.sum(-1) - rows.sum(lambda x: torch.lgamma(x + 1))


class Gaussian(Likelihood):
    """Each feature is normal around its output, with a learnt standard deviation per feature."""

    def __init__(self, n_features: int) -> None:
        super().__init__()
        self.log_std = nn.Parameter(torch.zeros(n_features))

    def forward(self, outputs: Tensor, rows: Rows) -> Tensor:
        precision = torch.exp(-2 * self.log_std)
        # The difference first: x² − 2xo + o² loses everything when x and o are large and close.
        square = (rows.subtract_from(outputs).square() * precision).sum(-1)
        constant = self.log_std.sum() + 0.5 * outputs.shape[-1] * math.log(2 * math.pi)
        return -0.5 * square - constant


def make_likelihood(likelihood: str | Likelihood, n_features: int) -> Likelihood:
    """A likelihood by name, or a copy of the user's own, so that training leaves theirs as it was."""
    if isinstance(likelihood, nn.Module):
        return copy.deepcopy(likelihood)
    makers: dict[str, Callable[[], Likelihood]] = {
        "multinomial": Multinomial,
        "bernoulli": Bernoulli,
        "poisson": Poisson,
        "gaussian": lambda: Gaussian(n_features),
    }
    return makers[choice("likelihood", likelihood, tuple(makers))]()


def _check_counts(name: str, features: Features) -> None:
    values = features.values()
    if bool((values < 0).any()):
        raise FeatureError(
            f"the {name} likelihood needs counts, but a feature is {values.min().item():g}; "
            f"for real-valued features use {setting('likelihood', 'gaussian')}."
        )
