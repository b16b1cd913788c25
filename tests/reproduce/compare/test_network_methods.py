"""Networks to compare with: each learns what is there to be learnt."""

import numpy as np
import pytest
import torch

import acvae
from acvae.reproduce.compare import method
from acvae.reproduce.compare.network_methods import NETWORKS
from acvae.reproduce.compare.tuning import validation_ncrr
from reproduce.compare.samples import dense, groups

SHORT = {"node2vec": 20, "gae": 60, "vgae": 60, "sage": 60, "ncn": 10}


@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.name)
def test_a_network_beats_chance_and_a_seed_gives_the_same_again(network: method.Contender) -> None:
    features, graph, _ = groups(1)
    split = acvae.split_edges(graph, seed=0)
    options = {**network.grid[0], "epochs": SHORT[network.name]}
    before = torch.get_rng_state()
    ranking = network.fit(features, split.train, seed=3, **options)
    assert torch.equal(before, torch.get_rng_state())
    score = acvae.metrics.ncrr(ranking, split.train, split.test)
    assert score.test > 1.5 * score.random
    again = network.fit(features, split.train, seed=3, **options)
    np.testing.assert_array_equal(dense(ranking, 60), dense(again, 60))
    other = network.fit(features, split.train, seed=4, **options)
    assert (dense(ranking, 60) != dense(other, 60)).any()


def test_a_watch_ends_training() -> None:
    features, graph, _ = groups(2)
    for network in NETWORKS:
        seen = []

        def watch(epoch: int, ranking, seen=seen) -> bool:
            seen.append((epoch, validation_ncrr(ranking(), graph, graph.with_edges([]))))
            return epoch == 2

        network.fit(features, graph, seed=0, watch=watch, epochs=4, **network.grid[0])
        assert [epoch for epoch, _ in seen] == [1, 2]
