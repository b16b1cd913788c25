"""What each part of GraphGaussian gives: links hidden out of the train links, never a test link.

    python experiments/beyond/ablation.py citation-1998 debian acm amazon-photo --seeds 0 1
    python experiments/beyond/ablation.py citation-1998 debian acm amazon-photo --seeds 0 1 --print

Of the split of each seed only the train links are kept, and `split_edges` hides some of them again. NCRR is
that of these links, on at most 1,000 vertices, by heads that differ from the first line in one thing. What is
stored is not made again.
"""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from acvae.elimination import Elimination

import acvae
from acvae.families import graph_gaussian as family
from acvae.gaussian.evidence import Evidence
from acvae.gaussian.graph.laplacian import elimination_of
from acvae.links import training
from acvae.links.judging import per_vertex
from acvae.links.queries import gather, sample_edges
from acvae.links.ranking import evaluate

RESULTS = Path(__file__).parent / "results" / "ablation.json"
ROWS = 1000
POWER = 4  # of the cosine, in "company"


class Option(NamedTuple):
    """What differs from the first line of the table; the values here are its own."""

    width: int = 128
    scales: tuple[float, ...] = (1.5, 15.0)
    queries: int = 20_000
    networks: int = 3
    hidden: int = 16
    passes: int = 6
    hiding: bool = False  # queries weigh as links that a vertex at either end hides, not by 1/degree alone
    extra: tuple[str, ...] = ()


OPTIONS = {
    "evidence of 128 dimensions": Option(),
    "evidence of 64 dimensions": Option(width=64),
    "evidence of 256 dimensions": Option(width=256),  # the model's default
    "evidence of 512 dimensions": Option(width=512),
    "scales 0.7 and 7": Option(scales=(0.7, 7.0)),
    "scales 6 and 60": Option(scales=(6.0, 60.0)),
    "scales 0.5, 5 and 50": Option(scales=(0.5, 5.0, 50.0)),
    "3,000 queries": Option(queries=3000),
    "10,000 queries": Option(queries=10_000),
    "one network": Option(networks=1),
    "32 hidden units, 12 passes": Option(hidden=32, passes=12),
    "weights of hidden links": Option(hiding=True),
    "with Adamic–Adar": Option(extra=("aa",)),
    "with company": Option(extra=("in", "out")),
}


