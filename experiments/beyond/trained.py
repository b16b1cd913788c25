"""Two parts that GraphGaussian does not have, for the table of what each would give (`ablation.py`).

    strengths by likeness   an edge (i, j) counts exp(β·cos(r_i, r_j)) times its weight
    a trained likeness      (W·r_i)·(W·r_k), W (rank, d) trained on the loss of links

Strengths depend on features only, so leaving an edge out stays exact. The trained likeness is cross-fitted:
the queries of one half of the vertices get theirs from the W of the other half, or the head would trust it
for what it has learnt by heart.
"""

from typing import Any

import numpy as np

from acvae import Graph
from acvae.links.queries import Queries
from acvae.links.statistics.scales import unit_rows

STEP, DECAY, PASSES, BATCH = 3e-3, 1e-4, 2, 64


def evidence_strengths(graph: Graph, evidence: Any, beta: float) -> Graph:
    """The same graph, its weights times exp(β·cosine)."""
    unit, (i, j) = unit_rows(evidence), graph.edges.T
    weight = np.exp(beta * (unit[i] * unit[j]).sum(axis=1).astype(np.float64))
    own = np.ones(graph.n_edges) if graph.weights is None else graph.weights
    return Graph(graph.n_vertices, graph.edges, weights=own * weight)


def trained_likeness(evidence: Any, queries: Queries, rows: Any, rank: int, seed: int) -> tuple[Any, Any]:
    """(q, c) of the queries' candidates, and (r, n) of rows with all vertices."""
    import torch

    unit = torch.from_numpy(unit_rows(evidence))
    half = torch.from_numpy(np.random.default_rng(seed).permutation(len(unit)) % 2)[queries.ends[:, 0]]
    maps = [_train(unit, queries, np.flatnonzero(half == k), rank, seed) for k in (0, 1)]
    asked = np.empty(queries.candidates.shape, dtype=np.float32)
    for k in (0, 1):
        code = (unit @ maps[1 - k]).numpy()
        at = np.flatnonzero(half == k)
        for part in np.array_split(at, 1 + len(at) // 500):
            own = code[queries.ends[part, 0], :, None]
            asked[part] = np.matmul(code[queries.candidates[part]], own)[..., 0]
    codes = [(unit @ each).numpy() for each in maps]
    return asked, sum(code[rows] @ code.T for code in codes) / 2


def _train(unit: Any, queries: Queries, ids: Any, rank: int, seed: int) -> Any:
    """W (d, rank) by the softmax of the answer, from the leading dimensions on."""
    import torch

    torch.manual_seed(seed)
    first = torch.eye(unit.shape[1], rank) * 3
    w = first.clone().requires_grad_()
    optimiser = torch.optim.Adam([w], STEP)
    rng = np.random.default_rng(seed)
    for _ in range(PASSES):
        for at in np.array_split(rng.permutation(ids), max(1, len(ids) // BATCH)):
            own, others = unit[queries.ends[at, 0]] @ w, unit[queries.candidates[at]] @ w
            scores = (others @ own[:, :, None])[..., 0] + torch.from_numpy(queries.log_weight[at])
            loss = -torch.log_softmax(scores, 1)[:, 0].mean() + DECAY * ((w - first) ** 2).sum()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return w.detach()
