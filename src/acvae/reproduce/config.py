"""Configs: which runs a table or figure needs, read from one TOML file each.

A file either lists data sets, each with its methods, or takes a part of another file's runs
(`from = "table1"`), so that what two tables share is run once.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acvae.exceptions import AcvaeError, DataError, OptionError, did_you_mean
from acvae.methods import METHODS
from acvae.reproduce.spec import RunSpec, all_methods

__all__ = ["NAMES", "Experiment", "config_folder", "load_experiment", "results_folder"]

NAMES = ("table1", "table2", "table3", "table4", "table5", "figure1")

_HERE = Path(__file__).resolve().parent
_CHECKOUT = _HERE.parents[2] / "experiments"

METHOD_KEYS = {"epochs", "every", "gammas", "runs", "exclusive"}


@dataclass(frozen=True)
class Experiment:
    """One table or figure: its runs, in the order to do them, and the data sets that may be missing."""

    name: str
    title: str
    runs: tuple[RunSpec, ...]
    optional_data: frozenset[str]
    settings: dict[str, Any]


def config_folder() -> Path:
    """The repository's `experiments/`, or the copies that an installed package carries."""
    return _CHECKOUT if (_CHECKOUT / "table1.toml").is_file() else _HERE / "configs"


def results_folder(quick: bool = False) -> Path:
    """Where results are stored: in the repository, or in the current folder for an installed package."""
    home = _CHECKOUT if (_CHECKOUT / "table1.toml").is_file() else Path("acvae-experiments")
    return home / ("quick-results" if quick else "results")


def load_experiment(name: str, *, quick: bool = False, folder: Path | None = None) -> Experiment:
    """The runs of one table or figure; `quick` applies the file's `quick` sections."""
    home = folder or config_folder()
    table = _read(name, home)
    try:
        return _experiment(name, table, quick, home)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        if isinstance(error, AcvaeError):
            raise
        raise DataError(f"{home / name}.toml does not describe a grid of runs: {error!r}.") from error


def _experiment(name: str, table: dict[str, Any], quick: bool, folder: Path) -> Experiment:
    title = table.get("title", name)
    if "from" in table:
        base = load_experiment(table["from"], quick=quick, folder=folder)
        runs = tuple(spec for spec in base.runs if _selected(spec, table.get("select", {}), quick))
        return Experiment(name, title, runs, base.optional_data, table)
    runs = tuple(
        spec
        for dataset, section in table.get("datasets", {}).items()
        for spec in _dataset_runs(dataset, section, quick)
    )
    optional = {d for d, section in table.get("datasets", {}).items() if section.get("optional")}
    return Experiment(name, title, runs, frozenset(optional), table)


def _read(name: str, folder: Path) -> dict[str, Any]:
    path = folder / f"{name}.toml"
    if not path.is_file():
        known = sorted(p.stem for p in folder.glob("*.toml"))
        raise OptionError(
            f"there is no config {name}.toml in {folder}; there are {', '.join(known) or 'none'}."
            + did_you_mean(name, known)
        )
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(f"{path} is not valid TOML: {error}") from error


def _selected(spec: RunSpec, select: dict[str, Any], quick: bool) -> bool:
    """Whether a run is in the part. Methods without γ are always kept, and quick runs choose their γ."""
    return (
        spec.dataset in select.get("datasets", [spec.dataset])
        and spec.method in select.get("methods", [spec.method])
        and spec.run in select.get("runs", [spec.run])
        and (quick or spec.gamma is None or spec.gamma in select.get("gammas", [spec.gamma]))
    )


def _dataset_runs(dataset: str, section: dict[str, Any], quick: bool) -> list[RunSpec]:
    """All runs on one data set: run 0 of everything first, so that early results cover the table."""
    changed = section.get("quick", {}) if quick else {}
    common = {**section, **changed}
    specs = []
    for method, own in section["methods"].items():
        settings = {**common, **own, **changed}
        if changed:  # a quick run evaluates at its end, by every kind the real one does
            settings["every"] = dict.fromkeys(own["every"], settings["epochs"])
            settings["gammas"] = own.get("gammas", settings["gammas"])
        _check_method(method)
        gammas = settings["gammas"] if all_methods()[method].takes("gamma") else [None]
        specs += [
            _run(dataset, method, None if gamma is None else float(gamma), run, settings, own)
            for run in range(settings["runs"])
            for gamma in gammas
        ]
    return sorted(specs, key=lambda spec: (spec.exclusive, spec.run))


def _run(
    dataset: str, method: str, gamma: float | None, run: int, settings: dict[str, Any], own: dict[str, Any]
) -> RunSpec:
    trained = method in METHODS
    options: dict[str, Any] = {}
    if trained:
        common = {"epochs": settings.get("epochs"), **settings["sizes"]}
        options = {name: value for name, value in common.items() if METHODS[method].takes(name)}
        options |= {name: value for name, value in own.items() if name not in METHOD_KEYS}
    return RunSpec(
        dataset=dataset,
        method=method,
        gamma=gamma,
        run=run,
        task=settings["task"],
        data=settings["data"],
        data_options=settings.get("data_options", {}),
        options=options,
        every=settings["every"] if trained else {},
        labels=settings.get("labels", {}),
        exclusive=settings.get("exclusive", False),
    )


def _check_method(name: str) -> None:
    if name not in all_methods():
        raise OptionError(f"there is no method {name!r}; there are {', '.join(all_methods())}.")