class Problem:
    """One data set with links hidden, and what all options share."""

    def __init__(self, name: str, seed: int, root: dict[str, str]) -> None:
        self.data = acvae.datasets.load(name, **root)
        train = acvae.split_edges(self.data.graph, seed=seed).train
        self.graph, self.hidden, *_ = acvae.split_edges(train, seed=seed + 100)
        self.seed, n = seed, self.graph.n_vertices
        self.elimination: Elimination = elimination_of(n, self.graph.edges)
        rows = np.flatnonzero(self.hidden.degrees > 0)
        chosen = np.random.default_rng(0).permutation(rows)[:ROWS]
        self.rows = np.sort(chosen)
        self._made: dict[Any, Any] = {}

    def statistics(self, option: Option) -> Any:
        """Evidence, statistics and queries; kept for the next option if it has the same."""
        key = option.width, option.scales, option.queries
        if key not in self._made:
            features, n = self.data.features, self.graph.n_vertices
            evidence, seen = Evidence.fit(features, option.width, seed=0).project(features)
            made, strength = family.make_statistics(
                self.graph, evidence, seen, option.scales, family.PRECISION, self.elimination
            )
            rng = np.random.default_rng(self.seed)
            ends, weight = sample_edges(self.graph, option.queries, rng)
            queries = gather(made, self.graph, strength, ends, weight, rng, removed=True)
            rows = np.concatenate([made.rows(part) for part in np.array_split(self.rows, 1 + n // 500)])
            if len(self._made) > 1:  # that of the first line is used again and again
                self._made.popitem()
            self._made[key] = evidence, queries, rows
        return self._made[key]

    def score(self, option: Option) -> float:
        """NCRR of the hidden links."""
        evidence, queries, rows = self.statistics(option)
        for name in option.extra:
            asked, all_of = EXTRA[name](self.graph, evidence, queries, self.rows)
            queries = queries._replace(statistics=_with(queries.statistics, asked))
            rows = _with(rows, all_of)
        weight = per_vertex(queries, self.graph)
        if option.hiding:
            weight = self._hiding(queries)
        training.HIDDEN, training.PASSES = option.hidden, option.passes
        head = training.fit_ranking(queries, weight, self.seed, networks=option.networks)
        return self.ncrr(evaluate(head, rows))

    def _hiding(self, queries: Any) -> Any:
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
    return np.concatenate([x, more[..., None].astype(np.float32)], axis=-1)


# ---------------------------------------------------------------------- further statistics, without the edge


def _adamic_adar(graph: Any, evidence: Any, queries: Any, rows: Any) -> tuple[Any, Any]:
    """Σ 1/log(degree) of common neighbours; j is none of i's when (i, j) is asked for."""
    links = graph.to_scipy().toarray().astype(np.float64)
    each = 1 / np.log(np.maximum(graph.degrees, 2))
    total = (links * each) @ links
    (i, j), k = queries.ends.T[:, :, None], queries.candidates
    return np.log(1e-3 + np.maximum(total[i, k] - links[j, k] * each[j], 0)), np.log(1e-3 + total[rows])


def _alike(evidence: Any) -> Any:
    unit = evidence / np.maximum(np.linalg.norm(evidence, axis=1, keepdims=True), 1e-12)
    out = np.maximum(unit @ unit.T, 0) ** POWER
    np.fill_diagonal(out, 0)
    return out


def _company_in(graph: Any, evidence: Any, queries: Any, rows: Any) -> tuple[Any, Any]:
    """How much i looks like the neighbours of k; i itself is never counted, so its edge does not matter."""
    total = _alike(evidence) @ graph.to_scipy().toarray()
    return np.log(1e-4 + total[queries.ends[:, :1], queries.candidates]), np.log(1e-4 + total[rows])


def _company_out(graph: Any, evidence: Any, queries: Any, rows: Any) -> tuple[Any, Any]:
    """How much k looks like the neighbours of i, j left out when (i, j) is asked for."""
    alike = _alike(evidence)
    total = graph.to_scipy().toarray() @ alike
    (i, j), k = queries.ends.T[:, :, None], queries.candidates
    return np.log(1e-4 + np.maximum(total[i, k] - alike[j, k], 0)), np.log(1e-4 + total[rows])


EXTRA: dict[str, Callable[..., tuple[Any, Any]]] = {
    "aa": _adamic_adar,
    "in": _company_in,
    "out": _company_out,
}


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
    for name in args.data if not args.print else ():
        for seed in args.seeds:
            problem = None
            for option in args.options:
                if f"{name} {seed}" in _stored().get(option, {}):
                    continue
                problem = problem or Problem(name, seed, root)
                begun = time.monotonic()
                found = problem.score(OPTIONS[option])
                print(f"{name} {seed} {option}: {found:.4f} ({time.monotonic() - begun:.0f} s)", flush=True)
                _store(option, f"{name} {seed}", found)
    stored = _stored()
    columns = [f"{name} {seed}" for name in args.data for seed in args.seeds]
    print("| | " + " | ".join(columns) + " |\n|" + " --- |" * (1 + len(columns)))
    for option in args.options:
        cells = [f"{value:.4f}" if (value := stored.get(option, {}).get(c)) else "–" for c in columns]
        print(f"| {option} | " + " | ".join(cells) + " |")


def _stored() -> dict[str, dict[str, float]]:
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else {}


def _store(option: str, column: str, found: float) -> None:
    stored = _stored()
    stored.setdefault(option, {})[column] = found
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(stored, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
