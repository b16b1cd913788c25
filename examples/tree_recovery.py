"""How much of a true tree does each option find again among twice as many random edges?

Prints the share of true edges in the forest that ACVAE learns on the generated data set "tree", by empirical
Bayes and by saddle point, and what a random spanning forest has.
"""

import argparse

import numpy as np

import acvae
from acvae.datasets.tree import true_tree
from acvae.forests import initial_weights


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--vertices", type=int, default=2000)
    parser.add_argument("--epochs", type=int, default=125, help="125 are 3,000 steps at 2,000 vertices")
    parser.add_argument("--gamma", type=float, default=1.0)
    parser.add_argument("--tau", type=float, default=0.95)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()

    data = acvae.datasets.load("tree", n_vertices=options.vertices, seed=options.seed)
    is_true = true_tree(data).has_edges(data.graph.edges)
    print(f"{data}: {is_true.sum():,} true edges, {(~is_true).sum():,} random ones")
    random = [is_true[initial_weights(data.graph, seed).weights > 0].mean() for seed in range(20)]
    print(f"random spanning forest  {np.mean(random):6.1%} true edges")
    for objective in ("empirical-bayes", "saddle-point"):
        model = acvae.ACVAE(
            objective,
            likelihood="bernoulli",
            tau=options.tau,
            gamma=options.gamma,
            epochs=options.epochs,
            seed=options.seed,
            progress=False,
        ).fit(data.features, data.graph)
        share = true_tree(data).has_edges(model.posterior_.forest).mean()
        settled = model.history_[-1]["settled"]
        print(f"{objective:22}  {share:6.1%} true edges, {settled:.0%} of the weights settled")


if __name__ == "__main__":
    main()
