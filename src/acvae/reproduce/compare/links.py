"""Link prediction: one method on one split, all its figures."""

import time
from typing import Any

import numpy as np

from acvae import metrics
from acvae._util.seeds import stream_seed
from acvae.gaussian.rankings import Ranking
from acvae.graph import Graph
from acvae.reproduce.compare.method import Contender
from acvae.reproduce.compare.pairs import Recorder, auc, average_precision, random_non_links
from acvae.reproduce.compare.tuning import choose
from acvae.splits import EdgeSplit

__all__ = ["METRICS", "rank_links", "score_links"]

# Key in the stored results, title in the table.
METRICS = {
    "ncrr": "NCRR",
    "mrr": "MRR",
    "hits_at_10": "Hits@10",
    "auc": "AUC",
    "average_precision": "avg. precision",
    "cpu_seconds": "CPU s",
}


def rank_links(method: Contender, features: Any, split: EdgeSplit) -> dict[str, Any]:
    """Choose options on validation edges, fit on the train edges, score the test edges.

    `seconds` is the time of the last fit alone, `cpu_seconds` the same as the processor counts it, which
    other work on the machine does not lengthen. A rule does its work when it is asked for rows, so its own is
    close to nothing; `ranking_seconds` tells what the rows cost. The choice took `tuning_seconds`.
    """
    begun = time.perf_counter()
    choice = choose(method, features, split.train, split.seed)
    chosen, cpu = time.perf_counter(), time.process_time()
    ranking = method.fit(features, split.train, seed=split.seed, **choice.options)
    cpu, fitted = time.process_time() - cpu, time.perf_counter()
    found = score_links(ranking, split.train, split.test, split.seed)
    return {
        **found,
        "seconds": fitted - chosen,
        "cpu_seconds": cpu,
        "tuning_seconds": chosen - begun,
        "ranking_seconds": time.perf_counter() - fitted,
        "options": choice.options,
        "tried": choice.tried,
    }


def score_links(ranking: Ranking, train: Graph, test: Graph, seed: int = 0) -> dict[str, float]:
    """NCRR, MRR, Hits@10, AUC and average precision of the test links, from one pass over the rows.

    The non-links of AUC and average precision depend on the split and on `seed` only, so all methods get the
    same.
    """
    others = random_non_links(test.n_edges, train, test, stream_seed(seed, "non-links"))
    recorder = Recorder(ranking, np.concatenate([test.edges, others]))
    found = metrics.evaluate(recorder, train, test)
    links, non_links = np.split(recorder.distances, [test.n_edges])
    return {
        "ncrr": found.ncrr.test,
        "mrr": found.mrr.test,
        "hits_at_10": found.hits.test,
        "auc": auc(links, non_links),
        "average_precision": average_precision(links, non_links),
        "train_ncrr": found.ncrr.train,
        "random_ncrr": found.ncrr.random,
    }
