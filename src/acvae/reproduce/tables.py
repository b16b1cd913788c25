"""The paper's tables from stored runs: ours, the paper's and the difference on the same row, as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from acvae.methods import BASELINES
from acvae.reproduce import paper
from acvae.reproduce.selection import Average, Grid, average, best_gamma
from acvae.reproduce.spec import all_methods, gamma_text

__all__ = ["LABELS", "every_gamma", "markdown", "table1", "table2", "table3", "table4", "table5"]

Groups = dict[tuple[str, str], Grid]

NOT_RUN = "not run"
NONE = "–"

# Rows in the order of the paper's first table, then what needs no training; names are the registry's.
ROWS = (
    *paper.TABLE1["citation-1998"],
    *((m.name, ranking) for m in BASELINES.values() for ranking in m.rankings),
)
LABELS = {(name, ranking): all_methods()[name].rankings[ranking] for name, ranking in ROWS}
DATASETS = {
    "epinions": "Epinions",
    "epinions-tang": "Epinions, Tang crawl (a stand-in)",
    "citation-1998": "Citation",
    "librarything": "LibraryThing",
    "citation": "Citation, all years",
}
NOT_AT_HAND = "data not at hand"
# The other crawl of Epinions has no figures of the paper; those on the paper's own crawl stand beside it.
PRINTED_FOR = {"epinions-tang": "epinions"}


def table1(groups: Groups) -> str:
    """NCRR of all methods, first as the paper prints it, then with all we know for each data set."""
    names = ("epinions", "citation-1998", "librarything")
    rows = []
    for key, label in LABELS.items():
        row = [label]
        for dataset in names:
            printed = paper.TABLE1[dataset].get(key)
            found = _chosen_ncrr(groups, dataset, *key)
            if dataset == "librarything" and found is None:
                row += [NOT_AT_HAND, _printed(printed)]
            else:
                row += [_plus_minus(found) + _partly(groups, dataset, key[0]), _printed(printed)]
        rows.append(row)
    head = ["Method", *(text for d in names for text in (f"{DATASETS[d]}, ours", "paper"))]
    parts = [markdown(head, rows)]
    for dataset in ("epinions", "citation-1998", "epinions-tang"):
        figures = paper.TABLE1[PRINTED_FOR.get(dataset, dataset)]
        parts += [f"### {DATASETS[dataset]}", _random_line(groups, dataset)]
        parts.append(_link_table(groups, dataset, LABELS, figures))
    return "\n\n".join(parts)


def table2(groups: Groups) -> str:
    """Clustering on what stands in for LibraryThing, beside the paper's figures on that."""
    parts = []
    for dataset in ("epinions", "epinions-tang"):
        parts += [f"### {DATASETS[dataset]}", _cluster_table(groups, f"{dataset}-clustering")]
    return "\n\n".join(parts)


def _cluster_table(groups: Groups, dataset: str) -> str:
    rows = []
    for (method, kind), printed in paper.TABLE2.items():
        grid = groups.get((dataset, method), {})
        runs = [run for gamma_runs in grid.values() for run in gamma_runs]
        ours = average(runs, kind, "nmi_arithmetic")
        rows.append(
            [
                LABELS[method, kind],
                _plus_minus(ours),
                _plus_minus(average(runs, kind, "nmi_geometric")),
                _printed(printed),
                _difference(ours, printed[0]),
                *_kl_and_correlation(runs, method, kind),
                str(len(runs)),
            ]
        )
    head = [
        "Method",
        "NMI, arithmetic",
        "NMI, geometric",
        "paper (LibraryThing)",
        "difference",
        "KL",
        "mean ρ",
    ]
    return markdown([*head, "runs"], rows)


def table3(groups: Groups) -> str:
    """ELBO and NCRR with belief propagation, by γ."""
    parts = []
    for dataset in ("epinions", "citation-1998", "epinions-tang"):
        methods = paper.TABLE3[PRINTED_FOR.get(dataset, dataset)]
        parts += [f"### {DATASETS[dataset]}", _random_line(groups, dataset)]
        parts.append(_elbo_table(groups, dataset, methods, "bp"))
    return "\n\n".join(parts)


def table4(groups: Groups) -> str:
    """ELBO and NCRR by the pair network, by γ."""
    table = _elbo_table(groups, "citation-1998", paper.TABLE4, "pairwise")
    return f"{_random_line(groups, 'citation-1998')}\n\n{table}"


def table5(groups: Groups) -> str:
    """NCRR on the larger Citation."""
    rows = [
        *paper.TABLE5,
        ("cvae-corr", "pairwise"),
        ("random-tree", "hops"),
        ("random-tree", "hops-untied"),
    ]
    printed = {key: (value, None) for key, value in paper.TABLE5.items()}
    return f"{_random_line(groups, 'citation')}\n\n{_link_table(groups, 'citation', rows, printed)}"


def every_gamma(groups: Groups, dataset: str) -> str:
    """All γ of the methods that have one, so that the choice can be followed."""
    rows = []
    for method, kind in LABELS:
        grid = groups.get((dataset, method), {})
        chosen = best_gamma(grid, kind)
        for gamma in sorted(g for g in grid if g is not None):
            runs = grid[gamma]
            train = average(runs, kind, "ncrr", "train")
            if train is None:
                continue
            rows.append(
                [
                    LABELS[method, kind],
                    f"**{gamma_text(gamma)}**" if gamma == chosen else gamma_text(gamma),
                    _plus_minus(train),
                    _plus_minus(average(runs, kind, "ncrr", "test")),
                    _number(average(runs, kind, "elbo"), "{:.4g}"),
                    *_kl_and_correlation(runs, method, kind),
                    str(train.runs),
                ]
            )
    head = ["Method", "γ", "train NCRR", "test NCRR", "ELBO", "KL", "mean ρ", "runs"]
    return markdown(head, rows) if rows else NOT_RUN


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


