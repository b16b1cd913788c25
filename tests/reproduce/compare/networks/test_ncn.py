"""Neural common neighbours: rows are scored as pairs are."""

import numpy as np
import torch

from acvae.reproduce.compare.networks import ncn, tensors
from reproduce.compare.samples import dense, groups


def test_ncn_scores_rows_as_it_scores_pairs() -> None:
    features, graph, _ = groups(0)
    torch.manual_seed(0)
    model = ncn.NCN(12, 8, 2, 0.0).eval()
    with torch.no_grad():
        h, g = model.embed(tensors.Features(features), tensors.normalised(graph))
        found = dense(ncn._Rows(model, h, g, graph).scores(), 60)
        pairs = np.array([(i, j) for i in range(60) for j in range(60) if i != j])
        matrix = tensors.adjacency(60, graph.edges)
        expected = model(*ncn._inputs(h, g, matrix, pairs)).numpy()
    np.testing.assert_allclose(-found[pairs[:, 0], pairs[:, 1]], expected, atol=1e-5)
