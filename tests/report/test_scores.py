"""The score table: what stands in it, what is bold, and what is missing."""

import re
from dataclasses import replace

from acvae.report.scores import score_table
from report.samples import NASTY, make_entry


def test_table_has_a_row_for_every_run_and_marks_the_best():
    table = score_table([make_entry("a"), make_entry("b", seed=0), make_entry("c", n=30, data="other")])
    assert table.count('<th scope="row">') == 3
    assert "same data and the same held-out links" in table
    assert '<td data-label="Data">other</td>' in table
    assert table.count("<strong>0.250</strong>") == 2  # a and b tie; c has nothing to compare with
    assert "Hits@10" not in table  # no run has the figure
    assert "NMI" not in table


def test_table_of_runs_without_scores_says_what_to_do():

    table = score_table([replace(make_entry("a"), scores=None)])
    assert "not evaluated" in table
    assert "Without scores: a." in table


def test_table_escapes():
    table = score_table([make_entry(NASTY)])
    assert "<script>" not in table
    assert "&lt;script&gt;" in table


def cells(table):
    """{title of the column: its text} of each row."""
    heads = re.findall(r'<th scope="col"[^>]*>([^<]*)</th>', table)
    rows = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in table.split("<tr>")[2:]]
    return [dict(zip(heads, row, strict=True)) for row in rows]


def test_figures_of_a_row():
    (row,) = cells(score_table([make_entry("a", seed=3)]))
    assert row == {
        "Run": "a",
        "Data": "toy",
        "Model": "acvae-eb",
        "Ranked by": "forest",
        "γ": "0.1",
        "Epochs": "2",
        "NCRR train": "0.600",
        "NCRR test": "0.280",
        "MRR test": "0.300",
        "NCRR random": "0.050",
    }


def test_a_row_for_every_ranking_and_clusters_beside():
    entry = make_entry("a")
    bp = {**entry.scores["link_prediction"]["bp"], "ncrr": {"train": 0.5, "test": 0.004, "random": None}}
    scores = {
        **entry.scores,
        "link_prediction": {"link": entry.scores["link_prediction"]["bp"], "bp": bp},
        "clustering": {"bp": {"nmi_arithmetic": 0.5}, "other": {"nmi_arithmetic": float("nan")}},
    }
    first, second, third = cells(score_table([replace(entry, scores=scores)]))
    assert [row["Ranked by"] for row in (first, second, third)] == ["link probability", "forest", "other"]
    assert first["NCRR test"] == "<strong>0.250</strong>"  # the better on the same links
    assert second["NCRR test"] == "0.0040"  # four digits where three would say little
    assert (first["NMI"], second["NMI"], third["NMI"]) == ("–", "<strong>0.500</strong>", "–")


def test_one_row_is_best_of_nothing():
    assert "<strong>" not in score_table([make_entry("a")])
