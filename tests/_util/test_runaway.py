"""Training that ran away: finite figures that mean nothing."""

from acvae._util.runaway import MOST_KL, runaway


def test_by_the_divergence_from_the_prior_alone_where_it_is_known():
    falls = [{"elbo": -10.0, "kl": 1.0}, {"elbo": -500.0, "kl": 2 * MOST_KL - 1}]
    assert runaway(falls, latent_dim=2, learning_rate=0.1) is None
    far = [*falls, {"elbo": -9.0, "kl": 2 * MOST_KL}]
    said = runaway(far, latent_dim=2, learning_rate=0.1)
    assert "100 nats per dimension" in said
    assert "a smaller learning_rate than 0.1" in said


def test_by_what_should_have_grown_otherwise():
    assert runaway([], 2, 0.1) is None
    better = [{"elbo": -10.0}, {"elbo": -9.0}, {"elbo": -8.0}]
    assert runaway(better, 2, 0.1) is None
    slightly_worse = [{"elbo": -10.0}, {"elbo": -9.0}, {"elbo": -10.1}]
    assert runaway(slightly_worse, 2, 0.1) is None
    worse = [{"elbo": -10.0}, {"elbo": -9.0}, {"elbo": -20.0}]
    assert "fell from -10.000 to -20.000" in runaway(worse, 2, 0.1)
    assert runaway(worse[::2], 2, 0.1) is None  # too few epochs to tell
