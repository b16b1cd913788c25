"""From a table's name to stored results: do what is missing, say how it goes."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from acvae.exceptions import OptionError, did_you_mean
from acvae.reproduce.claims import claim_on, sweep_claims
from acvae.reproduce.config import Experiment
from acvae.reproduce.display import Display
from acvae.reproduce.pool import Outcome, run_in_processes
from acvae.reproduce.spec import RunSpec, all_methods
from acvae.reproduce.store import done, read_all

__all__ = ["Summary", "filter_runs", "run_experiments"]

WAIT = 1.0  # seconds between two looks at what others are doing


class Summary(NamedTuple):
    """What a call did."""

    stored_before: int
    finished: int
    failed: int
    skipped: int


def run_experiments(
    experiments: Sequence[Experiment],
    results: Path,
    *,
    jobs: int | None = None,
    only: Sequence[str] = (),
    data_root: Path | None = None,
    display: Display | None = None,
) -> Summary:
    """Do the runs that are not stored yet. A run in several tables is done once."""
    display = Display() if display is None else display
    cores = os.cpu_count() or 1
    wanted = list({spec.path(results): spec for e in experiments for spec in e.runs}.values())
    wanted = filter_runs(wanted, only)
    optional = {name for e in experiments for name in e.optional_data}
    missing = _data_not_here({spec.data for spec in wanted if spec.dataset in optional}, data_root)
    skipped = [spec for spec in wanted if spec.data in missing]
    for name in sorted(missing):
        display.say(f"{name}: its raw files are not here, so its runs are left out.")
    sweep_claims(spec.path(results) for spec in wanted)
    todo = [spec for spec in wanted if spec.data not in missing and not done(spec, results)]
    changed = sum(spec.path(results).is_file() for spec in todo)
    stored = len(wanted) - len(skipped) - len(todo)
    display.start(todo, stored, min(jobs or cores, max(len(todo), 1)), _known_seconds(results))
    if changed:
        display.say(f"{changed} of them are stored but damaged or with other settings, and are run again.")
    failed = 0
    # Runs that need the machine to themselves come last, one at a time and with all threads.
    shared = [spec for spec in todo if not spec.exclusive]
    alone = [spec for spec in todo if spec.exclusive]
    for group, at_once, threads in ((shared, jobs or cores, 1), (alone, 1, cores)):
        for outcome in _with_others(group, results, at_once, threads, data_root):
            failed += _record(outcome, results)
            display.finished(outcome)
    display.end(failed)
    return Summary(stored, len(todo) - failed, failed, len(skipped))


def _with_others(
    specs: Sequence[RunSpec], results: Path, jobs: int, threads: int, data_root: Path | None
) -> Iterator[Outcome]:
    """Do all runs but those that other runners on the same folder do; what they leave comes again."""
    todo = list(specs)
    while todo:
        left = []
        for outcome in run_in_processes(
            todo, lambda spec: spec.path(results), jobs=jobs, threads=threads, data_root=data_root
        ):
            if outcome.elsewhere and not done(outcome.spec, results):
                left.append(outcome.spec)
            else:
                yield outcome
        todo = []
        while left and not todo:
            for spec in [spec for spec in left if done(spec, results)]:
                left.remove(spec)
                yield Outcome(spec, None, {}, None, "", elsewhere=True)
            todo = [spec for spec in left if claim_on(spec.path(results)).holder() is None]
            if left and not todo:
                time.sleep(WAIT)
        waiting = [spec for spec in left if spec not in todo]
        todo += waiting  # those are refused once more, which costs nothing


def filter_runs(runs: Iterable[RunSpec], only: Sequence[str]) -> list[RunSpec]:
    """Runs that match: words of the same sort are alternatives, words of different sorts must all match.

    A word is a method, a data set, `gamma=0.001` or `run=0`.
    """
    runs = list(runs)
    datasets = {spec.dataset for spec in runs}
    chosen: dict[str, set[str]] = {}
    for word in only:
        sort, _, value = word.rpartition("=")
        if not sort:
            sort = "method" if word in all_methods() else "dataset"
        if sort not in ("method", "dataset", "gamma", "run") or (sort == "dataset" and value not in datasets):
            known = [*all_methods(), *sorted(datasets)]
            raise OptionError(
                f"{word} fits no run; use a method or data set ({', '.join(known)}), gamma=… or "
                f"run=….{did_you_mean(word, known)}"
            )
        chosen.setdefault(sort, set()).add(_number(value) if sort in ("gamma", "run") else value)
    return [
        spec
        for spec in runs
        if all(
            (_number(str(getattr(spec, sort))) if sort in ("gamma", "run") else getattr(spec, sort)) in values
            for sort, values in chosen.items()
        )
    ]


def _number(text: str) -> str:
    """One way to write a number, so that 10, 10. and 1e1 are the same γ."""
    try:
        return repr(float(text))
    except ValueError:
        return text.lower()


def _record(outcome: Outcome, results: Path) -> bool:
    """Keep the text of an error beside where the result belongs; a later success removes it."""
    note = outcome.spec.path(results).with_suffix(".error.txt")
    if outcome.error is None:
        note.unlink(missing_ok=True)
        return False
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_text(f"{outcome.error}\n\n{outcome.details}", encoding="utf-8")
    return True


def _data_not_here(names: set[str], data_root: Path | None) -> set[str]:
    if not names:
        return set()
    from acvae.datasets import available

    return {entry.name for entry in available(data_root) if entry.name in names and not entry.here}


def _known_seconds(results: Path) -> dict[tuple[str, str], list[float]]:
    """How long stored runs took, by data set and method: the first guess of the time left."""
    known: dict[tuple[str, str], list[float]] = {}
    for result in read_all(results):
        spec, seconds = result["spec"], result.get("seconds")
        took = seconds.get("total") if isinstance(seconds, dict) else None
        if isinstance(took, (int, float)):
            known.setdefault((str(spec.get("dataset")), str(spec.get("method"))), []).append(took)
    return known
