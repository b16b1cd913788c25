"""A small config on a synthetic tree, and results written by hand."""

import pytest

CONFIG = """
title = "Links of a small tree"

[datasets.small]
data = "tree"
data_options = { n_vertices = 60, n_features = 12, latent_dim = 3, hidden_dim = 8 }
task = "link-prediction"
runs = 2
gammas = [0.001, 10]
sizes = { latent_dim = 3, hidden_dim = 6, pair_hidden_dim = 5 }
quick = { runs = 1, gammas = [0.1], epochs = 1 }

[datasets.small.methods]
vae = { epochs = 4, every = { independent = 2 } }
acvae-eb = { epochs = 4, every = { bp = 2, pairwise = 4 } }
random-tree = { every = {} }

[datasets.away]
optional = true
data = "librarything"
task = "link-prediction"
runs = 1
gammas = [1]
sizes = { latent_dim = 3, hidden_dim = 6, pair_hidden_dim = 5 }
methods = { vae = { epochs = 1, every = { independent = 1 } } }
"""

PART = """
title = "A part of it"
from = "table1"

[select]
datasets = ["small"]
methods = ["acvae-eb"]
gammas = [10]
"""

CLUSTERS = """
title = "Clusters of a small tree"

[datasets.small-clustering]
data = "tree"
data_options = { n_vertices = 60, n_features = 12, latent_dim = 3, hidden_dim = 8 }
task = "clustering"
runs = 1
gammas = [1]
sizes = { latent_dim = 3, hidden_dim = 6, pair_hidden_dim = 5 }
labels = { latent_dim = 2, hidden_dim = 6, epochs = 2 }

[datasets.small-clustering.methods]
cvae-corr = { epochs = 4, every = { pairwise = 2 } }
acvae-sp = { epochs = 4, every = { bp = 2 } }
"""


@pytest.fixture
def configs(tmp_path):
    folder = tmp_path / "configs"
    folder.mkdir()
    for name, text in {"table1": CONFIG, "table3": PART, "table2": CLUSTERS}.items():
        (folder / f"{name}.toml").write_text(text)
    return folder


@pytest.fixture
def no_raw_data(tmp_path, monkeypatch):
    """No user cache, and no folder of raw files."""
    import pooch

    monkeypatch.delenv("ACVAE_DATA", raising=False)
    monkeypatch.setattr(pooch, "os_cache", lambda project: tmp_path / "cache" / project)


@pytest.fixture
def make_result():
    return written


def written(dataset, method, gamma, run, **kinds):
    """A stored result; each kind is (train NCRR, test NCRR)."""
    selected = {
        kind: {
            "epoch": 10,
            "elbo": -7.5,
            "kl": 0.25,
            "mean_correlation": 0.5,
            "ncrr": {"train": train, "test": test, "random": 0.005},
            "mrr": {"train": train, "test": test / 2, "random": 0.006},
            "hits_at_10": {"train": train, "test": test / 4, "random": 0.01},
        }
        for kind, (train, test) in kinds.items()
    }
    return {
        "format": 1,
        "spec": {
            "dataset": dataset,
            "method": method,
            "gamma": gamma,
            "run": run,
            "task": "link-prediction",
            "data": dataset,
            "options": {"epochs": 30},
        },
        "versions": {"acvae": "1", "torch": "2", "numpy": "3", "python": "4"},
        "code": "abc",
        "threads": 1,
        "data": {"test_edges_sha256": f"split {run}"},
        "selected": selected,
        "history": [],
        "seconds": {"load": 0.0, "train": 8.0, "evaluate": 2.0, "total": 10.0},
    }


@pytest.fixture
def results(make_result):
    """γ = 10 has the better mean train NCRR by its joint (0.45 against 0.4), γ = 0.1 by its pair network."""
    return [
        make_result("citation-1998", "acvae-eb", 0.1, 0, bp=(0.5, 0.2), pairwise=(0.09, 0.03)),
        make_result("citation-1998", "acvae-eb", 0.1, 1, bp=(0.3, 0.3), pairwise=(0.07, 0.05)),
        make_result("citation-1998", "acvae-eb", 10.0, 0, bp=(0.4, 0.1), pairwise=(0.01, 0.09)),
        make_result("citation-1998", "acvae-eb", 10.0, 1, bp=(0.5, 0.14), pairwise=(0.02, 0.09)),
        make_result("citation-1998", "vae", None, 0, independent=(0.02, 0.01)),
    ]
