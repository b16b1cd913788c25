"""Recommend a dependency: which packages go with this one, and why?

Trains on the links between Debian's Python packages, then lists for a package the nearest ones it is not
linked to. Of each it shows what the package is and the path in the learnt forest that leads there, with the
correlation at every step: the reason for the recommendation, as far as the model has one.

    python examples/recommend_dependency.py python3-flask python3-astropy
"""

import argparse
from itertools import pairwise

import networkx as nx

import acvae


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("packages", nargs="*", default=["python3-flask"], help="names of packages")
    parser.add_argument("-k", type=int, default=5, help="recommendations for each")
    parser.add_argument("--epochs", type=int, default=40, help="passes over the links")
    parser.add_argument("--gamma", type=float, default=1000, help="strength of the regulariser")
    options = parser.parse_args(argv)

    data = acvae.datasets.load("debian")
    about = acvae.datasets.debian.summaries()
    graph = data.graph
    wanted = [graph.index(name) for name in options.packages]  # a misspelt name is told before training
    model = acvae.ACVAE(gamma=options.gamma, epochs=options.epochs).fit(data.features, graph)
    q = model.posterior_
    forest = q.to_networkx(graph)

    for package in wanted:
        name = graph.name(package)
        print(f"\n{name}: {about[name]}")
        print(f"has {graph.degrees[package]} links; near it, without a link:")
        ids, distances = q.nearest(package, k=options.k, exclude=graph)
        for other, distance in zip(ids[0], distances[0], strict=True):
            print(f"  {distance:6.2f}  {graph.name(other)}: {about[graph.name(other)]}")
            print(f"          {explain(q, graph, forest, name, graph.name(other))}")


def explain(q: acvae.Posterior, graph: acvae.Graph, forest: nx.Graph, start: str, end: str) -> str:
    """The path from one package to another, with the mean correlation of each step."""
    if not nx.has_path(forest, start, end):
        return "no path: near by its embedding alone"
    path = nx.shortest_path(forest, start, end)
    text = path[0].removeprefix("python3-")
    for u, v in pairwise(path):
        rho = q.pair_correlation(graph.index(u), graph.index(v)).mean()
        text += f" –{rho:.2f}– {v.removeprefix('python3-')}"
    return text


if __name__ == "__main__":
    main()
