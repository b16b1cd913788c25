"""Checkpoints: a training that was stopped goes on, and ends with the same bits as if it had not been."""

from __future__ import annotations

import json
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
import torch

from acvae._util.arrays import read_arrays, write_arrays
from acvae._util.checks import as_path, whole_number
from acvae._util.history import checked_history
from acvae._util.text import shown
from acvae._util.version import __version__
from acvae.engine.distributed import ALONE, World
from acvae.engine.kernels import FlatAdam
from acvae.exceptions import OptionError, SavedModelError, StoppedError, TrainingError
from acvae.families.base import Family, FamilyState
from acvae.training.interrupts import Interrupts, is_interrupt

__all__ = ["Checkpoint", "Keeper", "TrainingParts"]

FORMAT = "acvae-checkpoint"
FORMAT_VERSION = 2

Arrays = dict[str, npt.NDArray[Any]]

STORABLE = [np.dtype(code) for code in ("?", "b", "B", "h", "H", "i", "I", "q", "Q", "e", "f", "d")]


@dataclass(frozen=True)
class Checkpoint:
    """Where the state of a training is stored, and how often.

    If the file exists already, `fit` goes on from it, provided that its options are the same; so the same
    call can be repeated until it is done. The file stays when training ends: delete it to start again.
    Callbacks are no part of it. What they added to the history is, what they remember themselves is not.

    Parameters
    ----------
    path
        One file (safetensors with JSON in it), which always appears whole or not at all.
    every
        Epochs between two times of storing. Ctrl-C stores too, whenever it comes: the state after the last
        whole epoch.
    """

    path: str | PathLike[str]
    every: int = 10

    def __post_init__(self) -> None:
        as_path("path", self.path)
        whole_number("every", self.every, minimum=1)


@dataclass
class TrainingParts:
    """Everything that changes while training, and the options that must not."""

    family: Family
    optimizer: FlatAdam | torch.optim.Adam
    rng: np.random.Generator
    noise: torch.Generator
    history: list[dict[str, float]]
    options: dict[str, Any]


class _Snapshot(NamedTuple):
    arrays: Arrays
    about: dict[str, Any]


class Keeper:
    """Holds a snapshot of the last whole epoch, and stores it every so many epochs and when interrupted.

    Made before the first epoch: it puts back what the file holds, if there is one. A snapshot is a copy in
    memory, because an interrupt comes in the middle of an epoch, when half of the state has moved on. Of
    several processes the first has the file; the others are told what is in it.
    """

    def __init__(self, checkpoint: Checkpoint, parts: TrainingParts, world: World = ALONE) -> None:
        self._path, self._every, self._parts = Path(checkpoint.path), checkpoint.every, parts
        self._world = world
        saved = world.from_first(_read_if_there(self._path) if world.rank == 0 else None)
        if isinstance(saved, SavedModelError):
            raise saved
        self._stored: int | None = None  # epochs in the file
        if saved is not None:
            _restore(parts, saved, self._path)
            self._stored = len(parts.history)
        self._latest = _capture(parts) if world.rank == 0 else None
        self._interrupts = Interrupts(terminate=world.size > 1)

    def check_interrupt(self) -> None:
        """Between two steps, where it is safe to stop."""
        self._interrupts.check()

    def after_epoch(self, *, last: bool) -> None:
        """An epoch is whole; its row is in the history."""
        if self._world.rank == 0:
            self._latest = _capture(self._parts)
            if last or len(self._parts.history) % self._every == 0:
                _write(self._latest, self._path)
                self._stored = len(self._parts.history)

    def last_stored(self) -> str:
        """What the file holds, in words."""
        if self._stored is None:
            return f"none has been stored yet in {self._path}"
        return f"the last good checkpoint is {self._path}, after epoch {self._stored}"

    def __enter__(self) -> Self:
        self._interrupts.install()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        try:
            if error is None:
                self.check_interrupt()  # asked for in the last epoch, which is stored
            elif isinstance(error, SystemExit):
                self._store()
            elif is_interrupt(error) or (isinstance(error, StoppedError) and self._interrupts.asked_to_stop):
                self._store()
                raise KeyboardInterrupt from None
            elif isinstance(error, StoppedError):
                self._store()
                message = f"{error} {self._how_to_go_on()}"
                self._interrupts.end_with(message)
                raise StoppedError(message) from error
        finally:
            self._interrupts.remove()

    def _store(self) -> None:
        if self._latest is not None:
            with self._interrupts.held_back():
                _write(self._latest, self._path)

    def _how_to_go_on(self) -> str:
        if self._latest is None:
            return (
                f"The first process stores the last whole epoch in {self._path}, or, if it was the one that "
                f"failed, has stored one in every {self._every}; the same command goes on from there."
            )
        epochs = len(self._latest.about["history"])
        return f"The state after epoch {epochs} is in {self._path}; the same command goes on from it."


