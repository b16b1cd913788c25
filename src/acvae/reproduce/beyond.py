"""The part "Beyond the paper" of RESULTS.md, from what `experiments/beyond` has stored alone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from acvae.reproduce.compare import Store, interval
from acvae.reproduce.compare.methods import methods_of
from acvae.reproduce.compare.probabilities import METRICS
from acvae.reproduce.compare.tasks import TASKS
from acvae.reproduce.tables import markdown

__all__ = ["ablation_table", "beyond", "calibration_table", "inputs_table"]

SPLITS = 5
INTRODUCTION = """\
GraphGaussian beside rules and graph networks, by `python experiments/beyond/peers.py`, on the same \
splits and by the same code; what is compared how is in \
[experiments/beyond](experiments/beyond/README.md). Options of the others are chosen on validation \
edges out of the train edges, GraphGaussian has its defaults. ± is half of a 95 % interval over \
splits; a row of one split has none. CPU seconds are those of the last fit alone, and rows were not all \
measured on one machine: `benchmarks/fit_time.py` has a ratio of one run.
"""
CALIBRATION = """\
By `python experiments/beyond/calibration.py`: hidden links against all hidden pairs that are none. \
The error is that of the bins of log-odds that hold 99 % of the links, a bin counted by all its pairs, \
nearly all of which are unlikely, or by the links in it; the log-loss is minus the log \
likelihood of all hidden pairs, over the number of links. Rules are scaled by Platt's way on \
validation links out of the train links; *(a bound)* is the same fitted to the very pairs that are \
judged, which nobody can have. GraphGaussian has its defaults.
"""
INPUTS = """\
By `python experiments/beyond/inputs.py`: test NCRR of GraphGaussian's head for ranking, and of each \
number of a pair that it reads, alone, under the same fit. ± is half of a 95 % interval over splits.
"""
ABLATION = """\
By `python experiments/beyond/ablation.py`: NCRR of links that were hidden out of the *train* links \
of a split, on at most 1,000 vertices; no test link is looked at. Columns are data set and seed, \
rows differ from the default in one thing, and those that begin with … from the row "without both".
"""


def beyond(folder: Path) -> str:
    """All tables of a folder of results as Markdown; nothing if nothing is stored."""
    store, parts = Store(folder), []
    for name, task in TASKS.items():
        methods = list(methods_of(name))
        found = [task.table(data, methods, range(SPLITS), store) for data in _stored(folder / name)]
        if found:
            parts.append("\n\n".join([f"### {task.title}", *found]))
    data = _stored(folder / "calibration")
    if data:
        parts.append(f"### Probabilities of links\n\n{CALIBRATION}\n{calibration_table(store, data)}")
    data = _stored(folder / "inputs")
    if data:
        parts.append(f"### The head beside its inputs\n\n{INPUTS}\n{inputs_table(store, data)}")
    if (folder / "ablation.json").is_file():
        parts.append(f"### What each part gives\n\n{ABLATION}\n{ablation_table(folder / 'ablation.json')}")
    return "\n\n".join([INTRODUCTION.strip(), *parts]) if parts else ""


def _stored(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []


def calibration_table(store: Store, data: Iterable[str]) -> str:
    """Calibration error and log-loss of GraphGaussian and rules, a row for each data set and method."""
    rows = []
    for name in data:
        for method, about in methods_of("links").items():
            found = store.results("calibration", name, method)
            if found:
                figures = [interval(result[key] for result in found) for key in METRICS]
                rows.append([name, about.label, *map(str, figures), str(len(found))])
                keys = [f"bound_{key}" for key in METRICS]
                if all(key in result for result in found for key in keys):
                    figures = [interval(result[key] for result in found) for key in keys]
                    rows.append([name, f"*{about.label} (a bound)*", *map(str, figures), str(len(found))])
    return markdown(["data", "method", *METRICS.values(), "splits"], rows)


def inputs_table(store: Store, data: Sequence[str]) -> str:
    """NCRR of the head, then of each number alone, a column for each data set."""
    found = {name: store.results("inputs", name, "graph-gaussian") for name in data}
    names = dict.fromkeys(key for results in found.values() for r in results for key in r["ncrr"])
    rows = [
        [key, *(_cell(r["ncrr"][key] for r in found[name] if key in r["ncrr"]) for name in data)]
        for key in names
    ]
    return markdown(["", *data], rows)


def _cell(values: Iterable[float]) -> str:
    numbers = list(values)
    return str(interval(numbers)) if numbers else "–"


def ablation_table(path: Path, columns: Sequence[str] | None = None) -> str:
    """NCRR of each option, in the order they were stored in."""
    found: dict[str, dict[str, float]] = json.loads(path.read_text("utf-8"))
    wanted = columns or sorted({column for row in found.values() for column in row})
    rows = [
        [option, *(f"{row[c]:.4f}" if c in row else "–" for c in wanted)] for option, row in found.items()
    ]
    return markdown(["", *wanted], rows)
