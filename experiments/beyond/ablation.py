"""What each part of GraphGaussian gives: links hidden out of the train links, never a test link.

    python experiments/beyond/ablation.py citation-1998 debian acm amazon-photo --seeds 0 1
    python experiments/beyond/ablation.py citation-1998 debian acm amazon-photo --seeds 0 1 --print

Of the split of each seed only the train links are kept, and `split_edges` hides some of them again. NCRR is
that of these links, on at most 1,000 vertices, by heads that differ from the first line, which is the model's
default, in one thing; lines that begin with … differ so from the line "without both". What is stored is not
made again.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from trained import evidence_strengths, trained_likeness

import acvae
from acvae.families import graph_gaussian as family
from acvae.families import graph_gaussian_evidence
from acvae.gaussian.evidence import Evidence
from acvae.gaussian.graph.solver import ExactSolver
from acvae.links import training
from acvae.links.judging import per_vertex
from acvae.links.queries import Queries, gather, sample_edges
from acvae.links.ranking import evaluate
from acvae.reproduce.beyond import ablation_table

RESULTS = Path(__file__).parent / "results" / "ablation.json"
ROWS = 1000
ENCODER = 64  # dimensions of the code of a network
PATHS = (
    "paths of two steps",
    "paths of three steps",
    "neighbours' log degree of i",
    "neighbours' log degree of j",
)
NEW = ("log walk", "shared neighbours", "cosine of the evidence", "company of j", "company of i")
OF_SCALES = ("log correlation", "cosine of means")  # how the names of the scales' numbers begin


class Option(NamedTuple):
    """What differs from the first line of the table; the values here are its own."""

    width: int = graph_gaussian_evidence.EVIDENCE
    scales: tuple[float, ...] = family.SCALES
    queries: int = family.QUERIES
    networks: int = training.NETWORKS
    hidden: int = training.HIDDEN
    passes: int = training.PASSES
    without: tuple[str, ...] = ()  # numbers that the head does not get, by the beginning of their names
    hiding: bool = False  # queries weigh as links that a vertex at either end hides, not by 1/degree alone
    strengths: float = 0.0  # β: an edge counts exp(β·cosine of the evidence of its ends)
    rank: int = 0  # of a likeness of the evidence that is trained on the links
    encoder: bool = False  # evidence is the mean of a VAE, a network that the ELBO trained, not a projection


OPTIONS = {
    "the default": Option(),
    "without paths": Option(without=PATHS[:2]),
    "without neighbours' degrees": Option(without=PATHS[2:]),
    "PageRank's form alone: no numbers of the scales": Option(without=OF_SCALES),
    "evidence from a network trained by the ELBO": Option(encoder=True),
    "without both": Option(without=PATHS),
    "… six numbers: scales and degrees": Option(without=PATHS + NEW),
    "… without the walk": Option(without=(*PATHS, "log walk")),
    "… without shared neighbours": Option(without=(*PATHS, "shared neighbours")),
    "… without company": Option(without=(*PATHS, "company of j", "company of i")),
    "… without the cosine of the evidence": Option(without=(*PATHS, "cosine of the evidence")),
    "… strengths by likeness, β = 1": Option(without=PATHS, strengths=1.0),
    "… strengths by likeness, β = 3": Option(without=PATHS, strengths=3.0),
    "… a trained likeness of rank 16": Option(without=PATHS, rank=16),
    "… one scale, 5": Option(without=PATHS, scales=(5.0,)),
    "… three scales, 0.5, 5 and 50": Option(without=PATHS, scales=(0.5, 5.0, 50.0)),
    "… scales 6 and 60": Option(without=PATHS, scales=(6.0, 60.0)),
    "… scales 0.7 and 7": Option(without=PATHS, scales=(0.7, 7.0)),
    "… evidence of 64 dimensions": Option(without=PATHS, width=64),
    "… evidence of 512 dimensions": Option(without=PATHS, width=512),
    "… 5,000 queries": Option(without=PATHS, queries=5000),
    "… one network": Option(without=PATHS, networks=1),
    "… 32 hidden units, 12 passes": Option(without=PATHS, hidden=32, passes=12),
    "… weights of hidden links": Option(without=PATHS, hiding=True),
}


class Made(NamedTuple):
    """What is dear to make, and the same for several options."""

    evidence: Any  # (n, d)
    names: tuple[str, ...]
    queries: Queries
    rows: Any  # (r, n, F) of the vertices that are judged


class Problem:
    """One data set with links hidden, and what all options share."""

    def __init__(self, name: str, seed: int, root: dict[str, str]) -> None:
        self.data = acvae.datasets.load(name, **root)
        train = acvae.split_edges(self.data.graph, seed=seed).train
        self.graph, self.hidden, *_ = acvae.split_edges(train, seed=seed + 100)
        self.seed = seed
        self.solver = ExactSolver(self.graph.n_vertices, self.graph.edges)
        rows = np.flatnonzero(self.hidden.degrees > 0)
        self.rows = np.sort(np.random.default_rng(0).permutation(rows)[:ROWS])
        self._made: dict[Any, Made] = {}

    def made(self, option: Option) -> Made:
        """Evidence, queries and rows; kept for the next option if it has the same."""
        key = option.width, option.scales, option.queries, option.strengths, option.encoder
        if key not in self._made:
            if len(self._made) > 1:  # that of the first line is used again and again
                self._made.popitem()
            self._made[key] = self._make(option)
        return self._made[key]

    def _make(self, option: Option) -> Made:
        features = self.data.features
        evidence, seen = Evidence.fit(features, option.width, seed=self.seed).project(features)
        if option.encoder:
            encoder = acvae.VAE(latent_dim=ENCODER, seed=self.seed, progress=False).fit(features)
            evidence = np.asarray(encoder.posterior_.mean, dtype=np.float64)
            evidence -= evidence.mean(axis=0)
            evidence *= seen[:, None] / max(float(np.sqrt((evidence**2).sum(axis=1).mean())), 1e-12)
        graph = self.graph
        if option.strengths:
            graph = evidence_strengths(graph, evidence, option.strengths)
        made = family.make_statistics(graph, evidence, seen, option.scales, family.PRECISION, self.solver)
        rng = np.random.default_rng(self.seed)
        ends, weight = sample_edges(graph, option.queries, rng)
        queries = gather(made, graph, ends, weight, rng, removed=True)
        rows = np.concatenate([made.rows(part) for part in np.array_split(self.rows, 20)])
        return Made(evidence, made.names, queries, rows)

    def score(self, option: Option) -> float:
        """NCRR of the hidden links."""
        evidence, names, queries, rows = self.made(option)
        kept = [f for f, name in enumerate(names) if not name.startswith(option.without)]
        if len(kept) < len(names):
            queries, rows = queries._replace(statistics=queries.statistics[..., kept]), rows[..., kept]
        if option.rank:
            asked, all_of = trained_likeness(evidence, queries, self.rows, option.rank, self.seed)
            queries = queries._replace(statistics=_with(queries.statistics, asked))
            rows = _with(rows, all_of)
        weight = self._hiding(queries) if option.hiding else per_vertex(queries, self.graph)
        training.HIDDEN, training.PASSES = option.hidden, option.passes
        head = training.fit_ranking(queries, weight, self.seed, networks=option.networks)
        return self.ncrr(evaluate(head, np.ascontiguousarray(rows)))

    def _hiding(self, queries: Queries) -> Any:
        i, j = self.graph.degrees[queries.ends].T
        chance = queries.weight * (1 / i + 1 / j - 1 / (i * j))
        return chance / np.bincount(queries.ends[:, 0], chance)[queries.ends[:, 0]]

    def ncrr(self, scores: Any) -> float:
        """As `acvae.metrics.ncrr`, of the chosen rows."""
        known, links = self.graph.csr, self.hidden.csr
        found = []
        for i, row in zip(self.rows, scores, strict=True):
            own = row.copy()
            own[i] = -np.inf
            own[known[1][known[0][i] : known[0][i + 1]]] = -np.inf
            answers = links[1][links[0][i] : links[0][i + 1]]
            ranks = (own[None, :] >= own[answers, None]).sum(axis=1)
            found.append((1 / ranks).sum() / (1 / np.arange(1, len(answers) + 1)).sum())
        return float(np.mean(found))


def _with(x: Any, more: Any) -> Any:
    """One number more, before the degrees, which are the last two."""
    return np.concatenate([x[..., :-2], more[..., None].astype(np.float32), x[..., -2:]], axis=-1)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="+", metavar="DATASET")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1])
    parser.add_argument("--options", nargs="+", choices=list(OPTIONS), default=list(OPTIONS))
    parser.add_argument("--data-root")
    parser.add_argument("--print", action="store_true", help="only what is stored")
    args = parser.parse_args()
    root = {} if args.data_root is None else {"root": args.data_root}
    for seed in args.seeds if not args.print else ():
        for name in args.data:
            problem = None
            for option in args.options:
                if f"{name} {seed}" in stored().get(option, {}):
                    continue
                begun = time.monotonic()
                problem = problem or Problem(name, seed, root)
                found = problem.score(OPTIONS[option])
                print(f"{name} {seed} {option}: {found:.4f} ({time.monotonic() - begun:.0f} s)", flush=True)
                _store(option, f"{name} {seed}", found)
    print(ablation_table(RESULTS, [f"{name} {seed}" for seed in args.seeds for name in args.data]))


def stored() -> dict[str, dict[str, float]]:
    """NCRR by option and by "data set, seed"."""
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else {}


def _store(option: str, column: str, value: float) -> None:
    found = stored()
    found.setdefault(option, {})[column] = value
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
