"""Run: the folder of one training. Its files are plain: TOML, JSON, CSV and safetensors."""

from __future__ import annotations

import json
import shlex
from functools import cached_property
from pathlib import Path
from typing import Any

import acvae
from acvae._util.files import save_arrays
from acvae.datasets import Dataset
from acvae.exceptions import DataError, OptionError, RunError
from acvae.gaussian.posterior import Posterior
from acvae.graph import Graph
from acvae.runs.config import RunConfig, read_config, to_toml
from acvae.runs.files import data_fingerprint, plain, read_json, to_csv, write_text, writing
from acvae.splits import EdgeSplit

__all__ = ["Run", "check_free"]

FORMAT = 1
CONFIG, ABOUT, SPLIT, MODEL = "config.toml", "run.json", "split.safetensors", "model.safetensors"
SCORES, HISTORY, CHECKPOINT = "scores.json", "history.csv", "checkpoint.safetensors"
FILES = (CONFIG, ABOUT, SPLIT, MODEL, SCORES, HISTORY, CHECKPOINT)

CONFIG_HEADER = (
    "# The settings of this run, all of them. Repeat it: acvae fit --config THIS_FILE --out NEW_FOLDER\n"
)


class Run:
    """One training in its folder; open one with `Run(path)`.

    Attributes
    ----------
    path
        The folder.
    config
        The settings, complete.
    about
        What is known of the data and the software: plain JSON values.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if not self.path.is_dir():
            what = "is a file, not the folder of a run" if self.path.exists() else "does not exist"
            raise RunError(f"{str(path)!r} {what}; `acvae fit … --out RUN` makes a run.")
        if not (self.path / ABOUT).is_file():
            raise RunError(f"{str(path)!r} is not the folder of a run: it has no {ABOUT}.")
        self.about: dict[str, Any] = read_json(self.path / ABOUT)
        if not isinstance(self.about, dict) or self.about.get("format", 0) > FORMAT:
            raise RunError(f"{str(path)!r} was made by a newer acvae than this one ({acvae.__version__}).")
        values = read_config(self.path / CONFIG)
        try:
            self.config = RunConfig.from_values(values)
        except OptionError as error:
            raise RunError(f"{str(self.path / CONFIG)!r} was changed and cannot be used: {error}") from error

    # ------------------------------------------------------------------ making one

    @classmethod
    def create(
        cls, path: str | Path, config: RunConfig, data: Dataset, split: EdgeSplit | None, *, overwrite: bool
    ) -> Run:
        """Make the folder of a training that is about to begin."""
        folder = Path(path)
        check_free(folder, overwrite=overwrite)
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            for name in FILES:
                (folder / name).unlink(missing_ok=True)
        write_text(folder / CONFIG, CONFIG_HEADER + to_toml(config.values()))
        if split is not None:
            header = {"seed": str(split.seed), "fraction": repr(split.fraction)}
            arrays = {"train": split.train.edges, "test": split.test.edges}
            with writing(folder / SPLIT):
                save_arrays(folder / SPLIT, arrays, header)
        n, n_features = data.features.shape
        about = {
            "format": FORMAT,
            "acvae": acvae.__version__,
            "data": {
                "name": data.name,
                "source": data.source,
                "n_vertices": n,
                "n_features": n_features,
                "n_edges": data.graph.n_edges,
                "sha256": data_fingerprint(data),
            },
        }
        write_text(folder / ABOUT, json.dumps(about, indent=1, ensure_ascii=False) + "\n")
        return cls(folder)

    def discard(self) -> None:
        """Remove the run's files, and the folder if nothing else is in it."""
        with writing(self.path):
            for name in FILES:
                (self.path / name).unlink(missing_ok=True)
            if not any(self.path.iterdir()):
                self.path.rmdir()

    # ------------------------------------------------------------------ reading

    @property
    def finished(self) -> bool:
        """Whether there is a trained model."""
        return (self.path / MODEL).is_file()

    @cached_property
    def model(self) -> Any:
        """The trained model."""
        if not self.finished:
            raise RunError(
                f"the training in {str(self.path)!r} was stopped before its end; "
                f"`acvae fit --resume {shlex.quote(str(self.path))}` goes on with it."
            )
        return acvae.load(self.path / MODEL)

    @property
    def posterior(self) -> Posterior:
        """The model's posterior."""
        posterior: Posterior = self.model.posterior_
        return posterior

    @property
    def graph(self) -> Graph:
        """The graph that was trained on."""
        graph: Graph = self.model.graph_
        return graph

    @cached_property
    def test(self) -> Graph | None:
        """The held-out edges, or None if all were trained on."""
        return None if self.config.split_seed is None else self.split_of(self.graph).test

    def split_of(self, graph: Graph) -> EdgeSplit:
        """The stored split, on the vertices of a graph."""
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(self.path / SPLIT, framework="np") as file:
                header = file.metadata() or {}
                train, test = (
                    Graph(graph.n_vertices, file.get_tensor(name), graph.names) for name in ("train", "test")
                )
            return EdgeSplit(train, test, int(header["seed"]), float(header["fraction"]))
        except (SafetensorError, OSError, KeyError, ValueError) as error:
            raise RunError(f"the split in {str(self.path / SPLIT)!r} cannot be read: {error}") from error

    def load_data(self) -> Dataset:
        """The data that were trained on, loaded again; an error if they are gone or have changed."""
        data = self.config.load_data()
        if data_fingerprint(data) != self.about.get("data", {}).get("sha256"):
            raise DataError(
                f"the data of {self.config.data_name!r} have changed since {str(self.path)!r} was made."
            )
        return data

    @property
    def scores(self) -> dict[str, Any] | None:
        """The stored scores, or None if there are none."""
        return read_json(self.path / SCORES) if (self.path / SCORES).is_file() else None

    @property
    def history(self) -> list[dict[str, float]]:
        """One row of figures per epoch."""
        history: list[dict[str, float]] = self.model.history_
        return history

    # ------------------------------------------------------------------ writing

    def write_model(self, model: Any) -> None:
        """The trained model and its history; the checkpoint has done its duty."""
        with writing(self.path / MODEL):
            model.save(self.path / MODEL)
        write_text(self.path / HISTORY, to_csv(model.history_))
        (self.path / CHECKPOINT).unlink(missing_ok=True)
        self.__dict__["model"] = model

    def write_scores(self, scores: dict[str, Any]) -> None:
        """JSON; what is not a number becomes null."""
        write_text(self.path / SCORES, json.dumps(plain(scores), indent=1) + "\n")


def check_free(folder: Path, *, overwrite: bool) -> None:
    """Raise unless a run may be made here. Only runs are overwritten, never a folder with other files."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not (folder / ABOUT).is_file():
        what = "a folder with other files in it" if folder.is_dir() else "a file"
        raise RunError(f"{str(folder)!r} is {what}; give a new folder to --out.")
    if overwrite:
        return
    if (folder / MODEL).is_file():
        raise RunError(
            f"{str(folder)!r} holds a run already; give another --out, or --overwrite to replace it."
        )
    raise RunError(
        f"{str(folder)!r} holds a training that was stopped; `acvae fit --resume {shlex.quote(str(folder))}` "
        "goes on with it, and --overwrite replaces it."
    )
