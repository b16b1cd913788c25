"""A million vertices and ten million edges: what training and queries cost as the graph grows.

    python benchmarks/million.py [--sizes 10000 100000 1000000] [--keep DIR]

For each size a graph is generated and stored (`generated_graph.py`: 10 edges a vertex, rows of 30 non-zeros
out of 5,000); then a process of its own maps the features from disk, fits an ACVAE, and asks its posterior.
An epoch is a whole one at every size: steps over all edges, then the masses of all edges and their spanning
forest.
`--keep` uses the folder for the data and leaves them there.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import numpy as np

import acvae
from acvae.datasets import open_features, save_features
from acvae.families import ForestFamily
from generated_graph import make_features, make_graph
from ratios import Line, peak_memory, spread, store, timed

QUERIES = 50
ROWS = 1_000
K = 10


def epochs_at(n: int) -> int:
    """Whole epochs to measure: a small one is short and noisy."""
    return {10_000: 8, 100_000: 2}.get(n, 1)


# ---------------------------------------------------------------------- one size, in its own process


def make_data(n: int, folder: Path) -> None:
    save_features(folder / "features", make_features(n))
    np.save(folder / "edges.npy", make_graph(n).edges[np.random.default_rng(0).permutation(10 * n)])


def measure(n: int, folder: Path) -> dict:
    small = make_graph(3_000)
    warm_up(acvae.ACVAE(epochs=1, progress=False).fit(make_features(3_000), small).posterior_, small)
    found: dict = {"n": n}
    start = time.perf_counter()
    graph = acvae.Graph(n, np.load(folder / "edges.npy"))
    found["graph_s"] = time.perf_counter() - start
    features = open_features(folder / "features")

    spent = timers((ForestFamily, "edge_masses"), (ForestFamily, "move_weights"))
    epoch_ends: list[dict] = []

    def watch(state) -> None:
        epoch_ends.append({name: sum(times) for name, times in spent.items()} | {"at": time.perf_counter()})

    model = acvae.ACVAE(epochs=epochs_at(n), progress=n > 100_000)
    start = time.perf_counter()
    q = model.fit(features, graph, callbacks=[watch]).posterior_
    end = time.perf_counter()
    steps = [row["seconds"] for row in model.history_]
    rest = np.diff([0.0] + [e["edge_masses"] + e["move_weights"] for e in epoch_ends])
    found |= {
        "fit_s": end - start,
        "steps_s": steps,
        "masses_s": np.diff([0.0] + [e["edge_masses"] for e in epoch_ends]).tolist(),
        "forest_s": np.diff([0.0] + [e["move_weights"] for e in epoch_ends]).tolist(),
        "epoch_s": (np.array(steps) + rest).tolist(),
        "posterior_s": end - epoch_ends[-1]["at"],
        "fit_peak_gb": peak_memory() / 1e9,
        "elbo": [row["elbo"] for row in model.history_],
    }
    found |= ask(q, graph)
    found["peak_gb"] = peak_memory() / 1e9
    return found


def warm_up(q: acvae.Posterior, graph: acvae.Graph) -> None:
    """Compile everything that is about to be measured."""
    q.nearest(0, K, exclude=graph)
    q.log_prob(q.sample())
    q.nearest(np.arange(100), K, exclude=graph)


def ask(q: acvae.Posterior, graph: acvae.Graph) -> dict:
    rng = np.random.default_rng(1)
    first, *_ = timed(lambda: q.nearest(0, K, exclude=graph))
    times = [
        timed(lambda i=i: q.nearest(i, K, exclude=graph))[0] for i in rng.integers(0, len(q.mean), QUERIES)
    ]
    check_exact(q, graph, int(rng.integers(len(q.mean))))
    sample, z = timed(q.sample)
    log_prob, _ = timed(lambda: q.log_prob(z))
    rows = rng.choice(len(q.mean), ROWS, replace=False)
    with_tables, _ = timed(lambda: q.nearest(rows, K, exclude=graph))
    again, _ = timed(lambda: q.nearest(rows, K, exclude=graph))
    return {
        "nearest_first_s": first,
        "nearest_s": times,
        "sample_s": sample,
        "log_prob_s": log_prob,
        "rows_first_s": with_tables,
        "rows_s": again,
    }


def check_exact(q: acvae.Posterior, graph: acvae.Graph, i: int) -> None:
    """One row against the distance of every pair in double precision."""
    ids, distance = q.nearest(i, K, exclude=graph)
    expected = q.pair_distance(i, np.arange(len(q.mean)))
    expected[i] = expected[graph.neighbors(i)] = np.inf
    assert np.allclose(distance[0], np.sort(np.partition(expected, K)[:K]), rtol=1e-5), "nearest is not exact"
    assert np.allclose(expected[ids[0]], distance[0], rtol=1e-5), "distances are not those of the ids"


def timers(*methods) -> dict[str, list[float]]:
    """Time every call of some methods from now on."""
    spent: dict[str, list[float]] = defaultdict(list)
    for owner, name in methods:
        spent[name] = []
        setattr(owner, name, _timing(getattr(owner, name), spent[name]))
    return spent


def _timing(method, times: list[float]):
    def run(*args, **options):
        seconds, result = timed(lambda: method(*args, **options))
        times.append(seconds)
        return result

    return run


# ---------------------------------------------------------------------- all sizes, and the table


def run_size(n: int, keep: Path | None) -> dict:
    with tempfile.TemporaryDirectory(dir=None if keep is None else keep.mkdir(exist_ok=True)) as scratch:
        folder = Path(scratch) if keep is None else keep / str(n)
        if not (folder / "edges.npy").exists():
            folder.mkdir(exist_ok=True)
            _child("--make", n, folder)
        return json.loads(_child("--measure", n, folder).splitlines()[-1])


def _child(what: str, n: int, folder: Path) -> str:
    command = [sys.executable, __file__, what, str(n), "--folder", str(folder)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def table(results: list[dict]) -> list[Line]:
    def each(figure, unit: str) -> str:
        return " / ".join(figure(r) for r in results) + (f" {unit}" if unit else "")

    def median(name: str, scale: float = 1.0, digits: int = 1):
        return lambda r: f"{scale * np.median(r[name]):,.{digits}f}"

    def rate(r, name: str = "epoch_s"):
        return 10 * r["n"] / np.array(r[name])

    small, large = results[0], results[-1]
    ratios = rate(small) / np.median(rate(large))
    latency = 1e3 * np.median(large["nearest_s"])
    return [
        Line("vertices", each(lambda r: f"{r['n']:,}", "")),
        Line("whole epochs measured", each(lambda r: f"{len(r['epoch_s'])}", "")),
        Line("edges a second, whole epoch", each(lambda r: f"{np.median(rate(r)):,.0f}", "")),
        Line(
            "throughput, smallest graph / largest", spread(ratios), "≤ 1.5×", bool(np.median(ratios) <= 1.5)
        ),
        Line("edges a second, steps alone", each(lambda r: f"{np.median(rate(r, 'steps_s')):,.0f}", "")),
        Line("an epoch: steps", each(median("steps_s"), "s")),
        Line("an epoch: masses of all edges", each(median("masses_s", digits=2), "s")),
        Line("an epoch: spanning forest and weights", each(median("forest_s", digits=2), "s")),
        Line("graph from an edge list", each(median("graph_s", digits=2), "s")),
        Line("posterior at the end of fit", each(median("posterior_s", digits=2), "s")),
        Line("peak memory in fit", each(median("fit_peak_gb", digits=2), "GB")),
        Line(
            "peak memory of the process",
            each(median("peak_gb", digits=2), "GB"),
            "< 8 GB",
            large["peak_gb"] < 8,
        ),
        Line(
            f"nearest of one vertex, exact, median of {QUERIES}",
            each(median("nearest_s", 1e3, 2), "ms"),
            "< 100 ms",
            bool(latency < 100),
        ),
        Line("nearest: the first call", each(median("nearest_first_s", 1e3), "ms")),
        Line(f"nearest of {ROWS:,} rows, with its tables", each(median("rows_first_s", digits=2), "s")),
        Line(f"nearest of {ROWS:,} rows, tables there", each(median("rows_s", digits=2), "s")),
        Line("sample", each(median("sample_s", digits=3), "s"), "seconds", large["sample_s"] < 10),
        Line("log_prob", each(median("log_prob_s", digits=3), "s"), "seconds", large["log_prob_s"] < 10),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--keep", type=Path, help="folder for the generated data")
    parser.add_argument("--make", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--measure", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.make:
        make_data(args.make, args.folder)
    elif args.measure:
        print(json.dumps(measure(args.measure, args.folder)))
    else:
        results = []
        for n in args.sizes:
            results.append(run_size(n, args.keep))
            print(json.dumps(results[-1]), file=sys.stderr)
        store(
            "million",
            "A million vertices, ten million edges",
            table(results),
            note="ACVAE, features mapped from disk (30 non-zeros of 5,000 a row), one process per size. The "
            "figures of a line are those of the sizes in the first. Times are of this machine; what counts "
            "is how they grow. The first call of nearest also lays the posterior out in walking order and "
            "makes neighbour lists of the graph to exclude. At every size one row of nearest is checked "
            "against all pairs in double precision.",
        )


if __name__ == "__main__":
    main()
