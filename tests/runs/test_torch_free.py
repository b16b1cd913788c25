"""A stored run is asked without its networks: PyTorch is not even imported."""

import subprocess
import sys

import pytest

from acvae.runs import RunConfig, fit_run

CODE = """
import sys
from acvae.commands.main import main
code = main(sys.argv[1:])
print("torch" in sys.modules, file=sys.stderr)
sys.exit(code)
"""


@pytest.fixture(scope="module", params=["acvae-eb", "cvae-graph", "graph-gaussian"])
def run(request, tmp_path_factory):
    values = {"dataset": "tree", "data_options": {"n_vertices": 40, "n_features": 8}, "latent_dim": 2}
    if request.param != "graph-gaussian":
        values |= {"epochs": 2, "hidden_dim": 3, "pair_hidden_dim": 4}
    config = RunConfig.from_values({**values, "model": request.param})
    return fit_run(config, tmp_path_factory.mktemp("runs") / "run", progress=False).path


@pytest.mark.parametrize(
    "command",
    [["neighbors", "RUN", "3"], ["cluster", "RUN", "-k", "2"], ["links", "RUN", "3", "--by", "link"]],
)
def test_commands(command, run):
    argv = [str(run) if word == "RUN" else word for word in command]
    done = subprocess.run([sys.executable, "-c", CODE, *argv, "--quiet"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "False\n")
    assert len(done.stdout.splitlines()) > 2
