"""Buffers that stay, work cut into tasks, and layers on a flat optimizer."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from acvae.engine import workspace as module
from acvae.engine.kernels.adam import FlatAdam
from acvae.engine.workspace import Buffers, Layers, cut, is_small


def test_a_buffer_stays_while_it_is_large_enough():
    buffers = Buffers(np.float32)
    first = buffers("a", 4, 6)
    assert first.shape == (4, 6)
    assert first.dtype == np.float32
    assert np.shares_memory(buffers("a", 3, 8), first)
    assert np.shares_memory(buffers("a", 9, 3), first)  # an eighth more than was asked for
    assert not np.shares_memory(buffers("a", 10, 3), first)
    assert not np.shares_memory(buffers("b", 4, 6), buffers("a", 4, 6))


def test_a_buffer_of_another_type_and_an_empty_one():
    buffers = Buffers(np.float64)
    assert buffers("on", 2, 2, np.uint8).dtype == np.uint8
    assert buffers("none", 0, 5).shape == (0, 5)


@pytest.mark.parametrize(
    ("count", "each"), [(0, 3), (1, 1000), (7, 1), (7, 40), (10, 25), (1000, 3), (3, 10**6)]
)
def test_runs_are_even_and_cover_all(count, each, monkeypatch):
    monkeypatch.setattr(module, "TASK", 100)
    found = cut(count, each)
    assert [k for a, b in found for k in range(a, b)] == list(range(count))
    sizes = [b - a for a, b in found]
    assert not sizes or max(sizes) - min(sizes) <= 1
    assert len(found) == (min(count, max(1, round(count * each / 100))) if count else 0)


def test_what_is_small(monkeypatch):
    monkeypatch.setattr(module, "TASK", 100)
    assert is_small(99)
    assert not is_small(100)


def test_layers_are_views_into_the_optimizer():
    flat = torch.arange(2 * 3 + 3 + 3 * 4 + 4, dtype=torch.float32)
    parts = flat.split([6, 3, 12, 4])
    first = SimpleNamespace(weight=parts[0].view(2, 3), bias=parts[1])
    second = SimpleNamespace(weight=parts[2].view(3, 4), bias=parts[3])
    layers = Layers(first, second, FlatAdam(flat, torch.zeros_like(flat), 0.1))
    assert layers.hidden == 3
    assert layers.weight.value.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert layers.output.value.shape == (3, 4)
    layers.output_bias.value[0] = -1
    assert flat[21] == -1
