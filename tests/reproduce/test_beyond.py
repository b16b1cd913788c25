"""The part of RESULTS.md beyond the paper, from stored results."""

import json

import numpy as np

import acvae
from acvae.links.calibration import hidden_pairs
from acvae.reproduce.beyond import ablation_table, beyond
from acvae.reproduce.compare import Store
from acvae.reproduce.compare.methods import methods_of
from acvae.reproduce.compare.probabilities import our_probabilities, rule_probabilities, scores_of
from acvae.reproduce.report import write_report


def communities(n=90, groups=5, seed=0):
    rng = np.random.default_rng(seed)
    group = np.arange(n) % groups
    i, j = np.nonzero(np.triu(rng.random((n, n)) < np.where(group[:, None] == group, 0.35, 0.01), 1))
    words = rng.random((n, 20)) < np.where(np.arange(20) % groups == group[:, None], 0.5, 0.05)
    return words.astype(np.float32), acvae.Graph(n, np.stack([i, j], axis=1))


def test_nothing_stored_is_nothing_said(tmp_path):
    assert beyond(tmp_path) == ""


def test_every_table_that_has_results_is_there(tmp_path):
    folder = tmp_path / "beyond" / "results"
    store = Store(folder)
    for split, ncrr in enumerate((0.2, 0.3)):
        store.put("links", "debian", "katz", split, {"label": "Katz", "ncrr": ncrr})
    store.put(
        "calibration",
        "acm",
        "graph-gaussian",
        0,
        {"calibration_error": 0.01, "calibration_error_of_links": 0.03, "log_loss": 5.5},
    )
    store.put(
        "calibration",
        "acm",
        "katz",
        0,
        {
            "calibration_error": 0.02,
            "calibration_error_of_links": 0.04,
            "log_loss": 6.5,
            "bound_calibration_error": 0.01,
            "bound_calibration_error_of_links": 0.02,
            "bound_log_loss": 6.25,
        },
    )
    for split, head in enumerate((0.5, 0.5)):
        store.put("inputs", "acm", "graph-gaussian", split, {"ncrr": {"head": head, "log walk": 0.25}})
    (folder / "ablation.json").write_text(json.dumps({"the default": {"acm 0": 0.46, "acm 1": 0.5}}))
    text = beyond(folder)
    half = 12.706 * 0.05  # Student's t at one degree of freedom, times the error of the mean
    assert f"| Katz | 0.250 ± {half:.3f} |" in text
    assert "| acm | GraphGaussian | 0.010 | 0.030 | 5.500 | 1 |" in text
    assert "| acm | Katz | 0.020 | 0.040 | 6.500 | 1 |" in text
    assert "| acm | *Katz (a bound)* | 0.010 | 0.020 | 6.250 | 1 |" in text
    assert "| log walk | 0.250 ± 0.000 |" in text
    assert "| the default | 0.4600 | 0.5000 |" in text
    assert "| the default | 0.5000 | – |" in ablation_table(folder / "ablation.json", ["acm 1", "acm 2"])
    assert "classified" not in text
    write_report(tmp_path / "results", tmp_path / "RESULTS.md", tmp_path / "discussion.md")
    page = (tmp_path / "RESULTS.md").read_text()
    assert page.endswith(f"## Beyond the paper\n\n{text}\n")


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
