"""`acvae fit --edge-weights sampled`: CVAE's weights estimated instead of exact."""

import numpy as np

from acvae import sampled_spanning_tree_probabilities
from acvae.runs import Run


def test_sampled_weights_from_the_command_line(acvae, data_flags, tmp_path):
    flags = ["--model", "cvae-ind", "--edge-weights", "sampled", "--n-trees", 7, "--seed", 3, "--epochs", 1]
    out = tmp_path / "run"
    assert acvae("fit", *data_flags, *flags, "--device", "cpu", "--out", out, "--quiet")[0] == 0
    run = Run(out)
    assert (run.config.options["edge_weights"], run.config.options["n_trees"]) == ("sampled", 7)
    expected = sampled_spanning_tree_probabilities(run.model.graph_, 7, seed=3).probabilities
    assert np.array_equal(run.model.weights_, expected)


def test_mistakes(acvae, data_flags, tmp_path):
    out = tmp_path / "run"
    code, _, err = acvae("fit", *data_flags, "--model", "cvae-corr", "--edge-weights", "some", "--out", out)
    assert code != 0
    assert "--edge-weights some is unknown; choose one of 'exact', 'sampled'" in err
    code, _, err = acvae("fit", *data_flags, "--edge-weights", "sampled", "--out", out)  # acvae-eb
    assert code != 0
    assert "--edge-weights" in err
