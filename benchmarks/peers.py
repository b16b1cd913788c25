"""NCRR per minute of training: our models beside PyTorch Geometric's VGAE and GraphSAGE, on the same split.

    python benchmarks/peers.py [--data citation-1998] [--data-root DIR] [--seconds 60] [--methods NAME …]

Every method trains on the same train graph, in turn, until it has trained for so many seconds; evaluations do
not count. The data set is Citation 1998 where its files are found, else the packages of Debian that come with
this package. Ranks are exact and counted by the same code for all. A model of ours ranks by the expected
distance; PyTorch Geometric's rank by their own decoder, the inner product of the embeddings. The peers are
written against PyTorch Geometric's API as its examples do it: VGAE takes one step an epoch on the whole
graph; GraphSAGE takes 256 links and as many random pairs a step, with the convolution over the whole graph,
since sampling neighbours needs a further compiled package (pyg-lib).
"""

import argparse
import time
from collections.abc import Callable
from contextlib import suppress

import numpy as np
import torch
from torch_geometric.nn import VGAE, GCNConv, GraphSAGE
from torch_geometric.utils import negative_sampling

import acvae
from acvae.exceptions import DataError
from ratios import Line, store

LATENT, HIDDEN, PAIR_HIDDEN = 10, 30, 100
MARKS = (10, 30, 60)  # seconds of training after which a score is told
CHECKS = (1, 2, 3, 5, 7, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60)
PEER_LEARNING_RATE = 0.01  # as in PyTorch Geometric's examples
FOREVER = 10**6


class Enough(Exception):
    """The time for training is over."""


class Watch:
    """Counts the time spent training, and evaluates now and then while the clock stands still."""

    def __init__(self, split: acvae.EdgeSplit, seconds: float) -> None:
        self.split, self.seconds = split, seconds
        self.trained, self.epochs = 0.0, []
        self.scores: list[tuple[float, float, float]] = []  # seconds, train NCRR, test NCRR
        self._due = [mark for mark in CHECKS if mark < seconds] + [seconds]
        self._resumed = time.perf_counter()

    def epoch_done(self, posterior: Callable[[], acvae.Posterior]) -> None:
        spent = time.perf_counter() - self._resumed
        self.epochs.append(spent)
        self.trained += spent
        if self.trained >= self._due[0]:
            self._due = [mark for mark in self._due if mark > self.trained]
            found = acvae.metrics.ncrr(posterior(), self.split.train, self.split.test)
            self.scores.append((self.trained, found.train, found.test))
            self.random = found.random
            if not self._due:
                raise Enough
        self._resumed = time.perf_counter()

    def __call__(self, state) -> None:
        """The same as a callback of our models."""
        self.epoch_done(state.posterior)

    def after(self, seconds: float) -> float:
        """Test NCRR at the first evaluation from that time on."""
        return next((test for at, _, test in self.scores if at >= seconds), float("nan"))

    def selected(self) -> float:
        """Test NCRR of the evaluation with the best train NCRR."""
        return max(self.scores, key=lambda score: score[1])[2]


class InnerProducts:
    """A ranking by −⟨z_i, z_j⟩, for peers that decode links so."""

    def __init__(self, z: torch.Tensor) -> None:
        self.z = z.detach().numpy()
        self.n_vertices = len(self.z)

    def distance_blocks(self, rows=None, block_rows=None):
        ids = np.arange(self.n_vertices) if rows is None else rows
        step = block_rows or 512
        for start in range(0, len(ids), step):
            at = ids[start : start + step]
            yield at, np.arange(self.n_vertices), -self.z[at] @ self.z.T


# ---------------------------------------------------------------------- the methods


def ours(make: Callable[[], object]):
    def run(features, graph, watch: Watch) -> None:
        make().fit(features, graph, callbacks=[watch])

    return run


class VariationalEncoder(torch.nn.Module):
    """Two graph convolutions to the mean and the log standard deviation."""

    def __init__(self, n_features: int) -> None:
        super().__init__()
        self.hidden = GCNConv(n_features, HIDDEN)
        self.mean, self.log_std = GCNConv(HIDDEN, LATENT), GCNConv(HIDDEN, LATENT)

    def forward(self, x, edge_index):
        hidden = self.hidden(x, edge_index).relu()
        return self.mean(hidden, edge_index), self.log_std(hidden, edge_index)


def pyg_vgae(features, graph, watch: Watch) -> None:
    x, edge_index = pyg_inputs(features, graph)
    model = VGAE(VariationalEncoder(x.shape[1]))
    optimizer = torch.optim.Adam(model.parameters(), lr=PEER_LEARNING_RATE)
    while True:
        model.train()
        optimizer.zero_grad()
        z = model.encode(x, edge_index)
        loss = model.recon_loss(z, edge_index) + model.kl_loss() / len(x)
        loss.backward()
        optimizer.step()
        model.eval()
        watch.epoch_done(lambda: InnerProducts(model.encode(x, edge_index)))


