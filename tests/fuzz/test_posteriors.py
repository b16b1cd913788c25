"""Posteriors made of anything, and asked for anything; small ones judged by the dense Gaussian."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import acvae
from fuzz import good
from fuzz.odd import calls
from fuzz.outcomes import settle, share
from fuzz.subjects import EDGES, POSTERIORS, N, graph, posterior

types = st.sampled_from(["float32", "float64", np.float32])
MADE = {
    "Posterior": (
        acvae.Posterior,
        {
            "mean": good.tables(),
            "std": good.tables(low=0.1),
            "forest_": st.just(EDGES[:2]),
            "correlation_": good.tables(2, low=-0.99, high=0.99),
            "dtype_": types,
        },
    ),
    "on_graph": (
        acvae.Posterior.on_graph,
        {
            "mean": good.tables(),
            "std": good.tables(low=0.1),
            "graph": st.just(graph()),
            "correlation": good.tables(4, low=-0.9, high=0.9),
            "weights_": st.just(np.full(4, 0.5)),
            "dtype_": types,
        },
    ),
    "from_correlations": (
        acvae.Posterior.from_correlations,
        {
            "mean": good.tables(),
            "std": good.tables(low=0.1),
            "correlations": st.sampled_from(POSTERIORS).map(lambda kind: posterior(kind).joint),
            "dtype_": types,
        },
    ),
}


def _blocks(q, **given):
    return sum(len(rows) for rows, _, _ in q.distance_blocks(**given))


def _asked(kind):
    q = posterior(kind)
    points = st.integers(0, 99).map(lambda s: np.random.default_rng(s).normal(size=(2, *q.mean.shape)))
    observed = st.dictionaries(st.integers(0, N - 1), st.just(np.zeros(q.latent_dim)), max_size=3)
    return {
        "pair_correlation": (q.pair_correlation, {"i": good.ids, "j": good.ids}),
        "pair_distance": (q.pair_distance, {"i": good.ids, "j": good.ids}),
        "distances": (q.distances, {"rows": good.ids}),
        "distance_blocks": (
            lambda **given: _blocks(q, **given),
            {"rows_": good.ids, "block_rows_": good.whole},
        ),
        "part_of_rows": (
            q.part_of_rows,
            {"rows": good.ids, "part": st.integers(0, 1), "parts": st.integers(1, 3)},
        ),
        "nearest": (q.nearest, {"rows": good.ids, "k_": good.whole, "exclude_": good.graphs}),
        "sample": (q.sample, {"size_": st.integers(0, 3), "seed_": good.seeds}),
        "log_prob": (q.log_prob, {"z": points}),
        "kl_divergence": (q.kl_divergence, {"other": good.posteriors}),
        "condition": (q.condition, {"observed": observed}),
        "to_networkx": (q.to_networkx, {"names_": good.graphs}),
        "to_pandas": (
            q.to_pandas,
            {"names_": good.graphs, "table_": st.sampled_from(["embeddings", "forest"])},
        ),
        "save": (q.save, {"path": good.paths}),
        "load": (q.load, {"path": good.paths}),
    }


@share(0.1)
@given(calls(MADE))
def test_made_of_anything(call):
    name, given = call
    made = settle(MADE[name][0], given)
    if made is not None and made.has_joint:
        assert np.isfinite(made.log_prob(made.mean)).all()


@share(0.16)
@given(st.data(), st.sampled_from(POSTERIORS))
def test_asked_for_anything(data, kind):
    table = _asked(kind)
    name, given = data.draw(calls(table))
    settle(table[name][0], given)