# ---------------------------------------------------------------------- from training to a snapshot and back


def _capture(parts: TrainingParts) -> _Snapshot:
    module = parts.family.module
    arrays = {f"module.{name}": _copy(tensor) for name, tensor in module.state_dict().items()}
    moments, count = _optimizer_state(parts.optimizer)
    arrays |= {f"optimizer.{name}": _copy(tensor) for name, tensor in moments.items()}
    about: dict[str, Any] = {
        "acvae": __version__,
        "options": _plain(parts.options),
        "optimizer_count": count,
        "rng": parts.rng.bit_generator.state,
        "history": [dict(row) for row in parts.history],
    }
    arrays["noise"] = _copy(parts.noise.get_state())
    own = parts.family.state()
    _check_storable(parts.family.name, own)
    arrays |= {f"family.{name}": np.array(array) for name, array in own.arrays.items()}
    about["family"] = _plain(own.values)
    return _Snapshot(arrays, about)


def _check_storable(family: str, state: FamilyState) -> None:
    """A state comes back as it was: numbers in arrays, and values that JSON has words for."""
    for name, array in state.arrays.items():
        kind = np.asarray(array).dtype
        if kind not in STORABLE:
            raise TrainingError(
                f"the state of {family} cannot be stored: its array {name!r} is of {kind}; "
                "whole and real numbers and booleans can be."
            )
    if not _in_json(state.values):
        raise TrainingError(
            f"the state of {family} cannot be stored: its values {state.values!r} do not come back from JSON "
            "as they are; use numbers, texts, lists and dictionaries with texts as keys, or arrays."
        )


def _in_json(value: Any) -> bool:
    """Whether a value comes back from JSON as it is: no tuples, and texts as keys."""
    if isinstance(value, dict):
        return all(isinstance(key, str) and _in_json(own) for key, own in value.items())
    if isinstance(value, list):
        return all(map(_in_json, value))
    return value is None or isinstance(value, (str, int, float, np.integer, np.floating, np.bool_))


def _restore(parts: TrainingParts, saved: _Snapshot, path: Path) -> None:
    arrays, about = saved
    try:
        if not isinstance(about["options"], dict):
            raise SavedModelError(f"the checkpoint {path} does not tell its options.")
        _check_options(about["options"], _plain(parts.options), path)
        history = _check_history(about["history"], parts.options)
        expected = _capture(parts).arrays  # as it is before the first epoch
        _check_shapes(arrays, expected)
        with torch.no_grad():
            # A state shares its memory with the parameters.
            for name, tensor in parts.family.module.state_dict().items():
                tensor.copy_(torch.from_numpy(arrays[f"module.{name}"]))
        _set_optimizer_state(parts.optimizer, arrays, about["optimizer_count"])
        _check_numbers(about["rng"])
        parts.rng.bit_generator.state = about["rng"]
        parts.noise.set_state(torch.from_numpy(arrays["noise"]))
        own = {name.removeprefix("family."): arrays[name] for name in arrays if name.startswith("family.")}
        parts.family.restore(FamilyState(own, about["family"]))
        parts.history[:] = history
    except (KeyError, TypeError, ValueError, RuntimeError, OverflowError) as error:
        if isinstance(error, (OptionError, SavedModelError)):
            raise
        raise SavedModelError(f"the checkpoint {path} does not fit this training: {error}") from error


