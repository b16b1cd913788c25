"""The score table of the runs side by side, as HTML."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

from acvae.methods import RANKINGS
from acvae.report.entry import Entry

__all__ = ["score_table"]

COLUMNS = (
    ("Run", "the run's folder"),
    ("Data", "data set"),
    ("Model", "method"),
    ("Ranked by", "what vertices are ranked by"),
    ("γ", "weight of the regulariser on pairs that are not linked"),
    ("Epochs", "passes over the edges"),
    ("NCRR train", "normalised cumulative reciprocal rank of the links trained on"),
    ("NCRR test", "normalised cumulative reciprocal rank of held-out links; 1 is best"),
    ("MRR test", "mean reciprocal rank of the first held-out link"),
    ("Hits@10 test", "share of vertices with a held-out link among the ten nearest"),
    ("NMI", "agreement of clusters with known classes"),
    ("NCRR random", "what a random ranking has"),
)
BEST_OF = (7, 8, 9, 10)  # columns in which the best figure on a data set is marked
TEXTS = 4  # columns before the first number


class Row(NamedTuple):
    """Figures of one run by one way to compute distances."""

    texts: tuple[str, ...]
    figures: tuple[float | None, ...]
    comparable: tuple[Any, ...]  # rows with the same are on the same links


def score_table(entries: Sequence[Entry]) -> str:
    """One row per run and way to compute distances; runs without scores say so."""
    rows = [row for entry in entries for row in _rows(entry)]
    shown = [c for c in range(len(COLUMNS)) if c < TEXTS or any(_figure(row, c) is not None for row in rows)]
    head = "".join(
        f'<th scope="col" title="{escape(COLUMNS[c][1])}"{_number(c)}>{escape(COLUMNS[c][0])}</th>'
        for c in shown
    )
    body = "".join(
        "<tr>"
        + f'<th scope="row">{escape(row.texts[0])}</th>'
        + "".join(_cell(row, c, rows) for c in shown if c > 0)
        + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{_remarks(entries, rows)}"


def _rows(entry: Entry) -> list[Row]:
    gamma, epochs = entry.options.get("gamma"), entry.options.get("epochs")
    scores = entry.scores or {}
    links: dict[str, Any] = scores.get("link_prediction") or {}
    clusters: dict[str, Any] = scores.get("clustering") or {}
    rows = []
    for kind in [*links, *(kind for kind in clusters if kind not in links)] or [""]:
        link = links.get(kind) or {}
        figures = (
            gamma,
            epochs,
            _score(link, "ncrr", "train"),
            _score(link, "ncrr", "test"),
            _score(link, "mrr", "test"),
            _score(link, "hits_at_10", "test"),
            _finite((clusters.get(kind) or {}).get("nmi_arithmetic")),
            _score(link, "ncrr", "random"),
        )
        ranked_by = RANKINGS[kind].short if kind in RANKINGS else kind or "not evaluated"
        texts = (entry.label, entry.data, entry.model, ranked_by)
        rows.append(Row(texts, figures, (entry.data, scores.get("train_edges"), scores.get("test_edges"))))
    return rows


def _score(link: dict[str, Any], metric: str, part: str) -> float | None:
    return _finite((link.get(metric) or {}).get(part))


def _finite(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) and math.isfinite(value) else None


def _figure(row: Row, column: int) -> float | None:
    return row.figures[column - TEXTS]


def _number(column: int) -> str:
    return "" if column < TEXTS else ' class="number"'


def _name(column: int) -> str:
    """The column's name beside its figure, for narrow screens where rows are lists."""
    return f' data-label="{escape(COLUMNS[column][0])}"'


def _cell(row: Row, column: int, rows: list[Row]) -> str:
    if column < TEXTS:
        return f"<td{_name(column)}>{escape(row.texts[column])}</td>"
    value = _figure(row, column)
    if value is None:
        return f'<td class="number"{_name(column)}>–</td>'
    text = f"{value:g}" if column < TEXTS + 2 else f"{value:.3f}" if value >= 0.01 else f"{value:.4f}"
    rivals = [_figure(other, column) for other in rows if other.comparable == row.comparable]
    best = column in BEST_OF and len(rivals) > 1 and value == max(r for r in rivals if r is not None)
    return f'<td class="number"{_name(column)}>{f"<strong>{text}</strong>" if best else text}</td>'


def _remarks(entries: Sequence[Entry], rows: list[Row]) -> str:
    remarks = []
    without = [entry.label for entry in entries if not entry.scores]
    if without:
        remarks.append(f"Without scores: {', '.join(without)}. The command acvae evaluate RUN stores them.")
    if len({row.comparable for row in rows}) > 1:
        remarks.append("Figures compare only between rows with the same data and the same held-out links.")
    if len({row.comparable for row in rows}) < len(rows):
        remarks.append("Bold: the best of the rows that can be compared.")
    return "".join(f'<p class="remark">{escape(text)}</p>' for text in remarks)
