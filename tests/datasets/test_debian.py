"""Debian: the reader on small hand-written indexes, and the bundled snapshot."""

import bz2
import gzip
import json
import lzma
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import roc_auc_score

import acvae.datasets
from acvae.datasets import Dataset, debian, debian_index
from acvae.datasets._debian.snapshot import BUNDLED, Snapshot
from acvae.exceptions import DataError, OptionError

# Eleven packages of section python, so that three dependants make a hub (3 > 11/5) and two do not.
# python3-solo is related to nobody here; curl is of another section.
INDEX = """\
Package: python3
Section: python
Description: interactive high-level language

Package: python3-alpha
Section: python
Architecture: amd64
Depends: python3:any, python3-beta (>= 1.2~), libc6 (>= 2.35),
 python3-gamma:any | python3-delta [amd64]
Recommends: python3-epsilon <!nocheck>
Description: telescope control
 Moves a telescope.
 .
 Slowly, and by night.
Tag: field::astronomy, implemented-in::python,
 special::TODO
Filename: pool/main/a/alpha/python3-alpha_1_amd64.deb

Package: python3-beta
Section: contrib/python
Depends: python3 (<< 3.12), python3-virtual
Provides: python3-virtual
Description: telescope mirrors
Filename: pool/contrib/b/beta/python3-beta_1_all.deb

Package: python3-gamma
Section: python
Depends: python3, python3-beta, python3-gamma
Description: camera images

Package: python3-delta
Section: python
Suggests: python3-epsilon
Description: camera lenses

Package: python3-epsilon
Section: python

Package: python3-zeta
Section: python
Depends: python3-virtual, python3-nowhere
Recommends: python3-alpha
Description: night sky

Package: python3-solo
Section: python
Depends: curl
Description: alone

Package: python3-one
Section: python
Description: alone

Package: python3-two
Section: python
Description: alone

Package: python3-three
Section: python
Description: alone

Package: curl
Section: web
Depends: python3-alpha
Description: telescope of the web

Package: python3-alpha
Section: python
Depends: python3-solo
Description: an older version of the same
"""

EDGES = {
    ("python3-alpha", "python3-beta"),
    ("python3-alpha", "python3-gamma"),
    ("python3-alpha", "python3-delta"),
    ("python3-alpha", "python3-epsilon"),
    ("python3-beta", "python3-gamma"),
    ("python3-alpha", "python3-zeta"),
}
NAMES = [f"python3-{x}" for x in ("alpha", "beta", "delta", "epsilon", "gamma", "zeta")]

# Added to an index of two or three packages, so that one dependant does not make a hub.
FILLER = "".join(f"\nPackage: filler{i}\nSection: python\n" for i in range(9))


@pytest.fixture
def index(tmp_path):
    path = tmp_path / "Packages"
    path.write_text(INDEX, encoding="utf-8")
    return path


def words_of(data: Dataset, name: str) -> set[str]:
    row = data.features[[data.graph.index(name)]]
    return set(data.feature_names[row.indices].tolist())


def named_edges(data: Dataset) -> set[tuple[str, str]]:
    return {(data.graph.name(u), data.graph.name(v)) for u, v in data.graph.edges.tolist()}


# ---------------------------------------------------------------------- the reader of control files


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress, bz2.compress])
def test_compression_is_told_by_content(tmp_path, compress):
    path = tmp_path / "Packages"  # no ending to give it away
    path.write_bytes(compress(INDEX.encode()))
    assert named_edges(debian.load(path)) == EDGES


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress])
def test_truncated_compression_is_named(tmp_path, compress):
    path = tmp_path / "Packages.cut"
    path.write_bytes(compress(INDEX.encode())[:-20])
    with pytest.raises(DataError, match=r"Packages\.cut is damaged or cut short"):
        debian.load(path)


def test_corrupt_gzip_is_named(tmp_path):
    content = bytearray(gzip.compress(INDEX.encode()))
    content[60:90] = bytes(30)
    path = tmp_path / "Packages.gz"
    path.write_bytes(content)
    with pytest.raises(DataError, match="is damaged or cut short"):
        debian.load(path)


# ---------------------------------------------------------------------- from an index to a data set


def test_vertices_and_edges_of_a_small_index(index):
    data = debian.load(index)
    assert data.graph.names.tolist() == NAMES
    assert named_edges(data) == EDGES


