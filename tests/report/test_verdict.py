"""The verdict says how good links are, in words, and warns of a collapse."""

from dataclasses import replace

import numpy as np
import pytest

import acvae
from acvae import metrics
from acvae.methods import METHODS
from acvae.report.verdict import verdict
from acvae.reproduce.compare.rules import common_neighbours
from acvae.runs.collapse import collapse_warning, spread_of
from report.samples import make_entry


def scored(test: float, random: float = 0.05, **more):
    links = {"bp": {"ncrr": {"test": test, "random": random}, **more}}
    return replace(
        make_entry(), scores={"link_prediction": links, "common_neighbors": {"ncrr": {"test": 0.2}}}
    )


@pytest.mark.parametrize(
    ("test", "words", "tone"),
    [
        (0.06, "no better than chance", "poor"),
        (0.12, "somewhat better than chance, but counting common neighbours does better", "fair"),
        (0.2, "much better than chance and about as good as counting common neighbours", "good"),
        (0.4, "much better than chance and better than counting common neighbours", "good"),
    ],
)
def test_words_follow_the_figures(test, words, tone):
    found = verdict(scored(test))
    assert words in found.text
    assert f"NCRR {test:.3f}" in found.text
    assert found.tone == tone


def test_hits_are_said_in_percent():
    text = verdict(scored(0.4, hits_at_10={"test": 0.62, "random": 0.011})).text
    assert "For 62% of the vertices" in text
    assert "by chance for 1.1%" in text


@pytest.mark.parametrize(
    ("hits", "words", "tone"),
    [
        (0.011, "better than chance as a whole, but not among the first ten", "poor"),
        (0.05, "much better than chance", "fair"),
        (0.3, "much better than chance", "good"),
    ],
)
def test_a_ranking_is_no_good_if_its_first_ten_are_not(hits, words, tone):
    found = verdict(scored(0.4, hits_at_10={"test": hits, "random": 0.011}))
    assert words in found.text
    assert found.tone == tone


def test_without_scores_it_says_so():
    assert "acvae evaluate" in verdict(replace(make_entry(), scores=None)).text
    assert "All links were trained on" in verdict(replace(make_entry(), scores=None, test=None)).text


def test_the_rule_is_counted_where_it_is_not_stored():
    entry = make_entry()
    assert entry.scores is not None
    expected = metrics.ncrr(common_neighbours(entry.graph), entry.graph, entry.test).test
    assert f"common neighbours {expected:.3f}" in verdict(entry).text


def test_means_without_spread_are_a_collapse():
    rng = np.random.default_rng(0)
    apart = acvae.Posterior(rng.normal(size=(40, 3)), np.full((40, 3), 0.1))
    alike = acvae.Posterior(1e-3 * rng.normal(size=(40, 3)), np.ones((40, 3)))
    assert verdict(replace(make_entry(), posterior=apart)).warning is None
    warning = verdict(replace(make_entry(), posterior=alike)).warning
    assert warning is not None
    assert warning == "T" + collapse_warning(spread_of(alike), METHODS["acvae-eb"])[1:]
    assert warning.startswith("The embeddings have collapsed: their means have become the prior's.")
    assert "graph-gaussian" in warning
