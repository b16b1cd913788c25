"""Epinions, both crawls, on raw files written here and on the publishers' own."""

import bz2
import gzip
import hashlib
import io
import re
import tarfile
import zipfile

import numpy as np
import pytest
from scipy.io import savemat

from acvae.datasets import load
from acvae.datasets.epinions import RATINGS as RATINGS_FILE
from acvae.datasets.epinions import TRUST as TRUST_FILE
from acvae.exceptions import DataError, OptionError

pytestmark = pytest.mark.usefixtures("private_cache")

# Item 7 has three rows (user 1 rated it twice: rows count, not users), item 8 three, item 9 two.
RATINGS = [(1, 7, 5), (1, 7, 4), (2, 7, 1), (2, 8, 3), (3, 8, 3), (5, 8, 2), (4, 9, 5), (1, 9, 5)]
# Mutual: 1-2, 2-3, 3-4 and 1-6, but 4 rated no popular item and 6 nothing at all; 5 is trusted one way only.
TRUST = [(1, 2), (2, 1), (2, 3), (3, 2), (3, 4), (4, 3), (1, 5), (5, 5), (1, 6), (6, 1), (1, 2)]


@pytest.fixture
def trustlet(tmp_path):
    root = tmp_path / "trustlet"
    root.mkdir()
    (root / "ratings_data.txt").write_text("".join(f"{u} {i} {r}\n" for u, i, r in RATINGS))
    (root / "trust_data.txt").write_text("".join(f" {u} {v} 1 \n" for u, v in TRUST))
    return root


@pytest.fixture
def tang(tmp_path):
    root = tmp_path / "tang"
    (root / "epinions").mkdir(parents=True)
    rows = np.array([(u, i, 3, r) for u, i, r in RATINGS], dtype=np.int32)
    savemat(root / "epinions" / "rating.mat", {"rating": rows}, do_compression=True)
    trust = {"trustnetwork": np.array(TRUST, dtype=np.uint16)}
    savemat(root / "epinions" / "trustnetwork.mat", trust, do_compression=True)
    return root


def assert_expected(data):
    assert data.graph.names.tolist() == ["1", "2", "3"]
    assert data.graph.edges.tolist() == [[0, 1], [1, 2]]
    assert data.feature_names.tolist() == ["7", "8"]
    assert data.features.toarray().tolist() == [[1, 0], [1, 1], [0, 1]]
    assert data.features.dtype == np.float32
    expected = {"rating_rows": 8, "items": 3, "items_kept": 2, "users_kept": 3, "relation_rows": 11}
    expected |= {"self_relations": 1, "relations": 4, "relations_kept": 2}
    expected |= {"related_users_without_kept_rating": 2, "related_users_without_any_rating": 1}
    assert {key: data.details[key] for key in expected} == expected


def test_trustlet(trustlet):
    data = load("epinions", root=trustlet, min_ratings=3)
    assert_expected(data)
    assert data.name == "epinions"
    assert "stand-in" not in data.source
    assert data.details["stand_in"] is False


def as_archive(name, content):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        member = tarfile.TarInfo(name)
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    return out.getvalue()


PACKINGS = {
    ".txt": lambda name, text: text,
    ".txt.gz": lambda name, text: gzip.compress(text),
    ".txt.bz2": lambda name, text: bz2.compress(text),
    ".tar.bz2": lambda name, text: bz2.compress(as_archive(name, text)),
    ".txt.bz2, as published": lambda name, text: bz2.compress(as_archive(name, text)),
}


@pytest.mark.parametrize("packing", PACKINGS)
def test_trustlet_in_every_packing(trustlet, packing):
    for stem in ("ratings_data", "trust_data"):
        plain = trustlet / f"{stem}.txt"
        text = plain.read_bytes()
        plain.unlink()
        (trustlet / (stem + packing.split(",")[0])).write_bytes(PACKINGS[packing](plain.name, text))
    data = load("epinions", root=trustlet, min_ratings=3)
    assert_expected(data)
    assert data.name == "epinions"


def test_a_hostile_archive_is_refused(trustlet):
    text = (trustlet / "trust_data.txt").read_bytes()
    (trustlet / "trust_data.txt.bz2").write_bytes(bz2.compress(as_archive("../trust_data.txt", text)))
    with pytest.raises(DataError, match=r"trust_data\.txt\.bz2' is refused: .* leads out of the archive"):
        load("epinions", root=trustlet, min_ratings=3)


def test_downloads_are_held_against_the_known_sums(tmp_path, monkeypatch):
    asked = {}

    def give(url, target, *, sha256, progress):
        asked[url.rsplit("/", 1)[-1]] = sha256
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(b"1 7 1\n2 7 1\n1 2 1\n2 1 1\n")

    monkeypatch.setattr("acvae.datasets.sources.download", give)
    load("epinions", root=tmp_path, min_ratings=1)
    assert set(asked) == {"ratings_data.txt.bz2", "trust_data.txt.bz2"}
    assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in asked.values())


def test_tang_is_labelled_a_stand_in(tang):
    data = load("epinions-tang", root=tang, min_ratings=3)
    assert_expected(data)
    assert data.name == "epinions-tang"
    assert "stand-in for the paper's crawl" in data.source
    assert data.details["stand_in"] is True


