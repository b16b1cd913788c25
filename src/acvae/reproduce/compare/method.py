"""Method: one line of a table of links, with what can be chosen for it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from acvae.gaussian.rankings import Ranking
from acvae.graph import Graph

__all__ = ["Contender", "Fit", "Watch"]

# Called after an epoch with its number and a way to the ranking so far; True ends the training.
Watch = Callable[[int, Callable[[], Ranking]], bool]


class Fit(Protocol):
    """Learn from features and the train graph, and rank."""

    def __call__(
        self, features: Any, graph: Graph, *, seed: int, watch: Watch | None = None, **options: Any
    ) -> Ranking: ...


@dataclass(frozen=True)
class Contender:
    """A way to rank links.

    Attributes
    ----------
    name
        On the command line and in the names of stored files.
    label
        In the table.
    kind
        "rule", "network" or "ours".
    fit
        Makes the ranking.
    grid
        Options to choose from on validation edges; a single entry is taken as it is.
    epochs
        Most passes to train; above 0 their number is chosen on the validation edges too, and `fit` takes the
        option `epochs` and calls `watch` after each.
    every
        Passes between two looks at the validation edges.
    looks
        Vertices whose hidden links are ranked at each look, at most.
    """

    name: str
    label: str
    kind: str
    fit: Fit
    grid: tuple[dict[str, Any], ...] = ({},)
    epochs: int = 0
    every: int = 10
    looks: int = 1000
