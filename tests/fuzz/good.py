"""Arguments that are right, or nearly so."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

import acvae
from fuzz.subjects import EDGES, N, graph, posterior

whole = st.integers(1, 12)
seeds = st.integers(0, 2**32)
flags = st.booleans()
ids = st.one_of(
    st.integers(0, N - 1),
    st.lists(st.integers(0, N - 1), max_size=5),
    st.lists(st.integers(0, N - 1), max_size=5).map(lambda x: np.array(x, dtype=np.int32)),
)
pairs = st.lists(st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)), max_size=8)
paths = st.sampled_from(["written.parquet", "written", "nowhere/at/all", "."])
weights = st.just(np.arange(1.0, len(EDGES) + 1))
graphs = st.sampled_from([None, "plain", "named", "empty"]).map(
    lambda kind: acvae.Graph(N, [] if kind in (None, "empty") else EDGES) if kind != "named" else graph(True)
)
posteriors = st.sampled_from(["forest", "independent", "graph"]).map(posterior)


def tables(rows=N, columns=2, low=-3.0, high=3.0):
    """(rows, columns) of numbers; now and then of another shape."""

    def make(values):
        seed, more = values
        return np.random.default_rng(seed).uniform(low, high, (rows + more, columns))

    return st.tuples(st.integers(0, 1000), st.sampled_from([0, 0, 0, 0, 1])).map(make)


counts = st.integers(0, 1000).map(
    lambda seed: np.random.default_rng(seed).poisson(1.0, (N, 4)).astype(float) + np.eye(N, 4)
)
