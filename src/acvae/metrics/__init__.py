"""How well distances predict held-out links, and how well clusters agree with labels.

Every function of links takes a `Posterior`, or anything else that ranks: an object with `n_vertices` and
`distance_blocks(rows, block_rows)`, such as the `links_` of a model.
"""

from acvae.metrics.agreement import nmi
from acvae.metrics.link_scores import LinkScores, Score, evaluate, hits_at, mrr, ncrr, scores
from acvae.metrics.ranks import LinkRanks, link_ranks

__all__ = [
    "LinkRanks",
    "LinkScores",
    "Score",
    "evaluate",
    "hits_at",
    "link_ranks",
    "mrr",
    "ncrr",
    "nmi",
    "scores",
]