def _check_numbers(state: Any) -> None:
    """The state of a generator, whose numbers older NumPy takes as they come."""
    for value in state.values() if isinstance(state, dict) else [state]:
        if isinstance(value, dict):
            _check_numbers(value)
        elif not isinstance(value, str) and not (type(value) is int and 0 <= value < 1 << 128):
            raise ValueError(f"{shown(value)} is no state of random numbers")


def _check_options(saved: dict[str, Any], wanted: dict[str, Any], path: Path) -> None:
    saved = {"processes": 1, **saved}  # files from before there could be several
    differ = [name for name in wanted if saved.get(name) != wanted[name]]
    if differ:
        then = ", ".join(f"{name}={saved.get(name)!r}" for name in differ)
        now = ", ".join(f"{name}={wanted[name]!r}" for name in differ)
        raise OptionError(
            f"the checkpoint {path} is of a training with {then}, not {now}; go on with the same options, "
            "or delete it to start again."
        )


def _check_history(rows: Any, options: dict[str, Any]) -> list[dict[str, float]]:
    history = checked_history(rows, need=("epoch", "steps"))
    whole = all(row["epoch"] == number for number, row in enumerate(history, start=1))
    if not whole or len(history) > options["epochs"]:
        raise SavedModelError("the checkpoint's history is not that of its epochs.")
    return history


def _check_shapes(arrays: Arrays, expected: Arrays) -> None:
    """Networks must fit, and be finite. A saved moment of Adam may be new, since there are none before the
    first step, and what a family stores may change its size; `restore` looks at that.
    """
    for name, array in expected.items():
        if name.startswith("family."):
            continue
        if name not in arrays:
            raise SavedModelError(f"the checkpoint has no {name!r}: it is of another model.")
        if arrays[name].shape != array.shape:
            raise SavedModelError(
                f"the checkpoint's {name!r} has shape {arrays[name].shape}, but {array.shape} is needed: "
                "it is of other data or other sizes."
            )
        if arrays[name].dtype != array.dtype or not np.isfinite(arrays[name]).all():
            raise SavedModelError(f"the checkpoint's {name!r} is not made of finite {array.dtype}.")


def _optimizer_state(optimizer: FlatAdam | torch.optim.Adam) -> tuple[dict[str, torch.Tensor], int]:
    if isinstance(optimizer, FlatAdam):
        return {"first": optimizer.first, "second": optimizer.second}, optimizer.count
    state = optimizer.state_dict()["state"]
    return {f"{index}.{name}": value for index, own in state.items() for name, value in own.items()}, 0


def _set_optimizer_state(optimizer: FlatAdam | torch.optim.Adam, arrays: Arrays, count: int) -> None:
    if isinstance(optimizer, FlatAdam):
        optimizer.first.copy_(torch.from_numpy(arrays["optimizer.first"]))
        optimizer.second.copy_(torch.from_numpy(arrays["optimizer.second"]))
        optimizer.count = whole_number("optimizer_count", count, minimum=0)
        return
    state: dict[int, dict[str, torch.Tensor]] = {}
    for key, array in arrays.items():
        if key.startswith("optimizer."):
            _, index, name = key.split(".")
            state.setdefault(int(index), {})[name] = torch.from_numpy(array)
    optimizer.load_state_dict({**optimizer.state_dict(), "state": state})


def _copy(tensor: torch.Tensor) -> npt.NDArray[Any]:
    array: npt.NDArray[Any] = tensor.detach().cpu().numpy().copy()
    return array


def _plain(value: Any) -> Any:
    """As it comes back from JSON: tuples as lists, NumPy's numbers as Python's."""
    return json.loads(json.dumps(value, default=_item))


def _item(value: Any) -> Any:
    return value.item()


# ---------------------------------------------------------------------- files


def _write(snapshot: _Snapshot, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_arrays(path, snapshot.arrays, snapshot.about, format=FORMAT, version=FORMAT_VERSION)


def _read_if_there(path: Path) -> _Snapshot | SavedModelError | None:
    """What the file holds; an error is a value too, to be raised in every process."""
    try:
        if not path.exists():
            return None
        return _Snapshot(*read_arrays(path, format=FORMAT, version=FORMAT_VERSION, what="checkpoint"))
    except SavedModelError as error:
        return error
