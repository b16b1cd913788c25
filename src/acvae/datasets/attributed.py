"""Attributed graphs with classes, known from papers on graph networks, each one `.npz` of plain arrays.

ACM: papers, joined where they share an author; keywords. Amazon Photo: products, joined where they are often
bought together; words of reviews. DBLP: papers, joined by citation; TF-IDF of words. No download of these
files is known to us: they are read from the data root, as `acm.npz` or `attributed/acm.npz`. What such a
file has to hold, `acvae.datasets.from_archive` says.
"""

from dataclasses import replace
from os import PathLike

from acvae.datasets.archives import from_archive
from acvae.datasets.dataset import Dataset
from acvae.datasets.sources import ENVIRONMENT, RawFile, locate, search_path
from acvae.exceptions import DataError

__all__ = ["load_acm", "load_amazon_photo", "load_dblp"]


def _file(name: str) -> RawFile:
    return RawFile(name=f"{name}.npz", folder="attributed", page="no download known")


ACM_CHOICES = ((_file("acm"),),)
AMAZON_PHOTO_CHOICES = ((_file("amazon-photo"),),)
DBLP_CHOICES = ((_file("dblp"),),)


def load_acm(root: str | PathLike[str] | None = None) -> Dataset:
    """3,025 papers (561 without an edge), 13,128 edges, 1,870 binary features, 3 classes."""
    return _load("acm", root)


def load_amazon_photo(root: str | PathLike[str] | None = None) -> Dataset:
    """7,650 products (115 without an edge), 119,081 edges, 745 binary features, 8 classes."""
    return _load("amazon-photo", root)


def load_dblp(root: str | PathLike[str] | None = None) -> Dataset:
    """17,716 papers, 52,867 edges, 1,639 TF-IDF features, 4 classes."""
    return _load("dblp", root)


def _load(name: str, root: str | PathLike[str] | None) -> Dataset:
    file = _file(name)
    path = locate(file, root)
    if path is None:
        looked = ", ".join(repr(str(place)) for place in search_path(root))
        raise DataError(
            f"the file {file.name!r} was not found in {looked}. No download of it is known: put it, or "
            f"{file.folder}/{file.name}, in a folder of raw data that is given as root or by ${ENVIRONMENT}."
        )
    data = from_archive(path, name=name)
    return replace(data, source=f"A public attributed graph with classes, read from {file.name} as it is.")