# ---------------------------------------------------------------------- rows


def _link_table(
    groups: Groups,
    dataset: str,
    keys: Iterable[tuple[str, str]],
    printed: dict[tuple[str, str], Any],
) -> str:
    rows = []
    for method, kind in keys:
        grid = groups.get((dataset, method), {})
        gamma = best_gamma(grid, kind)
        runs = grid.get(gamma, [])
        ours = average(runs, kind, "ncrr", "test")
        figure = printed.get((method, kind))
        rows.append(
            [
                LABELS[method, kind],
                _plus_minus(ours),
                _printed(figure),
                _difference(ours, figure[0] if figure else None),
                NONE if gamma is None else gamma_text(gamma) + _partly(groups, dataset, method),
                *_kl_and_correlation(runs, method, kind),
                _number(average(runs, kind, "mrr", "test"), "{:.3f}"),
                _number(average(runs, kind, "hits_at_10", "test"), "{:.3f}"),
                _number(average(runs, kind, "ncrr", "train"), "{:.3f}"),
                str(ours.runs if ours else 0),
            ]
        )
    head = ["Method", "NCRR, ours", "paper", "difference", "γ", "KL", "mean ρ", "MRR", "Hits@10"]
    return markdown([*head, "train NCRR", "runs"], rows)


def _elbo_table(
    groups: Groups, dataset: str, methods: dict[str, dict[float, tuple[float, float]]], kind: str
) -> str:
    rows = []
    for gamma in next(iter(methods.values())):
        for method, figures in methods.items():
            runs = groups.get((dataset, method), {}).get(gamma, [])
            elbo, ncrr = average(runs, kind, "elbo"), average(runs, kind, "ncrr", "test")
            rows.append(
                [
                    gamma_text(gamma),
                    LABELS[method, kind],
                    _number(elbo, "{:.4g}"),
                    f"{figures[gamma][0]:g}",
                    _plus_minus(ncrr),
                    f"{figures[gamma][1]:.3f}",
                    _difference(ncrr, figures[gamma][1]),
                    *_kl_and_correlation(runs, method, kind),
                    _number(average(runs, kind, "mrr", "test"), "{:.3f}"),
                    _number(average(runs, kind, "hits_at_10", "test"), "{:.3f}"),
                    str(ncrr.runs if ncrr else 0),
                ]
            )
    head = ["γ", "Method", "ELBO, ours", "paper", "NCRR, ours", "paper", "difference", "KL", "mean ρ"]
    return markdown([*head, "MRR", "Hits@10", "runs"], rows)


def _chosen_ncrr(groups: Groups, dataset: str, method: str, kind: str) -> Average | None:
    grid = groups.get((dataset, method), {})
    return average(grid.get(best_gamma(grid, kind), []), kind, "ncrr", "test")


def _partly(groups: Groups, dataset: str, method: str) -> str:
    """A remark where the best γ is of fewer than other methods of the data set have: " (1 of 4 γ)"."""
    counts = {m: sum(g is not None for g in grid) for (d, m), grid in groups.items() if d == dataset}
    own, most = counts.get(method, 0), max(counts.values(), default=0)
    return f" ({own} of {most} γ)" if 0 < own < most else ""


def _random_line(groups: Groups, dataset: str) -> str:
    """What a random ranking scores on the same test edges."""
    runs = [
        run for (d, _), grid in groups.items() if d == dataset for found in grid.values() for run in found
    ]
    by_split = {run["data"].get("test_edges_sha256"): run for run in runs}
    kinds = {split: next(iter(run["selected"]), "") for split, run in by_split.items()}
    scores = [average([run], kinds[split], "ncrr", "random") for split, run in by_split.items()]
    values = [score.mean for score in scores if score is not None]
    shown = f"{sum(values) / len(values):.4f}" if values else NOT_RUN
    return f"Random ranking: NCRR {shown}."


# ---------------------------------------------------------------------- cells


def _kl_and_correlation(runs: Sequence[Any], method: str, kind: str) -> tuple[str, str]:
    rho = average(runs, kind, "mean_correlation") if all_methods()[method].correlated else None
    return _number(average(runs, kind, "kl"), "{:.3g}", NONE), _number(rho, "{:.4f}", NONE)


def _plus_minus(value: Average | None) -> str:
    if value is None:
        return NOT_RUN
    return f"{value.mean:.3f} ± {value.std:.3f}" if value.runs > 1 else f"{value.mean:.3f}"


def _number(value: Average | None, how: str, missing: str = NOT_RUN) -> str:
    return missing if value is None else how.format(value.mean)


def _printed(figure: Any) -> str:
    if figure is None:
        return NONE
    mean, std = figure
    return f"{mean:.3f}" if std is None else f"{mean:.3f} ± {std:.3f}"


def _difference(ours: Average | None, printed: float | None) -> str:
    if printed is None:
        return NONE
    return NOT_RUN if ours is None else f"{ours.mean - printed:+.3f}"
