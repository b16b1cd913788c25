"""Options, features and graphs of every kind given to every model, and fitted models asked for anything."""

import numpy as np
import pandas as pd
import scipy.sparse as sp
import torch
from hypothesis import given
from hypothesis import strategies as st

import acvae
from fuzz import good
from fuzz.odd import arguments, calls, odd, small_odd
from fuzz.outcomes import settle, share
from fuzz.subjects import EDGES, MODELS, NAMES, TINY, N, features, graph, model

ids = st.one_of(good.ids, st.sampled_from(NAMES), st.lists(st.sampled_from(NAMES), max_size=3))
matrices = st.one_of(
    good.counts,
    good.counts.map(sp.csr_array),
    good.counts.map(torch.from_numpy),
    good.counts.map(lambda x: pd.DataFrame(x, columns=list("abcd"))),
    good.counts.map(lambda x: x.astype(bool)),
    good.counts.map(lambda x: x.tolist()),
)
some_graphs = st.one_of(good.graphs, st.just(np.array(EDGES)), st.just(graph().to_scipy()))

NETWORK = {
    "latent_dim_": st.integers(1, 3),
    "hidden_dim_": st.integers(1, 4),
    "learning_rate_": st.floats(1e-5, 1e-1),
    "seed_": good.seeds,
    "likelihood_": st.sampled_from(["multinomial", "bernoulli", "poisson", "gaussian"]),
    "batch_vertices_": good.whole,
    "device_": st.sampled_from(["auto", "cpu"]),
}
PAIRS = {
    "pair_hidden_dim_": st.integers(1, 4),
    "tau_": st.floats(0, 0.9999),
    "gamma_": st.floats(0, 1e6),
    "batch_edges_": good.whole,
    "batch_pairs_": good.whole,
}
OPTIONS = {
    "vae": (acvae.VAE, NETWORK),
    "cvae": (
        acvae.CVAE,
        NETWORK | PAIRS | {"correlated_": good.flags, "posterior_": st.sampled_from(["pairwise", "graph"])},
    ),
    "acvae": (
        acvae.ACVAE,
        NETWORK
        | PAIRS
        | {
            "objective_": st.sampled_from(["empirical-bayes", "saddle-point"]),
            "weight_step_": st.floats(0.01, 1),
        },
    ),
    "graphsage": (acvae.GraphSAGE, {"latent_dim_": st.integers(1, 3), "seed_": good.seeds}),
    "graph-gaussian": (
        acvae.GraphGaussian,
        {
            "latent_dim_": st.integers(1, 3),
            "scales_": st.one_of(st.just("auto"), st.lists(st.floats(0.01, 100), min_size=1, max_size=3)),
            "seed_": good.seeds,
        },
    ),
}


def _fitted(kind, options, **given):
    """Options first, as a user gives them, then a fit of one epoch."""
    made = OPTIONS[kind][0](**{name: argument.value for name, argument in options.items()})
    if kind != "graph-gaussian":
        made.set_params(epochs=1)
    made.set_params(progress=False)
    return made.fit(**given)


@share(0.05)
@given(st.data(), st.sampled_from(sorted(set(OPTIONS) - {"graph-gaussian"})))
def test_fits_of_networks(data, kind):
    options = data.draw(arguments(**OPTIONS[kind][1]))
    given = data.draw(arguments(features=st.just(features()), graph=st.just(graph())))
    made = settle(lambda **named: _fitted(kind, options, **named), given)
    if made is not None:
        assert np.isfinite(made.posterior_.mean).all()
        assert np.isfinite(made.posterior_.std).all()


@share(0.02)
@given(st.data(), small_odd)
def test_any_features_and_any_graph(data, kind):
    made = data.draw(st.sampled_from(sorted(OPTIONS)))
    given = data.draw(arguments(features=matrices, graph=some_graphs))
    found = settle(lambda **named: _fitted(made, {}, **named), given)
    if found is not None:
        assert np.isfinite(found.posterior_.mean).all()


@share(0.02)
@given(arguments(features=matrices, graph=some_graphs, observed_=st.just(np.array([True] * 4 + [False] * 2))))
def test_fits_of_graph_gaussian(given):
    found = settle(lambda **named: acvae.GraphGaussian(2, progress=False).fit(**named), given)
    if found is not None:
        assert np.isfinite(found.posterior_.mean).all()