def test_what_was_dropped_is_counted(index):
    details = debian.load(index).details
    assert details["packages_read"] == 13
    assert details["packages_in_section"] == 11
    assert details["hubs_dropped"] == ["python3"]
    assert details["isolated_dropped"] == 4  # solo, one, two, three
    assert details["packages_kept"] == 6
    assert details["edges"] == 6
    assert details["components"] == ["contrib", "main"]
    assert details["architectures"] == ["amd64"]
    assert json.loads(json.dumps(details)) == details


def test_a_fifth_is_not_yet_a_hub(tmp_path):
    # 10 packages: h has two dependants (exactly a fifth, kept), k has three (dropped).
    relations = {"a": "h, k", "b": "h, k", "c": "k"}
    path = tmp_path / "Packages"
    path.write_text(
        "\n".join(
            f"Package: {name}\nSection: python\nDepends: {relations.get(name, '')}\nDescription: word\n"
            for name in "abchkvwxyz"
        )
    )
    data = debian.load(path)
    assert data.details["hubs_dropped"] == ["k"]
    assert named_edges(data) == {("a", "h"), ("b", "h")}


def test_words_come_from_name_description_and_tag_values(index):
    data = debian.load(index)
    # Not: "python" and "todo", which say nothing; "by", "and", "implemented", "field", which are not asked.
    assert words_of(data, "python3-alpha") == {
        *("alpha", "telescope", "control", "moves", "slowly", "night", "astronomy")
    }
    assert words_of(data, "python3-beta") == {"beta", "telescope", "mirrors"}
    assert words_of(data, "python3-epsilon") == {"epsilon"}  # no description at all


def test_names_are_split_on_everything_but_letters(tmp_path):
    path = tmp_path / "Packages"
    path.write_text(
        "Package: python3-zope.event2x-gtk4\nSection: python\nDepends: b\n\n"
        "Package: b\nSection: python\n" + FILLER
    )
    data = debian.load(path)
    assert words_of(data, "python3-zope.event2x-gtk4") == {"zope", "event", "gtk"}  # single letters go
    assert words_of(data, "b") == set()
    assert data.details["packages_without_words"] == 1


def test_features_are_binary_float32_csr(index):
    features = debian.load(index).features
    assert isinstance(features, sp.csr_array)
    assert features.dtype == np.float32
    assert set(features.data.tolist()) == {1.0}


def test_most_telling_words_come_first_and_fewer_words_are_a_prefix(index):
    full = debian.load(index)
    few = debian.load(index, n_words=3)
    assert few.features.shape == (6, 3)
    assert few.feature_names.tolist() == full.feature_names[:3].tolist()
    assert (few.features != full.features[:, :3]).nnz == 0


def test_words_are_ranked_by_summed_tfidf(tmp_path):
    # Three packages with unit rows. "epsilon" alone fills its row: sum 1. In each of the others, with idf
    # i = 1 + ln(4/2) for words of one package and j = 1 + ln(4/3) for the shared one, r = √(i² + j²):
    # "shared" gets 2·j/r ≈ 2·1.288/2.126 = 1.21, "alpha" and "beta" i/r ≈ 0.80 each.
    path = tmp_path / "Packages"
    path.write_text(
        "Package: alpha\nSection: python\nDescription: shared\n\n"
        "Package: beta\nSection: python\nDescription: shared\nDepends: alpha\n\n"
        "Package: epsilon\nSection: python\nDepends: beta\n" + FILLER
    )
    assert debian.load(path).feature_names.tolist() == ["shared", "epsilon", "alpha", "beta"]


def test_long_descriptions_are_found_by_md5(tmp_path):
    packages, translations = tmp_path / "Packages", tmp_path / "Translation-en"
    packages.write_text(
        "Package: alpha\nSection: python\nDepends: beta\nDescription: short\nDescription-md5: 11\n\n"
        "Package: beta\nSection: python\nDescription: brief\nDescription-md5: 22\n" + FILLER
    )
    translations.write_text(
        "Package: alpha\nDescription-md5: 11\nDescription-en: short\n with galaxies\n\n"
        "Package: beta\nDescription-md5: 99\nDescription-en: of another version\n"
    )
    data = debian.load(packages, translations)
    assert words_of(data, "alpha") == {"alpha", "short", "galaxies"}
    assert words_of(data, "beta") == {"beta", "brief"}
    assert data.details["long_descriptions"] == 1
    assert debian.summaries(packages, translations) == {"alpha": "short", "beta": "brief"}


