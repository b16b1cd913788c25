"""Figure 1 on a small tree: trained once, drawn to three files."""

from acvae.reproduce.config import load_experiment
from acvae.reproduce.figure import draw

FIGURE = """
from = "table1"
[select]
methods = ["acvae-eb", "acvae-sp"]
runs = [0]
gammas = [10]
[figure]
vertices = 30
perplexity = 5
"""


def test_figure_is_drawn_and_models_are_kept(configs, tmp_path):
    text = (configs / "table1.toml").read_text()
    line = "acvae-eb = { epochs = 4, every = { bp = 2, pairwise = 4 } }\n"
    (configs / "table1.toml").write_text(text.replace(line, line + line.replace("-eb", "-sp")))
    (configs / "figure1.toml").write_text(FIGURE)
    experiment = load_experiment("figure1", folder=configs)
    results = tmp_path / "experiments" / "results"
    paths = draw(experiment, results)
    assert [p.name for p in paths] == ["figure1.png", "figure1.pdf", "figure1.svg"]
    assert all(p.stat().st_size > 5000 for p in paths)
    kept = {p: p.stat().st_mtime_ns for p in (results.parent / "cache").glob("*.safetensors")}
    assert len(kept) == 2
    drawn = paths[0].read_bytes()
    draw(experiment, results)
    assert {p: p.stat().st_mtime_ns for p in (results.parent / "cache").glob("*.safetensors")} == kept
    assert paths[0].read_bytes() == drawn
