"""`acvae fit`: a run from files or a named data set, repeated, resumed, and every likely mistake."""

import json
import re
import signal
import tomllib
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from acvae.engine.step import Stepper
from acvae.methods import METHODS
from acvae.runs import Run

ACVAE = ["--model", "acvae-eb"]
SIZES = [*ACVAE, "--latent-dim", "3", "--hidden-dim", "5", "--device", "cpu"]


def same_bits(one, other):
    a, b = load_file(one / "model.safetensors"), load_file(other / "model.safetensors")
    return a.keys() == b.keys() and all(
        np.array_equal(a[name], b[name]) for name in a if name != "about"
    )  # which has the seconds


def no_time(history):
    return [{name: value for name, value in row.items() if name != "seconds"} for row in history]


def test_two_commands_from_two_files_to_neighbours(acvae, data_flags, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = acvae("fit", *data_flags, *SIZES, "--epochs", 3, "--out", "run")
    assert code == 0
    assert re.match(r"acvae-eb on words: 3 epochs in \d+ s; test NCRR 0\.\d+ by ", out)
    assert "stored in run; next: acvae evaluate run, acvae neighbors run item-" in out
    assert "words: 24 vertices with 9 features" in err
    assert "test edges held out (split seed 0)" in err
    assert "ACVAE_EB: 3/3" in err
    code, out, _ = acvae("neighbors", "run", "item-a0", "-k", 3)
    assert code == 0
    assert len(out.splitlines()) == 4


@pytest.mark.parametrize("model", METHODS)
def test_every_model(model, acvae, data_flags, tmp_path):
    out = tmp_path / "run"
    sizes = {"--latent-dim": 3, "--hidden-dim": 5, "--device": "cpu", "--epochs": 2}
    taken = {key: value for key, value in sizes.items() if METHODS[model].takes(key[2:].replace("-", "_"))}
    flags = [word for pair in taken.items() for word in pair]
    assert acvae("fit", *data_flags, *flags, "--model", model, "--out", out, "--quiet") == (0, "", "")
    run = Run(out)
    assert run.config.model == model
    assert run.config.options.get("epochs") == taken.get("--epochs")
    assert run.posterior.n_vertices == 24
    assert sorted(path.name for path in out.iterdir()) == [
        *("config.toml", "graph.safetensors", "history.csv", "links.safetensors", "model.safetensors"),
        *(["pairs.safetensors"] if len(METHODS[model].rankings) > 1 else []),
        *("posterior.safetensors", "run.json", "scores.json"),
    ]
    assert acvae("evaluate", out, "--quiet")[0] == 0
    assert acvae("neighbors", out, "item-a0", "--quiet")[0] == 0


def test_debian_by_name(acvae, tmp_path):
    out = tmp_path / "run"
    code, text, _ = acvae("fit", "debian", *SIZES, "--model", "vae", "--epochs", 1, "--out", out)
    assert code == 0
    assert text.startswith("vae on debian: 1 epoch in ")
    code, _, err = acvae("neighbors", out, "numpy")
    assert code == 1
    assert "no vertex is called 'numpy'. Did you mean python3-numpy, " in err


def test_the_config_is_complete_and_repeats_the_run_bit_for_bit(acvae, run_folder, tmp_path):
    values = tomllib.loads((run_folder / "config.toml").read_text())
    assert values["model"] == "acvae-eb"
    assert values["split_seed"] == 0
    assert (values["epochs"], values["gamma"], values["weight_step"], values["device"]) == (
        4,
        0.1,
        0.1,
        "cpu",
    )
    again = tmp_path / "again"
    assert acvae("fit", "--config", run_folder / "config.toml", "--out", again, "--quiet")[0] == 0
    assert same_bits(run_folder, again)
    assert (run_folder / "config.toml").read_bytes() == (again / "config.toml").read_bytes()
    figures = [Run(path).scores["link_prediction"]["bp"] for path in (run_folder, again)]
    assert figures[0] == figures[1]
    # the same folder once more, by its own config
    before = load_file(again / "model.safetensors")["posterior.mean"]
    assert acvae("fit", "--config", again / "config.toml", "--overwrite", "--quiet")[0] == 0
    assert np.array_equal(before, load_file(again / "model.safetensors")["posterior.mean"])


class TestConfig:
    def test_flags_win(self, acvae, run_folder, tmp_path):
        argv = ["--config", run_folder / "config.toml", "--epochs", 2, "--gamma", 7, "--split-seed", 5]
        assert acvae("fit", *argv, "--out", tmp_path / "run", "--quiet")[0] == 0
        config = Run(tmp_path / "run").config
        assert (config.options["epochs"], config.options["gamma"], config.split_seed) == (2, 7.0, 5)
        assert config.options["hidden_dim"] == 5

    @pytest.mark.parametrize(
        ("given", "kept"), [(["1.5", "15"], [1.5, 15.0]), (["2"], [2.0]), (["auto"], "auto")]
    )
    def test_numbers_in_a_list(self, given, kept, acvae, data_flags, tmp_path):
        flags = ["--latent-dim", 3, "--quiet"]
        argv = ["fit", *data_flags, *flags, "--scales", *given, "--out", tmp_path / "run"]
        assert acvae(*argv) == (0, "", "")
        config = tomllib.loads((tmp_path / "run" / "config.toml").read_text())
        assert config["scales"] == Run(tmp_path / "run").config.options["scales"] == kept
        again = ["--config", tmp_path / "run" / "config.toml", "--out", tmp_path / "again", "--quiet"]
        assert acvae("fit", *again)[0] == 0
        assert (tmp_path / "again" / "config.toml").read_text() == (
            tmp_path / "run" / "config.toml"
        ).read_text()
        assert same_bits(tmp_path / "run", tmp_path / "again")

    def test_another_model_leaves_out_what_it_does_not_take_and_says_so(self, acvae, run_folder, tmp_path):
        argv = ["--config", run_folder / "config.toml", "--model", "vae", "--out", tmp_path / "run"]
        code, _, err = acvae("fit", *argv)
        assert code == 0
        assert "left out of the config, for vae does not take it: pair_hidden_dim, tau, gamma" in err

    def test_other_data_and_all_edges(self, acvae, run_folder, tmp_path):
        argv = [
            "--config",
            run_folder / "config.toml",
            "tree",
            "--data-option",
            "n_vertices=20",
            "--all-edges",
        ]
        assert acvae("fit", *argv, "--out", tmp_path / "run", "--quiet")[0] == 0
        run = Run(tmp_path / "run")
        assert run.config.data == {"dataset": "tree", "data_options": {"n_vertices": 20}}
        assert run.test is None
        assert run.scores is None
        # and back to a split
        argv = ["--config", tmp_path / "run" / "config.toml", "--split-seed", 1, "--out", tmp_path / "split"]
        assert acvae("fit", *argv, "--quiet")[0] == 0
        assert Run(tmp_path / "split").test.n_edges > 0

    def test_one_written_by_hand_beside_the_data(self, acvae, files, tmp_path, monkeypatch):
        for name in ("words.csv", "links.csv"):
            (tmp_path / name).write_bytes((files / name).read_bytes())
        (tmp_path / "my.toml").write_text(
            'features = "words.csv"\nedges = "links.csv"\nmodel = "vae"\nepochs = 1\nout = "here"\n'
        )
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        monkeypatch.chdir(elsewhere)
        assert acvae("fit", "--config", tmp_path / "my.toml", "--quiet")[0] == 0
        assert Run(tmp_path / "here").config.options["epochs"] == 1

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ('datset = "tree"', "has an unknown setting 'datset'. Did you mean 'dataset'?"),
            ("zzz = 1", "has an unknown setting 'zzz'. There are dataset, data_root, "),
            ("dataset = tree", "is not valid TOML: Invalid value (at line 1, column 11)."),
            (
                'dataset = "tree"\nmodel = "vae"\nepochs = "3"',
                "--epochs must be a whole number of at least 0, not '3'.",
            ),
            ('dataset = "tree"\nmodel = "vae"\ngamma = 1', "--gamma does not apply to the model vae"),
            (
                'dataset = "tree"\nsplit_seed = -1',
                "--split-seed must be a whole number of at least 0, not -1.",
            ),
        ],
    )
    def test_mistakes(self, text, message, error_of, tmp_path):
        (tmp_path / "c.toml").write_text(text)
        assert message in error_of("fit", "--config", tmp_path / "c.toml", "--out", tmp_path / "run")
        assert not (tmp_path / "run").exists()

    def test_no_such_file(self, error_of, tmp_path):
        assert error_of("fit", "--config", "no.toml", "--out", tmp_path) == "there is no file 'no.toml'."


