"""Which Debian packages belong together? GraphGaussian on real data first, then the paper's ACVAE.

Hides some links between Debian's Python packages, fits GraphGaussian to the others, and shows what it expects
to be linked, how likely, and why. Scores the hidden links beside plain rules and chance. Ends with a short
training of the paper's model, whose learnt forest is drawn. Run by `make demo`.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt

import acvae
from acvae.models.explanation import Explanation
from acvae.reproduce.compare import rules

WELL_KNOWN = ("python3-flask", "python3-astropy", "python3-django")
EXPLAINED = ("python3-django", "python3-djangorestframework")
CLOSE_UP = "python3-matplotlib"


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=Path("runs/demo"), help="folder for models and picture")
    parser.add_argument("--epochs", type=int, default=10, help="passes over the links, of ACVAE")
    options = parser.parse_args(argv)
    options.out.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()

    data = acvae.datasets.load("debian")
    split = acvae.split_edges(data.graph, seed=0)
    print(f"{data}: {data.source}")
    print(f"{split.train.n_edges:,} links to learn from, {split.test.n_edges:,} hidden\n")

    model = acvae.GraphGaussian().fit(data.features, split.train)
    print("Links that GraphGaussian expects, with their probabilities; ✓ is a true link that was hidden:")
    for name in WELL_KNOWN:
        show_links(model, split, name)
    print(f"\nWhy {EXPLAINED[0]} and {EXPLAINED[1]}:")
    print(in_words(model.explain(*EXPLAINED), data.feature_names))

    paper = acvae.ACVAE("empirical-bayes", gamma=1000, epochs=options.epochs)
    paper.fit(data.features, split.train)
    print("\nHow well the hidden links rank among all packages (1 is perfect, NCRR as in the paper):")
    print(f"{'':40}{'NCRR':>8}{'Hits@10':>10}")
    rows = {
        "GraphGaussian": model.links_,
        "Adamic–Adar": rules.adamic_adar(split.train),
        "common neighbours": rules.common_neighbours(split.train),
        f"ACVAE, its forest, {options.epochs} epochs": paper.posterior_,
        f"ACVAE, its pair network, {options.epochs} epochs": paper.pairwise_posterior(data.features),
    }
    for name, ranking in rows.items():
        scores = acvae.metrics.evaluate(ranking, split.train, split.test)
        print(f"{name:40}{scores.ncrr.test:8.3f}{scores.hits.test:10.3f}")
    print(f"{'chance':40}{scores.ncrr.random:8.3f}{scores.hits.random:10.3f}")

    model.save(options.out / "graph-gaussian.safetensors")
    paper.save(options.out / "acvae.safetensors")
    draw(paper, data, options.out / "forest.png")
    print(f"\nACVAE's forest is drawn in {options.out}/forest.png; both models are saved beside it.")
    print(f"Done in {time.monotonic() - started:.0f} s.")


def show_links(model: acvae.GraphGaussian, split: acvae.EdgeSplit, name: str) -> None:
    """The five likeliest new links of a package."""
    graph = split.train
    ids, probabilities = model.predict_links([name], k=5)
    hidden = split.test.neighbors(graph.index(name))
    print(f"  {name}")
    for other, probability in zip(ids[0], probabilities[0], strict=True):
        print(f"    {probability:5.2f} {'✓' if other in hidden else ' '} {graph.name(other)}")


def in_words(explanation: Explanation, words: npt.NDArray[np.str_]) -> str:
    """An explanation with the words of Debian's descriptions in place of the numbers of columns."""
    named = [(words[column], weight) for column, weight in explanation.shared_features]
    return str(explanation._replace(shared_features=named))


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
