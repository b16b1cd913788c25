"""What `test_distributed` starts in two processes, and calls in one to compare: PROGRAM WHAT PATH."""

import hashlib
import json
import os
import signal
import sys
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist

from acvae import ACVAE, CVAE, VAE, Graph, GraphGaussian, Posterior
from acvae.engine.distributed import join
from acvae.exceptions import OptionError
from acvae.families import ForestFamily, PairwiseFamily
from acvae.nn import Autoencoder, as_features
from acvae.training import Checkpoint, sharded

N, BATCH_EDGES = 60, 16
OF_ONE = "one"  # a checkpoint that a process made alone
RNG = np.random.default_rng(0)
FEATURES = RNG.poisson(1.0, (N, 9))
GRAPH = Graph(N, RNG.integers(0, N, (150, 2)))
HELD_OUT = Graph(N, [e for e in RNG.integers(0, N, (60, 2)) if not GRAPH.has_edges(np.sort(e)[None])[0]])
SMALL = {
    "latent_dim": 2,
    "hidden_dim": 4,
    "epochs": 6,
    "progress": False,
    "device": "cpu",
    "batch_vertices": 7,
}
MODELS = {
    "acvae": lambda: ACVAE(pair_hidden_dim=5, batch_edges=BATCH_EDGES, **SMALL),
    "cvae": lambda: CVAE(pair_hidden_dim=5, batch_edges=BATCH_EDGES, **SMALL),
    "vae": lambda: VAE(**SMALL),
}


def digest(*arrays):
    return hashlib.sha256(b"".join(np.ascontiguousarray(a).tobytes() for a in arrays)).hexdigest()


def networks():
    return Autoencoder(
        9, latent_dim=2, hidden_dim=4, pair_hidden_dim=5, generator=torch.Generator().manual_seed(0)
    )


def forest_family(maximum, step_size, seed=0):
    features = as_features(FEATURES)
    return ForestFamily(networks(), features, GRAPH, maximum=maximum, step_size=step_size, seed=seed)


def weights_and_forest(world):
    """After updates by masses with many ties, in both directions."""
    out = []
    for maximum in (False, True):
        family = forest_family(maximum, 0.25, seed=1)
        own = world.share(GRAPH.n_edges).own
        for epoch in range(5):
            masses = np.random.default_rng(epoch).integers(0, 4, GRAPH.n_edges).astype(np.float64)
            family.move_weights(masses[own.start : own.stop], world)
        forest = family.forest(masses[own.start : own.stop], world)
        out += [digest(family.weights, forest), family.settled]
    return out


def scores(world):
    rng = np.random.default_rng(3)
    forest = GRAPH.edges[forest_family(True, 0.1).weights == 1]
    q = Posterior(
        rng.normal(size=(N, 3)), rng.uniform(0.5, 1, (N, 3)), forest, rng.uniform(0, 0.9, (len(forest), 3))
    )
    found = sharded.link_scores(world, q, GRAPH, HELD_OUT)
    return [list(score) for score in found[:3]]


def shared_links(world):
    """Scores of links, and the best links of all vertices, by both ways of holding the joint."""
    out = {}
    for solver in ("exact", "local"):
        model = GraphGaussian(latent_dim=4, solver=solver, progress=False).fit(FEATURES, GRAPH)
        found = sharded.link_scores(world, model.links_, GRAPH, HELD_OUT)
        parts = sharded.in_turns(world, 7, lambda p, m=model: m.predict_links(np.arange(p, N, 7), k=3))
        out[solver] = (
            [list(score) for score in found[:3]],
            digest(*(array for part in parts for array in part)),
        )
    return out


def elbo(world):
    weights = np.linspace(0, 1, GRAPH.n_edges)
    family = PairwiseFamily(networks(), as_features(FEATURES), GRAPH, weights, tau=0.9, gamma=0.1)
    return family.elbo(world)


def described(model):
    q = model.posterior_
    return {
        "parameters": digest(*(p.detach().numpy() for p in model.module_.parameters())),
        "posterior": digest(*q.pack()[0].values()),
        "weights": None if model.weights_ is None else digest(model.weights_),
        "elbo": [row["elbo"] for row in model.history_],
        "steps": model.history_[0]["steps"],
        "finite": bool(np.isfinite(q.mean).all()),
    }


def fit(checkpoint=None, callbacks=()):
    return MODELS["acvae"]().fit(FEATURES, GRAPH, checkpoint=checkpoint, callbacks=callbacks)


def check(folder):
    """All that two living processes can be asked; the process group is one that the user has made."""
    rank = int(os.environ["RANK"])
    dist.init_process_group("gloo")
    world = join(torch.device("cpu"))
    report = {"weights_and_forest": weights_and_forest(world), "scores": scores(world), "elbo": elbo(world)}
    report["links"] = shared_links(world)
    report["fits"] = {name: described(make().fit(FEATURES, GRAPH)) for name, make in MODELS.items()}

    def stop(state):
        if state.epoch == 4:
            raise KeyboardInterrupt

    stored, seen = Checkpoint(folder / "stored", every=2), []
    try:
        fit(stored, [stop])
    except KeyboardInterrupt:
        dist.barrier()
    report["resumed"] = described(fit(stored, [lambda state: seen.append(state.epoch)]))
    report["resumed_epochs"] = seen
    try:
        fit(Checkpoint(folder / OF_ONE))
    except OptionError as error:
        report["other_size"] = str(error)
    try:
        VAE(**SMALL, seed=rank).fit(FEATURES)
    except (OptionError, RuntimeError) as error:
        report["other_seed"] = str(error)
    (folder / f"report-{rank}.json").write_text(json.dumps(report))
    dist.destroy_process_group()  # who has made it closes it: a process that ends with it open may be aborted


def main(what, path):
    if what == "check":
        check(Path(path))
        return

    def die(state):
        if what == "die" and state.epoch == 4 and state.world.rank == 1:
            os.kill(os.getpid(), signal.SIGKILL)

    model = fit(Checkpoint(path, every=100), [die])
    assert model.history_[-1]["epoch"] == 6
    print(json.dumps(described(model)))


if __name__ == "__main__":
    main(*sys.argv[1:])
