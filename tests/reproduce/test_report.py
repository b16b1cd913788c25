"""RESULTS.md as a whole: every table in its place, nothing made up, and the discussion as it was written."""

import pytest

from acvae.reproduce.report import render, write_report
from acvae.reproduce.spec import RunSpec
from acvae.reproduce.store import write_result
from reproduce.results_page import row


def test_report_from_files(results, tmp_path):
    for result in results:
        write_result(result, RunSpec.from_json(result["spec"]).path(tmp_path / "results"))
    (tmp_path / "discussion.md").write_text("## Discussion\n\nWhat *we* think.\n")
    write_report(tmp_path / "results", tmp_path / "RESULTS.md", tmp_path / "discussion.md")
    text = (tmp_path / "RESULTS.md").read_text()
    assert text.endswith("## Discussion\n\nWhat *we* think.\n")
    assert text == render(results, "## Discussion\n\nWhat *we* think.\n")
    ran = text.split("## What was run")[1]
    assert row(ran, "citation-1998", "acvae-eb")[2:] == ["0.1, 10", "2", "30", "8 s", "2 s", "40 s"]
    assert "5 runs in 50 s" in ran


def test_without_results_nothing_is_made_up():
    text = render([])
    for printed in ("0.126 ± 0.005", "data not at hand", "Nothing yet."):
        assert printed in text
    assert row(text.split("### Citation")[1], "ACVAE_EB+BP")[1] == "not run"


def test_sections_stand_in_their_order(results):
    text = render(results, "What *we* think.", "figures/one.png", more="And more.")
    titles = [line.removeprefix("## ") for line in text.splitlines() if line.startswith("## ")]
    assert titles[:2] == [
        "Table 1: link prediction",
        "Table 2: clustering (Epinions, in place of LibraryThing)",
    ]
    assert titles[-2:] == ["What was run", "Beyond the paper"]
    assert "](figures/one.png)" in text
    assert text.endswith("And more.\n\nWhat *we* think.\n")
    assert "## Beyond" not in render(results)
    assert "not drawn" in render(results)


def test_a_page_that_cannot_be_made_leaves_the_old_one(tmp_path, results, monkeypatch):
    (tmp_path / "RESULTS.md").write_text("old")
    monkeypatch.setattr("acvae.reproduce.report.tables.table5", lambda groups: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_report(tmp_path / "results", tmp_path / "RESULTS.md", tmp_path / "none.md")
    assert (tmp_path / "RESULTS.md").read_text() == "old"


def test_versions_of_several_machines_are_all_told(results):
    results[0]["versions"] = {**results[0]["versions"], "torch": "9"}
    assert "torch 2, 9" in render(results)
