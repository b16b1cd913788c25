"""Epinions: users of a review site, the products they rated and whom they trust.

Two crawls of the site are known to this loader.

trustlet
    The one of the paper (P. Massa and P. Avesani, 2007), the data set `epinions`. Two text files:
    `ratings_data.txt` with lines "user item rating" and `trust_data.txt` with lines "truster trustee 1",
    plain or packed in any of the ways of `packed_text`; what is published is a tar archive in bzip2.
tang
    A later one by Jiliang Tang (J. Tang, H. Gao, H. Liu, 2012), the data set `epinions-tang`. Two MATLAB
    files: `rating.mat` (user, item, category, rating) and `trustnetwork.mat` (truster, trustee), also inside
    `epinions.zip`. It is a stand-in: figures on it are not figures on the paper's data, and `name` and
    `source` of the data set say so.

Preparation. Items with at least 100 rating rows, counted on the raw rows; trust that goes both ways; users
with a rating of a kept item and such a trust relation to another of them. A feature is 1 where the user has
rated the item, whatever the rating.
"""

import io
import zipfile
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from scipy.io import loadmat

from acvae._util.checks import choice, whole_number
from acvae._util.edge_lists import IntArray
from acvae.datasets.dataset import Dataset
from acvae.datasets.packed_text import read_packed_text
from acvae.datasets.prepared import prepared
from acvae.datasets.ratings import rated_items_dataset
from acvae.datasets.sources import RawFile, fetch, locate, reading
from acvae.datasets.unpacking import NUMBERS, check_unpacked, unpacked_limit
from acvae.exceptions import DataError

__all__ = ["CHOICES", "TANG_CHOICES", "load", "load_tang"]

_VERSION = 1
TRUSTLET_PAGE = "http://www.trustlet.org/downloaded_epinions.html"
TANG_PAGE = "https://www.cse.msu.edu/~tangjili/datasetcode/truststudy.htm"

_ENDINGS = (".txt", ".txt.gz", ".tar.bz2", ".txt.tar.bz2", ".tar.gz", ".txt.tar.gz")
RATINGS = RawFile(
    "ratings_data.txt.bz2",
    folder="epinions",
    page=TRUSTLET_PAGE,
    url="http://www.trustlet.org/datasets/downloaded_epinions/ratings_data.txt.bz2",
    sha256="7ab4ed8c38bddf4a197f9ab60c71ce4b60264e91e2c98644fc129ac1cdff0176",
    also=tuple(f"ratings_data{ending}" for ending in _ENDINGS),
)
TRUST = RawFile(
    "trust_data.txt.bz2",
    folder="epinions",
    page=TRUSTLET_PAGE,
    url="http://www.trustlet.org/datasets/downloaded_epinions/trust_data.txt.bz2",
    sha256="c31e4eaaf36ee6c9344372b362126ff289d90866b16344425d645332b8e57599",
    also=tuple(f"trust_data{ending}" for ending in _ENDINGS),
)
TANG_RATINGS = RawFile("rating.mat", folder="epinions", page=TANG_PAGE)
TANG_TRUST = RawFile("trustnetwork.mat", folder="epinions", page=TANG_PAGE)
TANG_ARCHIVE = RawFile(
    "epinions.zip",
    folder="epinions",
    page=TANG_PAGE,
    url="https://www.cse.msu.edu/~tangjili/datasetcode/epinions.zip",
)
CHOICES = ((RATINGS, TRUST),)
"""Sets of raw files of which one is needed."""
TANG_CHOICES = ((TANG_RATINGS, TANG_TRUST), (TANG_ARCHIVE,))
"""The same for the stand-in."""


def load(
    root: str | PathLike[str] | None = None, *, variant: str = "auto", min_ratings: int = 100
) -> Dataset:
    """Epinions, the paper's crawl (`variant="trustlet"`, which is what `"auto"` takes) or `"tang"`'s."""
    choice("variant", variant, ("auto", "trustlet", "tang"))
    if variant == "tang":
        return load_tang(root, min_ratings=min_ratings)
    return _load("epinions", (fetch(RATINGS, root), fetch(TRUST, root)), min_ratings)


def load_tang(root: str | PathLike[str] | None = None, *, min_ratings: int = 100) -> Dataset:
    """Epinions in the crawl by Jiliang Tang, a stand-in for the paper's."""
    return _load("epinions-tang", _fetch_tang(root), min_ratings)


