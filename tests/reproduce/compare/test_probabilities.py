"""Probabilities of rules by scaling, and of our own as they are."""

import numpy as np

import acvae
from acvae.links.calibration import hidden_pairs
from acvae.reproduce.compare.methods import methods_of
from acvae.reproduce.compare.probabilities import our_probabilities, rule_probabilities, scores_of


def communities(n=90, groups=5, seed=0):
    rng = np.random.default_rng(seed)
    group = np.arange(n) % groups
    i, j = np.nonzero(np.triu(rng.random((n, n)) < np.where(group[:, None] == group, 0.35, 0.01), 1))
    words = rng.random((n, 20)) < np.where(np.arange(20) % groups == group[:, None], 0.5, 0.05)
    return words.astype(np.float32), acvae.Graph(n, np.stack([i, j], axis=1))


def test_probabilities_of_rules_are_scaled_on_validation_links():
    features, graph = communities()
    split = acvae.split_edges(graph, seed=0)
    rule = methods_of("links")["adamic-adar"]
    found = rule_probabilities(rule, {}, features, split)
    pairs = hidden_pairs(split.train, split.test, seed=0)
    assert (found["links"], found["pairs"]) == (split.test.n_edges, pairs.weight.sum())
    share = split.test.n_edges / pairs.weight.sum()
    constant = -np.log(share) - (1 - share) / share * np.log1p(-share)  # a link, of one probability for all
    assert found["bound_log_loss"] < min(constant, found["log_loss"])
    assert found["calibration_error"] < 0.1
    hidden = split.test.edges  # which of the judged pairs are links is nothing that the scaling may know
    other = split.test.with_edges(np.arange(len(hidden)) % 2 == 0)
    half = rule_probabilities(rule, {}, features, split._replace(test=other))
    assert half["scaled"] == found["scaled"]
    ours = our_probabilities("graph-gaussian", features, split)
    assert ours["log_loss"] < constant
    assert ours["pairs"] == found["pairs"]


def test_scores_of_pairs_are_those_of_rows():
    features, graph = communities()
    split = acvae.split_edges(graph, seed=0)
    ranking = methods_of("links")["common-neighbours"].fit(features, split.train, seed=0)
    pairs = hidden_pairs(split.train, split.test, size=200, seed=0)
    linked = split.train.to_scipy().toarray()
    np.testing.assert_allclose(
        scores_of(ranking, pairs), (linked @ linked)[pairs.i, pairs.j], rtol=1e-6, atol=1e-6
    )
