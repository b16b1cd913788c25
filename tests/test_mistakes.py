"""What people type by mistake, and what each is told."""

import inspect
import pydoc

import numpy as np
import pytest

import acvae
from acvae import report, runs
from acvae._util.docstrings import described_parameters
from acvae.commands.main import main
from acvae.exceptions import FeatureError, InputError, OptionError, PosteriorError, TrainingWarning
from acvae.links.stored import save_ranking
from acvae.report.entry import open_runs
from acvae.training import Checkpoint

ESTIMATORS = (acvae.ACVAE, acvae.CVAE, acvae.VAE, acvae.GraphSAGE, acvae.GraphGaussian)
TINY = {"latent_dim": 2, "hidden_dim": 3, "epochs": 4, "progress": False}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    return rng.poisson(1.0, (30, 8)), acvae.Graph(30, rng.integers(0, 30, (80, 2)))


@pytest.fixture(scope="module")
def model(data):
    return acvae.GraphGaussian(latent_dim=4, progress=False).fit(*data)


@pytest.mark.parametrize(
    ("argv", "code", "told"),
    [
        (
            ["people.csv", "knows.csv"],
            2,
            "files of your own are named by what is in them: "
            "acvae fit --features people.csv --edges knows.csv --out RUN",
        ),
        (["debian", "--lr", "0.1"], 2, "there is no option --lr. Did you mean --learning-rate?"),
        (
            ["debian", "--model", "vae", "--epochs", "0"],
            1,
            "--epochs must be at least 1, not 0: without an epoch nothing is learnt.",
        ),
    ],
    ids=["two files", "--lr", "--epochs 0"],
)
def test_on_the_command_line(argv, code, told, capsys, tmp_path):
    assert main(["fit", *argv, "--out", str(tmp_path / "run")]) == code
    assert capsys.readouterr().err.rstrip().endswith(told)
    assert not (tmp_path / "run").exists()


NUMBER = 0  # which open() would take for the standard input


@pytest.mark.parametrize(
    "use",
    [
        lambda q, model: q.save(NUMBER),
        lambda q, model: acvae.Posterior.load(NUMBER),
        lambda q, model: model.save(NUMBER),
        lambda q, model: acvae.load(NUMBER),
        lambda q, model: acvae.export.write_parquet(q, NUMBER),
        lambda q, model: save_ranking(NUMBER, model.links_),
        lambda q, model: Checkpoint(NUMBER),
        lambda q, model: acvae.datasets.load("citation", root=NUMBER),
        lambda q, model: acvae.datasets.available(NUMBER),
        lambda q, model: acvae.datasets.from_files(NUMBER, "edges.csv"),
        lambda q, model: acvae.datasets.from_archive(NUMBER),
        lambda q, model: acvae.datasets.save_features(NUMBER, np.eye(2)),
        lambda q, model: acvae.datasets.open_features(NUMBER),
        lambda q, model: runs.Run(NUMBER),
        lambda q, model: runs.fit_run(runs.RunConfig.from_values({"dataset": "tree"}), NUMBER),
        lambda q, model: runs.resume_run(NUMBER),
        lambda q, model: runs.read_config(NUMBER),
        lambda q, model: open_runs([NUMBER]),
        lambda q, model: report.write_report([], NUMBER),
    ],
)
def test_a_number_is_no_path(use, model):
    with pytest.raises(OptionError, match=r"(path|root|features|folder|paths) must be a path, not 0\."):
        use(model.posterior_, model)


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_arguments_swapped(kind, data):
    told = r"takes the features first, but the first argument is a graph .* write fit\(features, graph\)"
    with pytest.raises(FeatureError, match=told):
        kind(progress=False).fit(data[1], data[0])


def test_data_of_pytorch_geometric_is_taken_as_it_is(data, model):
    torch, pyg = pytest.importorskip("torch"), pytest.importorskip("torch_geometric.data")
    x, graph = data
    given = pyg.Data(x=torch.tensor(x, dtype=torch.float32), edge_index=torch.tensor(graph.edges.T))
    same = acvae.GraphGaussian(latent_dim=4, progress=False).fit(given)
    np.testing.assert_allclose(same.posterior_.mean, model.posterior_.mean, atol=1e-6)


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda m, g: acvae.cluster(m, k=3), "after fit is model.posterior_"),
        (lambda m, g: acvae.metrics.ncrr(m, g, g), "after fit is model.posterior_ or model.links_"),
    ],
    ids=["cluster", "ncrr"],
)
def test_a_model_in_place_of_its_posterior(ask, told, model, data):
    with pytest.raises(PosteriorError, match=f"not a GraphGaussian: give it what the model .* {told}"):
        ask(model, data[1])


@pytest.mark.parametrize("what", ["model", "posterior"])
def test_save_where_there_is_no_folder(what, model, tmp_path):
    save = model.save if what == "model" else model.posterior_.save
    with pytest.raises(InputError) as told:
        save(tmp_path / "models" / "first.safetensors")
    assert str(told.value) == (
        f"'first.safetensors' cannot be saved: there is no folder {str(tmp_path / 'models')!r}. "
        "Make it first, or give another path."
    )
    with pytest.raises(
        InputError, match=r"is a folder; give the name of a file in it, as .*model\.safetensors"
    ):
        save(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", [acvae.ACVAE, acvae.CVAE, acvae.VAE, acvae.GraphSAGE])
def test_a_learning_rate_of_100(kind, data):
    with pytest.warns(
        TrainingWarning, match="training has diverged: .* smaller learning_rate than 100, such as"
    ):
        kind(learning_rate=100.0, **TINY).fit(*data)
    kind(**TINY).fit(*data)  # warnings are errors here, and there is none


@pytest.mark.parametrize("name", ["acvae-eb", "graphsage"])
def test_a_learning_rate_of_100_on_the_command_line(name, capsys, tmp_path):
    run = str(tmp_path / "run")
    argv = ["tree", "--data-option", "n_vertices=40", "--model", name, "--epochs", "4"]
    assert main(["fit", *argv, "--learning-rate", "100", "--out", run]) == 0
    told = capsys.readouterr().err
    assert told.count("warning: ") == 1
    assert "note: training" not in told  # once is enough
    assert "training has diverged" in told.split("warning: ")[1]
    assert "a smaller --learning-rate than 100" in told.split("warning: ")[1]
    assert main(["evaluate", run]) == 0
    if name != "graphsage":  # whose embeddings have length one, however they came about
        assert "training has diverged" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_help_lists_every_option_with_what_it_means(kind):
    options = set(inspect.signature(kind).parameters)
    described = described_parameters(kind.__doc__)
    assert set(described) == options
    assert all(described.values())
    shown = pydoc.plain(pydoc.render_doc(kind))
    assert all(f"\n |  {option}\n |      " in shown for option in options)
