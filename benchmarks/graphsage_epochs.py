"""How GraphSAGE's score depends on how long it is trained: five splits of Citation 1998, or of Debian.

    python benchmarks/graphsage_epochs.py [--data citation-1998] [--data-root DIR] [--splits 5]

The authors' program makes a single pass unless told otherwise; the paper that ACVAE is from does not say how
long its GraphSAGE was trained. Epoch 0 is the network as it is before training.
"""

import argparse

import numpy as np

import acvae
from peers import load
from ratios import Line, store

EPOCHS = (0, 1, 3, 10, 30, 100, 200)


def scores(data, seed: int) -> dict[int, float]:
    """Test NCRR after so many passes over the edges."""
    split = acvae.split_edges(data.graph, seed=seed)
    found = {}

    def look(state) -> None:
        if state.epoch in EPOCHS:
            found[state.epoch] = acvae.metrics.ncrr(state.posterior(), split.train, split.test).test

    options = {"seed": seed, "progress": False}
    untrained = acvae.GraphSAGE(epochs=0, **options).fit(data.features, split.train).posterior_
    found[0] = acvae.metrics.ncrr(untrained, split.train, split.test).test
    acvae.GraphSAGE(epochs=max(EPOCHS), **options).fit(data.features, split.train, callbacks=[look])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", help="citation-1998 if its files are found, else debian")
    parser.add_argument("--data-root", help="folder with the raw data")
    parser.add_argument("--splits", type=int, default=5)
    args = parser.parse_args()
    data = load(args.data, args.data_root)
    found = [scores(data, seed) for seed in range(args.splits)]
    lines = []
    for epoch in EPOCHS:
        values = np.array([of[epoch] for of in found])
        epochs = "1 epoch" if epoch == 1 else f"{epoch} epochs"
        lines.append(Line(f"after {epochs}", f"{values.mean():.3f} ± {values.std(ddof=1):.3f}"))
    store(
        "graphsage_epochs",
        f"GraphSAGE's test NCRR by length of training ({data.name})",
        lines,
        note=f"Mean and standard deviation over {args.splits} splits. The paper reports 0.020 on Citation.",
    )


if __name__ == "__main__":
    main()
