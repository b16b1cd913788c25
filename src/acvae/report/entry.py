"""Entry: what the report needs to know of one run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from acvae._util.checks import as_list, as_path
from acvae.exceptions import AcvaeError, OptionError
from acvae.gaussian.posterior import Posterior
from acvae.graph import Graph

if TYPE_CHECKING:
    import scipy.sparse as sp

    from acvae.datasets import Dataset
    from acvae.runs import Run

__all__ = ["Entry", "LinkPredictor", "open_runs"]


class LinkPredictor(Protocol):
    """What predicts links with probabilities: a fitted model.

    It may also have `explain(i, j)`, which says why: texts in a list, or a `str` with a line each.
    """

    def predict_links(
        self, rows: npt.NDArray[np.int64], k: int, exclude: Graph
    ) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Ids (r, k) and probabilities (r, k) of the best new links of the rows, best first; −1 is nobody."""


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
        The edges that were trained on; its names are the vertices' ids.
    test
        The held-out edges, or None.
    scores
        As `acvae evaluate` stores them, or None.
    history
        One row of figures per epoch.
    options
        The model's options, of which γ and the number of epochs are shown.
    predictor
        What gives predicted links their probabilities, or None: then links are the nearest vertices.
    features, feature_names
        (n, D) CSR and (D,): clusters are named by the features their members share. Or None.
    classes, class_names
        (n,) integer classes that colour the map, −1 for none, and what they are called. Or None.
    display_names
        (n,) what people call the vertices, where it is not their ids; or None.
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
    predictor: LinkPredictor | None = None
    features: sp.csr_array | None = None
    feature_names: npt.NDArray[Any] | None = None
    classes: npt.NDArray[np.int64] | None = None
    class_names: Sequence[str] | None = None
    display_names: Sequence[str] | None = None

    @classmethod
    def from_run(cls, run: Run, label: str) -> Entry:
        """Read everything from the run's folder, and the data where they can still be had."""
        data, model, stored = _data_of(run), run.model, run.stored_graph
        classes, class_names = stored.classes, stored.class_names
        if classes is None and data is not None:  # runs of before did not keep them
            classes, class_names = data.labels, getattr(data, "class_names", None)
        # What a model that learns links has factorised for them, its posterior need not once more.
        posterior = model.posterior_ if run.config.method.learns_links else run.posterior
        return cls(
            label=label,
            model=run.config.model,
            data=run.config.data_name,
            posterior=posterior,
            graph=run.graph,
            test=run.test,
            scores=run.scores,
            history=run.history,
            options=dict(run.config.options),
            predictor=model if hasattr(model, "predict_links") else None,
            features=None if data is None else data.features,
            feature_names=None if data is None else data.feature_names,
            classes=classes,
            class_names=class_names,
            display_names=stored.display_names,
        )

    @property
    def names(self) -> list[str]:
        """What people call the vertices, with the id where several are called the same.

        Where there is nothing else it is the ids, and the numbers of vertices without any.
        """
        ids = range(self.graph.n_vertices) if self.graph.names is None else self.graph.names
        if self.display_names is None:
            return [str(name) for name in ids]
        times = Counter(self.display_names)
        return [
            name if times[name] == 1 else f"{name} ({own})"
            for name, own in zip(self.display_names, ids, strict=True)
        ]

    @property
    def has_forest(self) -> bool:
        """Whether there is a learnt forest to draw and to walk."""
        return self.posterior.has_forest


def open_runs(paths: Sequence[str | Path]) -> list[Entry]:
    """The runs in the given folders, each called by as much of its path as tells it from the others."""
    from acvae.runs import Run

    folders = [as_path("paths", path) for path in as_list("paths", paths, OptionError)]
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


def _data_of(run: Run) -> Dataset | None:
    """The data, or None where they are gone or have changed: a page goes without, with plainer names."""
    try:
        data = run.load_data()
    except (AcvaeError, OSError):
        return None
    return data if data.graph.n_vertices == run.graph.n_vertices else None
