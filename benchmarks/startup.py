"""How long a command takes from the shell, most of which is loading libraries.

    python benchmarks/startup.py [--runs FOLDER] [--repeats R]

Runs of three models on the Debian packages are kept in FOLDER and trained there if they are missing (a
temporary folder otherwise). The commands are run in turns, and so are Python alone with the libraries that
any of them needs, and with one compiled loop of numba's, which is what loading numba costs in full. Bytecode
and numba's cache are there, as they are after a first use.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import acvae
from acvae.runs import RunConfig, fit_run
from ratios import Line, store

NAME = "python3-numpy"
MODELS = {"graph-gaussian": {}, "acvae-eb": {"epochs": 3}, "vae": {"epochs": 3}}
LOOP = """
import numba, numpy

@numba.njit(cache=True)
def total(x):
    out = 0.0
    for i in range(len(x)):
        out += x[i]
    return out

total(numpy.ones(3))
"""


def commands(folder: Path) -> dict[str, list[str]]:
    """What is run, by what it is called."""
    loop = folder / "one_loop.py"
    loop.write_text(LOOP, encoding="utf-8")
    ours = [sys.executable, "-m", "acvae.commands.main"]
    asked = {f"acvae neighbors, {model}": [*ours, "neighbors", str(folder / model), NAME] for model in MODELS}
    return {
        "import numpy, scipy.sparse": [sys.executable, "-c", "import numpy, scipy.sparse"],
        "one compiled loop of numba's": [sys.executable, str(loop)],
        "acvae --help": [*ours, "--help"],
        **asked,
        "acvae links, graph-gaussian": [*ours, "links", str(folder / "graph-gaussian"), NAME],
        "acvae cluster, acvae-eb": [*ours, "cluster", str(folder / "acvae-eb"), "--quiet"],
    }


def seconds(command: list[str]) -> float:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    subprocess.run(command, env=environment, check=True, capture_output=True)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=Path, metavar="FOLDER")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.runs or Path(temporary)
        for model, settings in MODELS.items():
            if not (folder / model).exists():
                fit_run(
                    RunConfig.from_values({"dataset": "debian", "model": model, **settings}), folder / model
                )
        runs = commands(folder)
        for command in runs.values():
            seconds(command)
        times = [{name: seconds(command) for name, command in runs.items()} for _ in range(options.repeats)]
    lines = []
    for name in runs:
        own = [row[name] for row in times]
        median = statistics.median(own)
        figure = f"{median:.2f} s ({min(own):.2f}–{max(own):.2f} over {len(own)})"
        asked = name.startswith("acvae neighbors")
        lines.append(Line(name, figure, "< 1.5 s" if asked else "", median < 1.5 if asked else None))
    vertices = acvae.datasets.load("debian").graph.n_vertices
    store(
        "startup",
        f"From the shell to the answer ({vertices:,} vertices)",
        lines,
        note="The first two are no part of acvae: what the libraries alone cost. A question that needs a "
        "compiled loop pays for the second in full, and numba loads scipy.linalg with it.",
    )


if __name__ == "__main__":
    main()