def test_wrong_translations_file_is_named(index):
    with pytest.raises(DataError, match="is not a Translation-en file"):
        debian.load(index, index)


def test_missing_translations_are_not_passed_over(index, tmp_path):
    with pytest.raises(DataError, match="cannot read"):
        debian.load(index, tmp_path / "nowhere")


def test_nothing_in_the_section(tmp_path):
    path = tmp_path / "Packages"
    path.write_text("Package: curl\nSection: web\n\nPackage: bare\n")
    with pytest.raises(DataError, match="lists 2 packages, but none of them is in section 'python'"):
        debian.load(path)


def test_nothing_related(tmp_path):
    path = tmp_path / "Packages"
    path.write_text("Package: a\nSection: python\nDepends: a, curl\n\nPackage: b\nSection: python\n")
    with pytest.raises(DataError, match=r"none of the 2 packages .* is related to another"):
        debian.load(path)


def test_nothing_said(tmp_path):
    path = tmp_path / "Packages"
    path.write_text(
        "Package: a\nSection: python\nDepends: b\n\nPackage: b\nSection: python\nDescription: the\n" + FILLER
    )
    with pytest.raises(DataError, match="no words that say anything"):
        debian.load(path)


def test_same_index_same_data(index):
    first, second = debian.load(index, seed=0), debian.load(index, seed=1)
    assert first.graph == second.graph
    assert first.feature_names.tolist() == second.feature_names.tolist()
    assert (first.features != second.features).nnz == 0


# ---------------------------------------------------------------------- snapshots


def test_same_index_same_bytes_and_back(index, tmp_path):
    for out in ("one", "two"):
        assert debian_index.main([str(index), "-o", str(tmp_path / out)]) == 0
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    loaded, direct = debian.load(snapshot=tmp_path / "one", n_words=5), debian.load(index, n_words=5)
    assert loaded.graph == direct.graph
    assert loaded.feature_names.tolist() == direct.feature_names.tolist()
    assert (loaded.features != direct.features).nnz == 0


def test_order_of_the_index_does_not_matter(index, tmp_path):
    other = tmp_path / "Reversed"
    parts = INDEX.strip().split("\n\n")[:-1]  # without the repeated package, of which the first counts
    other.write_text("\n\n".join(reversed(parts)))
    first, second = debian_index.build(index), debian_index.build(other)
    assert (first.names, first.words, first.rows, first.edges) == (
        *(second.names, second.words, second.rows, second.edges),
    )


def test_release_file_is_noted_inside_its_signature(index, tmp_path):
    release = tmp_path / "InRelease"
    release.write_text(
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nOrigin: Debian\nSuite: oldstable\n"
        "Version: 12.15\nCodename: bookworm\nDate: Sat, 11 Jul 2026 10:16:37 UTC\nSHA256:\n 00 1 main\n"
        "-----BEGIN PGP SIGNATURE-----\n\niQIz=\n-----END PGP SIGNATURE-----\n"
    )
    out = tmp_path / "out.json.xz"
    assert debian_index.main([str(index), "-o", str(out), "--release", str(release)]) == 0
    data = debian.load(snapshot=out, n_words=4)
    assert data.details["release"] == {
        "origin": "Debian",
        "suite": "oldstable",
        "version": "12.15",
        "codename": "bookworm",
        "date": "2026-07-11",
    }
    assert "Debian 12.15 bookworm (oldstable), contrib/main/amd64 of 2026-07-11" in data.source


def test_release_without_a_date(index, tmp_path):
    release = tmp_path / "Release"
    release.write_text("Codename: own\nDate: soon\n")
    assert debian_index.build(index, release=release).details["release"] == {"codename": "own"}


def test_wrong_release_file_is_named(index):
    with pytest.raises(DataError, match="is not a Release file"):
        debian_index.build(index, release=index)


def test_command_line_tells_errors_in_one_line(tmp_path, capsys):
    assert debian_index.main([str(tmp_path / "nowhere"), "-o", str(tmp_path / "out")]) == 1
    assert capsys.readouterr().err.startswith("error: cannot read")
    assert not (tmp_path / "out").exists()


