"""From a PyTorch Geometric `Data` object to a joint over its nodes, and back to a `Data` object.

The graph is a stochastic block model: nodes in blocks, edges mostly within a block, features that depend on
the block. What comes back has the means as `x` and the learnt forest as `edge_index`, ready for any layer of
PyTorch Geometric.
"""

import argparse

import numpy as np
import torch
from torch_geometric.data import Data
from torch_geometric.utils import stochastic_blockmodel_graph, to_undirected

import acvae


def block_model(nodes_per_block: int, seed: int) -> Data:
    """Three blocks, with 20 features of 0 and 1."""
    torch.manual_seed(seed)  # PyTorch Geometric draws from the global generator
    blocks = torch.full((3,), nodes_per_block)
    edge_index = stochastic_blockmodel_graph(
        blocks, 0.01 + 5 / nodes_per_block * torch.eye(3), directed=False
    )
    label = torch.arange(3).repeat_interleave(nodes_per_block)
    rate = torch.rand(3, 20) ** 2
    return Data(x=torch.bernoulli(rate[label]), edge_index=to_undirected(edge_index), y=label)


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--nodes", type=int, default=120, help="nodes in each of three blocks")
    parser.add_argument("--epochs", type=int, default=60)
    options = parser.parse_args(argv)

    data = block_model(options.nodes, seed=0)
    print(data)
    graph = acvae.Graph.from_pyg(data)
    split = acvae.split_edges(graph, seed=0)
    model = acvae.ACVAE(likelihood="bernoulli", latent_dim=8, gamma=10, epochs=options.epochs)
    q = model.fit(data.x, split.train).posterior_

    score = acvae.metrics.ncrr(q, split.train, split.test)
    print(f"\nhidden links: NCRR {score.test:.3f}, a random ranking {score.random:.3f}")
    ids, _ = q.nearest(np.arange(q.n_vertices), k=5, exclude=split.train)
    same = (data.y.numpy()[ids] == data.y.numpy()[:, None]).mean()
    print(f"{same:.0%} of the five nearest are in the same block, by chance 33%")

    back = q.to_pyg()
    print(f"\nback again: {back}")


if __name__ == "__main__":
    main()
