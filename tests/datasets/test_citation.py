"""The citation data sets, on raw files written here and on SNAP's own."""

import gzip
import io
import math
import tarfile

import numpy as np
import pytest

from acvae.datasets import load
from acvae.datasets.citation import binary_tfidf, read_abstracts, read_edges
from acvae.exceptions import DataError, OptionError

pytestmark = pytest.mark.usefixtures("private_cache")

RULE = "-" * 78


def abstract(text, title="A title with words of its own"):
    return f"{RULE}\n\\\\\nPaper: hep-th/0\nTitle: {title}\nAuthors: Someone\n\\\\\n  {text}\n\\\\\n".encode()


# 1998: 9801001-9801002-9801003 form a path (one citation both ways), 9801004 cites only itself, 9801005 only
# a paper of 1999; 1 is paper 0000001 of 2000, cited by the one of 1999.
EDGES = """# Directed graph
# FromNodeId\tToNodeId
9801001\t9801002
9801002\t9801001
9801002\t9801003
9801004\t9801004
9801005\t9901001
9901001\t1
9901001\t9999999
""".replace("\n", "\r\n")
ABSTRACTS = {
    "1998/9801001.abs": abstract("The quark quark quark quark and the gluon."),
    "1998/9801002.abs": abstract("Quark gluon."),
    "1998/9801003.abs": abstract("The of and."),
    "1998/9801004.abs": abstract("String."),
    "1998/9801005.abs": abstract("String."),
    "1999/9901001.abs": abstract("Café brane.").decode().encode("latin-1"),
    "2000/0000001.abs": abstract("brane"),
}


@pytest.fixture
def packed(tmp_path):
    folder = tmp_path / "raw" / "cit-HepTh"
    folder.mkdir(parents=True)
    with gzip.open(folder / "cit-HepTh.txt.gz", "wb") as file:
        file.write(EDGES.encode())
    with tarfile.open(folder / "cit-HepTh-abstracts.tar.gz", "w:gz") as archive:
        for name, content in ABSTRACTS.items():
            info = tarfile.TarInfo(f"cit-HepTh-abstracts/{name}")
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return folder.parent


@pytest.fixture
def unpacked(tmp_path):
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "cit-HepTh.txt").write_bytes(EDGES.encode())
    for name, content in ABSTRACTS.items():
        file = folder / "cit-HepTh-abstracts" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return folder


@pytest.mark.parametrize("form", ["packed", "unpacked"])
def test_one_year(form, request):
    data = load("citation-1998", root=request.getfixturevalue(form))
    assert data.name == "citation-1998"
    assert data.graph.names.tolist() == ["9801001", "9801002", "9801003"]
    assert data.graph.edges.tolist() == [[0, 1], [1, 2]]
    assert data.details["papers"] == 5
    assert data.details["papers_without_edge"] == 2
    # Titles are no part of the text, and neither are the words of papers left out. Both words occur in two of
    # three texts, so they weigh the same before normalising: (4, 1)/√17 in the first text, (1, 1)/√2 in the
    # second. The non-zero entries are 4/√17 ≈ 0.970, 1/√17 ≈ 0.243 and twice 1/√2 ≈ 0.707, the median.
    assert data.details["median_tfidf"] == pytest.approx(1 / math.sqrt(2))
    assert data.feature_names.tolist() == ["quark", "gluon"]
    assert data.features.dtype == np.float32
    assert data.features.toarray().tolist() == [[1, 0], [0, 0], [0, 0]]
    assert data.details["all_zero_rows"] == 2


def test_all_years(packed):
    data = load("citation", root=packed)
    assert data.name == "citation"
    assert data.graph.names.tolist() == ["0000001", "9801001", "9801002", "9801003", "9801005", "9901001"]
    assert data.graph.edges.tolist() == [[0, 5], [1, 2], [2, 3], [4, 5]]
    assert "café" in data.feature_names
    assert data.details["abstracts_not_utf8"] == 1
    assert data.details["cited_ids_without_paper"] == 1  # 9999999
    assert data.details["self_citations"] == 1


