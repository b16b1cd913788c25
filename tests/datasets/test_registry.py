"""Data sets by name: what can be asked for, and what is said when it cannot be had."""

import numpy as np
import pytest

import acvae
from acvae.datasets import NAMES, available, load
from acvae.exceptions import DataError, OptionError, UnknownNameError

pytestmark = pytest.mark.usefixtures("private_cache")


def by_name(**options):
    return {entry.name: entry for entry in available(**options)}


def test_the_promised_names_are_there():
    expected = {"citation", "citation-1998", "debian", "epinions", "epinions-tang", "librarything", "tree"}
    assert set(NAMES) == expected | {"acm", "amazon-photo", "dblp"}


def test_an_unknown_name_gets_a_hint():
    with pytest.raises(UnknownNameError, match="Did you mean 'citation'"):
        load("citations")


def test_options_reach_the_loader():
    assert load("tree", n_vertices=12, seed=1).graph.n_vertices == 12


def test_unknown_options_are_answered_with_the_valid_ones():
    with pytest.raises(OptionError, match=r"no option 'seeds'; it has .*n_vertices.* Did you mean 'seed'"):
        load("tree", seeds=1)
    with pytest.raises(OptionError, match=r"it has root, variant, min_ratings, seed\. Did you mean 'seed'"):
        load("epinions", seeds=1)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("debian", "tree")])
def test_a_seed_is_taken_where_nothing_is_random(name, tmp_path, monkeypatch):
    def refuse(url, target, **options):
        raise DataError("the publisher is down.")

    monkeypatch.setattr("acvae.datasets.sources.download", refuse)
    with pytest.raises(DataError, match=r"is not here|was not found"):  # not that it has no such option
        load(name, root=tmp_path, seed=3)


def test_a_root_is_taken_where_there_are_no_raw_files(tmp_path):
    one, other = load("tree", root=tmp_path, seed=3), load("tree", seed=3)
    assert (one.graph.edges == other.graph.edges).all()
    assert not np.array_equal(load("tree", seed=4).graph.edges, one.graph.edges)
    assert (load("debian", root=tmp_path, seed=3).graph.edges == load("debian").graph.edges).all()


@pytest.mark.parametrize("options", [{"root": 3}, {"seed": -1}, {"seed": "a"}])
@pytest.mark.parametrize("name", ["debian", "citation", "tree"])
def test_a_root_is_a_path_and_a_seed_a_number(name, options):
    with pytest.raises(OptionError, match="must be a"):
        load(name, **options)


@pytest.mark.parametrize("name", ["citation", "citation-1998", "epinions", "epinions-tang", "librarything"])
def test_raw_files_that_cannot_be_had(name, tmp_path, monkeypatch):
    asked = []

    def refuse(url, target, **options):
        asked.append(url)
        raise DataError("the publisher is down.")

    monkeypatch.setattr("acvae.datasets.sources.download", refuse)
    with pytest.raises(
        DataError, match=r"is not here, and the publisher is down\. Get it from http.* put it in"
    ):
        load(name, root=tmp_path)
    assert len(asked) == 1


def test_what_is_available(tmp_path):
    entries = by_name(root=tmp_path)
    assert tuple(entries) == NAMES
    assert all(entry.what and entry.origin for entry in entries.values())
    assert entries["tree"].here
    assert entries["tree"].found == entries["tree"].missing == ()
    assert not entries["citation"].here
    assert entries["citation"].missing == ("cit-HepTh.txt.gz", "cit-HepTh-abstracts.tar.gz")


def test_files_that_are_here_are_found(tmp_path):
    (tmp_path / "cit-HepTh.txt").touch()
    entry = by_name(root=tmp_path)["citation-1998"]
    assert not entry.here
    assert entry.found == (str(tmp_path / "cit-HepTh.txt"),)
    assert entry.missing == ("cit-HepTh-abstracts.tar.gz",)
    (tmp_path / "cit-HepTh-abstracts").mkdir()
    assert by_name(root=tmp_path)["citation-1998"].here


def test_each_crawl_of_epinions_has_its_own_files(tmp_path):
    (tmp_path / "epinions").mkdir()
    for name in ("rating.mat", "trustnetwork.mat"):
        (tmp_path / "epinions" / name).touch()
    entries = by_name(root=tmp_path)
    found = entries["epinions-tang"].found
    assert [path.rsplit("/", 1)[-1] for path in found] == ["rating.mat", "trustnetwork.mat"]
    assert entries["epinions-tang"].here
    assert not entries["epinions"].here
    assert entries["epinions"].missing == ("ratings_data.txt.bz2", "trust_data.txt.bz2")


def test_public_names():
    assert acvae.datasets.from_files.__module__ == "acvae.datasets.tables"
