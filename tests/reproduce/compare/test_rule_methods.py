"""Rules as lines of a table: each fits, ranks, and takes what its grid offers."""

import numpy as np
import pytest

import acvae
from acvae.reproduce.compare import rules
from acvae.reproduce.compare.rule_methods import RULES
from reproduce.compare.samples import small

BY_NAME = {rule.name: rule for rule in RULES}


def test_names_and_labels_are_different():
    assert len(BY_NAME) == len({rule.label for rule in RULES}) == len(RULES)
    assert {rule.kind for rule in RULES} == {"rule"}
    assert {rule.epochs for rule in RULES} == {0}  # nothing to train


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_every_entry_of_the_grid_can_be_fitted(rule):
    data = small()
    rows = [0, 7]
    found = [rule.fit(data.features, data.graph, seed=0, **options).rows(rows) for options in rule.grid]
    assert all(np.isfinite(scores).all() for scores in found)
    for k, scores in enumerate(found):
        assert not any(np.array_equal(scores, other) for other in found[:k])  # each choice is another


def test_rules_are_what_they_are_called():
    data, rows = small(), np.arange(40)
    own = BY_NAME["katz"].fit(data.features, data.graph, seed=0, strength=0.5)
    np.testing.assert_array_equal(own.rows(rows), rules.katz(data.graph, 0.5).rows(rows))
    alike = BY_NAME["cosine"].fit(data.features, data.graph, seed=0, weighting="idf")
    np.testing.assert_array_equal(alike.rows(rows), rules.cosine(data.features, "idf").rows(rows))


def test_a_sum_gives_the_rule_its_own_options_and_the_rest_to_the_sum():
    data, rows = small(), np.arange(40)
    options = {"form": "row", "weight": 0.3, "weighting": "none"}
    found = BY_NAME["pagerank-cosine"].fit(data.features, data.graph, seed=0, restart=0.5, **options)
    expected = rules.with_cosine(rules.pagerank(data.graph, 0.5), data.features, **options)
    np.testing.assert_array_equal(found.rows(rows), expected.rows(rows))


def test_every_rule_beats_chance_on_two_groups():
    data = small(1)
    split = acvae.split_edges(data.graph, seed=0)
    for rule in RULES:
        if rule.name == "preferential-attachment":  # knows no groups
            continue
        score = acvae.metrics.ncrr(
            rule.fit(data.features, split.train, seed=0, **rule.grid[0]), split.train, split.test
        )
        assert score.test > score.random, rule.name
