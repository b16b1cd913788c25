"""Task: fill a store with results of one kind, and read a table out of it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from acvae.datasets import Dataset
from acvae.reproduce.compare import classification, completion, links
from acvae.reproduce.compare.store import Store
from acvae.reproduce.compare.table import Interval, markdown, rows_of
from acvae.splits import split_edges

__all__ = ["TASKS", "Task"]


@dataclass(frozen=True)
class Task:
    """What is asked of the methods.

    Attributes
    ----------
    name, title
        On the command line, and above the table.
    metrics
        Key in the stored results, title of the column.
    score
        All figures of a method on one data set and one split, whose number is the seed.
    splits
        How many there are unless something else is asked for.
    """

    name: str
    title: str
    metrics: dict[str, str]
    score: Callable[[Any, Dataset, int], dict[str, Any]]
    splits: int = 5

    def run(
        self,
        data: Dataset,
        methods: Iterable[Any],
        splits: Iterable[int],
        store: Store,
        say: Callable[[str], object] = lambda text: None,
    ) -> None:
        """Every method on every split; what is stored already is left as it is."""
        wanted = list(methods)
        for number in splits:
            for method in wanted:
                if store.get(self.name, data.name, method.name, number) is not None:
                    continue
                say(f"{data.name}, split {number}: {method.label}")
                found = {"label": method.label, "kind": method.kind, **self.score(method, data, number)}
                found = store.put(self.name, data.name, method.name, number, found)
                first = next(iter(self.metrics))
                say(f"  {self.metrics[first]} {rows_of({'': [found]}, [first])[''][first]}")

    def rows(
        self, data: str, methods: Iterable[str], splits: Iterable[int], store: Store
    ) -> dict[str, dict[str, Interval]]:
        """Figures of each method that has results on these splits, by its label, in the order given."""
        numbers = list(splits)
        stored = {}
        for method in methods:
            found = [r for number in numbers if (r := store.get(self.name, data, method, number)) is not None]
            if found:
                stored[str(found[0].get("label", method))] = found
        return rows_of(stored, self.metrics)

    def table(self, data: str, methods: Iterable[str], splits: Iterable[int], store: Store) -> str:
        """The same as Markdown."""
        rows = self.rows(data, methods, splits, store)
        return markdown(
            f"{self.title}: {data}",
            self.header,
            [[label, *self.cells(figures)] for label, figures in rows.items()],
        )

    @property
    def header(self) -> Sequence[str]:
        """Titles of the columns."""
        return ["", *self.metrics.values(), "splits"]

    def cells(self, figures: dict[str, Interval]) -> list[str]:
        """One row, as text."""
        shown = [_seconds(value) if key == "cpu_seconds" else str(value) for key, value in figures.items()]
        return [*shown, str(next(iter(figures.values())).values)]


def _seconds(value: Interval) -> str:
    return "–" if value.values == 0 else f"{value.mean:.1f}"


TASKS = {
    task.name: task
    for task in (
        Task(
            "links",
            "Hidden links ranked",
            links.METRICS,
            lambda method, data, seed: links.rank_links(
                method, data.features, split_edges(data.graph, seed=seed)
            ),
        ),
        Task(
            "completion",
            "Features of half of the vertices completed",
            completion.METRICS,
            completion.score_completion,
        ),
        Task(
            "classification",
            "Vertices classified from 20 labels a class",
            classification.METRICS,
            classification.score_classification,
            splits=1,
        ),
    )
}
