"""What single precision costs: distances and NCRR of a fitted model, against double precision all the way.

    python benchmarks/faults/precision.py                     the generated tree
    python benchmarks/faults/precision.py --data debian --epochs 200

Every model is fitted once. Its weights are then taken as they are, and what follows from them is computed a
second time in double precision by plain NumPy: the networks on all vertices, the correlations, the distances
of all pairs. Printed are the largest relative error of a distance, |d₃₂ − d₆₄| / d₆₄ over all pairs, and that
of NCRR on the test links.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

import acvae
from acvae.gaussian import PairwiseMarginals
from acvae.gaussian.graph.joint import GraphJoint
from acvae.objectives import MAX_CORRELATION

Array = npt.NDArray[np.float64]


class DoubleNetworks:
    """The networks of a fitted model in double precision."""

    def __init__(self, model: Any, features: Any) -> None:
        state = model.module_.state_dict()
        self.w = {name: tensor.detach().cpu().double().numpy() for name, tensor in state.items()}
        self.x = features.astype(np.float64)

    def marginals(self) -> tuple[Array, Array]:
        """Means and standard deviations (n, d)."""
        hidden = np.maximum(self.x @ self.w["encoder.hidden.weight"] + self.w["encoder.hidden.bias"], 0)
        output = hidden @ self.w["encoder.output.weight"] + self.w["encoder.output.bias"]
        mean, spread = np.split(output, 2, axis=1)
        return mean, np.maximum(np.logaddexp(0, spread), 1e-15)

    def halves(self) -> tuple[Array, Array]:
        """The pair network's first layer on every vertex, as first and as second of a pair."""
        first, second = np.split(self.x @ self.w["pair_encoder.weight"], 2, axis=1)
        return first + self.w["pair_encoder.bias"], second

    def correlations(self, pairs: npt.NDArray[np.int64]) -> Array:
        """(k, d) what the pair network says of pairs (k, 2)."""
        first, second = self.halves()
        i, j = pairs.T
        hidden = np.maximum(first[i] + second[j], 0) + np.maximum(first[j] + second[i], 0)
        logit = 0.5 * hidden @ self.w["pair_encoder.output.weight"] + self.w["pair_encoder.output.bias"]
        return np.asarray(MAX_CORRELATION * np.tanh(logit / 2))


def doubled(model: Any, features: Any) -> acvae.Posterior:
    """The posterior of the same weights in double precision."""
    if isinstance(model, acvae.GraphGaussian):  # computes in double, and keeps single
        scales = model._fit.statistics.scales
        joint, n = model.posterior_.joint, model.posterior_.n_vertices
        mean = np.zeros((n, len(joint.group)))
        for k, (s, c) in enumerate(zip(joint.group, model._columns, strict=True)):
            mean[:, k] = scales[s].mean[:, c] if c >= 0 else 0
        return acvae.Posterior.from_correlations(mean, joint.std, joint, dtype="float64")
    networks = DoubleNetworks(model, features)
    marginals = networks.marginals()
    joint = model.posterior_.joint
    if isinstance(joint, PairwiseMarginals):
        output = (networks.w["pair_encoder.output.weight"], networks.w["pair_encoder.output.bias"])
        pairwise = PairwiseMarginals(*networks.halves(), *output)
        return acvae.Posterior.from_correlations(*marginals, pairwise, dtype="float64")
    if isinstance(joint, GraphJoint):
        rho = networks.correlations(joint.links)
        on_graph = GraphJoint.of_forests(len(marginals[0]), joint.links, rho, model.weights_)
        return acvae.Posterior.from_correlations(*marginals, on_graph, dtype="float64")
    edges = model.posterior_.forest
    rho = networks.correlations(edges) if len(edges) else np.empty((0, marginals[0].shape[1]))
    return acvae.Posterior(*marginals, edges, rho, dtype="float64")


def errors(single: acvae.Posterior, double: acvae.Posterior, split: acvae.EdgeSplit) -> tuple[float, float]:
    """The largest relative errors of a distance and of NCRR."""
    worst, n = 0.0, single.n_vertices
    for start in range(0, n, 256):
        rows = np.arange(start, min(start + 256, n))
        exact = double.distances(rows)
        exact[rows - start, rows] = 1.0  # a vertex and itself
        found = single.distances(rows).astype(np.float64)
        found[rows - start, rows] = 1.0
        worst = max(worst, float((np.abs(found - exact) / exact).max()))
    scores = [acvae.metrics.ncrr(q, split.train, split.test).test for q in (single, double)]
    return worst, abs(scores[0] - scores[1]) / scores[1]


def models(epochs: int) -> dict[str, Callable[[], Any]]:
    options = {"epochs": epochs, "progress": False}
    return {
        "VAE": lambda: acvae.VAE(**options),
        "CVAE": lambda: acvae.CVAE(**options),
        "CVAE, graph": lambda: acvae.CVAE(posterior="graph", **options),
        "ACVAE, empirical Bayes": lambda: acvae.ACVAE("empirical-bayes", **options),
        "ACVAE, saddle point": lambda: acvae.ACVAE("saddle-point", **options),
        "GraphGaussian": lambda: acvae.GraphGaussian(progress=False),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", default="tree", help="a data set's name (default: tree)")
    parser.add_argument("--epochs", type=int, default=100)
    args = parser.parse_args()
    data = acvae.datasets.load(args.data)
    split = acvae.split_edges(data.graph, seed=0)
    x = data.features if sp.issparse(data.features) else np.asarray(data.features)
    print(f"{args.data}: {data.graph.n_vertices:,} vertices, {data.graph.n_edges:,} edges")
    print("model                     largest relative error: distance     NCRR, test")
    worst = [0.0, 0.0]
    for name, make in models(args.epochs).items():
        model = make().fit(x, split.train)
        found = errors(model.posterior_, doubled(model, x), split)
        print(f"{name:24s}  {found[0]:31.2e}  {found[1]:13.2e}", flush=True)
        worst = [max(pair) for pair in zip(worst, found, strict=True)]
    print(f"{'largest':24s}  {worst[0]:31.2e}  {worst[1]:13.2e}")


if __name__ == "__main__":
    main()
