"""Training steps a second: ours against a straightforward dense PyTorch step, on the paper's shapes.

    python benchmarks/training_step.py [--repeats R]
    python benchmarks/training_step.py --before REV [--repeats R]

Both take the same batches (64 vertices, 256 edges, 256 pairs). First their losses and gradients are checked
to agree; then they run in turns, and so do the dense step as `torch.compile` makes it, the step through
autograd that networks of one's own get, and the part of our step that no cleverness takes away: its matrix
products and Adam's pass over the parameters. In the end it is said where the time of one of our steps goes.

With `--before` our step is compared with that of another commit (85fe9f5 is the last before families), on
three shapes: each in a process of its own, in turns. Nothing is stored.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp
import torch

from acvae import Graph
from acvae._util.threads import one_blas_thread, run_tasks
from acvae.engine.batches import BatchSizes
from acvae.engine.fused_batch import FusedBatch
from acvae.engine.kernels import FlatAdam
from acvae.engine.step import Stepper
from acvae.families import ForestFamily
from acvae.nn import Autoencoder, as_features
from dense_step import DenseStep
from ratios import Line, spread, store

SHAPES = {
    # n, D, non-zeros a row, d, h1, h2, edges
    "citation": (2_071, 50, 3, 10, 30, 100, 6_777),
    "epinions": (8_231, 618, 7, 100, 300, 1_000, 31_000),
}
BEFORE_SHAPES = {**SHAPES, "many features": (5_000, 10_000, 30, 20, 64, 100, 20_000)}


def make_family(shape: str) -> tuple[ForestFamily, sp.csr_array]:
    n, columns, nonzeros, d, h1, h2, m = SHAPES[shape]
    rng = np.random.default_rng(0)
    picks = np.concatenate([rng.choice(columns, nonzeros, replace=False) for _ in range(n)])
    x = sp.csr_array((np.ones(n * nonzeros, np.float32), picks, np.arange(n + 1) * nonzeros), (n, columns))
    graph = Graph(n, rng.integers(0, n, (int(m * 1.05), 2)))
    module = Autoencoder(
        columns, latent_dim=d, hidden_dim=h1, pair_hidden_dim=h2, generator=torch.Generator().manual_seed(0)
    )
    return ForestFamily(module, as_features(x), graph, maximum=False, tau=0.99, gamma=0.1), x


def dense_batch(batch):
    """Our batch as the peer takes it: vertex ids."""
    ids = batch.rows[batch.pairs]
    e = len(batch.weights)
    return batch.rows[: batch.n_own], ids[:, :e], batch.weights, ids[:, e:], batch.noise


def check_agreement(peer: DenseStep, stepper: Stepper, batch) -> str:
    """Loss and gradients of our fused step against the peer's, which both have the same parameters."""
    ours = -float(stepper.compiled(batch)[0])
    theirs = peer.loss(*dense_batch(batch))
    theirs.backward()
    module, p = stepper.family.module, peer.p
    h2 = module.pair_encoder.hidden_dim
    gradients = {
        "encoder, first layer": (module.encoder.hidden.weight.grad, p["w1"].grad),
        "encoder, second layer": (module.encoder.output.weight.grad, p["w2"].grad),
        "decoder, second layer": (module.decoder.output.weight.grad, p["v2"].grad),
        "pair encoder, first layer": (torch.cat(module.pair_encoder.weight.grad.split(h2, 1)), p["u1"].grad),
        "pair encoder, second layer": (module.pair_encoder.output.weight.grad, p["u2"].grad),
    }
    worst = max(float((a - b).norm() / b.norm()) for a, b in gradients.values())
    gap = abs(ours - theirs.item()) / abs(theirs.item())
    if gap > 1e-5 or worst > 1e-5:
        raise SystemExit("the two steps do not compute the same thing")
    stepper._gradient.zero_()
    return f"loss {gap:.0e}, gradients {worst:.0e}"


def arithmetic(shape: str) -> tuple[float, float]:
    """Billions of floating-point operations in the matrix products of a step: the peer's, ours."""
    _, columns, _, d, h1, h2, _ = SHAPES[shape]
    vertices, edges, pairs = BatchSizes()
    rows, couples = vertices + 2 * edges, edges + pairs
    second = 6 * (rows * h1 * 2 * d + vertices * (d * h1 + h1 * columns))  # both forward, and back twice
    dense = second + 4 * rows * columns * h1 + 2 * couples * (4 * 2 * columns * h2 + 6 * h2 * d)
    return dense / 1e9, (second + 6 * couples * h2 * d) / 1e9


