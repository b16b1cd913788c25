import argparse
import tomllib

import pytest

from acvae.commands._fit_flags import add_data_and_run, add_model
from acvae.exceptions import OptionError
from acvae.methods import METHODS, method_named
from acvae.runs import RunConfig, read_config
from acvae.runs.config import all_keys
from acvae.runs.toml import to_toml


class TestConfig:
    @pytest.mark.parametrize("model", METHODS)
    def test_comes_back_from_toml_the_same(self, model):
        options = (
            {"learning_rate": 1e-05, "seed": 7} if METHODS[model].takes("learning_rate") else {"seed": 7}
        )
        values = {"dataset": "tree", "data_options": {"tau": 0.5}, "model": model, "split_seed": 3, **options}
        one = RunConfig.from_values(values)
        again = RunConfig.from_values(tomllib.loads(to_toml(one.values())))
        assert again == one
        assert set(one.options) == set(METHODS[model].options)
        assert options.items() <= one.make_model(progress=False).get_params().items()

    def test_texts_of_all_kinds_survive_toml(self):
        values = {
            "features": 'a "b"\\c\n\x7fé.csv',
            "columns": ["x, y", "z"],
            "header": False,
            "data_options": {"a b": 1},
        }
        assert tomllib.loads(to_toml(values)) == values

    def test_options_that_have_no_part_in_a_model_are_not_its_own(self):
        assert METHODS["cvae-corr"].takes("gamma")
        assert not {"gamma", "pair_hidden_dim", "batch_pairs"} & {*METHODS["cvae-ind"].options}
        assert METHODS["graphsage"].takes("n_negatives")
        with pytest.raises(
            OptionError, match="tau does not apply to the model vae, which takes latent_dim, "
        ):
            METHODS["vae"].make({"tau": 1})
        with pytest.raises(OptionError, match="model='vea' is unknown"):
            method_named("vea")

    @pytest.mark.parametrize(
        ("values", "message"),
        [
            ({}, "no data were named"),
            ({"features": "a.csv"}, "and edges is missing"),
            ({"dataset": "tree", "edges": "a.csv"}, "edges is for data in your own files"),
            ({"features": "a", "edges": "b", "data_root": "."}, "data_root is for named data sets"),
            ({"dataset": "tree", "epoch": 3}, "there is no setting 'epoch'. Did you mean 'epochs'"),
            (
                {"dataset": "tree", "model": "graph-gaussian", "evaluate_every": 2},
                "needs epochs, and the model",
            ),
            ({"dataset": "tree", "evaluate_every": 0}, "evaluate_every must be a whole number of at least 1"),
            (
                {"dataset": "tree", "model": "vae", "evaluate_every": 1, "all_edges": True},
                "evaluate_every needs held-out edges",
            ),
            ({"dataset": "tree", "checkpoint_every": 0}, "checkpoint_every must be"),
        ],
    )
    def test_mistakes(self, values, message):
        with pytest.raises(OptionError) as caught:
            RunConfig.from_values(values)
        assert message in str(caught.value)

    def test_paths_are_taken_from_the_file_s_folder(self, tmp_path):
        (tmp_path / "c.toml").write_text('features = "x.csv"\nedges = "/y.csv"\nout = "run"\n')
        assert read_config(tmp_path / "c.toml") == {
            "features": str(tmp_path / "x.csv"),
            "edges": "/y.csv",
            "out": str(tmp_path / "run"),
        }

    def test_every_flag_is_a_setting_and_every_setting_a_flag(self):
        parser = argparse.ArgumentParser()
        add_data_and_run(parser)
        add_model(parser)
        flags = {action.dest for action in parser._actions}
        assert flags - {"help", "out", "overwrite", "config", "resume", "quiet"} == set(all_keys())
