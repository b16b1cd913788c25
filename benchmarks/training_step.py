"""Training steps a second: ours against a straightforward dense PyTorch step, on the paper's shapes.

    python benchmarks/training_step.py [--shape citation|epinions|both] [--steps N] [--repeats R]

Both take the same batches (64 vertices, 256 edges, 256 pairs). First their losses and gradients are checked
to agree; then they run in turns, and the ratio of the times of each turn is printed with its spread.
"""

import argparse
import time

import numpy as np
import scipy.sparse as sp
import torch

from acvae import Graph
from acvae.nn import Autoencoder, as_features
from acvae.training import AdaptivePrior, BatchSizes, Problem
from acvae.training.batches import edge_batches
from acvae.training.stepper import Stepper
from acvae.training.threads import step_threads
from dense_step import DenseStep
from ratios import spread

SHAPES = {
    # n, D, non-zeros a row, d, h1, h2, edges
    "citation": (2_071, 50, 3, 10, 30, 100, 6_777),
    "epinions": (8_231, 618, 7, 100, 300, 1_000, 31_000),
}


def make_problem(shape: str) -> tuple[Problem, AdaptivePrior, sp.csr_array]:
    n, columns, nonzeros, d, h1, h2, m = SHAPES[shape]
    rng = np.random.default_rng(0)
    picks = np.concatenate([rng.choice(columns, nonzeros, replace=False) for _ in range(n)])
    x = sp.csr_array((np.ones(n * nonzeros, np.float32), picks, np.arange(n + 1) * nonzeros), (n, columns))
    graph = Graph(n, rng.integers(0, n, (int(m * 1.05), 2)))
    module = Autoencoder(
        columns, latent_dim=d, hidden_dim=h1, pair_hidden_dim=h2, generator=torch.Generator().manual_seed(0)
    )
    problem = Problem(module, as_features(x), graph, 0.99, 0.1, torch.device("cpu"))
    return problem, AdaptivePrior(graph, maximum=False, step_size=0.1), x


def dense_batch(problem: Problem, batch, noise):
    """Our batch as the peer takes it: vertex ids."""
    ids = batch.rows[batch.pairs]
    e = len(batch.weights)
    return batch.rows[: batch.n_own], ids[:, :e], batch.weights, ids[:, e:], noise


def check_agreement(problem: Problem, peer: DenseStep, batches) -> None:
    batch, noise = batches[0]
    ours = -problem.step_terms(batch, noise).elbo.value
    theirs = peer.loss(*dense_batch(problem, batch, noise))
    problem.module.zero_grad()
    ours.backward()
    theirs.backward()
    module, p = problem.module, peer.p
    h2 = module.pair_encoder.hidden_dim
    gradients = {
        "encoder, first layer": (module.encoder.hidden.weight.grad, p["w1"].grad),
        "encoder, second layer": (module.encoder.output.weight.grad, p["w2"].grad),
        "decoder, second layer": (module.decoder.output.weight.grad, p["v2"].grad),
        "pair encoder, first layer": (torch.cat(module.pair_encoder.weight.grad.split(h2, 1)), p["u1"].grad),
        "pair encoder, second layer": (module.pair_encoder.output.weight.grad, p["u2"].grad),
    }
    worst = max(float((a - b).norm() / b.norm()) for a, b in gradients.values())
    gap = abs(ours.item() - theirs.item()) / abs(theirs.item())
    print(f"  same loss to {gap:.1e}, same gradients to {worst:.1e} (relative)")
    if gap > 1e-5 or worst > 1e-5:
        raise SystemExit("the two steps do not compute the same thing")


def run(shape: str, steps: int, repeats: int) -> None:
    problem, prior, x = make_problem(shape)
    rng = np.random.default_rng(1)
    noise = torch.Generator().manual_seed(1)
    d = SHAPES[shape][3]

    def draw(count: int):
        out = []
        while len(out) < count:
            for batch in edge_batches(problem.graph, prior.weights, BatchSizes(), rng, True):
                out.append((batch, torch.randn((batch.n_own, d), generator=noise)))
        return out[:count]

    print(f"{shape}: n, D, non-zeros, d, h1, h2, edges = {SHAPES[shape]}")
    peer = DenseStep(problem.module, torch.from_numpy(x.toarray()), problem.graph.n_edges, 0.99, 0.1)
    batches = draw(steps)
    check_agreement(problem, peer, batches)
    stepper = Stepper(problem, 1e-3, threads=step_threads(problem.module, BatchSizes()))
    ratios = []
    for repeat in range(repeats + 1):  # the first turn warms both up
        start = time.perf_counter()
        with stepper.at_work():
            for batch, eps in batches:
                stepper.step(batch, eps)
        middle = time.perf_counter()
        for batch, eps in batches:
            peer.step(*dense_batch(problem, batch, eps))
        end = time.perf_counter()
        if repeat:
            ratios.append((end - middle) / (middle - start))
            ours, dense = steps / (middle - start), steps / (end - middle)
            print(f"  ours {ours:8,.0f} steps/s   dense {dense:8,.0f} steps/s", flush=True)
    print(f"  ours / dense {spread(ratios)}\n")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--shape", choices=(*SHAPES, "both"), default="both")
    parser.add_argument("--steps", type=int, default=0, help="steps a turn (300, or 30 for epinions)")
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()
    for shape in SHAPES if options.shape == "both" else (options.shape,):
        run(shape, options.steps or (300 if shape == "citation" else 30), options.repeats)


if __name__ == "__main__":
    main()
