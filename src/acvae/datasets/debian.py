"""The Python packages of Debian: what they say they do, and what they need. Bundled, nothing to download.

Vertices are packages by name, features are words of their names, descriptions and debtags, edges are Depends
and Recommends. `acvae.datasets.debian_index` says how an index is read.
"""

from os import PathLike

import numpy as np
import scipy.sparse as sp

from acvae._util.checks import whole_number
from acvae.datasets._debian.snapshot import BUNDLED, Snapshot
from acvae.datasets.dataset import Dataset
from acvae.exceptions import OptionError
from acvae.graph import Graph

__all__ = ["load", "summaries"]

Path = str | PathLike[str]


def load(
    packages: Path | None = None,
    translations: Path | None = None,
    *,
    snapshot: Path | None = None,
    n_words: int = 500,
    seed: int | None = None,
) -> Dataset:
    """Load the bundled snapshot or, from files of your own, any other Debian release or derivative.

    Parameters
    ----------
    packages
        A `Packages` index to read instead of the snapshot: plain, or compressed by gzip, xz or bzip2.
    translations
        The `Translation-en` file beside `packages`; without it only short descriptions give words.
    snapshot
        A snapshot written by `python -m acvae.datasets.debian_index`, instead of the bundled one.
    n_words
        Number of features: the words of largest summed TF-IDF. A snapshot holds 1,000; a small index of
        your own may have fewer words than asked for.
    seed
        Without effect, since nothing here is random; `acvae.datasets.load` takes one for every data set.
    """
    n_words = whole_number("n_words", n_words, minimum=1)
    return _dataset(_snapshot(packages, translations, snapshot, n_words), n_words)


def summaries(
    packages: Path | None = None, translations: Path | None = None, *, snapshot: Path | None = None
) -> dict[str, str]:
    """The one-line description of every package in the data set, by name."""
    content = _snapshot(packages, translations, snapshot, n_words=1)
    return dict(zip(content.names, content.summaries, strict=True))


def _snapshot(
    packages: Path | None, translations: Path | None, snapshot: Path | None, n_words: int
) -> Snapshot:
    if packages is not None:
        if snapshot is not None:
            raise OptionError("give either packages or snapshot, not both.")
        from acvae.datasets import debian_index

        return debian_index.build(packages, translations, n_words=n_words)
    if translations is not None:
        raise OptionError("translations go with packages: give the Packages file they belong to as well.")
    content = Snapshot.read(BUNDLED if snapshot is None else snapshot)
    if n_words > len(content.words):
        raise OptionError(
            f"n_words={n_words}, but the snapshot holds {len(content.words)} words; "
            "for more, give a Packages file of your own."
        )
    return content


def _dataset(content: Snapshot, n_words: int) -> Dataset:
    lengths = [len(row) for row in content.rows]
    indices = np.fromiter((i for row in content.rows for i in row), dtype=np.int32, count=sum(lengths))
    shape = (len(content.names), len(content.words))
    everything = sp.csr_array(
        (np.ones(len(indices), dtype=np.float32), indices, np.concatenate([[0], np.cumsum(lengths)])),
        shape=shape,
    )
    features = everything[:, :n_words]  # the words are in order of importance
    words = np.array(content.words[:n_words])
    edges = np.array(content.edges, dtype=np.int64).reshape(-1, 2)
    return Dataset(
        name="debian",
        features=features,
        graph=Graph(len(content.names), edges, content.names),
        feature_names=words,
        source=_source(content),
        details={
            **content.details,
            "words": len(words),
            "packages_without_words": int((np.diff(features.indptr) == 0).sum()),
        },
    )


def _source(content: Snapshot) -> str:
    release = content.details.get("release", {})
    name = (
        " ".join(release[k] for k in ("origin", "version", "codename") if k in release) or "a Debian archive"
    )
    suite = f" ({release['suite']})" if "suite" in release else ""
    where = "/".join(content.details.get("components", []) + content.details.get("architectures", []))
    date = f" of {release['date']}" if "date" in release else ""
    return (
        f"The python section of the package index of {name}{suite}{', ' + where if where else ''}{date}: "
        "binary words of names, descriptions and debtags; edges are Depends and Recommends. "
        "Package metadata of the Debian archive; a description is part of its package and comes under that "
        "package's licence."
    )