def test_command_line_cannot_write(index, tmp_path, capsys):
    assert debian_index.main([str(index), "-o", str(tmp_path / "no" / "folder")]) == 1
    assert "cannot write" in capsys.readouterr().err


def test_runs_as_a_module(index, tmp_path):
    command = [sys.executable, "-m", "acvae.datasets.debian_index", str(index), "-o", str(tmp_path / "out")]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout.startswith("6 packages, 6 edges, ")
    assert Snapshot.read(tmp_path / "out").names == NAMES


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_words": 0}, "n_words must be"),
        ({"n_words": 1001}, "the snapshot holds 1000 words"),
        ({"translations": "Translation-en"}, "translations go with packages"),
        ({"packages": "a", "snapshot": "b"}, "not both"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(OptionError, match=message):
        debian.load(**options)


# ---------------------------------------------------------------------- the bundled data


@pytest.fixture(scope="module")
def bundled() -> Dataset:
    return acvae.datasets.load("debian")


def test_bundled_counts(bundled):
    assert bundled.name == "debian"
    assert 3_800 <= bundled.graph.n_vertices <= 4_000
    assert 12_500 <= bundled.graph.n_edges <= 13_100
    assert bundled.features.shape == (bundled.graph.n_vertices, 500)
    assert bundled.graph.degrees.min() >= 1
    assert bundled.details["hubs_dropped"] == ["python3"]


def test_bundled_counts_add_up(bundled):
    details = bundled.details
    kept, hubs, isolated = details["packages_kept"], len(details["hubs_dropped"]), details["isolated_dropped"]
    assert kept + hubs + isolated == details["packages_in_section"]
    assert (kept, details["edges"]) == (bundled.graph.n_vertices, bundled.graph.n_edges)
    assert details["words"] == 500


def test_bundled_file_is_small():
    assert BUNDLED.stat().st_size < 500_000


def test_bundled_knows_well_known_packages_and_relations(bundled):
    graph = bundled.graph
    for name in ("python3-numpy", "python3-requests", "python3-django", "python3-scipy"):
        assert graph.name(graph.index(name)) == name
    assert graph.has_edges([(graph.index("python3-scipy"), graph.index("python3-numpy"))]).all()
    assert graph.has_edges([(graph.index("python3-requests"), graph.index("python3-urllib3"))]).all()
    assert len(set(graph.names.tolist())) == graph.n_vertices


def test_bundled_words_say_something(bundled):
    assert {"web", "http", "framework"} & words_of(bundled, "python3-django")
    words = set(bundled.feature_names.tolist())
    assert len(words) == 500
    assert not words & {"python", "module", "library", "package", "the"}


def test_bundled_rows_are_not_empty(bundled):
    per_package = np.diff(bundled.features.indptr)
    assert bundled.details["packages_without_words"] == (per_package == 0).sum()
    assert (per_package == 0).mean() < 0.005
    assert np.median(per_package) >= 8


def test_bundled_relations_show_in_the_features(bundled):
    x, n = bundled.features, bundled.graph.n_vertices
    random = np.random.default_rng(0).integers(0, n, (20_000, 2))
    random = random[(random[:, 0] != random[:, 1]) & ~bundled.graph.has_edges(random)]
    pairs = np.concatenate([bundled.graph.edges, random])
    size = np.maximum(np.diff(x.indptr), 1)
    shared = x[pairs[:, 0]].multiply(x[pairs[:, 1]]).sum(axis=1)
    cosine = np.asarray(shared).ravel() / np.sqrt(size[pairs[:, 0]] * size[pairs[:, 1]])
    is_edge = np.arange(len(pairs)) < bundled.graph.n_edges
    assert roc_auc_score(is_edge, cosine) > 0.68


def test_bundled_source_names_release_and_licence(bundled):
    assert "Debian 12" in bundled.source
    assert "bookworm (oldstable)" in bundled.source
    assert "licence" in bundled.source
    assert bundled.details["release"]["date"] == "2026-07-11"


def test_bundled_summaries_explain_the_names(bundled):
    text = debian.summaries()
    assert list(text) == bundled.graph.names.tolist()
    assert "HTTP" in text["python3-requests"]
    assert sum(not summary for summary in text.values()) == 0
