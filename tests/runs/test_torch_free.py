"""A stored run is asked without its networks: neither PyTorch nor what only training needs is imported."""

import subprocess
import sys

import pytest

from acvae.runs import RunConfig, fit_run

CODE = """
import sys
from acvae.commands.main import main
code = main(sys.argv[1:])
print(*sys.modules, file=sys.stderr)
sys.exit(code)
"""

# What takes long to load and has no part in an answer.
LIBRARIES = {
    *("torch", "torch_geometric", "pandas", "sklearn", "matplotlib", "networkx", "tqdm"),
    *("scipy.sparse", "scipy.special", "scipy.stats", "scipy.optimize"),
}
ROOMS = {
    f"acvae.{room}"
    for room in (
        *("nn", "engine", "families", "training", "models", "datasets"),
        *("metrics", "plot", "export", "reproduce", "report"),
    )
}
JOINTS = {
    "forest": "acvae.gaussian.forest.joint",
    "graph": "acvae.gaussian.graph.joint",
    "pairwise": "acvae.gaussian.pairwise",
}
JOINT_OF = {"acvae-eb": "forest", "vae": "forest", "cvae-graph": "graph", "graph-gaussian": "scales"}


def loaded(*argv):
    """The modules that a command imports, and what it prints."""
    done = subprocess.run([sys.executable, "-c", CODE, *argv], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(done.stderr.splitlines()[-1].split()), done.stdout


@pytest.fixture(scope="module")
def brought():
    """What comes with the libraries that an answer does need: older SciPy's linear algebra loads more."""
    code = "import sys, numba, numpy, scipy.linalg; print(*sys.modules)"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.split())


@pytest.fixture(scope="module", params=list(JOINT_OF))
def run(request, tmp_path_factory):
    values = {"dataset": "tree", "data_options": {"n_vertices": 40, "n_features": 8}, "latent_dim": 2}
    if request.param != "graph-gaussian":
        values |= {"epochs": 2, "hidden_dim": 3}
    if request.param not in ("graph-gaussian", "vae"):
        values |= {"pair_hidden_dim": 4}
    config = RunConfig.from_values({**values, "model": request.param})
    return fit_run(config, tmp_path_factory.mktemp("runs") / request.param, progress=False).path


@pytest.mark.parametrize(
    "command",
    [
        ["neighbors", "RUN", "3"],
        ["neighbors", "RUN", "3", "--by", "distance"],
        ["cluster", "RUN", "-k", "2"],
        ["links", "RUN", "3", "--by", "link"],
    ],
    ids=" ".join,
)
def test_commands(command, run, brought):
    modules, printed = loaded(*[str(run) if word == "RUN" else word for word in command], "--quiet")
    others = {module for joint, module in JOINTS.items() if joint != JOINT_OF[run.name]}
    needless = LIBRARIES | ROOMS | others
    if run.name == "graph-gaussian" and "distance" not in command and command[0] != "cluster":
        needless -= {"scipy.sparse"}  # its links are read from shared neighbours too: sparse products
    assert not modules & (needless - brought)
    assert len(printed.splitlines()) > 2


@pytest.mark.parametrize("command", [["--help"], ["neighbors", "--help"], ["--version"]], ids=" ".join)
def test_help_needs_no_library_at_all(command):
    modules, printed = loaded(*command)
    assert not modules & (LIBRARIES | ROOMS | {"numpy", "scipy", "numba"})
    assert printed
