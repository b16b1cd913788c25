"""Settings of a config file and flags beside them."""

from pathlib import Path

import pytest

from acvae.commands._settings import merge, output_folder

FILE = {"dataset": "tree", "data_options": {"n_vertices": 9}, "model": "acvae-eb", "epochs": 5, "gamma": 0.1}


def test_flags_win_and_the_rest_stays():
    found, notes = merge(FILE | {"out": "here"}, {"epochs": 7, "seed": 2})
    assert found == {**FILE, "epochs": 7, "seed": 2}  # where it goes is told apart
    assert notes == []


def test_other_data_make_the_options_of_the_old_void():
    assert "data_options" not in merge(FILE, {"dataset": "citation"})[0]
    assert merge(FILE, {"dataset": "tree"})[0]["data_options"] == {"n_vertices": 9}
    found, _ = merge(FILE, {"features": "x.csv", "edges": "e.csv"})
    assert not {"dataset", "data_options"} & set(found)
    files = {"features": "x.csv", "edges": "e.csv", "id_column": "id", "model": "vae"}
    assert merge(files, {"dataset": "tree"})[0] == {"model": "vae", "dataset": "tree"}


def test_one_file_for_all_is_no_name_of_a_data_set():
    flags = {"dataset": "mine.NPZ"}
    assert merge(FILE, flags)[0]["features"] == "mine.NPZ"
    assert "dataset" not in merge(FILE, flags)[0]
    assert flags == {"dataset": "mine.NPZ"}  # as it was


def test_another_model_leaves_out_what_it_does_not_take():
    found, notes = merge(FILE, {"model": "vae"})
    assert found == {"dataset": "tree", "data_options": {"n_vertices": 9}, "model": "vae", "epochs": 5}
    assert notes == ["left out of the config, for vae does not take it: gamma"]


@pytest.mark.parametrize("name", ["split_seed", "test_fraction", "evaluate_every"])
def test_all_edges_and_a_split_exclude_each_other(name):
    assert name not in merge({name: 1}, {"all_edges": True})[0]
    assert "all_edges" not in merge({"all_edges": True}, {name: 1})[0]
    assert merge({name: 1}, {"all_edges": False})[0][name] == 1


def test_where_a_run_goes(tmp_path):
    config = tmp_path / "config.toml"
    assert output_folder(None, {}, config) is None
    (tmp_path / "run.json").touch()
    assert output_folder(None, {}, config) == tmp_path  # the config is the record of a run
    assert output_folder(None, {"out": "there"}, config) == Path("there")
    assert output_folder(Path("here"), {"out": "there"}, config) == Path("here")
    assert output_folder(None, {}, None) is None
