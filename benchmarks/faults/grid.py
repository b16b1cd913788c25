"""Kill `acvae reproduce` at random moments, two runners at a time, and look at what is stored in the end.

    python benchmarks/faults/grid.py --kills 30

A small grid is run by one runner that is left alone. Then two runners on one folder are killed again and
again, with all their processes, and started anew. Torn: a result that cannot be read. Twice: one that was
stored and written again. Different: figures that are not those of the runner that was left alone.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from acvae.reproduce.check import differences
from acvae.reproduce.store import read_result

CONFIG = """
title = "A small grid"

[datasets.small]
data = "tree"
data_options = { n_vertices = 60, n_features = 12, latent_dim = 3, hidden_dim = 8 }
task = "link-prediction"
runs = 4
gammas = [0.001, 10]
sizes = { latent_dim = 3, hidden_dim = 6, pair_hidden_dim = 5 }

[datasets.small.methods]
vae = { epochs = 40, every = { independent = 10 } }
acvae-eb = { epochs = 40, every = { bp = 10 } }
random-tree = { every = {} }
"""


def start(home: Path, results: Path) -> subprocess.Popen[bytes]:
    """A runner in a session of its own, so that it can be killed with its workers."""
    command = [sys.executable, "-m", "acvae.commands.main", "reproduce", "table1", "--jobs", "1"]
    command += ["--configs", str(home), "--results", str(results)]
    return subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    home, rng = Path(tempfile.mkdtemp(prefix="acvae-grid-")), random.Random(args.seed)
    (home / "table1.toml").write_text(CONFIG)
    try:
        began = time.monotonic()
        assert start(home, home / "alone").wait() == 0
        whole = time.monotonic() - began
        results, seen, twice, kills = home / "shared", dict[Path, int](), 0, 0
        while True:
            runners = [start(home, results), start(home, results)]
            deadline = time.monotonic() + (rng.uniform(0.1, whole) if kills < args.kills else 3600)
            while time.monotonic() < deadline and any(runner.poll() is None for runner in runners):
                time.sleep(0.02)
                for path in results.rglob("run=*.json"):
                    with contextlib.suppress(OSError):
                        written = path.stat().st_mtime_ns
                        twice += seen.setdefault(path, written) != written
                        seen[path] = written
            alive = [runner for runner in runners if runner.poll() is None]
            for runner in alive:
                os.killpg(runner.pid, signal.SIGKILL)
                runner.wait()
            kills += len(alive)
            if not alive:
                if kills >= args.kills:
                    break
                shutil.rmtree(results)  # done too early: once more from the start
                seen.clear()
        torn = different = 0
        for path in sorted((home / "alone").rglob("run=*.json")):
            whole_result, found = read_result(path), read_result(results / path.relative_to(home / "alone"))
            assert whole_result is not None
            torn += found is None
            different += found is not None and bool(differences(whole_result, found))
        left = [p.name for p in results.rglob("*") if p.is_file() and not p.name.endswith(".json")]
        print(
            f"{kills} runners killed, {len(seen)} results: {torn} torn or missing, {twice} written twice, "
            f"{different} different, {len(left)} other files left"
        )
    finally:
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    main()
