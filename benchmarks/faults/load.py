"""Fit and evaluate for an hour in one process: memory, handles and throughput, first tenth against last.

    python benchmarks/faults/load.py --minutes 60
    python benchmarks/faults/load.py --minutes 60 --model graph-gaussian

One round is a fit with evaluations and clusters on a generated tree, a save and a load. The first tenth of
the time is warm-up: libraries load, kernels compile, pools of threads and memory fill. Memory is the resident
set; a round's is read after a garbage collection. Printed at the end, each with the promise beside it: memory
in the last tenth against the first after warm-up (flat within 2 %), open files and threads (none left), and
rounds a minute in the last tenth against the first after warm-up (within 10 %). A minute is one of the clock,
so nothing else may run on its cores (`taskset`), and one of the process's own computing, which tells other
work from a change of ours.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import acvae
from acvae.training import Checkpoint, Clustering, LinkPrediction

HANDLES = ("files", "threads")


class Reading(NamedTuple):
    """What the process holds after a round."""

    second: float  # since the start, by the clock
    busy: float  # seconds of computing, of all threads
    memory: int  # bytes, resident
    files: int  # open ones
    threads: int


def read(started: float) -> Reading:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    files = len(os.listdir("/proc/self/fd")) - 1  # that of the listing itself
    threads = len(os.listdir("/proc/self/task"))
    memory = pages * os.sysconf("SC_PAGE_SIZE")
    return Reading(time.perf_counter() - started, time.process_time(), memory, files, threads)


def one_round(name: str, data: Any, split: acvae.EdgeSplit, folder: Path, seed: int) -> None:
    """A fit with everything around it."""
    model: Any
    if name == "graph-gaussian":
        model = acvae.GraphGaussian(latent_dim=16, seed=seed, progress=False).fit(data.features, split.train)
    else:
        checkpoint = folder / "checkpoint.safetensors"
        checkpoint.unlink(missing_ok=True)
        labels = np.arange(data.graph.n_vertices) % 3
        callbacks = [LinkPrediction(split, every=2), Clustering(labels, every=5)]
        model = acvae.ACVAE(epochs=10, seed=seed, progress=False).fit(
            data.features, split.train, callbacks=callbacks, checkpoint=Checkpoint(checkpoint, every=5)
        )
    q = model.posterior_
    acvae.metrics.evaluate(q, split.train, split.test)
    acvae.cluster(q, 5)
    q.nearest(np.arange(0, q.n_vertices, 7), k=10)
    q.log_prob(q.sample(3, seed=seed))
    model.save(folder / "model.safetensors")
    acvae.load(folder / "model.safetensors").posterior_.distances([0])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--model", choices=("acvae-eb", "graph-gaussian"), default="acvae-eb")
    parser.add_argument("--vertices", type=int, default=1000)
    args = parser.parse_args()
    data = acvae.datasets.load("tree", n_vertices=args.vertices)
    split = acvae.split_edges(data.graph, seed=0)
    started, whole = time.perf_counter(), 60 * args.minutes
    readings: list[Reading] = []
    with tempfile.TemporaryDirectory() as folder:
        while time.perf_counter() - started < whole:
            one_round(args.model, data, split, Path(folder), seed=len(readings) % 5)
            readings.append(read(started))
            if len(readings) % 20 == 1:
                now = readings[-1]
                told = f"{now.second / 60:.1f} min: {len(readings)} rounds, {now.memory / 1e6:.1f} MB"
                print(f"{told}, {now.files} files, {now.threads} threads", file=sys.stderr, flush=True)
    tenth = whole / 10
    warm = [r for r in readings if r.second >= tenth]
    first = [r for r in warm if r.second < 2 * tenth]
    last = [r for r in warm if r.second >= whole - tenth]
    if min(len(first), len(last)) < 3:
        print("too few rounds for tenths of this length; give it more --minutes.", file=sys.stderr)
        return 2
    sizes = [float(np.median([r.memory for r in part])) / 1e6 for part in (first, last)]
    busy = [60 / float(np.diff([r.busy for r in part]).mean()) for part in (first, last)]
    clock = [60 / float(np.diff([r.second for r in part]).mean()) for part in (first, last)]
    files, threads = ([max(getattr(r, what) for r in part) for part in (first, last)] for what in HANDLES)
    memory, speed, seen = (b / a - 1 for a, b in (sizes, busy, clock))
    print(f"{len(readings)} rounds of {args.model} in {readings[-1].second / 60:.1f} minutes")
    print(f"memory, MB    {sizes[0]:9.1f} → {sizes[1]:9.1f}   {memory:+.2%}  (within 2 %)")
    print(f"open files    {files[0]:9d} → {files[1]:9d}   {files[1] - files[0]:+d}  (none left)")
    print(f"threads       {threads[0]:9d} → {threads[1]:9d}   {threads[1] - threads[0]:+d}  (none left)")
    print(f"rounds a minute of computing   {busy[0]:6.2f} → {busy[1]:6.2f}   {speed:+.1%}  (within 10 %)")
    print(f"rounds a minute of the clock   {clock[0]:6.2f} → {clock[1]:6.2f}   {seen:+.1%}  (within 10 %)")
    flat = abs(memory) <= 0.02 and files[1] <= files[0] and threads[1] <= threads[0]
    kept = flat and abs(speed) <= 0.1 and abs(seen) <= 0.1
    print("all promises kept" if kept else "a promise is broken")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