class TestStopped:
    FLAGS = ("--epochs", 6, "--checkpoint-every", 2, "--evaluate-every", 2)

    @pytest.fixture
    def stop(self, monkeypatch):
        """Ctrl-C during the n-th step."""

        def install(n):
            step, taken = Stepper.step, []

            def interrupted(self, *args):
                taken.append(1)
                if len(taken) == n:
                    signal.raise_signal(signal.SIGINT)
                return step(self, *args)

            monkeypatch.setattr(Stepper, "step", interrupted)

        return install

    @pytest.mark.parametrize(("step", "again"), [(1, False), (8, True)])
    def test_goes_on_to_the_same_bits(self, step, again, acvae, data_flags, tmp_path, stop, monkeypatch):
        flags = [*data_flags, *SIZES, *self.FLAGS, "--batch-edges", 4]
        whole, stopped = tmp_path / "whole", tmp_path / "stopped here"
        assert acvae("fit", *flags, "--out", whole, "--quiet")[0] == 0
        with monkeypatch.context():
            stop(step)
            code, _, err = acvae("fit", *flags, "--out", stopped)
        monkeypatch.undo()
        assert code == 130
        assert f"acvae: stopped; `acvae fit --resume '{stopped}'` goes on from here." in err
        assert (stopped / "checkpoint.safetensors").exists()
        for command in (["evaluate"], ["cluster"], ["neighbors"]):
            code, _, err = acvae(*command, stopped, *(["item-a0"] if command == ["neighbors"] else []))
            assert code == 1
            assert f"was stopped before its end; `acvae fit --resume '{stopped}'` goes on with it." in err
        code, _, err = acvae("fit", *flags, "--gamma", 5, "--out", stopped)
        assert code == 1
        assert "holds a training with other settings that was stopped; `acvae fit --resume" in err
        code, _, err = acvae("fit", *flags, "--out", stopped) if again else acvae("fit", "--resume", stopped)
        assert code == 0
        assert "ACVAE_EB: 6/6" in err
        assert same_bits(whole, stopped)
        assert no_time(Run(whole).history) == no_time(Run(stopped).history)
        assert Run(whole).scores == Run(stopped).scores
        assert not (stopped / "checkpoint.safetensors").exists()

    def test_nothing_to_go_on_with(self, acvae, error_of, run_folder, tmp_path):
        code, _, err = acvae("fit", "--resume", run_folder)
        assert code == 0
        assert f"{run_folder} is finished already" in err
        assert "does not exist; `acvae fit … --out RUN` makes a run." in error_of(
            "fit", "--resume", tmp_path / "no"
        )

    def test_other_data(self, acvae, error_of, data_flags, tmp_path, stop, monkeypatch):
        table = tmp_path / "words.csv"
        table.write_bytes(Path(data_flags[1]).read_bytes())
        flags = ["--features", table, *data_flags[2:], *SIZES, "--epochs", 3]
        stop(2)
        assert acvae("fit", *flags, "--out", tmp_path / "run")[0] == 130
        monkeypatch.undo()
        table.write_text(table.read_text().replace("item-a0,", "item-a0,1", 1))
        assert "the data of 'words' " in error_of("fit", "--resume", tmp_path / "run")

    @pytest.mark.parametrize(
        ("extra", "shown"),
        [(["--epochs", "3"], "--epochs"), (["tree"], "tree"), (["--overwrite"], "--overwrite")],
    )
    def test_takes_no_other_settings(self, extra, shown, acvae, run_folder):
        code, _, err = acvae("fit", "--resume", run_folder, *extra)
        assert code == 2
        assert f"--resume goes on with the run's own settings; leave out {shown}" in err

    def test_before_there_was_anything(self, acvae, data_flags, tmp_path, monkeypatch):
        def interrupted(*args, **kwargs):
            raise KeyboardInterrupt

        monkeypatch.setattr("acvae.datasets.from_files", interrupted)
        code, out, err = acvae("fit", *data_flags, "--out", tmp_path / "run")
        assert (code, out) == (130, "")
        assert err.endswith("\nacvae: stopped.\n")

    def test_while_it_is_evaluated_at_the_end(self, acvae, data_flags, tmp_path, monkeypatch):
        def interrupted(*args, **kwargs):
            try:
                raise KeyboardInterrupt
            except KeyboardInterrupt as error:  # as compiled code does it
                raise SystemError("returned a result with an exception set") from error

        monkeypatch.setattr("acvae.metrics.evaluate", interrupted)
        code, _, err = acvae("fit", *data_flags, *SIZES, "--epochs", 1, "--out", tmp_path / "run")
        monkeypatch.undo()
        assert code == 130
        assert "stopped; `acvae fit --resume" in err
        assert not Run(tmp_path / "run").finished  # its scores are missing
        assert acvae("fit", "--resume", tmp_path / "run")[0] == 0
        assert Run(tmp_path / "run").scores is not None
        assert acvae("evaluate", tmp_path / "run")[0] == 0


