r"""Citation: papers on high-energy physics theory, their abstracts and who cites whom (SNAP cit-HepTh).

Published by the Stanford Network Analysis Project (J. Leskovec, J. Kleinberg, C. Faloutsos, 2005; data of the
KDD Cup 2003) as a directed edge list, `cit-HepTh.txt.gz`, and an archive of abstracts,
`cit-HepTh-abstracts.tar.gz`, with one file `<year>/<arXiv number>.abs` per paper:

    \\
    Paper: hep-th/9801001
    Title: …            and more lines of this kind
    \\
      The abstract …
    \\

Preparation. The year of a paper is the folder of its abstract. Citations lose their direction, self-loops are
dropped, and papers without an edge inside the chosen years are left out. Only what stands between the second
and the third `\\` is the text of a paper: title, authors and dates are not part of the abstract. TF-IDF with
English stop words on the texts of the papers kept; the median over all its non-zero entries; then the 50
words of largest summed TF-IDF; a feature is 1 where the entry is above the median. A paper with none of those
words keeps its all-zero row.
"""

import re
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import sklearn
from sklearn.feature_extraction.text import TfidfVectorizer

from acvae._util.checks import whole_number
from acvae._util.edge_lists import IntArray
from acvae.datasets.dataset import Dataset
from acvae.datasets.prepared import prepared
from acvae.datasets.sources import RawFile, decode, fetch, members, open_binary, reading
from acvae.datasets.unpacking import check_unpacked
from acvae.exceptions import DataError
from acvae.graph import Graph

__all__ = ["CHOICES", "load", "load_1998"]

_VERSION = 1
PAGE = "https://snap.stanford.edu/data/cit-HepTh.html"
EDGES = RawFile(
    "cit-HepTh.txt.gz",
    folder="cit-HepTh",
    page=PAGE,
    url="https://snap.stanford.edu/data/cit-HepTh.txt.gz",
    sha256="7df944b502bd7b687b0e7e94ba9b0a87f202693254558ae5f8ea45657697eb32",
    also=("cit-HepTh.txt", "Cit-HepTh.txt"),
)
ABSTRACTS = RawFile(
    "cit-HepTh-abstracts.tar.gz",
    folder="cit-HepTh",
    page=PAGE,
    url="https://snap.stanford.edu/data/cit-HepTh-abstracts.tar.gz",
    sha256="95f3ede8e6827f2a6922e299f3c477fd2fd2d16bccab11d07889c064228b1fcc",
    also=("cit-HepTh-abstracts", "cit-HepTh-abstracts.tar"),
)
CHOICES = ((EDGES, ABSTRACTS),)
"""Sets of raw files of which one is needed."""

MOST_EDGES = 10 << 20  # bytes of the list of citations, which has 5.6 million
_MEMBER = re.compile(r"(?:^|/)(\d{4})/(\d{7})\.abs$")
_SEPARATOR = re.compile(r"^\\\\[ \t]*\r?$", flags=re.MULTILINE)


def load_1998(root: str | PathLike[str] | None = None, *, n_words: int = 50) -> Dataset:
    """The papers of 1998: 2,071 vertices and 8,877 edges."""
    return _load("citation-1998", root, year=1998, n_words=n_words)


def load(root: str | PathLike[str] | None = None, *, year: int | None = None, n_words: int = 50) -> Dataset:
    """The papers of all years (27,769 vertices, 352,285 edges), or those of one `year`."""
    if year is not None:
        whole_number("year", year, minimum=1)
    return _load("citation" if year is None else f"citation-{year}", root, year=year, n_words=n_words)


def _load(name: str, root: str | PathLike[str] | None, *, year: int | None, n_words: int) -> Dataset:
    whole_number("n_words", n_words, minimum=1)
    edges, abstracts = fetch(EDGES, root), fetch(ABSTRACTS, root)
    return prepared(
        name,
        lambda: _prepare(name, edges, abstracts, year, n_words),
        sources=(edges, abstracts),
        # Its stop words and its idea of a word are part of the preparation.
        options={"n_words": n_words, "scikit-learn": sklearn.__version__},
        version=_VERSION,
    )


