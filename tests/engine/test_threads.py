"""Threads by the size of a step, for networks of any make."""

import torch

from acvae.engine.batches import BatchSizes
from acvae.engine.threads import step_threads, torch_threads
from acvae.nn import Autoencoder


def networks(n_features):
    return Autoencoder(n_features, latent_dim=2, hidden_dim=30, pair_hidden_dim=20)


def test_small_steps_get_one_thread_and_large_ones_all():
    with torch_threads(2):
        assert step_threads(networks(10), BatchSizes(vertices=8), 5) == 1
        assert step_threads(networks(20_000), BatchSizes(vertices=5_000), 5) == 2


def test_rows_of_many_features_count():
    with torch_threads(2):
        assert step_threads(networks(100), BatchSizes(), 3) == 1
        assert step_threads(networks(100), BatchSizes(), 500) == 2


def test_an_encoder_without_a_named_last_layer_counts_whole():
    module = networks(10)
    module.encoder = torch.nn.Sequential(torch.nn.Linear(1000, 1000), torch.nn.Linear(1000, 4))
    with torch_threads(2):
        assert step_threads(module, BatchSizes(vertices=8, edges=8), 5) == 1
        assert step_threads(module, BatchSizes(vertices=64, edges=256), 5) == 2


def test_the_setting_is_left_as_it_was():
    before = torch.get_num_threads()
    with torch_threads(before + 1):
        assert torch.get_num_threads() == before + 1
    assert torch.get_num_threads() == before
