"""The paper's own data: predict citations between papers of high-energy physics.

Needs the raw files of SNAP's cit-HepTh, in --data-root, in $ACVAE_DATA or in the cache. Without them this
says where they come from, and stops. Compares the learnt joint with hop distances in a random spanning
tree, which need no learning at all.
"""

import argparse
import sys

import numpy as np

import acvae


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data-root", help="folder with the raw files")
    parser.add_argument("--download", action="store_true", help="fetch the files if they are not here")
    parser.add_argument("--epochs", type=int, default=60, help="passes over the citations")
    parser.add_argument("--gamma", type=float, nargs="+", default=[0.001, 1000], metavar="γ")
    options = parser.parse_args(argv)

    entries = {entry.name: entry for entry in acvae.datasets.available(options.data_root)}
    entry = entries["citation-1998"]
    if not entry.here and not options.download:
        print(f"The Citation data are not here: {', '.join(entry.missing)}.")
        print(f"They are published by {entry.origin}.")
        print("Put the files in a folder and give --data-root FOLDER, or give --download.")
        return 0

    try:
        data = acvae.datasets.load("citation-1998", root=options.data_root)
    except acvae.exceptions.DataError as error:
        print(error, file=sys.stderr)
        return 1
    split = acvae.split_edges(data.graph, seed=0)
    print(f"{data}: {split.train.n_edges:,} citations to train on, {split.test.n_edges:,} hidden\n")
    print(f"{'':34}{'test NCRR':>11}{'KL':>8}{'mean ρ':>8}")

    tree = split.train.edges[acvae.forests.initial_weights(split.train, seed=0).weights > 0]
    ones = np.ones((data.graph.n_vertices, 1))
    hops = acvae.Posterior(0 * ones, ones, tree, np.full((len(tree), 1), 0.99))
    score = acvae.metrics.ncrr(hops, split.train, split.test)
    print(f"{'a random ranking':34}{score.random:11.3f}")
    print(f"{'hops in a random spanning tree':34}{score.test:11.3f}{0:8.2f}{0.99:8.3f}")
    for gamma in options.gamma:
        model = acvae.ACVAE("empirical-bayes", gamma=gamma, epochs=options.epochs)
        q = model.fit(data.features, split.train).posterior_
        score = acvae.metrics.ncrr(q, split.train, split.test)
        label = f"ACVAE_EB + BP, γ = {gamma:g}"
        print(f"{label:34}{score.test:11.3f}{model.history_[-1]['kl']:8.2f}{q.joint.correlation.mean():8.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
