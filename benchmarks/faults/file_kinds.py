"""Every kind of file that acvae reads: a valid one, what it is made of, and how it is read.

To read one is to ask it something, too: so whatever a file says reaches the compiled code that would index
with it. The answer is plain data, for two answers to be compared.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
import table_kinds

import acvae
from acvae.datasets.prepared import prepared
from acvae.links.stored import load_ranking, save_ranking
from acvae.runs import Run, RunConfig, fit_run
from acvae.training import Checkpoint

__all__ = ["Kind", "make_kinds"]

N, WORDS = 24, 9
EVERYONE = np.arange(N)


@dataclass(frozen=True)
class Kind:
    """One kind of file.

    Attributes
    ----------
    name, form
        What it is, and which mutations are for it.
    file
        A valid one; the whole folder around it goes with it where `folder` is set.
    read
        Asks a file, and gives the answers.
    checksum
        Whether a change that does not mend the checksum must be seen.
    """

    name: str
    form: str
    file: Path
    read: Callable[[Path], Any]
    checksum: bool = False
    folder: bool = False


def make_kinds(home: Path) -> list[Kind]:
    """Valid files of all kinds, made in an empty folder."""
    rng = np.random.default_rng(0)
    pairs = np.array([(rng.integers(max(0, v - 3), v), v) for v in range(1, N)] + [(0, 9), (3, 17), (5, 20)])
    graph = acvae.Graph(N, pairs, [f"v{v}" for v in range(N)])
    features = sp.csr_array((rng.random((N, WORDS)) < 0.4).astype(np.float32))
    made = [*_models(home, features, graph), *_posteriors(home, rng), _checkpoint(home, features)]
    made += [
        *_runs(home),
        _cache(home, features, graph),
        *table_kinds.make(home, features, pairs, Kind),
    ]
    return made


# ---------------------------------------------------------------------- models, posteriors, rankings


def _models(home: Path, features: sp.csr_array, graph: acvae.Graph) -> Iterator[Kind]:
    common: dict[str, Any] = {"latent_dim": 3, "hidden_dim": 5, "epochs": 1, "seed": 0, "device": "cpu"}
    common["progress"] = False
    for name, model in {
        "vae": acvae.VAE(**common),
        "acvae": acvae.ACVAE(pair_hidden_dim=4, **common),
        "cvae": acvae.CVAE(pair_hidden_dim=4, **common),
        "cvae-graph": acvae.CVAE(pair_hidden_dim=4, posterior="graph", **common),
        "graphsage": acvae.GraphSAGE(**common),
        "graph-gaussian": acvae.GraphGaussian(latent_dim=6, seed=0, progress=False),
    }.items():
        model.fit(features, graph)
        path = home / f"{name}.safetensors"
        model.save(path)
        yield Kind(f"model {name}", "arrays", path, _read_model, checksum=True)
        if name in ("acvae", "graph-gaussian"):
            ranking = home / f"{name}.links.safetensors"
            save_ranking(ranking, model.links_)
            posterior = model.posterior_

            def read_links(file: Path, posterior: acvae.Posterior = posterior) -> Any:
                links = load_ranking(file, posterior)
                return links.log_odds(EVERYONE[:-1], EVERYONE[1:]), links.log_odds(
                    EVERYONE[:2], EVERYONE[-2:]
                )

            yield Kind(f"links {name}", "arrays", ranking, read_links, checksum=True)


def _read_model(path: Path) -> Any:
    model = acvae.load(path)
    rows = sp.csr_array(np.eye(WORDS, dtype=np.float32))
    more = [acvae.Graph(WORDS, [[0, 1]])] if isinstance(model, acvae.GraphSAGE) else []
    answers = [model.get_params(), model.history_, _ask(model.posterior_), model.transform(rows, *more)]
    if model.graph_ is not None:
        answers += [model.graph_.edges, model.graph_.degrees, model.graph_.names]
    if isinstance(model, acvae.GraphGaussian):
        answers += [model.predict_links([0, 1], k=3), model.impute([0, 2])]
    return answers


def _ask(q: acvae.Posterior) -> list[Any]:
    answers: list[Any] = [
        q.mean,
        q.std,
        q.pair_correlation(EVERYONE, EVERYONE[::-1]),
        q.distances([0, N - 1]),
    ]
    answers.append(q.nearest([0, 1, N - 1], 3))
    if hasattr(q.joint, "log_density"):
        answers += [q.sample(1, seed=0), q.log_prob(np.zeros(q.mean.shape)), q.condition({0: q.mean[0]}).mean]
    return answers


def _posteriors(home: Path, rng: np.random.Generator) -> Iterator[Kind]:
    mean, std = rng.normal(size=(N, 3)), rng.uniform(0.5, 2, (N, 3))
    forest = np.array([(v // 2, v) for v in range(1, N - 2)])
    by_name = {
        "forest": acvae.Posterior(mean, std, forest, rng.uniform(-0.9, 0.9, (len(forest), 3))),
        "graph": acvae.load(home / "cvae-graph.safetensors").posterior_,
        "pairwise": acvae.load(home / "cvae.safetensors").posterior_,
        "scales": acvae.load(home / "graph-gaussian.safetensors").posterior_,
    }
    for name, posterior in by_name.items():
        path = home / f"{name}.posterior.safetensors"
        posterior.save(path)
        yield Kind(
            f"posterior {name}", "arrays", path, lambda p: _ask(acvae.Posterior.load(p)), checksum=True
        )


def _checkpoint(home: Path, features: sp.csr_array) -> Kind:
    """The state after one epoch of two; to read it is to train the second."""
    path = home / "checkpoint.safetensors"

    def fit(file: Path, *callbacks: Any) -> Any:
        model = acvae.VAE(3, 5, epochs=2, batch_vertices=8, device="cpu", progress=False)
        return model.fit(features, checkpoint=Checkpoint(file, every=1), callbacks=callbacks)

    def go_on(file: Path) -> Any:
        model = fit(file)
        history = [{k: v for k, v in row.items() if k != "seconds"} for row in model.history_]
        return history, model.posterior_.mean

    def keep_the_first(state: Any) -> None:
        if state.epoch == 2:
            shutil.copy(home / "state", path)

    fit(home / "state", keep_the_first)
    return Kind("checkpoint", "arrays", path, go_on, checksum=True)


# ---------------------------------------------------------------------- runs


def _runs(home: Path) -> Iterator[Kind]:
    values = {"dataset": "tree", "data_options": {"n_vertices": 30, "n_features": 8}, "model": "vae"}
    values |= {"epochs": 2, "latent_dim": 2, "hidden_dim": 3, "device": "cpu", "evaluate_every": 1}
    folder = fit_run(RunConfig.from_values(values), home / "run", progress=False).path
    for name, form in {
        "run.json": "json",
        "scores.json": "json",
        "config.toml": "lines",
        "history.csv": "lines",
        "graph.safetensors": "arrays",
    }.items():
        checksum = form == "arrays"
        yield Kind(f"run's {name}", form, folder / name, _read_run, checksum=checksum, folder=True)


def _read_run(file: Path) -> Any:
    run = Run(file.parent)
    if file.name == "graph.safetensors":  # sizes in run.json would tell most mutants
        run.about.pop("files", None)
    split = run.split
    answers = [run.config.values(), run.finished, run.missing, run.scores, run.history, run.graph.edges]
    answers += [run.graph.degrees, None if split is None else split.test.edges, run.class_names()]
    answers += [run.show_name(0), run.posterior.nearest([0], 3), run.about]
    return answers


def _cache(home: Path, features: sp.csr_array, graph: acvae.Graph) -> Kind:
    """An entry that is damaged is built anew, so its reading always gives the same."""
    raw = home / "raw.txt"
    raw.write_text("raw")

    def build() -> Any:
        return acvae.datasets.Dataset("example", features, graph, np.array(["w"] * WORDS), source="here")

    def read(path: Path) -> Any:
        return table_kinds.content(
            prepared("example", build, sources=[raw], options={}, version=1, folder=path.parent)
        )

    folder = home / "cache"
    prepared("example", build, sources=[raw], options={}, version=1, folder=folder)
    (entry,) = folder.iterdir()
    return Kind("data cache", "arrays", entry, read, checksum=True, folder=True)
