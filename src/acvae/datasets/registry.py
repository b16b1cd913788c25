"""Data sets by name: `load` one, or see what is `available`."""

import importlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from types import ModuleType
from typing import Any

from acvae._util.checks import as_path, seed_number
from acvae._util.text import shown
from acvae.datasets.dataset import Dataset
from acvae.datasets.sources import RawFile, locate
from acvae.exceptions import OptionError, UnknownNameError, did_you_mean

__all__ = ["NAMES", "Description", "available", "load"]


@dataclass(frozen=True)
class _Entry:
    """What can be said of a data set without importing its module, which may take a while."""

    module: str
    function: str
    what: str
    origin: str
    choices: str = "CHOICES"  # name of the module's sets of raw files


_ENTRIES = {
    "debian": _Entry(
        "debian",
        "load",
        "Python packages of Debian, joined where one needs or recommends the other; words of descriptions",
        "Debian's package index, a snapshot of which comes with this package",
    ),
    "citation-1998": _Entry(
        "citation",
        "load_1998",
        "papers of 1998 on high-energy physics theory, joined by citation; words of abstracts",
        "SNAP cit-HepTh, https://snap.stanford.edu/data/cit-HepTh.html",
    ),
    "citation": _Entry(
        "citation",
        "load",
        "the same for all years, 1992 to 2003",
        "SNAP cit-HepTh, https://snap.stanford.edu/data/cit-HepTh.html",
    ),
    "epinions": _Entry(
        "epinions",
        "load",
        "users of a review site, joined by mutual trust; the products they rated",
        "P. Massa and P. Avesani, http://www.trustlet.org/downloaded_epinions.html, the paper's own crawl",
    ),
    "epinions-tang": _Entry(
        "epinions",
        "load_tang",
        "the same site in another crawl, a stand-in for the paper's",
        "J. Tang, https://www.cse.msu.edu/~tangjili/datasetcode/truststudy.htm",
        "TANG_CHOICES",
    ),
    "librarything": _Entry(
        "librarything",
        "load",
        "readers, joined by friendship; the books they rated",
        "J. McAuley, https://cseweb.ucsd.edu/~jmcauley/datasets.html#social_data",
    ),
    "acm": _Entry(
        "attributed",
        "load_acm",
        "3,025 papers, joined by 13,128 edges where they share an author; 1,870 keywords, 3 classes",
        "no download known: acm.npz is read from the data root",
        "ACM_CHOICES",
    ),
    "amazon-photo": _Entry(
        "attributed",
        "load_amazon_photo",
        "7,650 products, joined by 119,081 edges where bought together; 745 words of reviews, 8 classes",
        "no download known: amazon-photo.npz is read from the data root",
        "AMAZON_PHOTO_CHOICES",
    ),
    "dblp": _Entry(
        "attributed",
        "load_dblp",
        "17,716 papers, joined by 52,867 citations; TF-IDF of 1,639 words, 4 classes",
        "no download known: dblp.npz is read from the data root",
        "DBLP_CHOICES",
    ),
    "tree": _Entry(
        "tree",
        "load",
        "synthetic: latent values that follow a tree, hidden among random edges",
        "generated here",
    ),
}

NAMES = tuple(_ENTRIES)


@dataclass(frozen=True)
class Description:
    """One line of a list of data sets.

    Attributes
    ----------
    name
        What `acvae.datasets.load` calls it.
    what
        What its vertices, edges and features are.
    origin
        Who publishes it, and where.
    here
        Whether it can be loaded without a download.
    found
        Where its raw files were found; empty for a data set that has none.
    missing
        Names of the raw files that are not here.
    """

    name: str
    what: str
    origin: str
    here: bool
    found: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def load(name: str, *, root: str | PathLike[str] | None = None, **options: Any) -> Dataset:
    """Load a data set by name; a `root` and a `seed` are taken by all, and used where they apply.

    Parameters
    ----------
    name
        One of `acvae.datasets.NAMES`.
    root
        Folder with raw files, for the data sets that have them; otherwise `$ACVAE_DATA`, the user's cache
        and the publisher are tried in this order. Others are loaded without.
    options
        What the data set's own `load` takes; and `seed`, for which those that are not generated are the same.
    """
    if not isinstance(name, str) or name not in _ENTRIES:
        raise UnknownNameError(
            f"there is no data set {shown(name)}; there are {', '.join(NAMES)}.{did_you_mean(name, NAMES)}"
        )
    loader: Callable[..., Dataset] = getattr(_module(name), _ENTRIES[name].function)
    own = inspect.signature(loader).parameters
    valid = list(dict.fromkeys([*own, "root", "seed"]))
    for option in options:
        if option not in valid:
            raise OptionError(
                f"the data set {name!r} has no option {option!r}; it has {', '.join(valid)}."
                + did_you_mean(option, valid)
            )
    if root is not None:
        options["root"] = as_path("root", root)
    if "seed" in options:
        seed_number("seed", options["seed"])
    return loader(**{option: value for option, value in options.items() if option in own})


def available(root: str | PathLike[str] | None = None) -> tuple[Description, ...]:
    """What can be loaded, where it comes from, and whether its raw files are already here."""
    return tuple(_describe(name, root) for name in NAMES)


def _describe(name: str, root: str | PathLike[str] | None) -> Description:
    entry = _ENTRIES[name]
    # Sets of files of which any one will do, the publisher's first; a data set without raw files has none.
    choices: tuple[tuple[RawFile, ...], ...] = getattr(_module(name), entry.choices, ((),))
    located = [[(file, locate(file, root)) for file in files] for files in choices]
    whole = next((files for files in located if all(path is not None for _, path in files)), None)
    shown = located[0] if whole is None else whole
    return Description(
        name=name,
        what=entry.what,
        origin=entry.origin,
        here=whole is not None,
        found=tuple(str(path) for _, path in shown if path is not None),
        missing=tuple(file.name for file, path in shown if path is None),
    )


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"acvae.datasets.{_ENTRIES[name].module}")
