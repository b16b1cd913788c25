"""One run from its spec to its result."""

from __future__ import annotations

import functools
import hashlib
import json
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from acvae import metrics
from acvae._util.version import __version__
from acvae.clustering import cluster
from acvae.datasets import Dataset, load
from acvae.methods import METHODS
from acvae.models import VAE
from acvae.reproduce.random_tree import TAU, random_forest_posteriors
from acvae.reproduce.spec import RunSpec
from acvae.reproduce.store import FORMAT, Result
from acvae.runs.training import fit_model, split
from acvae.splits import EdgeSplit, split_edges
from acvae.training import Clustering, LinkPrediction
from acvae.training.callbacks import Selected, SelectedClusters

__all__ = ["execute", "save_posterior"]

# A fingerprint of the code is stored with every result; these parts of it cannot change a figure.
NO_PART_OF_IT = ("commands", "compare", "export.py", "plot", "report", "reproduce")
HISTORY_DIGITS = 6


def execute(spec: RunSpec) -> Result:
    """Load, split, train, evaluate and select, as the paper does."""
    started = time.perf_counter()
    data = _load(spec.data, json.dumps(spec.data_options))
    loaded = time.perf_counter()
    work = _cluster if spec.task == "clustering" else _predict_links
    sizes, selected, history = work(spec, data)
    finished = time.perf_counter()
    training = sum(row.get("seconds", 0.0) for row in history)
    return {
        "format": FORMAT,
        "spec": spec.as_json(),
        "seeds": {"split": spec.run, "model": spec.run},
        "versions": {
            "acvae": __version__,
            "torch": torch.__version__,
            "numpy": np.__version__,
            "python": platform.python_version(),
        },
        "code": _fingerprint(),
        "machine": _machine(),
        "threads": torch.get_num_threads(),
        "data": {
            "n_vertices": data.graph.n_vertices,
            "n_features": data.features.shape[1],
            "n_edges": data.graph.n_edges,
            **sizes,
        },
        "selected": selected,
        "history": _compact(history),
        "seconds": {
            "load": round(loaded - started, 3),
            "train": round(training, 3),
            "evaluate": round(finished - loaded - training, 3),
            "total": round(finished - started, 3),
        },
        "finished": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


def save_posterior(spec: RunSpec, path: Path) -> None:
    """Train as in a link-prediction run and write the posterior after the last epoch."""
    config = spec.config()
    data = _load(spec.data, json.dumps(spec.data_options))
    model, _ = fit_model(config, data, split(config, data), progress=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    model.posterior_.save(path)


# ---------------------------------------------------------------------- link prediction


def _predict_links(spec: RunSpec, data: Dataset) -> tuple[dict[str, Any], dict[str, Any], list[Any]]:
    parts = split_edges(data.graph, seed=spec.run)
    sizes = {
        "train_edges": parts.train.n_edges,
        "test_edges": parts.test.n_edges,
        "test_edges_sha256": _hash(parts.test.edges.astype("<i8")),
    }
    if spec.method not in METHODS:
        taken = {
            kind: Selected(0, float("nan"), metrics.evaluate(posterior, *parts[:2]), 0.0, TAU)
            for kind, posterior in random_forest_posteriors(parts.train, spec.run).items()
        }
        return sizes, {kind: _link_scores(found) for kind, found in taken.items()}, []
    if not METHODS[spec.method].takes("epochs"):  # nothing to watch and to select from: evaluated once
        model, _ = fit_model(spec.config(), data, parts, progress=False)
        rankers = {METHODS[spec.method].ranking: model.posterior_, "link": model.links_}
        last = {
            kind: Selected(1, float("nan"), metrics.evaluate(found, *parts[:2]), float("nan"), float("nan"))
            for kind, found in rankers.items()
        }
        return sizes, {kind: _link_scores(found) for kind, found in last.items()}, []
    # A method's own ranking is by its posterior; another asks its pair network alone.
    selected, history = _watch(spec, data, parts, functools.partial(LinkPrediction, parts))
    return sizes, {kind: _link_scores(found) for kind, found in selected.items()}, history


def _machine() -> str:
    """The kind of machine as far as it decides on roundings: processor, system, and the kernels of BLAS."""
    from threadpoolctl import threadpool_info

    kernels = {str(found.get("architecture")) for found in threadpool_info() if found["user_api"] == "blas"}
    return " ".join([platform.machine(), platform.system(), *sorted(kernels)])


def _watch(
    spec: RunSpec, data: Dataset, parts: EdgeSplit | None, callback: Callable[..., Any]
) -> tuple[dict[str, Any], list[Any]]:
    """Train, evaluated now and then by each ranking; what each selects, and the history."""
    own = METHODS[spec.method].ranking
    callbacks = {
        kind: callback(every, pairwise=kind != own, prefix=f"{kind}_") for kind, every in spec.every.items()
    }
    model, _ = fit_model(spec.config(), data, parts, callbacks=list(callbacks.values()), progress=False)
    selected = {kind: found.selected for kind, found in callbacks.items() if found.selected is not None}
    return selected, model.history_


def _link_scores(taken: Selected) -> dict[str, Any]:
    scores = taken.scores
    return {
        "epoch": taken.epoch,
        "elbo": taken.elbo,
        "kl": taken.kl,
        "mean_correlation": taken.mean_correlation,
        "ncrr": scores.ncrr._asdict(),
        "mrr": scores.mrr._asdict(),
        f"hits_at_{scores.k}": scores.hits._asdict(),
    }


# ---------------------------------------------------------------------- clustering


def _cluster(spec: RunSpec, data: Dataset) -> tuple[dict[str, Any], dict[str, Any], list[Any]]:
    """Train on all edges and compare clusters with those of a plain VAE, which are the same for all runs."""
    labels = _labels(spec.data, json.dumps(spec.data_options), json.dumps(spec.labels))
    selected, history = _watch(spec, data, None, functools.partial(Clustering, labels))
    sizes = {"label_counts": np.bincount(labels).tolist(), "labels_sha256": _hash(labels.astype("<i8"))}
    return sizes, {kind: _cluster_scores(found) for kind, found in selected.items()}, history


def _cluster_scores(taken: SelectedClusters) -> dict[str, Any]:
    return {
        "epoch": taken.epoch,
        "elbo": taken.elbo,
        "kl": taken.kl,
        "mean_correlation": taken.mean_correlation,
        "nmi_arithmetic": taken.nmi_arithmetic,
        "nmi_geometric": taken.nmi_geometric,
        "cluster_counts": list(taken.cluster_counts),
    }


# ---------------------------------------------------------------------- what a process keeps between runs


@functools.lru_cache(maxsize=1)
def _load(name: str, options: str) -> Dataset:
    return load(name, **json.loads(options))


@functools.lru_cache(maxsize=1)
def _labels(name: str, data_options: str, options: str) -> npt.NDArray[np.int64]:
    data = _load(name, data_options)
    vae = VAE(**json.loads(options), seed=0, device="cpu", progress=False)
    return cluster(vae.fit(data.features).posterior_, k=5)


@functools.lru_cache(maxsize=1)
def _fingerprint() -> str:
    """The first digits of a hash over the code that results depend on."""
    home = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(home.rglob("*.py")):
        name = path.relative_to(home)
        if name.parts[0] not in NO_PART_OF_IT:
            digest.update(name.as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def _hash(array: npt.NDArray[Any]) -> str:
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()


def _compact(history: list[dict[str, float]]) -> list[dict[str, float]]:
    """The rows with an evaluation, rounded: what is selected is stored in full elsewhere."""
    rows = [row for row in history if any(name.endswith("train_elbo") for name in row)]
    return [
        {name: _rounded(value) for name, value in row.items() if name not in ("steps", "seconds")}
        for row in rows
    ]


def _rounded(value: float) -> float:
    return value if isinstance(value, int) else float(f"{value:.{HISTORY_DIGITS}g}")
