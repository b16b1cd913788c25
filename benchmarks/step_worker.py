"""Training steps of whichever acvae is on the path, in turns that another process asks for.

    PYTHONPATH=TREE/src python benchmarks/step_worker.py N COLUMNS NONZEROS D H1 H2 EDGES STEPS

Says "ready", then takes STEPS steps for every line it reads and says the seconds they took; at the end of its
input, the objective of the last step. Knows both the family's step and the step from before there were
families, so that `training_step.py --before` can compare the two.
"""

import sys
import time

import numpy as np
import scipy.sparse as sp
import torch

from acvae import Graph
from acvae.nn import Autoencoder, as_features


def make(n, columns, nonzeros, d, h1, h2, m):
    rng = np.random.default_rng(0)
    picks = np.concatenate([rng.choice(columns, nonzeros, replace=False) for _ in range(n)])
    x = sp.csr_array((np.ones(n * nonzeros, np.float32), picks, np.arange(n + 1) * nonzeros), (n, columns))
    graph = Graph(n, rng.integers(0, n, (int(m * 1.05), 2)))
    module = Autoencoder(
        columns, latent_dim=d, hidden_dim=h1, pair_hidden_dim=h2, generator=torch.Generator().manual_seed(0)
    )
    return module, as_features(x), graph


def stepper_of(module, features, graph):
    """A stepper, how it takes a step, and how batches are made, in this version's words."""
    try:
        from acvae.engine import batches
        from acvae.engine.step import Stepper
        from acvae.engine.threads import step_threads
        from acvae.families import PairwiseFamily
    except ImportError:
        from acvae.training.stepper import Stepper
        from acvae.training.threads import step_threads

        from acvae.training import Problem, batches

        model = Problem(module, features, graph, 0.99, 0.1, torch.device("cpu"))
        threads = step_threads(module, batches.BatchSizes(), features.row_size)
        stepper = Stepper(model, 1e-3, threads=threads)
        return stepper, stepper.step, batches
    weights = np.ones(graph.n_edges)
    model = PairwiseFamily(module, features, graph, weights, tau=0.99, gamma=0.1)
    stepper = Stepper(model, 1e-3, threads=step_threads(module, batches.BatchSizes(), features.row_size))
    return stepper, lambda batch, noise: stepper.step(batch._replace(noise=noise)), batches


def main() -> None:
    *shape, steps = map(int, sys.argv[1:])
    module, features, graph = make(*shape)
    stepper, step, batches = stepper_of(module, features, graph)
    rng, noise = np.random.default_rng(1), torch.Generator().manual_seed(1)
    weights, drawn = np.ones(graph.n_edges), []
    while len(drawn) < steps:
        for batch in batches.edge_batches(graph, weights, batches.BatchSizes(), rng, True):
            drawn.append((batch, torch.randn((batch.n_own, shape[3]), generator=noise)))
    print("ready", flush=True)
    figures = np.zeros(1)
    for _ in sys.stdin:
        start = time.perf_counter()
        with stepper.at_work():
            for batch, eps in drawn[:steps]:
                figures = step(batch, eps)
        print(time.perf_counter() - start, flush=True)
    print(float(figures[0]), flush=True)


if __name__ == "__main__":
    main()