def test_evaluations_while_training_are_in_the_history(acvae, data_flags, tmp_path):
    argv = [*data_flags, *SIZES, "--epochs", 5, "--evaluate-every", 2, "--out", tmp_path / "run", "--quiet"]
    assert acvae("fit", *argv)[0] == 0
    lines = (tmp_path / "run" / "history.csv").read_text().splitlines()
    column = lines[0].split(",").index("test_ncrr")
    assert [bool(line.split(",")[column]) for line in lines[1:]] == [False, True, False, True, True]
    scores = json.loads((tmp_path / "run" / "scores.json").read_text())
    assert scores["link_prediction"]["bp"]["ncrr"]["test"] == float(lines[-1].split(",")[column])


class TestMistakes:
    @pytest.mark.parametrize(
        ("argv", "message"),
        [
            ([], "no data were named: give DATASET, or --features FILE and --edges FILE"),
            (["tree"], "--out RUN is needed: the folder to keep the run in"),
            (
                ["tree", "--out", "x", "--epochs", "abc"],
                "argument --epochs: must be a whole number, not 'abc'",
            ),
            (["tree", "--out", "x", "--gamma", "big"], "argument --gamma: must be a number, not 'big'"),
            (["tree", "--out", "x", "--all-edges", "--split-seed", "1"], "not allowed with argument"),
            (["tree", "--out", "x", "--epoch", "3"], "there is no option --epoch. Did you mean '--epochs'"),
            (["tree", "--out", "x", "--zzz=3"], "there is no option --zzz.\n"),
            (["tree", "more", "--out", "x"], "'more' is one argument too many."),
            (
                ["a.csv", "b.csv", "--out", "x"],
                "named by what is in them: acvae fit --features a.csv --edges b.csv --out RUN",
            ),
            (["tree", "--lr", "0.1", "--out", "x"], "there is no option --lr. Did you mean --learning-rate?"),
            (
                [__file__, "--out", "x"],
                "is not the name of a data set but a file; give files of your own with --features FILE",
            ),
        ],
    )
    def test_usage(self, argv, message, acvae):
        code, out, err = acvae("fit", *argv)
        assert (code, out) == (2, "")
        assert err.startswith("usage: acvae")
        assert message in err

    @pytest.mark.parametrize(
        ("argv", "message"),
        [
            (["treee"], "there is no data set 'treee'; there are debian, "),
            (["tree", "--model", "vea"], "--model vea is unknown; choose one of 'graph-gaussian', "),
            (
                ["tree", "--model", "vae", "--gamma", "3"],
                "--gamma does not apply to the model vae, which takes --latent-dim, --hidden-dim, ",
            ),
            (["tree", "--model", "cvae-ind", "--gamma", "3"], "--gamma does not apply to the model cvae-ind"),
            (["tree", "--n-negatives", "3"], "--n-negatives does not apply to the model acvae-eb"),
            (["tree", "--latent-dim", "0"], "--latent-dim must be a whole number of at least 1, not 0."),
            (["tree", "--epochs", "0"], "--epochs must be at least 1, not 0: without an epoch nothing is"),
            (["tree", "--test-fraction", "0"], "--test-fraction must be a finite number above 0"),
            (["tree", "--epochs", "-1"], "--epochs must be a whole number of at least 0, not -1."),
            (["tree", "--tau", "2"], "--tau must be a finite number above -1 and below 1, not 2.0."),
            (["tree", "--learning-rate", "0"], "--learning-rate must be a finite number above 0, not 0.0."),
            (["tree", "--device", "gpu"], "--device gpu is unknown; use 'auto', 'cpu' or 'cuda'."),
            (
                ["tree", "--likelihood", "normal"],
                "--likelihood normal is unknown; choose one of 'multinomial'",
            ),
            (
                ["tree", "--model", "graph-gaussian", "--scales", "many"],
                "--scales must be 'auto' or numbers above 0, parted by blanks, not 'many'.",
            ),
            (
                ["tree", "--model", "graph-gaussian", "--scales", "2", "auto"],
                "--scales must be 'auto' or numbers above 0, but one is 'auto'.",
            ),
            (
                ["tree", "--model", "graph-gaussian", "--scales", "1.5", "-3"],
                "--scales must be 'auto' or numbers above 0, but one is -3.0.",
            ),
            (["tree", "--data-option", "size=3"], "the data set 'tree' has no option 'size'; it has "),
            (
                ["tree", "--features", "a.csv"],
                "--features is for data in your own files, but the data set 'tree'",
            ),
            (
                ["--features", "a.csv"],
                "--features and --edges belong together, and --edges is missing; one file",
            ),
            (
                ["--features", "a.csv", "--edges", "b.csv", "--data-root", "."],
                "--data-root is for named data",
            ),
            (["--features", "no.csv", "--edges", "b.csv"], "no.csv' does not exist."),
            (
                ["tree", "--all-edges", "--evaluate-every", "2"],
                "--evaluate-every needs held-out edges, and with",
            ),
        ],
    )
    def test_one_sentence(self, argv, message, error_of, tmp_path):
        out = tmp_path / "run"
        assert message in error_of("fit", *([] if "--model" in argv else ACVAE), *argv, "--out", out)
        assert not out.exists()

    def test_files_that_do_not_fit(self, error_of, data_flags, tmp_path):
        features = data_flags[1]
        text = tmp_path / "text.csv"
        text.write_text("id,text\na,red pie\nb,green pie\nc,blue sky\n")
        pairs = tmp_path / "pairs.csv"
        pairs.write_text("a,b\nb,c\n")
        out = ("--out", tmp_path / "run")
        assert "has no column 'nr'; it has 'id', 'w0'" in error_of(
            "fit", *data_flags, "--id-column", "nr", *out
        )
        error = error_of("fit", "--features", features, "--edges", pairs, *out)
        assert "pairs.csv' joins two ids of" in error
        assert "ids there are 'item-a0', 'item-a1', 'item-a2', in the edges 'b', 'c'." in error
        error = error_of("fit", "--features", text, "--edges", pairs, *out)
        assert "column 'text': 'red pie' is not a finite number" in error
        assert error.endswith("to leave a column out, name the others in --columns.")
        error = error_of("fit", "--features", text, "--text-column", "text", "--edges", pairs, *out)
        assert (
            error
            == "holding out test edges leaves none of the 2 to train on; use all edges instead (--all-edges)."
        )
        assert not (tmp_path / "run").exists()

    def test_features_the_likelihood_does_not_allow_leave_no_folder(self, error_of, acvae, tmp_path):
        (tmp_path / "x.csv").write_text("id,x\na,-1\nb,2\nc,0.5\n")
        (tmp_path / "e.csv").write_text("a,b\nb,c\n")
        argv = ["--features", tmp_path / "x.csv", "--edges", tmp_path / "e.csv", "--all-edges"]
        argv += [*ACVAE, "--epochs", 1]
        error = error_of("fit", *argv, "--out", tmp_path / "run")
        assert error == (
            "the multinomial likelihood needs counts, but a feature is -1; for real-valued features use "
            "--likelihood gaussian."
        )
        assert not (tmp_path / "run").exists()
        assert acvae("fit", *argv, "--likelihood", "gaussian", "--out", tmp_path / "run", "--quiet")[0] == 0

    def test_training_that_blows_up_leaves_no_folder(self, error_of, data_flags, tmp_path):
        error = error_of("fit", *data_flags, *ACVAE, "--learning-rate", "1e30", "--out", tmp_path / "run")
        assert "use a smaller --learning-rate, or rescale the features." in error
        assert not (tmp_path / "run").exists()


