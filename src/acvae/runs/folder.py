"""Run: the folder of one training. Its files are plain: TOML, JSON, CSV and safetensors."""

from __future__ import annotations

import json
import warnings
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from acvae._util.checks import as_path
from acvae._util.version import __version__
from acvae.exceptions import DataError, HeaderWarning, InputError, RunError
from acvae.gaussian.posterior import Posterior
from acvae.graph import Graph
from acvae.runs.config import RunConfig, read_toml
from acvae.runs.errors import NoRunError, NotBegunError, StoppedRunError
from acvae.runs.files import data_fingerprint, from_csv, plain, read_json, write_text
from acvae.runs.graph_file import StoredGraph, read_graph
from acvae.splits import EdgeSplit

if TYPE_CHECKING:
    from acvae.datasets import Dataset

__all__ = ["FILES", "Run"]

FORMAT = 2
CONFIG, ABOUT, GRAPH = "config.toml", "run.json", "graph.safetensors"
MODEL, POSTERIOR, PAIRS, LINKS = (
    *("model.safetensors", "posterior.safetensors"),
    *("pairs.safetensors", "links.safetensors"),
)
SCORES, HISTORY, CHECKPOINT, LOCK = "scores.json", "history.csv", "checkpoint.safetensors", "lock"
FILES = (CONFIG, ABOUT, GRAPH, MODEL, POSTERIOR, PAIRS, LINKS, SCORES, HISTORY, CHECKPOINT, LOCK)


class Run:
    """One training in its folder; open one with `Run(path)`. Nothing is read before it is asked for.

    Attributes
    ----------
    path
        The folder.
    config
        The settings, complete.
    about
        What is known of the data and the software: plain JSON values.
    rankers
        Those that were read already, by name (`acvae.runs.rankings.ranker`).
    """

    def __init__(self, path: str | Path) -> None:
        self.path = as_path("path", path)
        self.rankers: dict[str, Any] = {}
        if not self.path.is_dir():
            what = "is a file, not the folder of a run" if self.path.exists() else "does not exist"
            raise NoRunError(f"{str(path)!r} {what}.", self.path)
        if not (self.path / ABOUT).is_file():
            if (self.path / LOCK).exists():
                raise NotBegunError(f"the training in {str(path)!r} was stopped before it began.", self.path)
            raise RunError(f"{str(path)!r} is not the folder of a run: it has no {ABOUT}.")
        about = read_json(self.path / ABOUT)
        if not isinstance(about, dict):
            raise RunError(f"{str(self.path / ABOUT)!r} is not the record of a run.")
        self.about: dict[str, Any] = about
        if about.get("format") != FORMAT:
            raise RunError(
                f"{str(path)!r} is a run of format {str(about.get('format'))[:20]}, and this acvae "
                f"({__version__}) reads format {FORMAT}: open it with the acvae that made it, or fit again."
            )
        values = read_toml(self.path / CONFIG)
        try:
            self.config = RunConfig.recorded(values)
        except InputError as error:
            raise RunError(f"{str(self.path / CONFIG)!r} was changed and cannot be used: {error}") from error

    # ------------------------------------------------------------------ whether all is there

    @property
    def finished(self) -> bool:
        """Whether the training came to its end and all its files are there, whole."""
        return bool(self.about.get("finished")) and not self.missing

    @property
    def missing(self) -> list[str]:
        """Files that a finished run should have and has not, or not whole."""
        files = self.about.get("files")
        if not isinstance(files, dict):
            return []
        return [n for n, size in files.items() if n not in FILES or not _is_whole(self.path / n, size)]

    def need_finished(self) -> None:
        """Raise unless it is."""
        if self.finished:
            return
        if self.about.get("finished"):
            raise StoppedRunError(
                f"{self.missing[0]} in {str(self.path)!r} is missing or damaged.", self.path
            )
        raise StoppedRunError(f"the training in {str(self.path)!r} was stopped before its end.", self.path)

    # ------------------------------------------------------------------ reading

    @cached_property
    def model(self) -> Any:
        """The trained model, networks and all, with what the run knows of links already."""
        self.need_finished()
        from acvae.links.stored import load_ranking
        from acvae.models import load  # networks, and with them torch, only for who asks for the model

        model = load(self.path / MODEL)
        if (self.path / LINKS).is_file() and not self.config.method.learns_links:
            model.use_links(load_ranking(self.path / LINKS, model.posterior_))
        return model

    @cached_property
    def posterior(self) -> Posterior:
        """The model's posterior, from a file of its own."""
        self.need_finished()
        return Posterior.load(self.path / POSTERIOR)

    @cached_property
    def stored_graph(self) -> StoredGraph:
        """The links that were trained on and held out, and what the vertices are called."""
        return read_graph(self.path / GRAPH)

    @property
    def graph(self) -> Graph:
        """The graph that was trained on."""
        return self.stored_graph.train

    @property
    def split(self) -> EdgeSplit | None:
        """The stored split, or None if all edges were trained on."""
        return self.stored_graph.split

    @property
    def test(self) -> Graph | None:
        """The held-out edges, or None if all were trained on."""
        return None if self.split is None else self.split.test

    @property
    def classes(self) -> npt.NDArray[np.int64] | None:
        """(n,) known classes of the vertices, or None."""
        return self.stored_graph.classes

    def class_names(self, vertices: npt.NDArray[np.int64] | slice = slice(None)) -> npt.NDArray[Any] | None:
        """What the classes of vertices are called, "" where one has none; None where there are no classes."""
        if self.classes is None:
            return None
        called = self.stored_graph.class_names
        numbers = self.classes[vertices].tolist()
        return np.array([_class_name(c, called) for c in numbers], dtype=object)

    def show_name(self, vertex: int) -> str:
        """What people call a vertex."""
        shown = self.stored_graph.display_names
        return str(self.graph.name(vertex)) if shown is None else shown[vertex]

    def load_data(self) -> Dataset:
        """The data that were trained on, loaded again; an error if they are gone or have changed."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HeaderWarning)  # told by the fit
            data = self.config.load_data()
        about = self.about.get("data")
        if not isinstance(about, dict) or data_fingerprint(data) != about.get("sha256"):
            raise DataError(
                f"the data of {self.config.data_name!r} have changed since {str(self.path)!r} was made."
            )
        return data

    @property
    def scores(self) -> dict[str, Any] | None:
        """The stored scores, or None if there are none."""
        return read_json(self.path / SCORES) if (self.path / SCORES).is_file() else None

    @cached_property
    def history(self) -> list[dict[str, float]]:
        """One row of figures per epoch."""
        self.need_finished()
        rows = from_csv(self.path / HISTORY)
        timing = self.about.get("timing")
        seconds = timing.get("epochs") if isinstance(timing, dict) else None
        if isinstance(seconds, list) and len(seconds) == len(rows):
            rows = [{**row, "seconds": took} for row, took in zip(rows, seconds, strict=True)]
        return rows

    # ------------------------------------------------------------------ writing

    def write_scores(self, scores: dict[str, Any]) -> None:
        """JSON; what is not a number becomes null."""
        write_text(self.path / SCORES, scores_text(scores))


def scores_text(scores: dict[str, Any]) -> str:
    """As they are stored."""
    return json.dumps(plain(scores), indent=1) + "\n"


def _class_name(number: int, called: list[str] | None) -> str:
    if number < 0:
        return ""
    return str(number) if called is None else called[number]


def _is_whole(path: Path, size: Any) -> bool:
    try:
        return path.stat().st_size == size
    except OSError:
        return False