class BareStep:
    """Our step's matrix products, at its shapes and on its threads, and Adam: the least a step can cost."""

    def __init__(self, shape: str, rows: int, threads: int, n_parameters: int) -> None:
        _, columns, _, d, h1, h2, _ = SHAPES[shape]
        vertices, edges, pairs = BatchSizes()
        layers = ((rows, h1, 2 * d), (vertices, d, h1), (vertices, h1, columns), (edges + pairs, h2, d))
        self.tasks = [task for layer in layers for task in self._both_ways(*layer, threads)]
        self.threads = threads
        self.adam = FlatAdam(torch.zeros(n_parameters), torch.ones(n_parameters), 1e-3)

    @staticmethod
    def _both_ways(rows: int, inputs: int, outputs: int, threads: int):
        """x·W, xᵀ·g and g·Wᵀ, each cut for the threads."""
        shapes = ((rows, inputs), (inputs, outputs), (rows, outputs))
        x, weight, g = (np.random.default_rng(0).random(s, dtype=np.float32) for s in shapes)
        for left, right in ((x, weight), (x.T, g), (g, weight.T)):
            for part in np.array_split(np.arange(len(left)), threads):
                own, out = left[part[0] : part[-1] + 1], np.empty((len(part), right.shape[1]), np.float32)
                yield lambda slot, own=own, right=right, out=out: np.matmul(own, right, out=out)

    def step(self) -> None:
        run_tasks(self.tasks, self.threads)
        self.adam.step()


def compiled_peer(family: ForestFamily, x: sp.csr_array, batch) -> tuple[DenseStep | None, str]:
    """The dense step with its loss and gradient through torch.compile; or None, and why."""
    peer = DenseStep(family.module, torch.from_numpy(x.toarray()), family.graph.n_edges, 0.99, 0.1)
    plain = float(peer.loss(*dense_batch(batch)).detach())
    peer.loss = torch.compile(peer.loss)
    try:
        made = float(peer.step(*dense_batch(batch)))
    except Exception as error:  # no compiler, or one that fails: whatever it says is the reason
        return None, f"not measured: {type(error).__name__}: {str(error).strip().splitlines()[0][:80]}"
    if abs(made - plain) > 1e-4 * abs(plain):
        raise SystemExit("torch.compile changes what the dense step computes")
    return peer, ""


def run(shape: str, steps: int, repeats: int, asked: float) -> list[Line]:
    family, x = make_family(shape)
    rng, noise = np.random.default_rng(1), torch.Generator().manual_seed(1)
    batches = []
    while len(batches) < steps:
        batches += list(family.batches(rng, noise))
    batches = batches[:steps]
    peer = DenseStep(family.module, torch.from_numpy(x.toarray()), family.graph.n_edges, 0.99, 0.1)
    by_compiler, reason = compiled_peer(family, x, batches[0])
    threads = family.threads
    stepper = Stepper(family, 1e-3, threads=threads)
    agreement = check_agreement(peer, stepper, batches[0])
    other, _ = make_family(shape)
    other.module.encoder.register_forward_hook(lambda *_: None)  # no fused gradient with hooks
    autograd = Stepper(other, 1e-3, threads=threads)
    n_parameters = sum(p.numel() for p in family.module.parameters())
    bare = BareStep(shape, batches[0].n_encoded, threads, n_parameters)
    times = []
    for _ in range(repeats + 1):  # the first turn warms all up
        turn = [time.perf_counter()]
        for one in (stepper, autograd):
            with one.at_work():
                for batch in batches:
                    one.step(batch)
            turn.append(time.perf_counter())
        with one_blas_thread():
            for _ in batches:
                bare.step()
        turn.append(time.perf_counter())
        for dense_step in (peer, by_compiler):
            for batch in batches if dense_step is not None else ():
                dense_step.step(*dense_batch(batch))
            turn.append(time.perf_counter())
        times.append(np.diff(turn) / steps)
    ours, ours_autograd, least, dense, compiled = np.array(times[1:]).T
    ratio = dense / ours
    products, own_products = arithmetic(shape)
    parts = where_time_goes(stepper, batches)
    whole = sum(parts.values())
    shares = ", ".join(f"{name} {seconds / whole:.0%}" for name, seconds in parts.items())
    name = shape.capitalize()
    return [
        Line(
            f"{name}: ours / dense, steps a second", spread(ratio), f"≥ {asked:g}×", np.median(ratio) >= asked
        ),
        Line(f"{name}: ours / dense, the step through autograd", spread(dense / ours_autograd)),
        Line(f"{name}: ours / dense through torch.compile", reason or spread(compiled / ours)),
        Line(f"{name}: its matrix products and Adam alone / dense", spread(dense / least)),
        Line(f"{name}: the same to", agreement, "1e−5", True),
        Line(
            f"{name}: matrix products in a step, dense and ours",
            f"{products:.2f} and {own_products:.2f} GFLOP, {products / own_products:.1f}×",
        ),
        Line(f"{name}: threads of our step", str(threads)),
        Line(f"{name}: where the time of the step through autograd goes", before(autograd, batches)),
        Line(f"{name}: where our step's time goes", shares),
    ]


