"""The loop that networks share: steps, who watches, and random numbers of its own."""

import numpy as np
import torch

from acvae.reproduce.compare.networks.training import by_inner_product, seeded, train


def model_of(value: float) -> torch.nn.Module:
    module = torch.nn.Module()
    module.x = torch.nn.Parameter(torch.tensor(value))
    return module


def test_a_step_for_every_loss() -> None:
    """Adam's first steps on a slope of one are of the learning rate each."""
    model, modes = model_of(1.0), []

    def losses():
        modes.append(model.training)
        yield model.x
        yield model.x

    found = train(model, losses, lambda: model.x.item(), epochs=3, watch=None, learning_rate=0.01)
    np.testing.assert_allclose(found, 1 - 6 * 0.01, atol=1e-5)
    assert modes == [True] * 3
    assert not model.training


def test_who_watches_sees_every_epoch_and_may_end_it() -> None:
    model, seen = model_of(0.0), []

    def watch(epoch, ranking):
        seen.append((epoch, round(ranking(), 3), model.training))
        return epoch == 2

    found = train(
        model, lambda: iter([model.x]), lambda: model.x.item(), epochs=9, watch=watch, learning_rate=0.1
    )
    assert seen == [(1, -0.1, False), (2, -0.2, False)]
    np.testing.assert_allclose(found, -0.2, atol=1e-5)


def test_no_epochs_are_the_beginning() -> None:
    model = model_of(3.0)
    assert train(model, lambda: iter([]), lambda: model.x.item(), epochs=0, watch=None, learning_rate=1) == 3


def test_random_numbers_are_from_the_seed_and_purpose_and_put_back() -> None:
    before, drawn = torch.get_rng_state(), {}
    for seed, purpose in ((0, "a"), (0, "a"), (1, "a"), (0, "b")):
        with seeded(seed, purpose) as generator:
            numbers = [torch.rand(1).item(), torch.rand(1, generator=generator).item()]
        assert drawn.setdefault((seed, purpose), numbers) == numbers
    assert torch.equal(torch.get_rng_state(), before)
    assert len({number for numbers in drawn.values() for number in numbers}) == 6


def test_rankings_by_inner_product() -> None:
    z = torch.tensor([[1.0, 0], [2, 1], [0, -3]], requires_grad=True)
    scores = by_inner_product(z)
    assert scores.rows([0, 1]).tolist() == [[1, 2, 0], [2, 5, -3]]
    ((_, _, block),) = scores.distance_blocks([2])
    assert block.tolist() == [[0, 3, -9]]