def _load(name: str, paths: tuple[Path, ...], min_ratings: int) -> Dataset:
    whole_number("min_ratings", min_ratings, minimum=1)
    return prepared(
        name,
        lambda: _prepare(name, paths, min_ratings),
        sources=paths,
        options={"min_ratings": min_ratings},
        version=_VERSION,
    )


def _fetch_tang(root: str | PathLike[str] | None) -> tuple[Path, ...]:
    """The two MATLAB files, or the one archive that holds them."""
    ratings, trust = locate(TANG_RATINGS, root), locate(TANG_TRUST, root)
    return (fetch(TANG_ARCHIVE, root),) if ratings is None or trust is None else (ratings, trust)


def _prepare(name: str, paths: tuple[Path, ...], min_ratings: int) -> Dataset:
    if name == "epinions":
        ratings = read_text(paths[0], 2, RATINGS)
        statements = read_text(paths[1], 3, TRUST)
        trust = statements[statements[:, 2] > 0][:, :2]
        details = {"stand_in": False, "distrust_rows": len(statements) - len(trust)}
        source = f"Epinions, the crawl of the paper (trustlet, {TRUSTLET_PAGE})"
    else:
        ratings = read_matlab(paths[0], TANG_RATINGS, "rating", 2)
        trust = read_matlab(paths[-1], TANG_TRUST, "trustnetwork", 2)
        details = {"stand_in": True}
        source = f"Epinions, the crawl by Jiliang Tang ({TANG_PAGE}), a stand-in for the paper's crawl"
    return rated_items_dataset(
        name,
        ratings[:, 0],
        ratings[:, 1],
        trust,
        min_ratings=min_ratings,
        mutual=True,
        source=f"{source}: users joined by mutual trust; features say which of the items rated at least "
        f"{min_ratings} times the user has rated.",
        details=details,
    )


def read_text(path: Path, columns: int, file: RawFile) -> IntArray:
    """The first columns of a text file of whole numbers between blanks (m, columns)."""
    with reading(path, file.url):
        text = read_packed_text(path).decode("latin-1")
    if not text.strip():
        raise DataError(f"the file {str(path)!r} is empty.")
    try:
        rows = np.loadtxt(io.StringIO(text), dtype=np.int64, usecols=range(columns), comments="#", ndmin=2)
    except ValueError as error:
        reason = str(error).split(";")[0].rstrip(".")
        raise DataError(
            f"{str(path)!r} does not have {columns} whole numbers on every line: {reason}."
        ) from None
    return _not_negative(rows, path)


def read_matlab(path: Path, file: RawFile, key: str, columns: int) -> IntArray:
    """The first columns of a matrix in a MATLAB file (m, columns), which may lie in a zip archive."""
    with reading(path, file.page):
        content: Any = _member(path, file.name) if path.suffix == ".zip" else io.BytesIO(path.read_bytes())
        try:
            variables = loadmat(content, variable_names=[key])
        except Exception as error:  # SciPy's reader meets damage in more ways than it has names for
            raise DataError(
                f"the file {str(path)!r} is damaged or not a MATLAB file ({error}). Fetch it again from "
                f"{file.page}."
            ) from error
    if key not in variables:
        raise DataError(f"{str(path)!r} holds no matrix called {key!r}.")
    matrix = np.asarray(variables[key])
    if matrix.ndim != 2 or matrix.shape[1] < columns or matrix.dtype.kind not in "iuf":
        raise DataError(
            f"the matrix {key!r} in {str(path)!r} should have at least {columns} columns of numbers, but is "
            f"{matrix.dtype} of shape {matrix.shape}."
        )
    return _not_negative(matrix[:, :columns].astype(np.int64), path)


def _member(path: Path, name: str) -> io.BytesIO:
    """A file of a zip archive, read in memory: nothing is unpacked to disk."""
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.namelist():
                if member.rsplit("/", 1)[-1] == name:
                    check_unpacked(path, archive.getinfo(member).file_size, unpacked_limit(path, NUMBERS))
                    return io.BytesIO(archive.read(member))
    except (zipfile.BadZipFile, NotImplementedError) as error:
        raise DataError(
            f"the archive {str(path)!r} is damaged ({error}). Fetch it again from {TANG_PAGE}."
        ) from error
    raise DataError(f"the archive {str(path)!r} holds no file called {name!r}.")


def _not_negative(rows: IntArray, path: Path) -> IntArray:
    if rows[:, :2].min(initial=0) < 0:
        raise DataError(f"{str(path)!r} has negative ids, which neither crawl has.")
    return rows