def _asked(kind):
    m = model(kind)
    table = {
        "link_probability": (m.link_probability, {"i": ids, "j": ids}),
        "predict_links": (
            m.predict_links,
            {"rows": ids, "k_": good.whole, "exclude_": good.graphs, "names_": good.flags},
        ),
        "nearest": (
            m.nearest,
            {"rows": ids, "k_": good.whole, "exclude_": good.graphs, "names_": good.flags},
        ),
        "transform": (m.transform, {"features": matrices}),
        "save": (m.save, {"path": good.paths}),
        "score": (
            m.score,
            {
                "features": matrices,
                "graph": st.just(acvae.Graph(N, [(0, 5), (2, 3)])),
                "metric_": st.sampled_from(["ncrr", "mrr", "hits"]),
                "by_": st.sampled_from(["link", "distance"]),
            },
        ),
    }
    pairs = st.lists(st.tuples(st.integers(0, 1), st.integers(0, N - 1)), max_size=3)
    new = st.integers(0, 99).map(lambda s: np.random.default_rng(s).poisson(1.0, (2, 4)) + 1.0)
    if kind == "acvae":
        table["extend"] = (
            m.extend,
            {
                "features": new,
                "edges": pairs,
                "known_features_": st.just(features()),
                "names_": st.just("xy"),
            },
        )
    if kind == "graph-gaussian":
        table["extend"] = (
            m.extend,
            {
                "features": new,
                "edges": pairs,
                "known_": st.sampled_from(["update", "keep"]),
                "weights_": st.lists(st.floats(), max_size=3),
            },
        )
        table["impute"] = (m.impute, {"rows_": good.ids})
        table["explain"] = (m.explain, {"i": ids, "j": ids})
    if kind in ("acvae", "cvae"):
        table["pairwise_posterior"] = (m.pairwise_posterior, {"features": matrices})
        table["graph_posterior"] = (m.graph_posterior, {"features": matrices})
    return table


@share(0.1)
@given(st.data(), st.sampled_from(MODELS))
def test_asked_for_anything(data, kind):
    table = _asked(kind)
    name, given = data.draw(calls(table))
    settle(table[name][0], given)


CHOSEN = {
    "load": (acvae.load, {"path": good.paths}),
    "tune": (
        lambda **named: acvae.tune(**{"progress": False, "refit": False} | named),
        {
            "model": st.just(acvae.VAE(**TINY)),
            "features": st.just(features()),
            "graph": st.just(graph()),
            "grid": st.just({"latent_dim": [1]}),
            "splits_": st.just(1),
            "fraction_": st.floats(0.05, 0.5),
            "metric_": st.sampled_from(["ncrr", "mrr", "hits"]),
            "by_": st.just("distance"),
            "observed_": st.none(),
            "seed_": good.seeds,
        },
    ),
    "grid": (
        lambda grid: acvae.tune(
            acvae.VAE(**TINY), features(), graph(), {"latent_dim": grid}, by="distance", progress=False
        ),
        {"grid": st.just([1, 2])},
    ),
    "link_scorer": (acvae.link_scorer, {"metric_": st.just("mrr"), "by_": st.just("link")}),
    "EdgeEstimator": (
        lambda edges, **named: acvae.EdgeEstimator(**named).fit(edges).score(edges),
        {
            "model": st.just(acvae.VAE(**TINY)),
            "features": st.just(features()),
            "graph": st.just(graph()),
            "edges": st.just(np.array(EDGES)),
        },
    ),
}


@share(0.03)
@given(calls(CHOSEN, small_odd))
def test_choosing(call):
    name, given = call
    settle(CHOSEN[name][0], given)


@share(0.02)
@given(
    st.sampled_from(MODELS),
    st.sampled_from(["link_probability", "transform", "save", "links_", "score"]),
    odd,
)
def test_before_fit(kind, name, argument):
    """Whatever is asked, the answer is that it has to be fitted first, or that the argument is no good."""
    unfitted = type(model(kind))(progress=False)

    def ask(x):
        found = getattr(unfitted, name)
        return found(x, x) if name in ("link_probability", "score") else found(x)

    assert settle(ask, {"x": argument}) is None
