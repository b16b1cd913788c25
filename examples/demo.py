"""The main job on real data: which Debian packages belong together?

Splits the dependency graph of Debian's Python packages, trains four models, scores them on the hidden
links, and shows what the joint on the learnt forest says of well-known packages. Run by `make demo`.
"""

import argparse
import time
from pathlib import Path

import acvae

WELL_KNOWN = ("python3-numpy", "python3-django", "python3-requests")
CLOSE_UP = "python3-matplotlib"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--out", type=Path, default=Path("runs/demo"), help="folder for the model and picture"
    )
    parser.add_argument("--epochs", type=int, default=60, help="passes over the edges")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()

    data = acvae.datasets.load("debian")
    split = acvae.split_edges(data.graph, seed=0)
    print(f"{data}: {data.source}")
    print(f"{split.train.n_edges:,} links to train on, {split.test.n_edges:,} hidden\n")

    vae = acvae.VAE(epochs=options.epochs).fit(data.features)
    cvae = acvae.CVAE(gamma=1000, epochs=options.epochs).fit(data.features, split.train)
    whole = acvae.CVAE(posterior="graph", tau=0.8, epochs=options.epochs).fit(data.features, split.train)
    model = acvae.ACVAE("empirical-bayes", gamma=1, epochs=options.epochs).fit(data.features, split.train)

    print(f"\n{'':34}{'train NCRR':>12}{'test NCRR':>12}{'test Hits@10':>14}")
    rows = {
        "VAE, features alone": vae.posterior_,
        "CVAE_corr, pair network": cvae.posterior_,
        "CVAE, joint on the whole graph": whole.posterior_,
        "ACVAE_EB, pair network": model.pairwise_posterior(data.features),
        "ACVAE_EB + belief propagation": model.posterior_,
    }
    for name, posterior in rows.items():
        scores = acvae.metrics.evaluate(posterior, split.train, split.test)
        print(f"{name:34}{scores.ncrr.train:12.3f}{scores.ncrr.test:12.3f}{scores.hits.test:14.3f}")
    print(f"{'random ranking':34}{'':12}{scores.ncrr.random:12.3f}{scores.hits.random:14.3f}")

    q = model.posterior_
    print(f"\nmean correlation along the {len(q.forest):,} forest edges: {q.joint.correlation.mean():.3f}")
    print(f"mean KL of an embedding from the prior: {model.history_[-1]['kl']:.2f}")
    print("\nNearest packages that are not known neighbours, by expected distance:")
    for name in WELL_KNOWN:
        ids, distances = q.nearest(data.graph.index(name), k=10, exclude=data.graph)
        print(f"  {name}")
        for i, distance in zip(ids[0], distances[0], strict=True):
            print(f"    {distance:8.3f}  {data.graph.name(i)}")

    model.save(options.out / "model.safetensors")
    draw(model, data, options.out / "forest.png")
    print(f"\nsaved {options.out}/model.safetensors and {options.out}/forest.png")
    print(f"done in {time.monotonic() - started:.0f} s")


def draw(model: acvae.ACVAE, data: acvae.datasets.Dataset, path: Path) -> None:
    """The largest tree of the learnt forest, and the part around one package with names."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    q, names = model.posterior_, data.graph.names
    figure, (left, right) = plt.subplots(1, 2, figsize=(13, 6.4), layout="constrained")
    acvae.plot.forest_tree(q, left, names=names)
    left.set_title("the largest tree of the forest learnt from Debian's Python packages", fontsize=11)
    acvae.plot.forest_neighborhood(q, data.graph.index(CLOSE_UP), right, names=names, size=32)
    right.set_title(f"the forest around {CLOSE_UP}", fontsize=11)
    figure.savefig(path, dpi=130)
    plt.close(figure)


if __name__ == "__main__":
    main()
