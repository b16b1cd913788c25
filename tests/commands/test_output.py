"""What is printed where: results on standard output, notes beside."""

import json

from acvae.commands._output import note, print_json, print_table, silent, warn_of_collapse
from acvae.methods import METHODS


def test_columns_are_as_wide_as_they_need_to_be(capsys):
    print_table(("name", "n"), [("a", "1"), ("longer", "100")], numbers=(1,))
    assert capsys.readouterr().out == "name      n\na         1\nlonger  100\n"
    print_table(("a", "b"), [("x", "")])
    assert capsys.readouterr().out == "a  b\nx\n"  # nothing after the last


def test_json_has_null_for_what_is_no_number(capsys):
    print_json({"é": float("nan"), "x": [1, float("inf")]})
    out = capsys.readouterr().out
    assert json.loads(out) == {"é": None, "x": [1, None]}
    assert "é" in out


def test_notes_leave_results_alone(capsys):
    note("on its way")
    silent("not told")
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "on its way\n")


def test_collapse_is_warned_of_once_and_only_where_it_is(capsys):
    vae = METHODS["vae"]
    warn_of_collapse({}, vae)
    warn_of_collapse({"embeddings": {"spread": 2.0, "kl": 1.0}}, vae)
    assert capsys.readouterr().err == ""
    warn_of_collapse({"embeddings": {"spread": 1e-6, "kl": 1e-6}}, vae)
    told = capsys.readouterr()
    assert told.err.startswith("warning: the embeddings have collapsed")
    assert told.out == ""