def _prepare(name: str, edges_path: Path, abstracts_path: Path, year: int | None, n_words: int) -> Dataset:
    texts, details = read_abstracts(abstracts_path, year)
    citations = read_edges(edges_path)
    papers = np.array(sorted(map(int, texts)), dtype=np.int64)
    known = np.isin(citations, papers)
    inside = citations[known.all(axis=1) & (citations[:, 0] != citations[:, 1])]
    kept, ends = np.unique(inside, return_inverse=True)
    if not len(kept):
        raise DataError(
            f"no citation joins two of the {len(papers):,} papers"
            + (f" of {year}" if year is not None else "")
            + f": the ids in {str(edges_path)!r} and {str(abstracts_path)!r} do not match."
        )
    names = np.array([f"{paper:07d}" for paper in kept.tolist()])
    features, words, median = binary_tfidf([texts[paper] for paper in names.tolist()], n_words)
    details |= {
        "papers": len(papers),
        "papers_without_edge": len(papers) - len(kept),
        "citations": len(citations),
        # With one year most citations lead out of it; with all years this counts the ids without abstract.
        "cited_ids_without_paper": len(np.setdiff1d(citations, papers)),
        "self_citations": int((citations[:, 0] == citations[:, 1]).sum()),
        "median_tfidf": median,
        "all_zero_rows": int((np.diff(features.indptr) == 0).sum()),
    }
    return Dataset(
        name=name,
        features=features,
        graph=Graph(len(kept), ends.reshape(-1, 2), names),
        feature_names=words,
        source=f"SNAP cit-HepTh ({PAGE}): arXiv papers on high-energy physics theory"
        + (f" of {year}" if year is not None else ", 1992 to 2003")
        + f", joined where one cites the other; features say which of the {len(words)} words of largest "
        "summed TF-IDF stand out in the abstract.",
        details=details,
    )


def read_abstracts(path: Path, year: int | None) -> tuple[dict[str, str], dict[str, Any]]:
    """Text of every paper (of one year) by its seven-digit number, and what was met on the way."""
    texts: dict[str, str] = {}
    not_utf8 = empty = 0
    with reading(path, ABSTRACTS.url):
        for name, content in members(path, (".abs",)):
            match = _MEMBER.search(name)
            if match is None or (year is not None and int(match[1]) != year):
                continue
            text, is_utf8 = decode(content.read())
            not_utf8 += not is_utf8
            parts = _SEPARATOR.split(text)
            texts[match[2]] = body = parts[2].strip() if len(parts) > 2 else ""
            empty += not body
    if not texts:
        wanted = f"of {year} " if year is not None else ""
        raise DataError(f"{str(path)!r} holds no abstract {wanted}(files named <year>/<7 digits>.abs).")
    return texts, {"abstracts_not_utf8": not_utf8, "abstracts_without_text": empty}


def read_edges(path: Path) -> IntArray:
    """The rows of the edge list (m, 2), as they stand; lines starting with # are comments."""
    with reading(path, EDGES.url), open_binary(path) as file:
        content = file.read(MOST_EDGES + 1)
    check_unpacked(path, len(content), MOST_EDGES)
    lines = [line for line in content.splitlines() if line.strip() and not line.startswith(b"#")]
    if not lines:
        raise DataError(f"the file {str(path)!r} is empty. Fetch it again from {EDGES.url}.")
    try:
        pairs = np.array(b" ".join(lines).split(), dtype=np.int64)
        return pairs.reshape(len(lines), 2)
    except (ValueError, OverflowError):
        bad = next((line for line in lines if not re.fullmatch(rb"\s*\d{1,7}\s+\d{1,7}\s*", line)), b"")
        raise DataError(
            f"{str(path)!r} is no list of citations: {bad[:60].decode('latin-1')!r} is not a pair of numbers."
        ) from None


def binary_tfidf(texts: list[str], n_words: int) -> tuple[sp.csr_array, npt.NDArray[Any], float]:
    """0/1 features (n, n_words), the words by decreasing summed TF-IDF, and the median they were held to."""
    vectorizer = TfidfVectorizer(stop_words="english")
    try:
        tfidf = sp.csr_array(vectorizer.fit_transform(texts))  # (n, vocabulary)
    except ValueError:  # scikit-learn: "empty vocabulary"
        raise DataError("the abstracts hold no words but stop words.") from None
    median = float(np.median(tfidf.data))
    top = np.argsort(-tfidf.sum(axis=0), kind="stable")[:n_words]
    chosen = tfidf[:, top].tocsr()
    chosen.data = (chosen.data > median).astype(np.float32)
    chosen.eliminate_zeros()
    chosen.sort_indices()
    return chosen, vectorizer.get_feature_names_out()[top].astype(str), median
