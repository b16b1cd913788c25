"""LinkPrediction: when it looks, and which evaluation it takes."""

import numpy as np
import pytest

from acvae import ACVAE, VAE, Graph, Posterior, metrics, split_edges
from acvae.engine.distributed import ALONE
from acvae.exceptions import AcvaeError, OptionError
from acvae.metrics import LinkScores, Score
from acvae.training import LinkPrediction


class State:
    """As little of a training state as the callback may rely on."""

    world = ALONE

    def __init__(self, epoch, elbo, epochs=100):
        self.epoch, self.epochs, self._elbo = epoch, epochs, elbo
        self.figures = {"kl": 0.5, "mean_correlation": 0.25}

    def elbo(self):
        return self._elbo

    def posterior(self, pairwise=False):
        return Posterior(np.zeros((4, 1)), np.ones((4, 1)))


@pytest.fixture
def split():
    return split_edges(Graph(4, [(0, 1), (1, 2), (2, 3), (0, 2), (1, 3)]), seed=0)


@pytest.fixture
def scripted(monkeypatch):
    """Give the evaluations to come their train NCRR."""

    def script(*train_ncrr):
        queue = list(train_ncrr)

        def evaluate(posterior, train, test, k=10):
            value = queue.pop(0)
            score = Score(value, 10 * value, 0.0)
            return LinkScores(score, score, score, k)

        monkeypatch.setattr(metrics, "evaluate", evaluate)

    return script


def test_takes_only_what_is_better_in_both_elbo_and_train_ncrr(split, scripted):
    scripted(0.2, 0.3, 0.1, 0.25, 0.4, 0.4)
    watch = LinkPrediction(split, every=1)
    taken = []
    for epoch, elbo in enumerate([-9.0, -10.0, -5.0, -6.0, -6.0, -5.0], start=1):
        watch(State(epoch, elbo))
        taken.append(watch.selected.epoch)
        assert watch.latest.epoch == epoch
    # 1 first; 2 has a worse ELBO; 3 a worse NCRR; 4 is better than 1 in both; 5 ties in ELBO; 6 beats 4.
    assert taken == [1, 1, 1, 4, 4, 6]
    assert watch.selected.elbo == -5
    assert watch.selected.scores.ncrr == Score(0.4, 4.0, 0.0)


def test_compares_with_the_last_taken_and_not_with_the_last_seen(split, scripted):
    scripted(0.5, 0.1, 0.3)
    watch = LinkPrediction(split, every=1)
    for epoch, elbo in enumerate([-3.0, -9.0, -2.0], start=1):
        watch(State(epoch, elbo))
    assert watch.selected.epoch == 1


def test_looks_every_so_many_epochs_and_after_the_last(split, scripted):
    scripted(*[0.1] * 4)
    watch = LinkPrediction(split, every=3)
    looked = [epoch for epoch in range(1, 11) if watch(State(epoch, -1.0, epochs=10)) is not None]
    assert looked == [3, 6, 9, 10]


def test_figures_carry_the_prefix(split, scripted):
    scripted(0.1)
    figures = LinkPrediction(split, every=1, prefix="pair_")(State(1, -1.5))
    assert figures["pair_train_elbo"] == -1.5
    assert figures["pair_train_ncrr"] == 0.1
    assert figures["pair_test_ncrr"] == 1.0
    assert all(name.startswith("pair_") for name in figures)


@pytest.mark.parametrize("every", [0, -1, 2.5, "two"])
def test_bad_intervals_are_refused(split, every):
    with pytest.raises(OptionError, match="every"):
        LinkPrediction(split, every)


def test_in_a_real_training_the_history_and_the_scores_agree():
    rng = np.random.default_rng(0)
    graph = Graph(40, rng.integers(0, 40, (120, 2)))
    split = split_edges(graph, seed=0)
    x = rng.poisson(0.5, (40, 8))
    joint, pairwise = (
        LinkPrediction(split, every=2),
        LinkPrediction(split, every=2, pairwise=True, prefix="p_"),
    )
    model = ACVAE(latent_dim=2, hidden_dim=4, pair_hidden_dim=5, epochs=5, progress=False)
    model.fit(x, split.train, callbacks=[joint, pairwise])
    assert ["train_ncrr" in row for row in model.history_] == [False, True, False, True, True]
    final = metrics.ncrr(model.posterior_, split.train, split.test)
    assert model.history_[-1]["test_ncrr"] == final.test
    assert joint.latest.scores.ncrr == final
    assert joint.latest.mean_correlation == pytest.approx(model.posterior_.joint.correlation.mean(), rel=1e-5)
    without = metrics.ncrr(model.pairwise_posterior(x), split.train, split.test)
    assert pairwise.latest.scores.ncrr.test == pytest.approx(without.test, rel=1e-6)


def test_a_plain_vae_is_evaluated_too_but_has_no_pair_network():
    rng = np.random.default_rng(0)
    split = split_edges(Graph(20, rng.integers(0, 20, (50, 2))), seed=0)
    x = rng.poisson(0.5, (20, 8))
    watch = LinkPrediction(split)
    model = VAE(latent_dim=2, hidden_dim=4, epochs=2, progress=False).fit(x, callbacks=[watch])
    assert model.history_[-1]["test_ncrr"] == metrics.ncrr(model.posterior_, split.train, split.test).test
    with pytest.raises(AcvaeError, match="pair encoder"):
        VAE(latent_dim=2, hidden_dim=4, epochs=1, progress=False).fit(
            x, callbacks=[LinkPrediction(split, pairwise=True)]
        )


class TestAnyCallback:
    def fit(self, callbacks):
        model = VAE(latent_dim=2, hidden_dim=3, epochs=2, progress=False)
        return model.fit(np.ones((5, 3)), callbacks=callbacks)

    @pytest.mark.parametrize("odd", [5, "abc", None, [5], ["a"], [None], [dict]])
    def test_what_cannot_be_called_is_refused_before_training(self, odd):
        with pytest.raises(OptionError, match="callback"):
            self.fit(odd)

    @pytest.mark.parametrize("odd", [5, "abc", [1], {"a": "b"}, {1: 2.0}, np.zeros(3)])
    def test_what_does_not_belong_into_a_history(self, odd):
        with pytest.raises(OptionError, match="a callback returns None or a dict from names to numbers"):
            self.fit([lambda state: odd])

    def test_errors_of_its_own_come_out_as_they_are(self):
        def stop(state):
            raise LookupError("enough")

        with pytest.raises(LookupError, match="enough") as caught:
            self.fit([stop])
        assert "after epoch 1" in caught.value.__notes__[0]

    def test_numbers_of_numpy(self):
        history = self.fit([lambda state: {"mine": np.float32(0.5), "count": np.int64(3)}]).history_
        assert history[-1]["mine"] == 0.5
        assert type(history[-1]["count"]) is int
