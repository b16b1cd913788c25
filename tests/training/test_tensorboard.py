import sys
from types import ModuleType

import numpy as np
import pytest

import acvae
from acvae.exceptions import MissingDependencyError, OptionError
from acvae.training.tensorboard import TensorBoard

TINY = {"latent_dim": 2, "hidden_dim": 3, "epochs": 5, "progress": False, "device": "cpu"}


class Writer:
    """Stands for TensorBoard's own, and keeps what it is given."""

    def __init__(self, folder):
        self.folder, self.points, self.flushed, self.closed = folder, [], 0, False

    def add_scalar(self, name, value, step):
        self.points.append((name, value, step))

    def flush(self):
        self.flushed += 1

    def close(self):
        self.closed = True


@pytest.fixture
def installed(monkeypatch):
    face = ModuleType("torch.utils.tensorboard")
    face.SummaryWriter = Writer
    monkeypatch.setitem(sys.modules, "tensorboard", ModuleType("tensorboard"))
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", face)


def data():
    x = np.random.default_rng(0).poisson(1.0, (8, 4)).astype(float)
    return x, acvae.Graph(8, [(i, i + 1) for i in range(7)])


@pytest.mark.usefixtures("installed")
class TestWithThePackage:
    @pytest.mark.parametrize("kind", [acvae.VAE, acvae.ACVAE])
    def test_the_history_becomes_curves(self, kind, tmp_path):
        log = TensorBoard(tmp_path / "run")
        model = kind(**TINY).fit(*data(), callbacks=[log])
        writer = log._writer
        assert writer.folder == str(tmp_path / "run")
        expected = [
            (f"train/{name}", value, row["epoch"])
            for row in model.history_
            for name, value in row.items()
            if name != "epoch"
        ]
        assert writer.points == expected
        assert writer.flushed == 1

    def test_figures_of_callbacks_before_it(self, tmp_path):
        x, graph = data()
        split = acvae.split_edges(graph, seed=0)
        log = TensorBoard(tmp_path)
        watch = acvae.training.LinkPrediction(split, every=5)
        acvae.ACVAE(**TINY).fit(x, split.train, callbacks=[watch, log])
        assert [step for name, _, step in log._writer.points if name == "train/test_ncrr"] == [5]

    def test_every_so_many_epochs_and_the_last(self, tmp_path):
        log = TensorBoard(tmp_path, every=2, prefix="")
        acvae.VAE(**TINY).fit(data()[0], callbacks=[log])
        assert [step for name, _, step in log._writer.points if name == "elbo"] == [2, 4, 5]
        log.close()
        assert log._writer.closed

    def test_figures_that_are_not_finite_are_left_out(self, tmp_path):
        pytest.importorskip("torch_geometric")
        log = TensorBoard(tmp_path)
        acvae.GraphSAGE(**TINY).fit(*data(), callbacks=[log])  # has no KL
        names = {name for name, _, _ in log._writer.points}
        assert "train/elbo" in names
        assert "train/kl" not in names

    def test_training_is_the_same_with_and_without_it(self, tmp_path):
        x, graph = data()
        plain = acvae.ACVAE(**TINY).fit(x, graph).posterior_
        logged = acvae.ACVAE(**TINY).fit(x, graph, callbacks=[TensorBoard(tmp_path)]).posterior_
        np.testing.assert_array_equal(plain.mean, logged.mean)

    def test_bad_options(self, tmp_path):
        with pytest.raises(OptionError, match="every"):
            TensorBoard(tmp_path, every=0)


def test_without_the_package_it_says_so_at_once(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    with pytest.raises(
        MissingDependencyError, match="TensorBoard needs the package 'tensorboard': pip install"
    ):
        TensorBoard(tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_real_log(tmp_path):
    pytest.importorskip("tensorboard")
    log = TensorBoard(tmp_path)
    acvae.VAE(**TINY).fit(data()[0], callbacks=[log])
    log.close()
    assert list(tmp_path.glob("events.*"))