def before(stepper: Stepper, batches) -> str:
    """Stages of the step through autograd, and how many PyTorch operations it is."""
    seconds = np.zeros(3)
    with stepper.at_work():
        for batch in batches:
            marks = [time.perf_counter()]
            loss = -stepper.family.objective(batch).value
            marks.append(time.perf_counter())
            loss.backward()
            marks.append(time.perf_counter())
            stepper.optimizer.step()
            marks.append(time.perf_counter())
            seconds += np.diff(marks)
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
            stepper.step(batches[0])
    operations = sum(event.key.startswith("aten::") * event.count for event in profile.key_averages())
    shares = zip(("forward", "backward", "Adam"), seconds / seconds.sum(), strict=True)
    return ", ".join(f"{name} {share:.0%}" for name, share in shares) + f"; {operations} PyTorch operations"


def where_time_goes(stepper: Stepper, batches) -> dict[str, float]:
    """Seconds in each stage of the fused step, over all batches."""
    names = {
        "read": "first layers, encoder, decoder and likelihood, pair encoder",
        "relate": "pair encoder on halves",
        "couple": "terms of edges and pairs",
        "differentiate": "gradients of second layers",
        "collect": "gradients of first layers, and Adam on them",
    }
    seconds = dict.fromkeys(("getting the batch's rows", *names.values(), "Adam"), 0.0)
    fused, at_once = stepper.compiled, stepper._at_once
    with stepper.at_work(), torch.no_grad():
        for batch in batches:
            start = time.perf_counter()
            work = FusedBatch(fused, batch, at_once)
            now = time.perf_counter()
            seconds["getting the batch's rows"] += now - start
            for stage in fused.STAGES:
                start = now
                fused.run(getattr(work, stage)())
                now = time.perf_counter()
                seconds[names[stage]] += now - start
            if not at_once:
                stepper.optimizer.step()
                seconds["Adam"] += time.perf_counter() - now
    return {name: value for name, value in seconds.items() if value > 0.002 * sum(seconds.values())}


def against(revision: str, repeats: int) -> None:
    """Our step and that of another commit, in turns, each in a process of its own."""
    here = Path(__file__).resolve().parent
    git = ["git", "-C", str(here)]
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "before"
        subprocess.run([*git, "worktree", "add", "--detach", "-q", str(tree), revision], check=True)
        try:
            for shape, steps in (("citation", 300), ("epinions", 30), ("many features", 60)):
                sources = (tree / "src", here.parent / "src")
                before, now = turns(here / "step_worker.py", sources, shape, steps, repeats)
                print(f"{shape}: now / before, steps a second   {spread(before / now)}")
        finally:
            subprocess.run([*git, "worktree", "remove", "--force", str(tree)], check=True)


def turns(worker: Path, sources, shape: str, steps: int, repeats: int) -> np.ndarray:
    """(2, repeats) seconds of two versions of the package, which must come to the same objective."""
    command = [sys.executable, str(worker), *map(str, (*BEFORE_SHAPES[shape], steps))]
    workers = [
        subprocess.Popen(
            command,
            env={**os.environ, "PYTHONPATH": str(source)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        for source in sources
    ]
    try:
        assert [one.stdout.readline().strip() for one in workers] == ["ready", "ready"]
        seconds = []
        for _ in range(repeats + 1):  # the first turn warms all up
            for one in workers:
                one.stdin.write("go\n")
                seconds.append(float(one.stdout.readline()))
        ends = [float(one.communicate()[0]) for one in workers]
    finally:
        for one in workers:
            one.kill()
    if abs(ends[0] - ends[1]) > 1e-3 * abs(ends[0]):
        raise SystemExit(f"the two versions train differently: {ends[0]} and {ends[1]}")
    return np.array(seconds[2:]).reshape(-1, 2).T


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--before", metavar="REV", help="compare with the step of another commit")
    options = parser.parse_args()
    if options.before:
        against(options.before, options.repeats)
        return
    lines = run("citation", 300, options.repeats, 4) + run("epinions", 30, options.repeats, 10)
    store(
        "training_step",
        "Training step, against a straightforward dense step in PyTorch",
        lines,
        note="On the Epinions shape the dense step multiplies at close to the machine's rate, and its "
        "products are as many times ours as the line on products says. The line on products and Adam alone "
        "is the limit: a step that did nothing else. What else we do (two passes of sparse first layers over "
        "a weight larger than a core's cache) is bound by memory. Through autograd is how networks of one's "
        "own are trained.",
    )


if __name__ == "__main__":
    main()
