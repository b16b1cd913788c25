"""Deep graph infomax."""

import numpy as np

from acvae.reproduce.compare.networks.dgi import embed_dgi
from reproduce.compare.samples import groups


def test_dgi_embeddings_tell_groups_apart() -> None:
    features, graph, kind = groups(3)
    z = embed_dgi(features, graph, 0, size=16)
    z = z - z.mean(0)
    centre = np.stack([z[kind == k].mean(0) for k in range(4)])
    nearest = ((z[:, None] - centre) ** 2).sum(-1).argmin(1)
    assert z.shape == (60, 16)
    assert (nearest == kind).mean() > 0.8