def pyg_graphsage(features, graph, watch: Watch) -> None:
    x, edge_index = pyg_inputs(features, graph)
    links = torch.from_numpy(graph.edges.T.copy())
    model = GraphSAGE(x.shape[1], HIDDEN, num_layers=2, out_channels=LATENT)
    optimizer = torch.optim.Adam(model.parameters(), lr=PEER_LEARNING_RATE)
    while True:
        model.train()
        for batch in torch.randperm(links.shape[1]).split(256):
            optimizer.zero_grad()
            z = model(x, edge_index)
            random = negative_sampling(edge_index, len(x), num_neg_samples=len(batch))
            pairs = torch.cat([links[:, batch], random], dim=1)
            label = (torch.arange(pairs.shape[1]) < len(batch)).float()
            logit = (z[pairs[0]] * z[pairs[1]]).sum(-1)
            torch.nn.functional.binary_cross_entropy_with_logits(logit, label).backward()
            optimizer.step()
        model.eval()
        watch.epoch_done(lambda: InnerProducts(model(x, edge_index)))


def pyg_inputs(features, graph):
    """Dense features with rows that sum to one, as the examples have them, and edges in both directions."""
    x = torch.from_numpy(features.toarray())
    return x / x.sum(dim=1, keepdim=True).clamp_min(1), graph.to_pyg().edge_index


SIZES = {"latent_dim": LATENT, "hidden_dim": HIDDEN, "epochs": FOREVER, "progress": False}
METHODS = {
    "ACVAE_EB, belief propagation": ours(lambda: acvae.ACVAE(pair_hidden_dim=PAIR_HIDDEN, **SIZES)),
    "CVAE on the whole graph, τ = 0.8": ours(
        lambda: acvae.CVAE(posterior="graph", pair_hidden_dim=PAIR_HIDDEN, tau=0.8, **SIZES)
    ),
    "CVAE_corr, γ = 1000": ours(lambda: acvae.CVAE(pair_hidden_dim=PAIR_HIDDEN, gamma=1000, **SIZES)),
    "GraphSAGE, ours": ours(lambda: acvae.GraphSAGE(**SIZES)),
    "GraphSAGE, PyTorch Geometric": pyg_graphsage,
    "VGAE, PyTorch Geometric": pyg_vgae,
}


def measure(run, data, split, seconds: float) -> Watch:
    torch.manual_seed(0)
    for budget in (0.001, seconds):  # first one epoch and one evaluation, so that all is compiled
        watch = Watch(split, budget)
        with suppress(Enough):
            run(data.features, split.train, watch)
    return watch


def load(name: str | None, root: str | None):
    try:
        return acvae.datasets.load(name or "citation-1998", root=root)
    except DataError:
        if name is not None:
            raise
        return acvae.datasets.load("debian")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="citation-1998 if its files are found, else debian")
    parser.add_argument("--data-root", help="folder with the raw data")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--methods", nargs="+", default=list(METHODS), help="; ".join(METHODS))
    args = parser.parse_args()
    data = load(args.data, args.data_root)
    split = acvae.split_edges(data.graph, seed=0)
    print(f"{data}, {split.train.n_edges:,} train edges, {split.test.n_edges:,} test edges")
    lines = []
    for name in args.methods:
        watch = measure(METHODS[name], data, split, args.seconds)
        marks = ", ".join(f"{watch.after(s):.3f} after {s} s" for s in MARKS if s <= args.seconds)
        epoch = 1e3 * np.median(watch.epochs)
        lines.append(Line(name, f"{epoch:.0f} ms an epoch; NCRR {marks}; {watch.selected():.3f} selected"))
        print(lines[-1].what, lines[-1].figure, flush=True)
    lines.append(Line("a random ranking", f"NCRR {watch.random:.4f}"))
    store(
        "peers",
        f"Link prediction per minute of training ({data.name}, n = {data.graph.n_vertices:,})",
        lines,
        note=f"{split.train.n_edges:,} train edges, embeddings of {LATENT} dimensions, one run each, time "
        "spent on evaluations left out. Test NCRR; “selected” is that of the evaluation with the best train "
        "NCRR. An epoch is a pass over all edges, for VGAE one step on the whole graph. Our models rank by "
        "the expected distance, PyTorch Geometric's by their decoder's inner product, all by the same exact "
        "code.",
    )


if __name__ == "__main__":
    main()
