"""The two-layer networks' building block, with the initial values of the predecessor's program."""

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding

from acvae.nn.features import Rows

__all__ = ["Dense", "FeatureLinear", "draw_initial", "take_rows"]

INITIAL_STD = 0.1


def draw_initial(*shape: int, generator: torch.Generator | None) -> nn.Parameter:
    """A parameter from a normal of std 0.1 truncated at two std; weights and biases alike."""
    values = torch.empty(*shape)
    bound = 2 * INITIAL_STD
    nn.init.trunc_normal_(values, std=INITIAL_STD, a=-bound, b=bound, generator=generator)
    return nn.Parameter(values)


def take_rows(table: Tensor, rows: Tensor) -> Tensor:
    """table[rows], (k, h), with the same gradient to the last bit every time.

    The gradient of plain indexing adds up in whatever order threads come by, once it has some 30,000 numbers.
    """
    return embedding(rows, table)


class Dense(nn.Module):
    """x·W + b with W (inputs, outputs)."""

    def __init__(self, inputs: int, outputs: int, generator: torch.Generator | None = None) -> None:
        super().__init__()
        self.weight = draw_initial(inputs, outputs, generator=generator)
        self.bias = draw_initial(outputs, generator=generator)

    def forward(self, x: Tensor) -> Tensor:
        return torch.addmm(self.bias, x, self.weight)


class FeatureLinear(nn.Module):
    """The same on rows of a feature matrix, sparse or dense."""

    def __init__(self, inputs: int, outputs: int, generator: torch.Generator | None = None) -> None:
        super().__init__()
        self.weight = draw_initial(inputs, outputs, generator=generator)
        self.bias = draw_initial(outputs, generator=generator)

    def forward(self, rows: Rows) -> Tensor:
        return rows.times(self.weight) + self.bias
