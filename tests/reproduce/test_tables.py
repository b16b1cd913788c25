"""γ by hand, tables from results written by hand."""

from acvae.reproduce import tables
from acvae.reproduce.selection import group
from reproduce.results_page import row


def test_table1_has_ours_the_papers_and_the_difference(results):
    text = tables.table1(group(results))
    citation = text.split("### Citation")[1]
    assert row(citation, "ACVAE_EB+BP")[1:8] == [
        "0.120 ± 0.028", "0.126 ± 0.005", "-0.006", "10", "0.25", "0.5000", "0.060",
    ]  # fmt: skip
    assert row(citation, "ACVAE_EB")[1:5] == ["0.040 ± 0.014", "0.049 ± 0.001", "-0.009", "0.1"]
    assert row(citation, "VAE")[1:7] == ["0.010", "0.018 ± 0.004", "-0.008", "–", "0.25", "–"]
    assert row(citation, "ACVAE_SP+BP")[1:4] == ["not run", "0.123 ± 0.007", "not run"]
    assert "Random ranking: NCRR 0.0050." in citation
    whole = row(text, "ACVAE_EB+BP")
    assert whole == [
        "ACVAE_EB+BP", "not run", "0.034 ± 0.003", "0.120 ± 0.028", "0.126 ± 0.005", "data not at hand",
        "0.032 ± 0.002",
    ]  # fmt: skip
    assert "| Epinions, ours | paper |" in text.splitlines()[0]
    assert "### Epinions, Tang crawl (a stand-in)" in text


def test_a_best_of_fewer_gammas_says_so(results, make_result):
    partly = [*results, make_result("citation-1998", "cvae-corr", 0.1, 0, pairwise=(0.02, 0.01))]
    text = tables.table1(group(partly))
    assert row(text, "CVAE_corr")[3] == "0.010 (1 of 2 γ)"
    assert row(text.split("### Citation")[1], "CVAE_corr")[4] == "0.1 (1 of 2 γ)"
    assert "γ)" not in tables.table1(group(results))


def test_tables_3_to_5(results, make_result):
    groups = group(results)
    assert row(tables.table3(groups).split("### Citation")[1], "10", "ACVAE_EB+BP")[2:7] == [
        "-7.5", "-24.4", "0.120 ± 0.028", "0.112", "+0.008",
    ]  # fmt: skip
    assert row(tables.table4(groups), "0.1", "ACVAE_EB")[4:7] == ["0.040 ± 0.014", "0.031", "+0.009"]
    assert row(tables.table4(groups), "1000", "CVAE_corr")[2:6] == ["not run", "-267", "not run", "0.058"]
    large = group([make_result("citation", "cvae-corr", 1000.0, 0, pairwise=(0.1, 0.02))])
    assert row(tables.table5(large), "CVAE_corr")[1:5] == ["0.020", "–", "–", "1000"]
    assert row(tables.table5(large), "ACVAE_EB+BP")[1:4] == ["not run", "0.076", "not run"]


def test_table2_has_both_normalisers(make_result):
    result = make_result("epinions-clustering", "acvae-sp", 1.0, 0)
    result["selected"]["bp"] = {"nmi_arithmetic": 0.02, "nmi_geometric": 0.03, "kl": 1.5, "elbo": -3.0}
    text = tables.table2(group([result]))
    assert row(text, "ACVAE_SP+BP")[1:5] == ["0.020", "0.030", "0.011 ± 0.002", "+0.009"]
    assert row(text, "GraphSAGE")[1:5] == ["not run", "not run", "0.002 ± 0.000", "not run"]
    assert row(text.split("### Epinions, Tang")[1], "ACVAE_SP+BP")[1] == "not run"


def test_the_crawls_are_kept_apart(make_result):
    tang = make_result("epinions-tang", "acvae-sp", 0.1, 0, bp=(0.7, 0.033))
    ours = make_result("epinions", "acvae-sp", 0.1, 0, bp=(0.7, 0.036))
    first = tables.table1(group([tang, ours]))
    assert row(first, "ACVAE_SP+BP")[1] == "0.036"
    of_tang = row(first.split("### Epinions, Tang")[1], "ACVAE_SP+BP")
    assert of_tang[1:4] == ["0.033", "0.035 ± 0.001", "-0.002"]
    third = tables.table3(group([tang, ours]))
    assert row(third, "0.1", "ACVAE_SP+BP")[4] == "0.036"
    assert row(third.split("### Epinions, Tang")[1], "0.1", "ACVAE_SP+BP")[4] == "0.033"


def test_every_gamma_marks_the_chosen(results):
    text = tables.every_gamma(group(results), "citation-1998")
    assert row(text, "ACVAE_EB+BP", "**10**")[2:4] == ["0.450 ± 0.071", "0.120 ± 0.028"]
    assert row(text, "ACVAE_EB", "**0.1**")
    assert tables.every_gamma({}, "epinions") == "not run"
