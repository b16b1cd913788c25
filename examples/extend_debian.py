"""Packages the model has never seen: attach them to the learnt forest, and predict a link of each.

Holds 500 Debian packages back, trains on the others, and extends the trained joint by the 500 with all their
known links but one. The hidden link is then ranked among all packages: with the new packages as leaves of the
forest, by expected distance, and by features alone, in three ways. Nothing is trained again, and marginals
of the known packages do not move by a bit, which is checked too.
"""

import argparse

import numpy as np
import numpy.typing as npt

import acvae


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--held-back", type=int, default=500, help="packages the model does not see")
    parser.add_argument("--epochs", type=int, default=30, help="passes over the edges")
    parser.add_argument("--seed", type=int, default=0, help="chooses packages and hidden links")
    options = parser.parse_args()
    data = acvae.datasets.load("debian")
    print(data)

    rng = np.random.default_rng(options.seed)
    held = hold_back(data.graph, options.held_back, rng)
    is_held = np.isin(np.arange(data.graph.n_vertices), held)
    known = np.flatnonzero(~is_held)
    place = np.cumsum(~is_held) - 1  # id among the known
    between = data.graph.edges[~is_held[data.graph.edges].any(axis=1)]
    train = acvae.Graph(len(known), place[between], data.graph.names[known])
    links = [place[others[~is_held[others]]] for others in map(data.graph.neighbors, held)]
    hidden = np.array([rng.choice(ends) for ends in links])
    edges = [(t, v) for t, ends in enumerate(links) for v in ends if v != hidden[t]]
    new_features, known_features, names = data.features[held], data.features[known], data.graph.names[held]
    print(f"{len(held)} packages held back with {len(edges):,} links, and one more hidden for each\n")

    print(f"{'reciprocal rank of the hidden link':38}{'features':>10}{'extended':>10}{'Hits@10':>16}")
    for objective in ("empirical-bayes", "saddle-point"):
        model = acvae.ACVAE(objective, gamma=1, epochs=options.epochs).fit(known_features, train)
        extended = model.extend(new_features, edges, names=names)
        alone = model.extend(new_features, [], names=names)
        before = ranks(alone.posterior, extended.graph, alone.vertices, hidden)
        after = ranks(extended.posterior, extended.graph, extended.vertices, hidden)
        print(
            f"ACVAE {objective:32}{(1 / before).mean():10.4f}{(1 / after).mean():10.4f}"
            f"{(before <= 10).mean():10.3f} → {(after <= 10).mean():.3f}"
        )
        print(f"  known marginals unchanged to the bit: {same_bits(model.posterior_, extended.posterior)}")
    vae = acvae.VAE(epochs=options.epochs).fit(known_features)
    words = np.concatenate([known_features.toarray(), new_features.toarray()])
    plain = {
        "VAE, means of the embeddings": np.concatenate([vae.posterior_.mean, vae.transform(new_features)]),
        "no model, cosine of the features": words / np.maximum(np.linalg.norm(words, axis=1), 1)[:, None],
    }
    for name, mean in plain.items():
        rank = ranks(
            acvae.Posterior(mean, np.full_like(mean, 1e-6)), extended.graph, extended.vertices, hidden
        )
        print(f"{name:38}{(1 / rank).mean():10.4f}{'':10}{(rank <= 10).mean():10.3f}")

    package = extended.graph.name(extended.vertices[0])
    ids, _ = extended.posterior.nearest(extended.vertices[:1], k=5, exclude=extended.graph)
    print(f"\nsuggested for {package}, which no model has seen: ", end="")
    print(", ".join(extended.graph.name(i) for i in ids[0]))


def hold_back(graph: acvae.Graph, count: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Random vertices that all keep at least two links to known ones: one to hide and one to attach by."""
    known_links = graph.degrees.copy()
    held: set[int] = set()
    for v in rng.permutation(graph.n_vertices).tolist():
        neighbours = graph.neighbors(v).tolist()
        if known_links[v] >= 2 and all(u not in held or known_links[u] > 2 for u in neighbours):
            held.add(v)
            known_links[neighbours] -= 1
        if len(held) == count:
            break
    return np.array(sorted(held))


def ranks(
    posterior: acvae.Posterior,
    graph: acvae.Graph,
    vertices: npt.NDArray[np.int64],
    hidden: npt.NDArray[np.int64],
) -> npt.NDArray[np.int64]:
    """Rank of each hidden link among all vertices that are no known neighbours; ties count against it."""
    distance = posterior.distances(vertices)
    found = np.empty(len(vertices), dtype=np.int64)
    for t, (vertex, end) in enumerate(zip(vertices, hidden, strict=True)):
        candidate = np.ones(graph.n_vertices, dtype=bool)
        candidate[graph.neighbors(vertex)] = candidate[vertex] = False
        found[t] = (distance[t, candidate] <= distance[t, end]).sum()
    return found


def same_bits(before: acvae.Posterior, after: acvae.Posterior) -> bool:
    """Means, standard deviations, forest edges, and the correlations of 100,000 random pairs."""
    n, m = before.n_vertices, len(before.forest)
    i, j = np.random.default_rng(0).integers(n, size=(2, 100_000))
    return (
        np.array_equal(after.mean[:n], before.mean)
        and np.array_equal(after.std[:n], before.std)
        and np.array_equal(after.forest[:m], before.forest)
        and np.array_equal(after.joint.correlation[:m], before.joint.correlation)
        and np.array_equal(after.pair_correlation(i, j), before.pair_correlation(i, j))
        and np.array_equal(after.pair_distance(i, j), before.pair_distance(i, j))
    )


if __name__ == "__main__":
    main()
