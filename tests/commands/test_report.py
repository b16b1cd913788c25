"""`acvae report`: from run folders to a page, and what it says when a folder is no run."""

import shutil

import pytest

from acvae.commands.main import main

from report.reading import page_data  # isort: skip


def test_help_has_examples(acvae):
    code, out, _ = acvae("report", "--help")
    assert code == 0
    assert "acvae report runs/debian -o report.html" in out


def test_a_run_becomes_a_page(acvae, run_folder, tmp_path):
    page = tmp_path / "page.html"
    code, out, err = acvae("report", run_folder, "-o", page, "--map", "pca", "--title", "My <items>")
    assert (code, out.strip()) == (0, str(page))
    assert "map of 24 vertices" in err
    assert "MB; open it in a browser" in err
    text = page.read_text(encoding="utf-8")
    assert "<h1>My &lt;items&gt;</h1>" in text
    (run,) = page_data(text)["runs"]
    assert (run["label"], run["model"], run["n"]) == ("acvae", "acvae-eb", 24)
    assert run["forest"]["edges"] > 0
    assert "elbo" in run["curves"]
    assert str(run_folder.parent) not in text  # no path of the machine it was made on


def test_quiet_is_quiet(acvae, run_folder, tmp_path):
    code, out, err = acvae("report", run_folder, "-o", tmp_path / "p.html", "--map", "pca", "--quiet")
    assert (code, err) == (0, "")
    assert out.strip() == str(tmp_path / "p.html")


@pytest.mark.parametrize("model", ["vae", "cvae-graph", "cvae-corr", "cvae-ind", "graphsage"])
def test_models_without_a_forest_have_a_page_too(acvae, data_flags, tmp_path, model):
    run = tmp_path / model
    options = ["--latent-dim", "3", "--hidden-dim", "5", "--epochs", "2", "--device", "cpu"]
    assert main(["fit", *data_flags, "--model", model, *options, "--out", str(run), "--quiet"]) == 0
    code, _, _ = acvae("report", run, "-o", tmp_path / "p.html", "--map", "pca", "--quiet")
    assert code == 0
    (shown,) = page_data((tmp_path / "p.html").read_text(encoding="utf-8"))["runs"]
    assert (shown["model"], shown["forest"], shown["lengths"]) == (model, None, None)


def test_runs_of_different_data_stand_side_by_side(acvae, run_folder, tree_run, tmp_path):
    code, _, _ = acvae("report", run_folder, tree_run, "-o", tmp_path / "p.html", "--map", "pca", "--quiet")
    assert code == 0
    text = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert "2 runs on 2 data sets" in text
    assert [run["n"] for run in page_data(text)["runs"]] == [24, 40]
    assert page_data(text)["names"][1][:3] == ["0", "1", "2"]  # vertices without names are numbered


def test_folders_of_the_same_name_are_told_apart(acvae, run_folder, tmp_path):
    for parent in ("one", "two"):
        shutil.copytree(run_folder, tmp_path / parent / "run")
    runs = [tmp_path / "one" / "run", tmp_path / "two" / "run"]
    assert acvae("report", *runs, "-o", tmp_path / "p.html", "--map", "pca", "--quiet")[0] == 0
    shown = page_data((tmp_path / "p.html").read_text(encoding="utf-8"))["runs"]
    assert [run["label"] for run in shown] == ["one/run", "two/run"]


def test_what_is_no_run_is_said(error_of, run_folder, tmp_path):
    out = tmp_path / "p.html"
    assert "does not exist; `acvae fit … --out RUN`" in error_of("report", tmp_path / "no", "-o", out)
    assert "is not the folder of a run" in error_of("report", tmp_path, "-o", out)
    unfinished = tmp_path / "unfinished"
    shutil.copytree(run_folder, unfinished)
    (unfinished / "model.safetensors").unlink()
    assert "acvae fit --resume" in error_of("report", run_folder, unfinished, "-o", out)
    damaged = tmp_path / "damaged"
    shutil.copytree(run_folder, damaged)
    (damaged / "graph.safetensors").unlink()
    assert "graph.safetensors' cannot be read: there is no file" in error_of("report", damaged, "-o", out)
    assert error_of("report", run_folder, run_folder, "-o", out) == "a run was given twice."
    assert not out.exists()


def test_where_it_cannot_be_written_is_said_before_the_work(error_of, run_folder, tmp_path):
    assert "is a folder; give the name of a file" in error_of("report", run_folder, "-o", tmp_path)
    assert "there is no folder" in error_of("report", run_folder, "-o", tmp_path / "no" / "p.html")


def test_scores_that_are_missing_are_no_error(acvae, run_folder, tmp_path):
    run = tmp_path / "run"
    shutil.copytree(run_folder, run)
    (run / "scores.json").unlink()
    assert acvae("report", run, "-o", tmp_path / "p.html", "--map", "pca", "--quiet")[0] == 0
    assert "Without scores: run." in (tmp_path / "p.html").read_text(encoding="utf-8")


def test_wrong_usage_is_2(acvae):
    code, _, err = acvae("report")
    assert code == 2
    assert "usage: acvae report" in err
    assert acvae("report", "run", "--map", "umap")[0] == 2
    assert acvae("report", "run", "--clusters", "0")[0] == 2


@pytest.fixture
def titled(files, tmp_path):
    """Features with a column of names to show, two the same, and one of kinds."""
    lines = (files / "words.csv").read_text().splitlines()
    head, *rows = (line.split(",") for line in lines)
    table = [[*head, "title", "kind"], *([*row, f"The {row[0][5:]}", row[0][5]] for row in rows)]
    table[2][-2] = table[1][-2]
    (tmp_path / "words.csv").write_text("\n".join(map(",".join, table)) + "\n")
    named = ["--label-column", "title", "--class-column", "kind"]
    return ["--features", tmp_path / "words.csv", "--edges", files / "links.csv", *named]


@pytest.mark.parametrize("data", ["there", "gone"])
def test_names_to_show_and_classes(acvae, error_of, titled, tmp_path, data):
    run, page = tmp_path / "run", tmp_path / "p.html"
    assert acvae("fit", *titled, "--out", run, "--quiet")[0] == 0
    if data == "gone":
        titled[1].unlink()
    assert acvae("report", run, "-o", page, "--map", "pca", "--quiet")[0] == 0
    told = page_data(page.read_text(encoding="utf-8"))
    assert told["names"][0][:3] == ["The a0 (item-a0)", "The a0 (item-a1)", "The a2"]
    assert {shown["name"] for shown in told["runs"][0]["classes"]["classes"]} == {"a", "b", "c"}
    reasons = [word for words in told["runs"][0]["links"]["words"].values() for word in words]
    flows = [word for word in reasons if word.startswith("correlation flows")]
    assert any("The " in word for word in flows)
    assert not any("item-" in word.replace("(item-a0)", "").replace("(item-a1)", "") for word in flows)

    code, out, _ = acvae("links", run, "The a2")
    assert code == 0
    assert out == acvae("neighbors", run, "item-a2")[1]
    assert error_of("links", run, "The a0", "--out", tmp_path / "l.csv") == (
        "2 vertices are called 'The a0'. Give the id of one: item-a0 or item-a1."
    )
    assert acvae("links", run, "The a2", "--out", tmp_path / "l.csv", "--quiet")[0] == 0