def test_tang_in_its_archive(tang):
    with zipfile.ZipFile(tang / "epinions.zip", "w") as archive:
        for name in ("rating.mat", "trustnetwork.mat"):
            archive.write(tang / "epinions" / name, f"epinions/{name}")
            (tang / "epinions" / name).unlink()
    assert_expected(load("epinions-tang", root=tang, min_ratings=3))
    (tang / "epinions.zip").write_bytes((tang / "epinions.zip").read_bytes()[:-30])
    with pytest.raises(DataError, match=r"epinions\.zip' is damaged"):
        load("epinions-tang", root=tang, min_ratings=3)


def test_the_crawls_are_two_data_sets(trustlet, tang):
    for file in trustlet.iterdir():
        (tang / file.name).write_bytes(file.read_bytes())
    for variant in ("auto", "trustlet"):
        assert load("epinions", root=tang, min_ratings=3, variant=variant).name == "epinions"
    assert load("epinions", root=tang, min_ratings=3, variant="tang").name == "epinions-tang"
    assert load("epinions-tang", root=tang, min_ratings=3).name == "epinions-tang"


def test_the_stand_in_is_not_taken_for_the_paper_s_crawl(tang, monkeypatch):
    def refuse(url, target, **options):
        raise DataError("the publisher is down.")

    monkeypatch.setattr("acvae.datasets.sources.download", refuse)
    with pytest.raises(DataError, match=r"ratings_data\.txt\.bz2' is not here"):
        load("epinions", root=tang, min_ratings=3)


def test_distrust_is_not_trust(trustlet):
    with open(trustlet / "trust_data.txt", "a") as file:
        file.write("1 3 -1\n3 1 -1\n")
    data = load("epinions", root=trustlet, min_ratings=3)
    assert data.graph.edges.tolist() == [[0, 1], [1, 2]]
    assert data.details["distrust_rows"] == 2


def test_nothing_left_after_filtering(trustlet, private_cache):
    with pytest.raises(DataError, match=r"nothing is left of epinions: 0 of 3 items .* at least 100 times"):
        load("epinions", root=trustlet)
    assert not private_cache.exists()


def test_bad_lines_are_located(trustlet):
    (trustlet / "ratings_data.txt").write_text("1 7 5\n1 seven 5\n")
    with pytest.raises(DataError, match=r"2 whole numbers on every line: .*'seven'.*row 1"):
        load("epinions", root=trustlet)
    (trustlet / "ratings_data.txt").write_text("1 7 5\n1\n")
    with pytest.raises(DataError, match="2 whole numbers on every line"):
        load("epinions", root=trustlet)
    (trustlet / "ratings_data.txt").write_text("\n \n")
    with pytest.raises(DataError, match="is empty"):
        load("epinions", root=trustlet)
    (trustlet / "ratings_data.txt").write_text("-1 7 5\n")
    with pytest.raises(DataError, match="negative ids"):
        load("epinions", root=trustlet)


def test_damaged_matlab_files(tang):
    file = tang / "epinions" / "rating.mat"
    whole = file.read_bytes()
    for damaged in (whole[:-20], whole[:60], b"", b"<html>" * 100):
        file.write_bytes(damaged)
        with pytest.raises(DataError, match=r"rating.mat'.* Fetch it again"):
            load("epinions-tang", root=tang)


def test_matlab_files_of_another_kind(tang):
    file = tang / "epinions" / "rating.mat"
    savemat(file, {"other": np.ones((2, 2))})
    with pytest.raises(DataError, match="no matrix called 'rating'"):
        load("epinions-tang", root=tang)
    savemat(file, {"rating": np.ones((3, 1))})
    with pytest.raises(DataError, match="at least 2 columns"):
        load("epinions-tang", root=tang)


def test_options_are_checked(trustlet):
    with pytest.raises(OptionError, match="'auto', 'trustlet', 'tang'"):
        load("epinions", root=trustlet, variant="snap")
    with pytest.raises(OptionError, match="min_ratings"):
        load("epinions", root=trustlet, min_ratings=0)


def test_real_stand_in(real_data):
    if not (real_data / "epinions" / "rating.mat").is_file():
        pytest.skip("the raw data hold no epinions/rating.mat")
    data = load("epinions-tang", root=real_data)
    assert data.features.shape == (8231, 618)
    assert data.graph.n_edges == 41_149
    assert data.graph.degrees.min() >= 1
    assert np.diff(data.features.indptr).min() >= 1
    assert set(data.features.data) == {1.0}
    assert data.name == "epinions-tang"


def test_real_files_as_published(real_data):
    folder = real_data / "epinions"
    if not all((folder / f"{name}_data.txt.bz2").is_file() for name in ("ratings", "trust")):
        pytest.skip("the raw data hold no epinions/ratings_data.txt.bz2 and trust_data.txt.bz2")
    for file in (RATINGS_FILE, TRUST_FILE):
        assert hashlib.sha256((folder / file.name).read_bytes()).hexdigest() == file.sha256
    data = load("epinions", root=real_data)
    assert data.features.shape == (16_101, 679)
    assert data.graph.n_edges == 76_315
    assert data.details["rating_rows"] == 664_824
    assert data.details["relation_rows"] == 487_183
    assert data.details["distrust_rows"] == 0
    assert data.graph.degrees.min() >= 1
    assert np.diff(data.features.indptr).min() >= 1
    assert set(data.features.data) == {1.0}
