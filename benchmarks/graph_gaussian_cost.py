"""GraphGaussian from ten thousand to a million vertices: what its parts cost as the graph grows.

    python benchmarks/graph_gaussian_cost.py [--sizes 10000 30000 100000 1000000] [--solver auto] [--keep DIR]

For each size a graph is generated (`generated_graph.py`: 10 edges a vertex, rows of 30 non-zeros out of
5,000); then a process of its own hides 1,000 links, fits, predicts the links of single vertices and of a
thousand, and compares rows of K with solves to full precision. `--keep` names a folder for what was measured,
and a size that is there already is not measured again.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import acvae
import acvae.models.graph_gaussian as estimator
from generated_graph import make_features, make_graph
from ratios import Line, peak_memory, store, timed

QUERIES, ROWS, K = 20, 1_000, 10
HIDDEN = 1_000
CHECKED = 8  # rows that are compared with solves
STAGES = ("evidence", "elimination", "scales", "leave-one-out", "head", "probabilities")


# ---------------------------------------------------------------------- one size, in its own process


def measure(n: int, solver: str) -> dict:
    warm_up(solver)
    whole, features = make_graph(n), make_features(n)
    hidden = np.sort(np.random.default_rng(1).choice(whole.n_edges, HIDDEN, replace=False))
    keep = np.ones(whole.n_edges, dtype=bool)
    keep[hidden] = False
    graph, answers = whole.with_edges(keep), whole.edges[hidden]
    found: dict = {"n": n, "data_gb": peak_memory() / 1e9}
    start = time.perf_counter()
    with watched_stages(found):
        model = acvae.GraphGaussian(solver=solver, progress=False).fit(features, graph)
    found |= {
        "solver": model.solver_,
        "fit_s": time.perf_counter() - start,
        "fit_peak_gb": peak_memory() / 1e9,
    }
    found |= ask(model, answers) | accuracy(model)
    found["peak_gb"] = peak_memory() / 1e9
    return found


class watched_stages:
    """Seconds of each stage of a fit, as its progress tells them."""

    def __init__(self, found: dict) -> None:
        self._found, self._fit = found, estimator.fit_graph_gaussian

    def __enter__(self) -> None:
        last = [time.perf_counter()]

        def say(stage: str, share: float) -> None:
            if share == 1.0:
                now = time.perf_counter()
                self._found[f"{stage}_s"] = now - last[0]
                print(f"{stage} {now - last[0]:.1f} s, {peak_memory() / 1e9:.2f} GB", file=sys.stderr)
                last[0] = now

        def fit(*args, **options):
            return self._fit(*args, **{**options, "progress": say})

        estimator.fit_graph_gaussian = fit

    def __exit__(self, *_) -> None:
        estimator.fit_graph_gaussian = self._fit


def warm_up(solver: str) -> None:
    """Compile everything that is about to be measured."""
    graph = make_graph(2_000)
    model = acvae.GraphGaussian(solver=solver, progress=False).fit(make_features(2_000), graph)
    model.predict_links(np.arange(100), k=K)
    if solver != "local":  # "auto" may become either
        small = acvae.GraphGaussian(solver="local", progress=False).fit(make_features(2_000), graph)
        small.predict_links(np.arange(100), k=K)


def ask(model: acvae.GraphGaussian, answers: np.ndarray) -> dict:
    """Times of `predict_links`, and how often a hidden link is among the first ten of its first end."""
    rng = np.random.default_rng(2)
    n = model.graph_.n_vertices
    single = [timed(lambda i=i: model.predict_links(i, k=K))[0] for i in rng.integers(0, n, QUERIES)]
    rows = answers[:, 0]
    seconds, (best, _) = timed(lambda: model.predict_links(rows, k=K))
    return {
        "predict_one_s": single,
        "predict_rows_s": seconds * ROWS / len(rows),
        "hits_at_10": float((best == answers[:, 1:]).any(axis=1).mean()),
    }


def accuracy(model: acvae.GraphGaussian) -> dict:
    """Rows of K that pushes give against solves, and their bound."""
    rng = np.random.default_rng(3)
    worst, bound, missing = 0.0, 0.0, 0.0
    for gaussian, _ in model._fit.statistics.scales:
        at = rng.integers(0, gaussian.n_vertices, CHECKED)
        unit = np.zeros((gaussian.n_vertices, CHECKED))
        unit[at, np.arange(CHECKED)] = 1
        real, found = gaussian.solve(unit).T, gaussian.rows(at)
        std = np.sqrt(real[np.arange(CHECKED), at])
        lacking = (real - found) / std[:, None] / np.sqrt(gaussian.variance)
        worst = max(worst, float(np.abs(lacking).max()))
        missing = max(missing, float(np.abs(found[np.arange(CHECKED), at] / std**2 - 1).max()))
        left = getattr(gaussian.some_rows(at), "left", np.zeros(CHECKED))
        assert (real - found <= (left[:, None] + 1e-6) * gaussian.variance * 2 + 1e-9).all(), (
            "beyond the bound"
        )
        bound = max(bound, float(left.max()))
    return {"correlation_off": worst, "own_off": missing, "left": bound}


# ---------------------------------------------------------------------- all sizes, and the table


def run_size(n: int, solver: str, keep: Path) -> dict:
    stored = keep / f"graph_gaussian_{solver}_{n}.json"
    if not stored.exists():
        command = [sys.executable, __file__, "--measure", str(n), "--solver", solver]
        output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        stored.write_text(output.splitlines()[-1])
    return json.loads(stored.read_text())


def table(results: list[dict]) -> list[Line]:
    def each(name: str, unit: str, digits: int = 1, scale: float = 1.0) -> str:
        return " / ".join(f"{scale * np.median(r[name]):,.{digits}f}" for r in results) + f" {unit}"

    large = results[-1]
    of_all = [r["predict_rows_s"] * r["n"] / ROWS / 60 for r in results]
    return [
        Line("vertices", " / ".join(f"{r['n']:,}" for r in results)),
        Line("solver that was chosen", " / ".join(r["solver"] for r in results)),
        Line("fit", each("fit_s", "s"), "≤ 900 s", large["fit_s"] <= 900),
        *(Line(f"fit: {stage}", each(f"{stage}_s", "s")) for stage in STAGES),
        Line("peak memory in fit", each("fit_peak_gb", "GB", 2), "≤ 24 GB", large["fit_peak_gb"] <= 24),
        Line("peak memory of the process", each("peak_gb", "GB", 2)),
        Line(
            f"predict_links of one vertex, median of {QUERIES}",
            each("predict_one_s", "ms", 1, 1e3),
            "< 1,000 ms",
            bool(np.median(large["predict_one_s"]) < 1),
        ),
        Line(f"predict_links of {ROWS:,} vertices", each("predict_rows_s", "s", 2)),
        Line("of all vertices, at that rate", " / ".join(f"{minutes:,.1f}" for minutes in of_all) + " min"),
        Line("hidden links among the first ten", each("hits_at_10", "", 3)),
        Line("largest error of a correlation", each("correlation_off", "", 4)),
        Line("largest part of a row that the push left over", each("left", "", 3)),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 30_000, 100_000, 1_000_000])
    parser.add_argument("--solver", choices=("auto", "exact", "local"), default="auto")
    parser.add_argument("--keep", type=Path, help="folder for what was measured")
    parser.add_argument("--measure", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure:
        print(json.dumps(measure(args.measure, args.solver)))
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) if args.keep is None else args.keep
        folder.mkdir(exist_ok=True)
        results = []
        for n in args.sizes:
            results.append(run_size(n, args.solver, folder))
            print(json.dumps(results[-1]), file=sys.stderr)
    store(
        "graph_gaussian_cost",
        "GraphGaussian, from ten thousand to a million vertices",
        table(results),
        note="Generated graphs of ten edges a vertex, features sparse (30 non-zeros of 5,000 a row), one "
        "process a size; the figures of a line are those of the sizes in the first. Times are of this "
        "machine; what counts is how they grow. A thousand links are hidden from the fit, and looked for "
        "among the ten best of their first end. Rows of K are compared with solves to a residual of "
        "1e−10; the bound that the push tells is asserted.",
    )


if __name__ == "__main__":
    main()