class TestOutput:
    def test_a_run_is_not_overwritten_unless_asked(self, error_of, acvae, data_flags, tmp_path):
        out = tmp_path / "run"
        argv = ["fit", *data_flags, *SIZES, "--epochs", 1, "--model", "vae", "--out", out]
        assert acvae(*argv, "--quiet")[0] == 0
        assert (
            error_of(*argv)
            == f"{str(out)!r} holds a run already; give another --out, or --overwrite to replace it."
        )
        assert acvae(*argv, "--overwrite", "--all-edges", "--quiet")[0] == 0
        assert Run(out).split is None

    def test_other_files_are_never_touched(self, error_of, data_flags, tmp_path):
        (tmp_path / "thesis.tex").write_text("years of work")
        argv = ["fit", *data_flags, "--overwrite", "--out"]
        assert error_of(*argv, tmp_path).endswith(
            "is a folder with other files in it; give a new folder to --out."
        )
        assert error_of(*argv, tmp_path / "thesis.tex").endswith("is a file; give a new folder to --out.")
        assert (tmp_path / "thesis.tex").read_text() == "years of work"

    def test_where_nothing_can_be_written(self, error_of, data_flags, tmp_path):
        (tmp_path / "file").write_text("")
        error = error_of("fit", *data_flags, "--out", tmp_path / "file" / "run")
        assert error.endswith("cannot be written (Not a directory).")
