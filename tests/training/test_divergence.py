"""A training that diverges stops at the step, and tells the term and the last good checkpoint."""

import numpy as np
import pytest

import acvae
from acvae.exceptions import TrainingError
from acvae.training import Checkpoint

GRAPH = acvae.Graph(40, [(i, (i * 7 + 1) % 40) for i in range(40)])
COUNTS = np.random.default_rng(0).poisson(2.0, (40, 6)).astype(float) + np.eye(40, 6)


class Breaks:
    """Makes one weight of the networks useless after an epoch."""

    def __init__(self, epoch, place=-1):
        self.epoch, self.place = epoch, place

    def __call__(self, state):
        if state.epoch == self.epoch:
            list(state.family.module.parameters())[self.place].data.view(-1)[0] = np.nan


def models():
    tiny = {"latent_dim": 2, "hidden_dim": 3, "epochs": 6, "progress": False, "batch_vertices": 8}
    pairs = {"pair_hidden_dim": 3, "batch_edges": 8, "batch_pairs": 8}
    return {
        "VAE": acvae.VAE(**tiny),
        "CVAE": acvae.CVAE(**tiny, **pairs),
        "ACVAE": acvae.ACVAE(**tiny, **pairs),
        "GraphSAGE": acvae.GraphSAGE(latent_dim=2, hidden_dim=3, epochs=6, progress=False, batch_edges=8),
    }


@pytest.mark.parametrize("name", models())
def test_step_term_and_checkpoint(name, tmp_path):
    path = tmp_path / "checkpoint.safetensors"
    with pytest.raises(TrainingError) as caught:
        models()[name].fit(COUNTS, GRAPH, callbacks=[Breaks(4)], checkpoint=Checkpoint(path, every=2))
    message = str(caught.value)
    assert "step 1 of epoch 5 (" in message
    assert "= nan" in message
    assert f"the last good checkpoint is {path}, after epoch 4" in message
    assert "learning_rate" in message


def test_parameters_that_no_term_tells_of(tmp_path):
    """A compiled ReLU makes 0 of NaN, and the objective stays finite; the epoch's end finds it."""
    with pytest.raises(TrainingError, match=r"step 5 of epoch 2 \(parameters encoder.hidden.weight = nan\)"):
        models()["VAE"].fit(COUNTS, GRAPH, callbacks=[Breaks(1, place=0)])


def test_before_anything_was_stored(tmp_path):
    path = tmp_path / "checkpoint.safetensors"
    with pytest.raises(TrainingError, match=r"step 1 of epoch 2 .* none has been stored yet in"):
        models()["VAE"].fit(COUNTS, GRAPH, callbacks=[Breaks(1)], checkpoint=Checkpoint(path, every=5))
    assert not path.exists()


def test_without_a_checkpoint():
    with pytest.raises(TrainingError, match=r"nothing was stored.*checkpoint="):
        models()["VAE"].fit(COUNTS, GRAPH, callbacks=[Breaks(1)])


def test_what_breaks_in_the_last_step_is_not_stored(tmp_path, monkeypatch):
    """Figures are those before a step, so that the last step of an epoch has to be looked at itself."""
    from acvae.engine.step import Stepper

    path = tmp_path / "checkpoint.safetensors"
    taken, step = [], Stepper.step

    def breaking(self, batch):
        figures = step(self, batch)
        taken.append(1)
        if len(taken) == 10:  # the last of the second epoch of 5 steps
            next(self.family.module.parameters()).data.view(-1)[0] = np.inf
        return figures

    monkeypatch.setattr(Stepper, "step", breaking)
    with pytest.raises(TrainingError, match=r"step 5 of epoch 2 \(parameters .* = inf\).*after epoch 1\."):
        models()["VAE"].fit(COUNTS, GRAPH, checkpoint=Checkpoint(path, every=1))


def test_a_learning_rate_that_is_far_too_large(tmp_path):
    path = tmp_path / "checkpoint.safetensors"
    model = acvae.VAE(
        latent_dim=2, hidden_dim=3, epochs=50, learning_rate=1e30, likelihood="gaussian", progress=False
    )
    with pytest.raises(TrainingError, match=r"step \d+ of epoch \d+"):
        model.fit(COUNTS, checkpoint=Checkpoint(path, every=1))
