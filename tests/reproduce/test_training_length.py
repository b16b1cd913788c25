"""The table of long curves, from curves written by hand."""

import json

from acvae.reproduce.report import render
from acvae.reproduce.training_length import read_curves, training_length


def stored(data, method, gamma, rows):
    return {"data": data, "method": method, "gamma": gamma, "curve": rows}


ACVAE = stored(
    "epinions",
    "acvae-eb",
    10.0,
    [
        {"epoch": 100, "train_elbo": -70.61, "bp_train_ncrr": 0.6525, "bp_test_ncrr": 0.0294},
        {"epoch": 110, "train_elbo": -69.0, "bp_train_ncrr": 0.6, "bp_test_ncrr": 0.03},
        {"epoch": 120, "train_elbo": -68.0, "pair_train_ncrr": 0.28, "pair_test_ncrr": 0.012},
    ],
)
CVAE = stored("citation-1998", "cvae-corr", 1000.0, [{"epoch": 2000, "train_elbo": -271.1}])


def cells(text):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()[2:]]


def test_rows_are_of_round_epochs_and_the_last():
    rows = cells(training_length([ACVAE, CVAE]))
    assert [row[3] for row in rows] == ["100", "120", "2000"]
    assert rows[0] == [
        "Epinions", "ACVAE_EB", "10", "100", "-70.61", "-61.3", "0.652", "0.029", "–", "–",
    ]  # fmt: skip
    assert rows[1][6:] == ["–", "–", "0.280", "0.012"]
    assert rows[2][:6] == ["Citation", "CVAE_corr", "1000", "2000", "-271.1", "-267"]


def test_the_paper_has_no_elbo_of_cvae_on_epinions():
    rows = cells(training_length([stored("epinions", "cvae-corr", 1000.0, CVAE["curve"])]))
    assert rows[0][5] == "–"


def test_curves_from_files(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(ACVAE))
    (tmp_path / "b.json").write_text('{"data": ')  # half written
    (tmp_path / "c.json").write_text(json.dumps({**CVAE, "curve": []}))
    assert read_curves(tmp_path) == [ACVAE]
    assert read_curves(tmp_path / "none") == []
    assert "| Epinions | ACVAE_EB | 10 | 100 | -70.61 |" in render([], curves=[ACVAE])
    assert "## Length of training\n\nOne run" in render([])
    assert render([]).split("## Length of training")[1].split("##")[0].rstrip().endswith("not run")
