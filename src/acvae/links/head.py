"""A small network from the statistics of a pair to a score: linear path plus two hidden layers.

    f(x) = x̃·l + relu(relu(x̃·A + a)·B + b)·c + o,   x̃ = (x − centre)/spread

Without PyTorch, forwards and backwards: a few hundred parameters, and queries need no other library.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from acvae.exceptions import PosteriorError
from acvae.gaussian.stored import Shape, Stored
from acvae.links.curve import Curve
from acvae.links.kernels import add_and_cut, cut_where, outer_where, standardise

__all__ = ["Head", "Parameters", "backward", "forward", "start"]

Array = npt.NDArray[np.float32]

FAR = 6.0  # spreads from the centre beyond which a statistic says only a little more


class Parameters(NamedTuple):
    """The trained arrays, for F statistics and h hidden units."""

    linear: Array  # (F,)
    first: Array  # (F, h)
    first_offset: Array  # (h,)
    second: Array  # (h, h)
    second_offset: Array  # (h,)
    last: Array  # (h,)
    offset: Array  # (1,)


def start(statistics: int, hidden: int, seed: int) -> Parameters:
    """Random inner layers; the last is zero, so that the score begins as its linear path."""
    rng = np.random.default_rng(seed)

    def normal(rows: int, columns: int) -> Array:
        return (rng.standard_normal((rows, columns)) * np.sqrt(2 / rows)).astype(np.float32)

    def zeros(size: int) -> Array:
        return np.zeros(size, dtype=np.float32)

    first, second = normal(statistics, hidden), normal(hidden, hidden)
    return Parameters(zeros(statistics), first, zeros(hidden), second, zeros(hidden), zeros(hidden), zeros(1))


def forward(p: Parameters, x: Array) -> tuple[Array, Array, Array]:
    """Scores (N,) of standardised statistics (N, F), and both hidden layers."""
    one: Array = x @ p.first
    add_and_cut(one, p.first_offset)
    two: Array = one @ p.second
    add_and_cut(two, p.second_offset)
    scores: Array = x @ p.linear + two @ p.last + p.offset
    return scores, one, two


def backward(p: Parameters, x: Array, one: Array, two: Array, slope: Array) -> Parameters:
    """Gradient of a loss whose derivative by the scores is `slope` (N,)."""
    down_two = np.empty_like(two)
    outer_where(slope, p.last, two, down_two)
    down_one = down_two @ p.second.T
    cut_where(down_one, one)
    ones = np.ones(len(slope), dtype=np.float32)
    return Parameters(
        slope @ x,
        x.T @ down_one,
        ones @ down_one,
        one.T @ down_two,
        ones @ down_two,
        slope @ two,
        slope.sum(keepdims=True),
    )


class Head(NamedTuple):
    """A trained head: the mean score of its networks, along a curve if there is one."""

    centre: Array  # (F,)
    spread: Array  # (F,)
    networks: tuple[Parameters, ...]
    curve: Curve | None = None

    def standardise(self, x: npt.NDArray[Any]) -> Array:
        """(N, F) statistics as the networks take them."""
        out = np.empty((x.size // len(self.centre), len(self.centre)), dtype=np.float32)
        standardise(x.reshape(out.shape), self.centre, self.spread, FAR, out)
        return out

    def __call__(self, x: npt.NDArray[Any]) -> Array:
        """Scores (...) of statistics (..., F)."""
        inputs = self.standardise(x)
        total = np.zeros(len(inputs), dtype=np.float32)
        for network in self.networks:
            total += forward(network, inputs)[0]
        total /= np.float32(len(self.networks))
        return (total if self.curve is None else self.curve(total)).reshape(x.shape[:-1])

    def pack(self, prefix: str) -> dict[str, npt.NDArray[Any]]:
        """Arrays to save, by name."""
        out: dict[str, npt.NDArray[Any]] = {prefix + "centre": self.centre, prefix + "spread": self.spread}
        for name, parts in zip(Parameters._fields, zip(*self.networks, strict=True), strict=True):
            out[prefix + name] = np.stack(parts)
        return out if self.curve is None else out | self.curve.pack(prefix)

    @classmethod
    def unpack(cls, arrays: Mapping[str, npt.NDArray[Any]], prefix: str, count: int | None = None) -> Head:
        """A head on `count` numbers, of arrays that may be anything."""
        stored, kind = Stored(arrays), np.float32
        centre = stored.numbers(prefix + "centre", (count,), kind)
        count, name = len(centre), prefix.rstrip("/")
        spread = stored.numbers(prefix + "spread", (count,), kind)
        if not (spread > 0).all():
            raise PosteriorError(f"the spreads of its {name} are not positive.")
        first = stored.numbers(prefix + "first", (None, count, None), kind)
        networks, _, hidden = first.shape
        if networks == 0:
            raise PosteriorError(f"its {name} has no networks.")
        shapes: dict[str, Shape] = {
            "linear": (networks, count),
            "first": first.shape,
            "first_offset": (networks, hidden),
            "second": (networks, hidden, hidden),
            "second_offset": (networks, hidden),
            "last": (networks, hidden),
            "offset": (networks, 1),
        }
        parts = [stored.numbers(prefix + part, shapes[part], kind) for part in Parameters._fields]
        networks_of = tuple(Parameters(*each) for each in zip(*parts, strict=True))
        return cls(centre, spread, networks_of, Curve.unpack(arrays, prefix))
