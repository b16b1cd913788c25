"""Small files as a user has them, and a run trained on them from the command line."""

import csv

import numpy as np
import pytest

from acvae.commands.main import main

GROUPS, SIZE, WORDS = "abc", 8, 9
TINY = [
    "--model",
    "acvae-eb",
    "--latent-dim",
    "3",
    "--hidden-dim",
    "5",
    "--pair-hidden-dim",
    "6",
    "--epochs",
    "4",
    "--device",
    "cpu",
]


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """words.csv and links.csv: three groups of items, each with words of its own, joined within."""
    folder = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(0)
    names = [f"item-{group}{i}" for group in GROUPS for i in range(SIZE)]
    with open(folder / "words.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", *(f"w{j}" for j in range(WORDS))])
        for name in names:
            own = np.arange(WORDS) % 3 == GROUPS.index(name[5])
            writer.writerow([name, *rng.poisson(np.where(own, 2.0, 0.2))])
    with open(folder / "links.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["from", "to"])
        writer.writerows(
            (a, b) for i, a in enumerate(names) for b in names[i + 1 :] if a[5] == b[5] and rng.random() < 0.5
        )
    return folder


@pytest.fixture(scope="session")
def data_flags(files):
    return ["--features", str(files / "words.csv"), "--edges", str(files / "links.csv")]


@pytest.fixture(scope="session")
def run_folder(data_flags, tmp_path_factory):
    """An ACVAE on the files."""
    out = tmp_path_factory.mktemp("runs") / "acvae"
    assert main(["fit", *data_flags, *TINY, "--out", str(out), "--quiet"]) == 0
    return out


@pytest.fixture(scope="session")
def tree_run(tmp_path_factory):
    """The generated data set, which has labels and no names."""
    out = tmp_path_factory.mktemp("runs") / "tree"
    data = ["tree", "--data-option", "n_vertices=40", "--data-option", "n_features=12"]
    assert main(["fit", *data, *TINY, "--model", "acvae-sp", "--out", str(out), "--quiet"]) == 0
    return out


@pytest.fixture
def acvae(capsys):
    """Run a command; gives the exit code, what was printed, and what was said beside it."""

    def call(*argv):
        capsys.readouterr()
        code = main([str(arg) for arg in argv])
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.fixture
def error_of(acvae):
    """Run a command that must fail with one sentence; gives the sentence."""

    def call(*argv):
        code, out, err = acvae(*argv)
        assert (code, out) == (1, "")
        told = [line for line in err.splitlines() if line.startswith("acvae: ")]
        assert len(told) == 1, err
        assert "Traceback" not in err
        return told[0].removeprefix("acvae: ")

    return call
