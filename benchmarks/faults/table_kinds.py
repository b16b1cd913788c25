"""Users' tables and matrices, and the publishers' archives."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import scipy.io
import scipy.sparse as sp

import acvae
from acvae.datasets import from_archive, from_files, open_features, save_features
from acvae.datasets.citation import read_abstracts, read_edges
from acvae.datasets.debian_index import build
from acvae.datasets.epinions import RATINGS, read_matlab, read_text
from acvae.datasets.librarything import _prepare
from acvae.exceptions import DataError
from acvae.reproduce.config import load_experiment
from acvae.reproduce.store import read_result, write_result

__all__ = ["content", "make"]


def content(data: acvae.datasets.Dataset) -> list[Any]:
    """What is in a data set."""
    table = sp.csr_array(data.features)
    parts: list[Any] = [data.name, table.shape, table.indptr, table.indices, table.data, data.graph.edges]
    parts += [data.graph.degrees, data.graph.names, data.graph.weights, data.feature_names, data.labels]
    return [*parts, data.class_names, data.observed]


def make(home: Path, features: sp.csr_array, pairs: np.ndarray, kind: Callable[..., Any]) -> Iterator[Any]:
    """Kinds of tables, each with the file beside it that it is joined with."""
    folder = home / "tables"
    folder.mkdir()
    dense = features.toarray()
    header = ["id", *(f"w{k}" for k in range(dense.shape[1]))]
    lines = [",".join(header), *(f"v{i}," + ",".join(f"{x:g}" for x in row) for i, row in enumerate(dense))]
    text = "\n".join(lines).encode() + b"\n"
    edges = ("source,target,weight\n" + "".join(f"v{a},v{b},{1 + a % 3}\n" for a, b in pairs)).encode()
    plain = "".join(f"{a} {b}\n" for a, b in pairs).encode()
    (folder / "edges.csv").write_bytes(edges)
    (folder / "rows.txt").write_bytes(plain)
    (folder / "words.csv").write_bytes(text)

    def with_edges(name: str) -> Callable[[Path], Any]:
        return lambda path: content(from_files(path, folder / name, combine="sum", name="x"))

    def with_words(path: Path) -> Any:
        return content(from_files(folder / "words.csv", path, combine="sum", name="x"))

    def put(name: str, data: bytes) -> Path:
        path = folder / name
        path.write_bytes(data)
        return path

    yield kind("table csv", "lines", folder / "words.csv", with_edges("edges.csv"))
    yield kind("table tsv", "lines", put("words.tsv", text.replace(b",", b"\t")), with_edges("edges.csv"))
    yield kind(
        "table csv.gz", "packed", put("words.csv.gz", gzip.compress(text)), with_edges("edges.csv"), True
    )
    yield kind("table csv.bz2", "packed", put("w.csv.bz2", bz2.compress(text)), with_edges("edges.csv"), True)
    yield kind("edges csv", "lines", folder / "edges.csv", with_words)
    table = pa.table(
        {"id": [f"v{i}" for i in range(len(dense))]} | dict(zip(header[1:], dense.T, strict=True))
    )
    pyarrow.parquet.write_table(table, folder / "words.parquet")
    yield kind("table parquet", "bytes", folder / "words.parquet", with_edges("edges.csv"))
    np.save(folder / "matrix.npy", dense)
    yield kind("matrix npy", "npy", folder / "matrix.npy", with_edges("rows.txt"))
    sp.save_npz(folder / "sparse.npz", features)
    yield kind("matrix npz", "npz", folder / "sparse.npz", with_edges("rows.txt"))
    scipy.io.mmwrite(folder / "matrix.mtx", features)
    yield kind("matrix mtx", "lines", folder / "matrix.mtx", with_edges("rows.txt"))
    labels = np.arange(len(dense)) % 3
    np.savez_compressed(folder / "both.npz", edges=pairs, features=dense, labels=labels)
    yield kind("archive npz", "npz", folder / "both.npz", lambda p: content(from_archive(p, name="x")))
    parts = {"indptr": features.indptr, "indices": features.indices, "values": features.data}
    np.savez(folder / "csr.npz", edges=pairs, shape=features.shape, weights=np.ones(len(pairs)), **parts)
    yield kind("archive npz csr", "npz", folder / "csr.npz", lambda p: content(from_archive(p, name="x")))
    save_features(folder / "mapped", features)
    for name in ("indptr", "indices", "data", "shape"):
        yield kind(f"mapped {name}", "npy", folder / "mapped" / f"{name}.npy", _read_mapped, folder=True)
    yield from _publishers(put, kind, plain)
    yield from _grids(home, kind)


def _read_mapped(file: Path) -> Any:
    table = open_features(file.parent)
    n = table.shape[0]
    model = acvae.VAE(2, 3, epochs=1, likelihood="gaussian", device="cpu", progress=False)
    return table.shape, model.fit(table[: min(n, 100)]).posterior_.mean


def _publishers(put: Callable[[str, bytes], Path], kind: Callable[..., Any], plain: bytes) -> Iterator[Any]:
    ratings = "".join(f"{u} {u % 3} {1 + u % 5}\n" for u in range(40)).encode()
    tar = _tar({"ratings_data.txt": ratings})
    epinions: Callable[[Path], Any] = lambda path: read_text(path, 2, RATINGS)  # noqa: E731
    yield kind("epinions tar.bz2", "tar", put("ratings.tar.bz2", bz2.compress(tar)), epinions, True)
    yield kind("epinions txt.gz", "packed", put("ratings.txt.gz", gzip.compress(ratings)), epinions, True)
    matlab = io.BytesIO()
    scipy.io.savemat(matlab, {"rating": np.arange(40).reshape(-1, 4)}, do_compression=True)
    yield kind(
        "epinions mat", "bytes", put("rating.mat", matlab.getvalue()),
        lambda path: read_matlab(path, RATINGS, "rating", 2),
    )  # fmt: skip
    reviews = "reviews = {}\n" + "".join(
        f"reviews[('{w}', 'u{u}')] = {{'work': '{w}', 'user': 'u{u}', 'stars': 3.5}}\n"
        for u in range(9)
        for w in range(3)
    )
    friends = "".join(f"u{u} u{(u + 1) % 9}\n" for u in range(9))
    tar = _tar({"l/reviews.txt": reviews.encode(), "l/edges.txt": friends.encode()})
    yield kind(
        "librarything tar.gz", "tar", put("l.tar.gz", gzip.compress(tar)),
        lambda path: content(_prepare(path, 2, "auto")), True,
    )  # fmt: skip
    yield kind("citations txt.gz", "packed", put("cit.txt.gz", gzip.compress(plain)), read_edges, True)
    papers = {
        f"1998/980100{k}.abs": rf"\\{chr(10)}Title{chr(10)}\\{chr(10)}words {k}{chr(10)}\\" for k in range(9)
    }
    tar = _tar({name: text.encode() for name, text in papers.items()})
    yield kind(
        "abstracts tar.gz", "tar", put("abs.tar.gz", gzip.compress(tar)),
        lambda path: read_abstracts(path, None), True,
    )  # fmt: skip
    stanza = "Package: p{0}\nSection: python\nDepends: p{1}, q\nDescription: red words of {0}\n\n"
    packages = "".join(stanza.format(k, (k + 1) % 9) for k in range(9)).encode()
    for ending, pack in (("gz", gzip.compress), ("xz", lzma.compress)):
        yield kind(
            f"packages {ending}", "packed", put(f"Packages.{ending}", pack(packages)), _read_index, True
        )


def _read_index(path: Path) -> Any:
    found = build(path)
    return found.names, found.words, found.rows, found.edges


def _tar(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


GRID = """title = "A small grid"
[datasets.small]
data = "tree"
data_options = { n_vertices = 60 }
task = "link-prediction"
runs = 2
gammas = [0.001, 10]
sizes = { latent_dim = 3, hidden_dim = 6, pair_hidden_dim = 5 }
quick = { runs = 1, epochs = 1 }
[datasets.small.methods]
vae = { epochs = 4, every = { independent = 2 } }
acvae-eb = { epochs = 4, every = { bp = 2 } }
"""


def _grids(home: Path, kind: Callable[..., Any]) -> Iterator[Any]:
    folder = home / "grid"
    folder.mkdir()
    (folder / "table1.toml").write_text(GRID)
    experiment = load_experiment("table1", folder=folder)
    spec = experiment.runs[0]
    write_result(
        {"format": 1, "spec": spec.as_json(), "selected": {"ncrr": 0.5}, "history": []}, folder / "r.json"
    )
    yield kind(
        "grid toml", "lines", folder / "table1.toml",
        lambda path: [load_experiment("table1", folder=path.parent, quick=q).runs for q in (False, True)],
        folder=True,
    )  # fmt: skip
    yield kind("grid result", "json", folder / "r.json", _read_result)


def _read_result(path: Path) -> Any:
    found = read_result(path)
    if found is None:
        raise DataError("a result that cannot be read is made anew.")
    return found