def test_the_number_of_words_can_be_chosen(packed):
    assert load("citation-1998", root=packed, n_words=1).feature_names.tolist() == ["quark"]
    with pytest.raises(OptionError, match="n_words"):
        load("citation-1998", root=packed, n_words=0)


def test_a_year_without_papers(packed):
    with pytest.raises(DataError, match="no abstract of 1890"):
        load("citation", root=packed, year=1890)


def test_a_year_without_citations(packed):
    with pytest.raises(DataError, match="no citation joins two of the 1 papers of 1999"):
        load("citation", root=packed, year=1999)


def test_a_file_without_its_separators_has_no_text(tmp_path):
    (tmp_path / "1998").mkdir()
    (tmp_path / "1998" / "9801001.abs").write_text("no separators at all")
    texts, details = read_abstracts(tmp_path, 1998)
    assert texts == {"9801001": ""}
    assert details["abstracts_without_text"] == 1


def test_a_double_backslash_inside_the_text_is_no_separator(tmp_path):
    (tmp_path / "1998").mkdir()
    (tmp_path / "1998" / "9801001.abs").write_bytes(abstract("first line \\\\\nsecond line"))
    assert read_abstracts(tmp_path, 1998)[0] == {"9801001": "first line \\\\\nsecond line"}


@pytest.mark.parametrize("line", ["9801001 x", "9801001", "1 2 3", "99999999999999999999 1"])
def test_a_line_that_is_no_citation_is_shown(tmp_path, line):
    (tmp_path / "edges.txt").write_text(f"9801001 9801002\n{line}\n")
    with pytest.raises(DataError, match=f"'{line}' is not a pair"):
        read_edges(tmp_path / "edges.txt")


def test_a_truncated_edge_list(packed):
    file = packed / "cit-HepTh" / "cit-HepTh.txt.gz"
    file.write_bytes(file.read_bytes()[:-12])
    with pytest.raises(DataError, match=r"cit-HepTh.txt.gz' is damaged .*snap.stanford.edu"):
        load("citation-1998", root=packed)


def test_a_truncated_archive_leaves_no_prepared_data(packed, private_cache):
    file = packed / "cit-HepTh" / "cit-HepTh-abstracts.tar.gz"
    file.write_bytes(file.read_bytes()[:-200])
    with pytest.raises(DataError, match=r"abstracts.tar.gz' is damaged .*snap.stanford.edu"):
        load("citation-1998", root=packed)
    assert not private_cache.exists()


def test_texts_of_stop_words_only():
    with pytest.raises(DataError, match="no words but stop words"):
        binary_tfidf(["the", "of and"], 50)


def test_prepared_data_are_kept(packed, private_cache, monkeypatch):
    first = load("citation-1998", root=packed)
    monkeypatch.setattr("acvae.datasets.citation._prepare", None)  # a second preparation would fail
    second = load("citation-1998", root=packed)
    assert second.graph == first.graph
    assert (second.features != first.features).nnz == 0


# ---------------------------------------------------------------------- the publisher's own files


@pytest.fixture
def snap(real_data):
    if not (real_data / "cit-HepTh").is_dir():
        pytest.skip("the raw data hold no folder cit-HepTh")
    return real_data


def test_real_1998(snap):
    data = load("citation-1998", root=snap)
    assert data.details["papers"] == 2758
    assert (data.graph.n_vertices, data.graph.n_edges) == (2071, 8877)
    assert data.features.shape == (2071, 50)
    assert set(data.features.data) == {1.0}
    assert {"gauge", "string", "theory"} <= set(data.feature_names)
    # The best log-likelihood of a model that ignores its latent values: the protocol expects about −6.9.
    counts = np.diff(data.features.indptr)
    shares = np.asarray(data.features.sum(axis=0)) / counts.sum()
    log_factorial = np.array([math.lgamma(count + 1) for count in counts])
    assert (log_factorial + data.features @ np.log(shares)).mean() == pytest.approx(-6.9, abs=0.05)


def test_real_all_years(snap):
    data = load("citation", root=snap)
    assert (data.graph.n_vertices, data.graph.n_edges) == (27_769, 352_285)
    assert data.details["papers"] == 29_555
    assert data.details["cited_ids_without_paper"] == 0
    assert data.graph.name(0) == "0001001"
