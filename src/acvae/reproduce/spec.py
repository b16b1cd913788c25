"""RunSpec: one run of one method on one data set, complete enough to be done again from its stored result."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from acvae.exceptions import OptionError
from acvae.methods import BASELINES, METHODS, Method
from acvae.runs.config import RunConfig

__all__ = ["TASKS", "RunSpec", "all_methods", "gamma_text"]

TASKS = ("link-prediction", "clustering")


@dataclass(frozen=True)
class RunSpec:
    """What to run: a `RunConfig`, and when it is evaluated. The run number is the seed of split and model.

    Attributes
    ----------
    dataset
        Name of the section in the config, and of the folder of results.
    method
        A model or baseline of `acvae.methods`.
    gamma
        γ, or None for methods without.
    run
        Run number, from 0.
    task
        "link-prediction" or "clustering".
    data, data_options
        What `acvae.datasets.load` is called with.
    options
        Options of the model, apart from γ and seed.
    every
        Epochs between evaluations, for each kind of evaluation.
    labels
        For clustering: options of the plain VAE that the labels come from.
    exclusive
        Run alone, with all threads.
    """

    dataset: str
    method: str
    gamma: float | None
    run: int
    task: str
    data: str
    data_options: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    every: dict[str, int] = field(default_factory=dict)
    labels: dict[str, Any] = field(default_factory=dict)
    exclusive: bool = False

    def __post_init__(self) -> None:
        if self.method not in all_methods():
            raise OptionError(f"there is no method {self.method!r}; there are {', '.join(all_methods())}.")
        if self.task not in TASKS:
            raise OptionError(f"there is no task {self.task!r}; there are {', '.join(TASKS)}.")
        rankings = all_methods()[self.method].rankings
        unknown = sorted(set(self.every) - set(rankings))
        if unknown:
            raise OptionError(
                f"{self.method} cannot be evaluated by {unknown[0]!r}; it can by {', '.join(rankings)}."
            )

    def config(self) -> RunConfig:
        """The run as `acvae fit` would do it, on the CPU, where it is the same to the last digit."""
        values: dict[str, Any] = {"dataset": self.data, "model": self.method, **self.options}
        if self.data_options:
            values["data_options"] = self.data_options
        if self.gamma is not None:
            values["gamma"] = self.gamma
        own = {"seed": self.run, "device": "cpu"}
        values |= {name: value for name, value in own.items() if METHODS[self.method].takes(name)}
        values |= {"all_edges": True} if self.task == "clustering" else {"split_seed": self.run}
        return RunConfig.from_values(values)

    @property
    def name(self) -> str:
        """For people."""
        gamma = "" if self.gamma is None else f" γ={gamma_text(self.gamma)}"
        return f"{self.dataset} {self.method}{gamma} run {self.run}"

    def path(self, results: Path) -> Path:
        """Where the result belongs."""
        gamma = f"gamma={gamma_text(self.gamma)}"
        return results / self.dataset / self.method / gamma / f"run={self.run}.json"

    def as_json(self) -> dict[str, Any]:
        """Plain values, to be stored with the result."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> RunSpec:
        """What `as_json` gave."""
        known = {f.name for f in fields(cls)}
        return cls(**{name: value for name, value in values.items() if name in known})

    def same_work(self, other: RunSpec) -> bool:
        """Whether the two give the same result; being run alone changes nothing but time."""
        return {**self.as_json(), "exclusive": None} == {**other.as_json(), "exclusive": None}


def all_methods() -> dict[str, Method]:
    """What a grid can run: the models, and the baselines that are not trained."""
    return {**METHODS, **BASELINES}


def gamma_text(gamma: float | None) -> str:
    """γ as in file names and tables: 0.001, 1000, none."""
    if gamma is None:
        return "none"
    short = f"{gamma:g}" if math.isfinite(gamma) else str(gamma)
    return short if float(short) == gamma else repr(float(gamma))
