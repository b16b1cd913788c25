"""Entry: what the report needs to know of one run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acvae.exceptions import OptionError
from acvae.gaussian.posterior import Posterior
from acvae.graph import Graph

if TYPE_CHECKING:
    from acvae.runs import Run

__all__ = ["Entry", "open_runs"]


@dataclass(frozen=True)
class Entry:
    """One run.

    Attributes
    ----------
    label
        What it is called on the page; unique there.
    model, data
        Names of the method and of the data set.
    posterior
        What distances, paths and clusters are asked of.
    graph
        The edges that were trained on; its names are the vertices' names.
    test
        The held-out edges, or None.
    scores
        As `acvae evaluate` stores them, or None.
    history
        One row of figures per epoch.
    options
        The model's options, of which γ and the number of epochs are shown.
    """

    label: str
    model: str
    data: str
    posterior: Posterior
    graph: Graph
    test: Graph | None = None
    scores: dict[str, Any] | None = None
    history: list[dict[str, float]] = field(default_factory=list)
    options: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def from_run(cls, run: Run, label: str) -> Entry:
        """Read everything from the run's folder."""
        return cls(
            label=label,
            model=run.config.model,
            data=run.config.data_name,
            posterior=run.posterior,
            graph=run.graph,
            test=run.test,
            scores=run.scores,
            history=run.history,
            options=dict(run.config.options),
        )

    @property
    def names(self) -> list[str]:
        """The vertices' names; their numbers, where they have none."""
        if self.graph.names is None:
            return [str(v) for v in range(self.graph.n_vertices)]
        return [str(name) for name in self.graph.names]

    @property
    def has_forest(self) -> bool:
        """Whether there is a learnt forest to draw and to walk."""
        return self.posterior.has_forest


def open_runs(paths: Sequence[str | Path]) -> list[Entry]:
    """The runs in the given folders, each called by as much of its path as tells it from the others."""
    from acvae.runs import Run

    folders = [Path(path) for path in paths]
    if len({folder.resolve() for folder in folders}) < len(folders):
        raise OptionError("a run was given twice.")
    runs = [Run(folder) for folder in folders]
    labels = _labels([folder.resolve() for folder in folders])
    return [Entry.from_run(run, label) for run, label in zip(runs, labels, strict=True)]


def _labels(folders: list[Path]) -> list[str]:
    for length in range(1, max((len(folder.parts) for folder in folders), default=1) + 1):
        labels = ["/".join(folder.parts[-length:]) for folder in folders]
        if len(set(labels)) == len(labels):
            return labels
    return [str(folder) for folder in folders]
