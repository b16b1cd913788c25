"""Settings of a small run."""

from acvae.runs import RunConfig

VALUES = {
    "dataset": "tree",
    "data_options": {"n_vertices": 30, "n_features": 8},
    "model": "acvae-eb",
    "epochs": 2,
    "latent_dim": 2,
    "hidden_dim": 3,
    "pair_hidden_dim": 4,
}


def config(**changes):
    return RunConfig.from_values({**VALUES, **changes})
