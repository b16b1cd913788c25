"""`acvae evaluate`: tables for people, JSON for programs, and what is missing is told."""

import json

import numpy as np

from acvae import metrics
from acvae.runs import Run


def test_table(acvae, run_folder):
    code, out, err = acvae("evaluate", run_folder)
    assert code == 0
    assert out.startswith("acvae-eb on words, 4 epochs: 24 vertices, ")
    lines = out.splitlines()
    assert lines[2].split() == ["links", "ranked", "by", "train", "test", "random"]
    assert [line.split()[-4] for line in lines[3:12]] == ["NCRR", "MRR", "Hits@10"] * 3
    assert lines[3].startswith("probability of a link")
    assert lines[6].startswith("belief propagation")
    assert lines[9].startswith("pair network")
    assert "ranking by pair network: 24/24" in err
    assert lines[13].startswith("probabilities of links: calibration error ")
    assert "clusters" not in out


def test_json_has_the_library_s_figures_and_is_stored(acvae, run_folder):
    code, out, err = acvae("evaluate", run_folder, "--json", "--quiet")
    assert (code, err) == (0, "")
    scores = json.loads(out)
    run = Run(run_folder)
    expected = metrics.evaluate(run.posterior, run.graph, run.test)
    by_forest = scores["link_prediction"]["bp"]
    assert by_forest["ncrr"] == expected.ncrr._asdict()
    assert by_forest["mrr"] == expected.mrr._asdict()
    assert by_forest["hits_at_10"] == expected.hits._asdict()
    by_pairs = metrics.evaluate(run.model.pairwise_posterior(run.load_data().features), run.graph, run.test)
    assert scores["link_prediction"]["pairwise"]["ncrr"] == by_pairs.ncrr._asdict()
    assert scores["run"] == str(run_folder)
    assert run.scores == {name: value for name, value in scores.items() if name != "run"}


def test_labels_are_compared_with_clusters(acvae, tree_run):
    code, out, _ = acvae("evaluate", tree_run)
    assert code == 0
    assert "clusters against classes  by        k" in out
    found = Run(tree_run).scores["clustering"]
    assert found.keys() == {"bp", "pairwise"}
    assert found["bp"]["k"] == 2
    assert 0 <= found["bp"]["nmi_arithmetic"] <= 1
    assert sum(found["bp"]["cluster_counts"]) == 40


def test_without_the_pair_network(acvae, run_folder):
    code, out, err = acvae("evaluate", run_folder, "--no-pair-network", "--json")
    assert code == 0
    assert json.loads(out)["link_prediction"].keys() == {"link", "bp"}
    assert "pair network" not in err


def test_without_test_edges_there_are_dashes_and_nulls(acvae, data_flags, tmp_path):
    out = tmp_path / "run"
    assert (
        acvae("fit", *data_flags, "--model", "vae", "--epochs", 1, "--all-edges", "--out", out, "--quiet")[0]
        == 0
    )
    code, text, _ = acvae("evaluate", out)
    assert code == 0
    assert text.splitlines()[3].split()[-2:] == ["–", "–"]
    ncrr = json.loads(acvae("evaluate", out, "--json")[1])["link_prediction"]["independent"]["ncrr"]
    assert ncrr["test"] is None
    assert np.isfinite(ncrr["train"])


def test_data_that_are_gone_or_changed_are_told(acvae, files, data_flags, tmp_path):
    table = tmp_path / "words.csv"
    table.write_bytes((files / "words.csv").read_bytes())
    out = tmp_path / "run"
    argv = ["fit", "--features", table, *data_flags[2:], "--model", "acvae-eb", "--epochs", 1]
    argv += ["--out", out, "--quiet"]
    assert acvae(*argv)[0] == 0
    (out / "pairs.safetensors").unlink()  # as for a graph too large to keep it
    about = json.loads((out / "run.json").read_text())
    del about["files"]["pairs.safetensors"]
    (out / "run.json").write_text(json.dumps(about))
    table.write_text(table.read_text().replace("item-a0,", "item-a0,1", 1))
    code, text, err = acvae("evaluate", out)
    assert code == 0
    assert "pair network" not in text
    assert "without the data there are no scores of the pair network: the data of 'words' " in err
    table.unlink()
    code, text, err = acvae("evaluate", out, "--json")
    assert code == 0
    assert f"the file {str(table)!r} does not exist." in err
    assert len(json.loads(text)["notes"]) == 1


def test_mistakes(error_of, tmp_path):
    (tmp_path / "file").write_text("")
    assert error_of("evaluate", tmp_path / "no").endswith(
        "no' does not exist; `acvae fit … --out RUN` makes a run."
    )
    assert "is a file, not the folder of a run" in error_of("evaluate", tmp_path / "file")
    assert error_of("evaluate", tmp_path).endswith("is not the folder of a run: it has no run.json.")
