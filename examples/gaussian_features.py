"""A data set of one's own with real-valued features: measuring stations along rivers.

Every station measures six quantities. What flows past one flows past the next downstream, so stations
are correlated along the rivers, and rivers are trees. The map also shows roads between stations, which carry
no water. Can the model tell the rivers from the roads, and guess what a silent station would say?
"""

import argparse

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

import acvae

N_QUANTITIES = 6


def stations(n: int, seed: int) -> tuple[acvae.datasets.Dataset, acvae.Graph]:
    """Measurements and a map of rivers and roads, as a data set; and the rivers alone."""
    rng = np.random.default_rng(seed)
    downstream = np.array([rng.integers(max(0, i - 4), i) for i in range(1, n)])
    rivers = acvae.Graph(n, np.stack([downstream, np.arange(1, n)], axis=1))
    water = rng.standard_normal((n, 3))
    for i in range(1, n):
        water[i] = 0.95 * water[downstream[i - 1]] + np.sqrt(1 - 0.95**2) * water[i]
    measured = water @ rng.standard_normal((3, N_QUANTITIES)) + 0.1 * rng.standard_normal((n, N_QUANTITIES))
    measured = (measured - measured.mean(axis=0)) / measured.std(axis=0)  # as for any network
    roads = rng.integers(0, n, (n, 2))
    data = acvae.datasets.Dataset(
        name="stations",
        features=sp.csr_array(measured.astype(np.float32)),
        graph=acvae.Graph(n, np.concatenate([rivers.edges, roads]), [f"station {i}" for i in range(n)]),
        source="Made up: a tree of rivers, and random roads.",
    )
    return data, rivers


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--stations", type=int, default=400)
    parser.add_argument("--epochs", type=int, default=150)
    options = parser.parse_args(argv)

    data, rivers = stations(options.stations, seed=0)
    print(data)
    model = acvae.ACVAE(
        "empirical-bayes",
        likelihood="gaussian",
        latent_dim=3,
        tau=0.95,
        gamma=0.1,
        learning_rate=3e-3,
        batch_edges=64,
        epochs=options.epochs,
    )
    model.fit(data.features, data.graph)
    q = model.posterior_

    share = rivers.n_edges / data.graph.n_edges
    found = rivers.has_edges(q.forest).mean()
    print(f"\n{found:.0%} of the forest's edges are rivers; of all edges on the map, {share:.0%} are")
    noise = model.module_.likelihood.log_std.detach().exp().numpy()
    print(f"learnt noise of the quantities: {np.round(noise, 2)}")

    silent, neighbour = (int(v) for v in q.forest[np.argmax(q.joint.correlation.mean(axis=1))])
    z = q.sample(1, seed=1)[0]
    told = q.condition({neighbour: z[neighbour]})
    at = int(np.flatnonzero(told.original_ids == silent)[0])
    print(f"\nstation {silent}, if its neighbour {neighbour} were at {show(z[neighbour])}:")
    print(f"  before  {show(q.mean[silent])} ± {show(q.std[silent])}")
    print(f"  after   {show(told.mean[at])} ± {show(told.std[at])}")


def show(values: npt.NDArray[np.float32]) -> str:
    return "(" + ", ".join(f"{x:5.2f}" for x in values) + ")"


if __name__ == "__main__":
    main()
