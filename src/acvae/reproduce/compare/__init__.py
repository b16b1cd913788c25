"""The honest table: rules, graph networks and our models on the same splits, by the same code.

    from acvae.reproduce.compare import RULES, rank_links
    rank_links(RULES[0], data.features, acvae.split_edges(data.graph, seed=0))

Nothing that is chosen looks at test links; see `tuning`. On the command line: `acvae compare`.
"""

from acvae.reproduce.compare.links import rank_links, score_links
from acvae.reproduce.compare.method import Contender
from acvae.reproduce.compare.ranking import Scores
from acvae.reproduce.compare.rule_methods import RULES
from acvae.reproduce.compare.store import Store
from acvae.reproduce.compare.table import Interval, interval

__all__ = [
    "RULES",
    "Contender",
    "Interval",
    "Scores",
    "Store",
    "interval",
    "rank_links",
    "score_links",
]
