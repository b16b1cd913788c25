"""Values that nobody should give, but somebody will: each made anew when it is asked for, known by a name."""

from __future__ import annotations

import datetime
import decimal
import fractions
import types
import warnings
from pathlib import Path

import networkx
import numpy as np
import pandas as pd
import scipy.sparse as sp
import torch
from hypothesis import strategies as st
from torch_geometric.data import Data

import acvae


class Raises:
    """An object that fails whatever it is asked to be: array, number, length, text."""

    def __array__(self, *_, **__):
        raise RuntimeError("no array")

    def __index__(self):
        raise RuntimeError("no number")

    def __float__(self):
        raise RuntimeError("no number")

    def __len__(self):
        raise RuntimeError("no length")

    def __iter__(self):
        raise RuntimeError("nothing to iterate")

    def __repr__(self):
        raise RuntimeError("no text")


class AlmostPosterior:
    """Has the names that a posterior has, and nothing behind them."""

    n_vertices, latent_dim, mean, std = "three", None, None, "wide"
    distance_blocks = nearest = 5


class WrongBlocks:
    """Ranks, but gives blocks that are none."""

    n_vertices = 6
    mean = np.zeros((6, 1))

    def distance_blocks(self, rows=None, block_rows=None):
        yield np.arange(9), np.arange(2), np.zeros((1, 1, 1))


def _tensor(**options):
    return torch.tensor([[0, 1], [1, 2]], **options)


ODD = {
    **{f"{x!r}": (lambda x=x: x) for x in (None, True, False, 0, -1, 1, 2, 0.5, -0.0, 2.0, 1j, "", "a", "0")},
    **{f"{x!r}": (lambda x=x: float(x)) for x in ("nan", "inf", "-inf", "1e308", "1e-320")},
    "2**62": lambda: 2**62,
    "2**63": lambda: 2**63,
    "2**64": lambda: 2**64,
    "-2**70": lambda: -(2**70),
    "10**5000": lambda: 10**5000,
    "bytes": lambda: b"abc",
    "null byte": lambda: "a\0b",
    "surrogate": lambda: "\udcff",
    "long text": lambda: "x" * 100_000,
    "date": lambda: datetime.date(2020, 1, 1),
    "datetime64": lambda: np.datetime64("2020-01-01"),
    "not a time": lambda: np.datetime64("NaT"),
    "timedelta": lambda: datetime.timedelta(days=1),
    "decimal": lambda: decimal.Decimal("1.5"),
    "decimal nan": lambda: decimal.Decimal("sNaN"),
    "fraction": lambda: fractions.Fraction(1, 3),
    "NA": lambda: pd.NA,
    "object": object,
    "raises": Raises,
    "class": lambda: int,
    "class Posterior": lambda: acvae.Posterior,
    "function": lambda: len,
    "module": lambda: np,
    "namespace": lambda: types.SimpleNamespace(n_vertices=3, shape=(3,), columns=5, edges=None),
    "almost a posterior": AlmostPosterior,
    "wrong blocks": WrongBlocks,
    "ellipsis": lambda: ...,
    "slice": lambda: slice(None),
    "empty list": list,
    "list of empty": lambda: [[]],
    "empty tuple": tuple,
    "dict": lambda: {"a": [1]},
    "dict of ids": lambda: {0: [0.0], "a": None},
    "set": lambda: {0, 1},
    "range": lambda: range(3),
    "generator": lambda: (x for x in [0, 1]),
    "ragged": lambda: [[0, 1], [2]],
    "ragged deep": lambda: [0, [1, 2]],
    "list of None": lambda: [None, None],
    "list of lists of None": lambda: [[None, 1.0], [2.0, 3.0]],
    "ids": lambda: [0, 1],
    "ids twice": lambda: [1, 1, 0],
    "ids out of range": lambda: [0, 99],
    "ids negative": lambda: [-1, 0],
    "ids beyond 64 bits": lambda: [2**64, -(2**64)],
    "ids of floats": lambda: [0.0, 1.0],
    "ids of texts": lambda: ["0", "1"],
    "ids mixed": lambda: [0, "a", None],
    "dates": lambda: [datetime.date(2020, 1, 1)] * 2,
    "booleans": lambda: [True, False],
    "mask of six": lambda: np.array([True, False] * 3),
    "self": lambda: (lambda x: x.append(x) or x)([]),
    "zero-dimensional": lambda: np.array(1),
    "zero-dimensional object": lambda: np.array(None),
    "no rows": lambda: np.zeros((0, 3)),
    "no columns": lambda: np.zeros((6, 0)),
    "three dimensions": lambda: np.zeros((2, 2, 2)),
    "33 dimensions": lambda: np.zeros((1,) * 32),
    "six by four": lambda: np.arange(24.0).reshape(6, 4),
    "six by one": lambda: np.ones((6, 1)),
    "with nan": lambda: np.where(np.eye(6, 4) > 0, np.nan, 1.0),
    "with inf": lambda: np.where(np.eye(6, 4) > 0, np.inf, 1.0),
    "huge floats": lambda: np.full((6, 4), 1e300),
    "negative": lambda: -np.ones((6, 4)),
    "subnormal": lambda: np.full((6, 4), 5e-324),
    "long doubles": lambda: np.full((6, 4), np.longdouble("1e4000")),
    "halves": lambda: np.full((6, 4), np.float16(0.5)),
    "bytes array": lambda: np.array([b"a", b"b"]),
    "texts array": lambda: np.array([["a", "b"]] * 6),
    "objects": lambda: np.array([[object(), 1]] * 6, dtype=object),
    "objects of numbers": lambda: np.array([[1, 2.5]] * 6, dtype=object),
    "complex": lambda: np.ones((6, 4), dtype=complex),
    "times": lambda: np.array([["2020-01-01"] * 4] * 6, dtype="datetime64[D]"),
    "records": lambda: np.zeros(6, dtype=[("a", float), ("b", int)]),
    "unsigned": lambda: np.array([[2**64 - 1, 0]], dtype=np.uint64),
    "small integers": lambda: np.array([[0, 1], [1, 2]], dtype=np.int8),
    "other byte order": lambda: np.array([[0, 1], [1, 2]], dtype=">i4"),
    "masked": lambda: np.ma.masked_array(np.ones((6, 4)), mask=np.eye(6, 4)),
    "matrix": lambda: _matrix(),
    "strided": lambda: np.arange(48.0).reshape(6, 8)[:, ::2],
    "read only": lambda: np.broadcast_to(np.float64(1), (6, 4)),
    "tensor": _tensor,
    "tensor of floats": lambda: _tensor(dtype=torch.float64, requires_grad=True),
    "tensor without values": lambda: torch.empty(6, 4, device="meta"),
    "tensor of bfloats": lambda: _tensor(dtype=torch.bfloat16),
    "tensor of booleans": lambda: _tensor(dtype=torch.bool),
    "tensor of complex": lambda: _tensor(dtype=torch.complex64).conj(),
    "sparse tensor": lambda: _tensor(dtype=torch.float32).to_sparse(),
    "sparse tensor of three": lambda: torch.ones(2, 2, 2).to_sparse(),
    "nested list of tensors": lambda: [torch.tensor(0), torch.tensor([1, 2])],
    "csr": lambda: sp.csr_array(np.eye(6, 4) + np.eye(6, 4, k=-2)),
    "square csr": lambda: sp.csr_array(np.eye(6, k=1)),
    "csr with nan": lambda: sp.csr_array(np.where(np.eye(6) > 0, np.nan, 0)),
    "complex csr": lambda: sp.csr_array(np.eye(6, 4) * 1j),
    "dok": lambda: sp.dok_array((6, 4)),
    "empty csr": lambda: sp.csr_array((0, 0)),
    "csr out of range": lambda: _broken_csr(),
    "frame": lambda: pd.DataFrame({"a": [1.0, 2], "b": [3, 4]}),
    "frame of texts": lambda: pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"]}),
    "frame with columns twice": lambda: pd.DataFrame([[1, 2]] * 6, columns=["a", "a"]),
    "frame with NA": lambda: pd.DataFrame({"a": pd.array([1, None], dtype="Int64"), "b": [1.0, np.nan]}),
    "empty frame": pd.DataFrame,
    "series": lambda: pd.Series([0, 1], index=["x", "x"]),
    "categories": lambda: pd.Series(["a", "b"], dtype="category"),
    "networkx": lambda: networkx.path_graph(6),
    "networkx of objects": lambda: networkx.Graph([(1.5, 1), ((2, 3), "a")]),
    "multigraph": lambda: networkx.MultiDiGraph([(0, 1), (0, 1), (1, 1)]),
    "data": lambda: Data(edge_index=torch.tensor([[0, 1], [1, 5]]), num_nodes=6),
    "broken data": lambda: Data(edge_index=torch.tensor([0, 1]), x="x"),
    "empty data": Data,
    "generator of numbers": lambda: np.random.default_rng(0),
    "random state": lambda: np.random.RandomState(0),
    "path": lambda: Path("nowhere/at/all"),
    "graph of none": lambda: acvae.Graph(0, []),
    "graph of six": lambda: acvae.Graph(6, [(0, 1), (1, 2), (3, 4)]),
    "graph of seven": lambda: acvae.Graph(7, [(0, 6)]),
    "posterior": lambda: acvae.Posterior(np.zeros((6, 1)), np.ones((6, 1))),
    "unfitted model": lambda: acvae.VAE(progress=False),
}


