"""Kill a process that fills the cache of prepared data at every file operation, and read what it left.

    python benchmarks/faults/cache.py

Torn: an entry that is there and cannot be read, or gives another data set. Left: files that are neither the
entry nor gone when the next process has filled it again.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from kill import Saboteur, in_child

from acvae import Graph
from acvae.datasets import Dataset
from acvae.datasets.prepared import prepared


def example() -> Dataset:
    rng = np.random.default_rng(0)
    features = sp.csr_array((rng.random((300, 40)) < 0.2).astype(np.float32))
    graph = Graph(300, rng.integers(0, 300, (900, 2)), [f"v{k}" for k in range(300)])
    return Dataset("example", features, graph, np.array([f"w{k}" for k in range(40)]), source="made here")


def fill(home: Path) -> int:
    """What a loader does; 0 if the data set was read from the cache, 1 if it was built."""
    built = []

    def build() -> Dataset:
        built.append(1)
        return example()

    found = prepared("example", build, sources=[home / "raw"], options={}, version=1, folder=home / "cache")
    wanted = example()
    same = found.graph == wanted.graph and (found.features != wanted.features).nnz == 0
    return len(built) if same else 2


def main() -> None:
    home = Path(tempfile.mkdtemp(prefix="acvae-cache-"))
    (home / "raw").write_text("raw")
    try:
        fill(home)
        whole = {path.name: path.read_bytes() for path in (home / "cache").iterdir()}
        points, killed, torn, different, left = 0, 0, 0, 0, 0
        for middle in (False, True):
            at = 0
            while True:
                shutil.rmtree(home / "cache")

                def sabotaged(at: int = at, middle: bool = middle) -> int:
                    sys.addaudithook(Saboteur(home / "cache", at, middle))
                    return fill(home)

                if in_child(sabotaged) != -9:
                    break  # there are no more operations
                points, killed, at = points + 1, killed + 1, at + 1
                there = (home / "cache" / next(iter(whole))).exists()
                code = in_child(lambda: fill(home))
                torn += code not in ((0,) if there and not middle else (0, 1))
                found = {path.name: path.read_bytes() for path in (home / "cache").iterdir()}
                different += any(found.get(name) != data for name, data in whole.items())
                left += len(found.keys() - whole.keys())
        print(
            f"{points} kill points of the data cache, {killed} killed: "
            f"{torn} torn, {different} different, {left} other files left"
        )
    finally:
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    main()
