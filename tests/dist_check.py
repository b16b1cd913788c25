"""Build the wheel and the sdist, install each into an empty environment, and use it there.

    python tests/dist_check.py [--keep FOLDER]

What is installed is the package as users get it, from its own files: nothing of this tree is on the path.
Dependencies come as pip finds them, held to constraints.txt. The sdist is built into a wheel from its own
content, so that a file it lacks is found out.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]

SMOKE = """
import pathlib, sys
import numpy as np
import acvae
assert pathlib.Path(acvae.__file__).is_relative_to(sys.prefix), acvae.__file__
data = acvae.datasets.load("tree", n_vertices=60, n_features=12)
split = acvae.split_edges(data.graph, seed=0)
for model in (
    acvae.ACVAE(latent_dim=2, hidden_dim=4, pair_hidden_dim=5, epochs=2, progress=False),
    acvae.GraphGaussian(latent_dim=4, progress=False),
):
    model.fit(data.features, split.train)
    model.save("model.safetensors")
    again = acvae.load("model.safetensors")
    assert np.array_equal(again.posterior_.mean, model.posterior_.mean)
    assert 0 < acvae.metrics.ncrr(again.posterior_, split.train, split.test).test <= 1
from acvae.reproduce.config import load_experiment
assert load_experiment("table1").runs
print("acvae", acvae.__version__, "works")
"""


def run(*command: object, cwd: Path) -> None:
    print("+", *command, flush=True)
    subprocess.run([str(part) for part in command], cwd=cwd, check=True)


def build(folder: Path) -> list[Path]:
    """The wheel of this tree, and one that was built from the sdist."""
    tools = folder / "tools"
    venv.create(tools, with_pip=True)
    python = tools / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "build", cwd=folder)
    run(python, "-m", "build", "--wheel", "--outdir", folder / "wheel", ROOT, cwd=folder)
    run(python, "-m", "build", "--sdist", "--outdir", folder / "sdist", ROOT, cwd=folder)
    return [*(folder / "wheel").glob("*.whl"), *(folder / "sdist").glob("*.tar.gz")]


def use(package: Path, folder: Path) -> None:
    """Install into an empty environment and run the smoke test and the command line there."""
    home = folder / f"env-{'sdist' if package.name.endswith('.gz') else 'wheel'}"
    venv.create(home, with_pip=True)
    python = home / "bin" / "python"
    quiet = ("--quiet", "--disable-pip-version-check")
    run(python, "-m", "pip", "install", *quiet, "-c", ROOT / "constraints.txt", package, cwd=folder)
    empty = home / "empty"
    empty.mkdir()
    run(python, "-c", SMOKE, cwd=empty)
    for words in (("--version",), ("datasets",), ("fit", "--help"), ("reproduce", "--help")):
        run(home / "bin" / "acvae", *words, cwd=empty)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--keep", type=Path, help="a folder to work in, which stays")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        packages = build(folder)
        assert len(packages) == 2, packages
        for package in packages:
            use(package, folder)
    print("wheel and sdist install into empty environments and work", file=sys.stderr)


if __name__ == "__main__":
    main()