def _matrix():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.asmatrix(np.ones((6, 4)))


def _broken_csr():
    matrix = sp.csr_array(np.eye(6, 4))
    matrix.indices = matrix.indices.copy()
    matrix.indices[0] = 1000
    return matrix


class Given:
    """A value with what to call it when an example is shown."""

    def __init__(self, label, value):
        self.label, self.value = label, value

    def __repr__(self):
        return self.label


odd = st.sampled_from(sorted(ODD)).map(lambda name: Given(f"<{name}>", ODD[name]()))
# Small odd numbers and texts, where anything large would be taken and go on for ever.
small_odd = st.sampled_from(
    [name for name in sorted(ODD) if name not in ("2**62", "2**63", "2**64", "10**5000", "1e308", "inf")]
).map(lambda name: Given(f"<{name}>", ODD[name]()))


def of(strategy):
    """A good value, shown as it is."""
    return strategy.map(lambda value: Given(_text(value), value))


def _text(value):
    try:
        return repr(value)[:200]
    except (ValueError, RuntimeError):  # whole numbers of thousands of digits; `Raises`
        return type(value).__name__


@st.composite
def arguments(draw, odd_values=odd, **good):
    """Arguments by name, most of them good; one that is None in the draw is left out."""
    given = {}
    for name, strategy in good.items():
        kind = draw(st.sampled_from(["good", "good", "odd", "left out"]))
        required = not name.endswith("_")
        if kind == "left out" and not required:
            continue
        given[name.rstrip("_")] = draw(odd_values if kind == "odd" else of(strategy))
    return given


@st.composite
def calls(draw, table, odd_values=odd):
    """One of the functions of a table {name: (function, {argument: good values})}, and what to give it."""
    name = draw(st.sampled_from(sorted(table)))
    return name, draw(arguments(odd_values, **table[name][1]))
