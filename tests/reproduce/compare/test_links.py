import acvae
from acvae.reproduce.compare import (
    rules,
    score_links,
)
from reproduce.compare.samples import small


def test_scores_of_links_are_those_of_the_metrics_and_of_the_dense_pairs() -> None:
    split = acvae.split_edges(small().graph, seed=1)
    ranking = rules.katz(split.train, 0.5)
    found = score_links(ranking, split.train, split.test, seed=1)
    expected = acvae.metrics.evaluate(ranking, split.train, split.test)
    assert (found["ncrr"], found["mrr"], found["hits_at_10"]) == (
        expected.ncrr.test,
        expected.mrr.test,
        expected.hits.test,
    )
    assert 0.5 < found["auc"] <= 1
    assert 0.5 < found["average_precision"] <= 1
    assert found == score_links(ranking, split.train, split.test, seed=1)
