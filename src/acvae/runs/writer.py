"""RunWriter: who fills the folder of a run, in an order that can be stopped anywhere.

    begin    folder · lock · graph · config · run.json (not finished)
    train    checkpoint, now and then
    finish   model · posterior · pairs · links · history · scores · run.json (finished, with all sizes)
    tidy     checkpoint removed · lock removed

Each file appears whole or not at all, under its own name. Until the first run.json is there, the lock says
that the folder is a run's; until the last one is, a checkpoint can be gone on from, and everything after it
is computed again from the same numbers. So whatever is left behind when a process is killed, the same
training ends with the same bytes in the same files. They are the same but for `timing` in run.json, which
no other file repeats.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from acvae._util.files import stale_partials, sweep
from acvae._util.locks import FileLock
from acvae._util.version import __version__
from acvae.exceptions import RunError
from acvae.gaussian.posterior import Posterior
from acvae.links.stored import save_ranking
from acvae.runs.config import RunConfig
from acvae.runs.errors import BusyRunError, FinishedRunError, OtherFilesError, OtherRunError
from acvae.runs.files import data_fingerprint, to_csv, write_text, writing
from acvae.runs.folder import (
    ABOUT,
    CHECKPOINT,
    CONFIG,
    FILES,
    FORMAT,
    GRAPH,
    HISTORY,
    LINKS,
    LOCK,
    MODEL,
    PAIRS,
    POSTERIOR,
    SCORES,
    Run,
    scores_text,
)
from acvae.runs.graph_file import write_graph
from acvae.runs.rankings import links_of
from acvae.runs.toml import to_toml
from acvae.splits import EdgeSplit

if TYPE_CHECKING:
    from acvae.datasets import Dataset

__all__ = ["RunWriter", "check_idle", "leftovers", "place_for"]

CONFIG_HEADER = (
    "# The settings of this run, all of them. Repeat it: acvae fit --config THIS_FILE --out NEW_FOLDER\n"
)
NEW, GO_ON, TIDY = "new", "go on", "tidy"


def place_for(folder: Path, config: RunConfig, *, overwrite: bool, fresh: bool = False) -> str:
    """What a training with these settings would find there: "new", "go on" or "tidy"; else an error.

    "go on" is the same training, stopped; "tidy" the same, finished but for clearing up. Only runs are
    overwritten, never a folder with other files. With `fresh`, which is for who holds the lock, there must be
    no run at all.
    """
    if not folder.exists():
        return NEW
    if not folder.is_dir():
        raise OtherFilesError(f"{str(folder)!r} is a file.", folder)
    if not fresh:
        check_idle(folder)
    if not (folder / ABOUT).is_file():
        if (folder / LOCK).exists() or not any(folder.iterdir()):
            return NEW
        raise OtherFilesError(f"{str(folder)!r} is a folder with other files in it.", folder)
    if overwrite:
        return NEW
    run = Run(folder)
    same = to_toml(run.config.values()) == to_toml(config.values())
    if run.finished:
        if same and not fresh and leftovers(folder):
            return TIDY
        raise FinishedRunError(f"{str(folder)!r} holds a run already.", folder)
    if same and not fresh:
        return GO_ON
    raise OtherRunError(f"{str(folder)!r} holds a training with other settings that was stopped.", folder)


def check_idle(folder: Path) -> None:
    """Raise if a living process is at work there."""
    pid = FileLock(folder / LOCK).holder()
    if pid is not None:
        raise _busy(folder, pid)


class RunWriter:
    """Holds a run's folder: makes it if need be, takes its lock, and sweeps what dead processes left."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._lock = FileLock(self.path / LOCK)
        self._about: dict[str, Any] | None = None  # as it was written; that of a run gone on with is read

    def __enter__(self) -> Self:
        with writing(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            pid = self._lock.acquire()
        if pid is not None:
            raise _busy(self.path, pid)
        try:
            with writing(self.path):
                sweep(self.path, FILES)
        except RunError:
            self._lock.release()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Let go. Without a record of the run nothing is left: who interrupts so early starts anew."""
        with contextlib.suppress(OSError):
            if self._lock.still_there() and not (self.path / ABOUT).is_file():
                self._remove_all()
        with contextlib.suppress(OSError):
            self._lock.release()
        with contextlib.suppress(OSError):
            self.path.rmdir()  # which only an empty one can be

    # ------------------------------------------------------------------ the steps, in their order

    def begin(self, config: RunConfig, data: Dataset, split: EdgeSplit | None) -> None:
        """Record what is about to be trained; another run that was here is gone first."""
        with writing(self.path):
            self._remove_all()
        with writing(self.path / GRAPH):
            write_graph(self.path / GRAPH, data, split)
        write_text(self.path / CONFIG, CONFIG_HEADER + to_toml(config.values()))
        self._write_about(_about(data))

    def check_still_there(self) -> None:
        """Raise if the folder was taken away."""
        if not self._lock.still_there():
            raise RunError(
                f"the folder {str(self.path)!r} was deleted or replaced while it was trained into; "
                "nothing more is written there."
            )

    def finish(
        self,
        model: Any,
        *,
        pairs: Posterior | None,
        scores: dict[str, Any] | None,
        seconds: float,
    ) -> None:
        """Write all that came of it, and at last that this is all."""
        self.check_still_there()
        path = self.path
        with writing(path / MODEL):
            _save_model(model, path / MODEL)
        with writing(path / POSTERIOR):
            model.posterior_.save(path / POSTERIOR)
        if pairs is not None:
            with writing(path / PAIRS):
                pairs.save(path / PAIRS)
        links = links_of(model)
        if links is not None:
            with writing(path / LINKS):
                save_ranking(path / LINKS, links)
        write_text(path / HISTORY, to_csv(_without_seconds(model.history_)))
        if scores is not None:
            write_text(path / SCORES, scores_text(scores))
        about = self._about or json.loads((path / ABOUT).read_text(encoding="utf-8"))
        timing = {"total": seconds, "epochs": [row.get("seconds", 0.0) for row in model.history_]}
        self._write_about({**about, "finished": True, "files": self._sizes(), "timing": timing})
        self.tidy()

    def tidy(self) -> None:
        """The checkpoint has done its duty."""
        with writing(self.path):
            (self.path / CHECKPOINT).unlink(missing_ok=True)

    def discard(self) -> None:
        """Leave nothing of the run behind."""
        with writing(self.path):
            self._remove_all()

    # ------------------------------------------------------------------ inside

    def _write_about(self, about: dict[str, Any]) -> None:
        self._about = about
        write_text(self.path / ABOUT, json.dumps(about, indent=1, ensure_ascii=False) + "\n")

    def _remove_all(self) -> None:
        """The record first: what is half gone is no run."""
        sweep(self.path, FILES)
        for name in (ABOUT, *(name for name in FILES if name not in (ABOUT, LOCK))):
            (self.path / name).unlink(missing_ok=True)

    def _sizes(self) -> dict[str, int]:
        """Scores come anew with every evaluation, and settings are text that people touch."""
        kept = [name for name in FILES if name not in (ABOUT, CHECKPOINT, LOCK, SCORES, CONFIG)]
        return {name: (self.path / name).stat().st_size for name in kept if (self.path / name).is_file()}


def _about(data: Dataset) -> dict[str, Any]:
    n, n_features = data.features.shape
    return {
        "format": FORMAT,
        "acvae": __version__,
        "finished": False,
        "data": {
            "name": data.name,
            "source": data.source,
            "n_vertices": n,
            "n_features": n_features,
            "n_edges": data.graph.n_edges,
            "sha256": data_fingerprint(data),
        },
    }


def _busy(folder: Path, pid: int) -> BusyRunError:
    who = f"process {pid}" if pid else "another process"
    return BusyRunError(f"{who} is at work on the run in {str(folder)!r}.", folder)


def leftovers(folder: Path) -> bool:
    """Whether a finished run was stopped before it had cleared up."""
    return any((folder / name).exists() for name in (CHECKPOINT, LOCK)) or bool(stale_partials(folder, FILES))


def _save_model(model: Any, path: Path) -> None:
    """The same file whoever watched, and however long it took."""
    history, progress = model.history_, model.progress
    try:
        model.history_, model.progress = _without_seconds(history), True
        model.save(path)
    finally:
        model.history_, model.progress = history, progress


def _without_seconds(history: list[dict[str, float]]) -> list[dict[str, float]]:
    return [{name: value for name, value in row.items() if name != "seconds"} for row in history]
