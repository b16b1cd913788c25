"""`acvae datasets`: what can be loaded, from where, what is here."""

import json

import pytest

from acvae.datasets import NAMES


@pytest.fixture(autouse=True)
def _no_data_of_this_machine(monkeypatch, tmp_path):
    monkeypatch.delenv("ACVAE_DATA", raising=False)
    monkeypatch.setattr("acvae.datasets.sources.cache_folder", lambda: tmp_path / "cache")


def test_list(acvae):
    code, out, err = acvae("datasets")
    assert (code, err) == (0, "")
    heads = [line.split(maxsplit=1) for line in out.splitlines() if line and not line.startswith(" ")]
    assert [name for name, _ in heads] == list(NAMES)
    assert dict(heads)["debian"] == "here"
    assert dict(heads)["citation"] == "not here"
    assert "Missing: cit-HepTh.txt.gz, cit-HepTh-abstracts.tar.gz" in out


def test_json_and_what_a_folder_adds(acvae, tmp_path):
    (tmp_path / "lthing_data.tar.gz").write_bytes(b"")
    found = {row["name"]: row for row in json.loads(acvae("datasets", "--json", "--data-root", tmp_path)[1])}
    assert found.keys() == set(NAMES)
    assert found["librarything"]["here"] is True
    assert found["librarything"]["found"] == [str(tmp_path / "lthing_data.tar.gz")]
    assert found["epinions"]["here"] is False
    assert "Found: " in acvae("datasets", "--data-root", tmp_path)[1]


def test_a_folder_that_is_not_there(error_of, tmp_path):
    assert error_of("datasets", "--data-root", tmp_path / "no").endswith("does not exist or is not a folder.")
