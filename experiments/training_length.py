"""How long to train: the curve of the train ELBO, far beyond the length that the tables use.

    python experiments/training_length.py DATA METHOD GAMMA [--epochs N] [--every K] [--sample S]
    python experiments/training_length.py --show

The first form trains one configuration of table 1 (run 0: its split, its seed, the paper's sizes) and stores
its curve in experiments/training_length/, anew at every evaluation, so that one that is stopped is not lost.
The second prints the stored curves. Beside the ELBO over all training data stand the NCRR by belief
propagation, for the methods that have it, and the pair network's over a sample of vertices. They show what
the length changes; the length itself is chosen by the train ELBO.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from acvae.reproduce.methods import make_model

import acvae
from acvae import metrics
from acvae.reproduce.config import load_experiment

HERE = Path(__file__).resolve().parent / "training_length"


def main() -> None:
    """Train one configuration, or print what is stored."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="?")
    parser.add_argument("method", nargs="?")
    parser.add_argument("gamma", nargs="?", type=float)
    parser.add_argument("--epochs", type=int, default=1000)
    parser.add_argument("--every", type=int, default=10, help="epochs between evaluations")
    parser.add_argument("--sample", type=int, default=300, help="vertices ranked by the pair network")
    parser.add_argument("--show", action="store_true")
    args = parser.parse_args()
    if args.show or args.gamma is None:
        show()
    else:
        train(args.data, args.method, args.gamma, args.epochs, args.every, args.sample)


def train(data_name: str, method: str, gamma: float, epochs: int, every: int, sample: int) -> None:
    """Train run 0 of a configuration of table 1 for `epochs` and store the curve."""
    specs = load_experiment("table1").runs
    spec = next(s for s in specs if (s.dataset, s.method, s.gamma, s.run) == (data_name, method, gamma, 0))
    spec.options["epochs"] = epochs
    data = acvae.datasets.load(spec.data, **spec.data_options)
    split = acvae.split_edges(data.graph, seed=spec.run)
    with_test = np.flatnonzero(split.test.degrees)
    rows = np.sort(np.random.default_rng(0).choice(with_test, min(sample, len(with_test)), replace=False))
    path = HERE / f"{data_name}_{method}_gamma={gamma:g}.json"
    path.parent.mkdir(exist_ok=True)
    curve: list[dict[str, Any]] = []
    started = time.perf_counter()

    def record(state: Any) -> None:
        if state.epoch % every and state.epoch != 1:
            return
        row = {"epoch": state.epoch, "train_elbo": round(state.elbo(), 4)}
        row |= {name: round(state.figures[name], 5) for name in ("kl", "mean_correlation")}
        if method.startswith("acvae"):
            ncrr = metrics.ncrr(state.posterior(), split.train, split.test)
            row |= {"bp_train_ncrr": round(ncrr.train, 5), "bp_test_ncrr": round(ncrr.test, 5)}
        if state.epoch % (5 * every) == 0:
            found = sampled_ncrr(state.posterior(True), split, rows)
            row |= {"pair_train_ncrr": round(found[0], 5), "pair_test_ncrr": round(found[1], 5)}
        row["seconds"] = round(time.perf_counter() - started, 1)
        curve.append(row)
        about = {"data": data_name, "method": method, "gamma": gamma, "options": spec.options}
        text = json.dumps({**about, "sample": len(rows), "curve": "CURVE"}, indent=1)
        lines = ",\n  ".join(json.dumps(line) for line in curve)
        path.write_text(text.replace('"CURVE"', f"[\n  {lines}\n ]") + "\n", encoding="utf-8")
        print(row, flush=True)

    make_model(spec).fit(data.features, split.train, callbacks=[record])


def sampled_ncrr(posterior: acvae.Posterior, split: acvae.EdgeSplit, rows: Any) -> tuple[float, float]:
    """Train and test NCRR over the given rows alone, ranked as `acvae.metrics` does."""
    sums = np.zeros(2)
    counts = np.zeros(2)
    for i, distance in zip(rows, posterior.distances(rows), strict=True):
        others = np.delete(np.arange(len(distance)), i)
        candidates = np.setdiff1d(others, split.train.neighbors(i))
        for which, (graph, pool) in enumerate(((split.train, others), (split.test, candidates))):
            links = graph.neighbors(i)
            if len(links):
                rank = (distance[pool][None, :] <= distance[links][:, None]).sum(axis=1)
                sums[which] += (1 / rank).sum() / (1 / np.arange(1, len(links) + 1)).sum()
                counts[which] += 1
    train_ncrr, test_ncrr = sums / counts
    return float(train_ncrr), float(test_ncrr)


def show() -> None:
    """Print the stored curves, every fifth evaluation and the last."""
    for path in sorted(HERE.glob("*.json")):
        stored = json.loads(path.read_text(encoding="utf-8"))
        print(f"{stored['data']} {stored['method']} γ={stored['gamma']:g}")
        curve = stored["curve"]
        for place, row in enumerate(curve):
            if place % 5 == 0 or place == len(curve) - 1:
                print("  " + ", ".join(f"{name} {value}" for name, value in row.items()))


if __name__ == "__main__":
    main()
