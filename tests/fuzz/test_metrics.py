"""Metrics, clusters, plots and tables of anything."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import acvae
import oracles
from acvae import export, metrics, plot
from fuzz import good
from fuzz.odd import calls, small_odd
from fuzz.outcomes import counts, settle, share
from fuzz.subjects import NAMES, POSTERIORS, N, graph, model, posterior

test_graphs = st.just(acvae.Graph(N, [(0, 5), (2, 3)]))
LINKS = {"posterior": good.posteriors, "train": good.graphs, "test": test_graphs}
SCORED = {
    "ncrr": (metrics.ncrr, LINKS),
    "mrr": (metrics.mrr, LINKS),
    "hits_at": (metrics.hits_at, LINKS | {"k_": good.whole}),
    "evaluate": (metrics.evaluate, LINKS | {"k_": good.whole}),
    "link_ranks": (metrics.link_ranks, LINKS | {"part_": st.just((0, 2))}),
    "scores": (
        metrics.scores,
        {"ranks": st.just(metrics.link_ranks(posterior("forest"), graph(), acvae.Graph(N, [(0, 5)])))},
    ),
    "nmi": (
        metrics.nmi,
        {"labels": st.just([0, 1] * 3), "other": st.just([0, 0, 1] * 2), "normalizer_": st.just("geometric")},
    ),
    "cluster": (
        acvae.cluster,
        {"posterior": good.posteriors, "k_": st.integers(1, N), "memory_": st.integers(1, 10**6)},
    ),
    "linkage": (acvae.clustering.linkage, {"posterior": good.posteriors, "memory_": st.integers(1, 10**6)}),
}

TABLES = {
    "embeddings_table": (export.embeddings_table, {"posterior": good.posteriors, "names_": st.just(NAMES)}),
    "forest_table": (export.forest_table, {"posterior": good.posteriors, "names_": st.just(NAMES)}),
    "links_table": (
        export.links_table,
        {
            "posterior": good.posteriors,
            "k_": good.whole,
            "exclude_": good.graphs,
            "names_": st.just(NAMES),
            "rows_": good.ids,
        },
    ),
    "to_networkx": (export.to_networkx, {"posterior": good.posteriors, "names_": st.just(NAMES)}),
    "to_pandas": (
        export.to_pandas,
        {"posterior": good.posteriors, "names_": st.just(NAMES), "table_": st.just("forest")},
    ),
    "to_pyg": (export.to_pyg, {"posterior": good.posteriors}),
    "write_parquet": (
        export.write_parquet,
        {"posterior": good.posteriors, "path": good.paths, "table_": st.just("links")},
    ),
}

forests = st.just(posterior("forest"))
PLOTS = {
    "forest_map": (
        plot.forest_map,
        {"posterior": forests, "coordinates": good.tables(), "groups_": st.just([0, 1] * 3)},
    ),
    "forest_tree": (
        plot.forest_tree,
        {"posterior": forests, "names_": st.just(NAMES), "n_labels_": good.whole, "n_branches_": good.whole},
    ),
    "forest_neighborhood": (
        plot.forest_neighborhood,
        {
            "posterior": forests,
            "vertex": st.integers(0, N - 1),
            "names_": st.just(NAMES),
            "size_": good.whole,
        },
    ),
    "curves": (
        plot.curves,
        {"histories": st.just([{"epoch": 1, "elbo": 1.0}]), "figure_": st.sampled_from(["elbo", "kl"])},
    ),
    "gamma_sweep": (
        plot.gamma_sweep,
        {"scores": st.just({"a": {0.1: 0.5, 1.0: [0.4, 0.6]}}), "without_": st.just({"b": 0.2})},
    ),
    "link_reliability": (
        plot.link_reliability,
        {"found": st.just(plot.bin_probabilities([0.1, 0.9], [0, 1], bins=2)), "label_": st.just("a")},
    ),
    "reliability": (
        plot.reliability,
        LINKS | {"bins_": good.whole, "sources_": good.whole, "seed_": good.seeds},
    ),
}
FIGURES = {
    "bin_probabilities": (
        plot.bin_probabilities,
        {
            "predicted": st.just([0.1, 0.9]),
            "observed": st.just([0, 1]),
            "weights_": st.just([1.0, 2.0]),
            "bins_": good.whole,
        },
    ),
    "map_coordinates": (
        plot.map_coordinates,
        {"posterior": good.posteriors, "method": st.sampled_from(["pca", "mds"]), "seed_": good.seeds},
    ),
}


@share(0.1)
@given(calls(SCORED))
def test_scores_and_clusters(call):
    name, given = call
    settle(SCORED[name][0], given, finite=False)  # the mean over no links at all is NaN, and says so


@share(0.03)
@given(calls(TABLES))
def test_tables(call):
    name, given = call
    settle(TABLES[name][0], given)


@share(0.03)
@given(calls(PLOTS, small_odd))
def test_plots(call):
    name, given = call
    figure, ax = plt.subplots()
    try:
        settle(lambda **named: PLOTS[name][0](**named, ax=ax), given)
    finally:
        plt.close(figure)


@share(0.02)
@given(calls(FIGURES, small_odd))
def test_figures_behind_plots(call):
    name, given = call
    settle(FIGURES[name][0], given)


@share(0.02)
@given(st.integers(0, 2**32), st.sampled_from(POSTERIORS))
def test_scores_by_a_double_loop(seed, kind):
    counts["judged"] += 1
    rng = np.random.default_rng(seed)
    pairs = oracles.random_graph_edges(rng, N, 8)
    train, test = acvae.Graph(N, pairs[:5]), acvae.Graph(N, pairs[5:])
    q = posterior(kind)
    known, held_out = oracles.link_ranks(q.distances(np.arange(N)), train, test)
    found = metrics.evaluate(q, train, test, k=2)
    assert found.ncrr.train == pytest.approx(oracles.ncrr(known))
    assert found.ncrr.test == pytest.approx(oracles.ncrr(held_out))
    assert found.mrr.test == pytest.approx(oracles.mrr(held_out))
    assert found.hits.test == pytest.approx(oracles.hits(held_out, 2))


def test_links_of_a_model_are_ranked_too():
    assert 0 < metrics.ncrr(model("vae").links_, graph(), acvae.Graph(N, [(0, 5)])).test <= 1
