"""Several processes that train together: who they are, and what they say to each other.

The one place that knows torch.distributed. A `World` is one process's view; training reads the same whether
it is alone or not. Under `torchrun`, `join` makes the process group from the environment it sets.
"""

from __future__ import annotations

import atexit
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self, TypeVar

import numpy.typing as npt
import torch
import torch.distributed as dist
from torch import Tensor

from acvae._util.threads import limit_libraries, processes_here
from acvae.engine.batches import Share
from acvae.exceptions import StoppedError

__all__ = ["ALONE", "World", "is_leader", "join", "local_device"]

Value = TypeVar("Value")

# What torch.distributed needs to find the other processes; torchrun sets all of it.
ENVIRONMENT = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")


class World:
    """A process that trains alone: nothing to say, and nobody to say it to.

    Attributes
    ----------
    rank, size
        Number of this process, and how many there are. The first, rank 0, writes and prints for all.
    """

    rank = 0
    size = 1

    def share(self, count: int) -> Share:
        """This process's contiguous part of `count` things, as even as can be."""
        bounds = [count * rank // self.size for rank in (self.rank, self.rank + 1)]
        return Share(range(*bounds), count, self.rank, self.size)

    def average(self, tensor: Tensor) -> None:
        """Replace a tensor by its mean over all processes, in place."""

    def total(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The sum of an array over all processes, the same bits in each."""
        return values

    def from_first(self, value: Value) -> Value:
        """What the first process has, in all of them."""
        return value

    def combine(self, value: Value, merge: Callable[[Value, Value], Value]) -> Value:
        """All processes' values merged two and two, lower ranks first; the same in all of them."""
        return value

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        """After an error the connections are closed, so that nobody waits for this process."""


ALONE = World()


class _Group(World):
    """One of several processes, connected by the default process group."""

    def __init__(self) -> None:
        self.rank, self.size = dist.get_rank(), dist.get_world_size()
        # A group of NCCL alone cannot send what is in main memory.
        self._device = torch.device("cuda" if dist.get_backend() == "nccl" else "cpu")

    def average(self, tensor: Tensor) -> None:
        with _talking(self):
            dist.all_reduce(tensor)
        tensor /= self.size

    def total(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        sums = torch.tensor(values, device=self._device)
        with _talking(self):
            dist.all_reduce(sums)
        return sums.cpu().numpy()

    def from_first(self, value: Value) -> Value:
        box = [value]
        with _talking(self), _between_ourselves():
            dist.broadcast_object_list(box, src=0)
        return box[0]

    def combine(self, value: Value, merge: Callable[[Value, Value], Value]) -> Value:
        step = 1
        while step < self.size:  # a binomial tree: the first process hears log₂(size) others
            if self.rank % (2 * step):
                with _talking(self):
                    dist.send_object_list([value], dst=self.rank - step)
                break
            if self.rank + step < self.size:
                box: list[Any] = [None]
                with _talking(self), _between_ourselves():
                    dist.recv_object_list(box, src=self.rank + step)
                value = merge(value, box[0])
            step *= 2
        return self.from_first(value)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if error is not None:
            _destroy()


@contextmanager
def _between_ourselves() -> Iterator[None]:
    """Objects come from processes of the same program; PyTorch 2.4 and 2.5 warn of unpickling them."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*`torch.load`", category=FutureWarning)
        yield


@contextmanager
def _talking(world: World) -> Iterator[None]:
    """What the connections say when another process has gone, in words."""
    try:
        yield
    except RuntimeError as error:
        reason = str(error).split("] ", 1)[-1].split(". ", 1)[0].strip()
        raise StoppedError(
            f"process {world.rank} of {world.size} lost the others ({reason}): one of them was killed or "
            "failed, and its own output says why."
        ) from error


# ---------------------------------------------------------------------- coming together


def join(device: torch.device) -> World:
    """The world of this process.

    A process group that is there already is used. Under torchrun, or with the same variables set by another
    launcher, one is made: gloo for tensors in main memory, NCCL for those on a GPU.
    """
    if not dist.is_available():
        return ALONE
    if not dist.is_initialized():
        if not _launched():
            return ALONE
        dist.init_process_group("cpu:gloo,cuda:nccl" if device.type == "cuda" else "gloo")
        atexit.register(_destroy)
        _started.append(True)
    if dist.get_world_size() == 1:
        return ALONE
    if processes_here() > 1:
        limit_libraries()
    return _Group()


def is_leader() -> bool:
    """Whether this process is the first, which writes files and prints; known before `join`."""
    if dist.is_available() and dist.is_initialized():
        return dist.get_rank() == 0
    return not _launched() or os.environ["RANK"] == "0"


def local_device(device: torch.device) -> torch.device:
    """With several processes on a machine, the GPU of this one, unless a GPU was named by number."""
    if str(device) == "cuda" and _launched():
        device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
        torch.cuda.set_device(device)
    return device


_started: list[bool] = []  # not empty once the process group is one that was made here


def _launched() -> bool:
    return all(os.environ.get(name) for name in ENVIRONMENT) and os.environ["WORLD_SIZE"] != "1"


def _destroy() -> None:
    """Close a process group that was made here; a user's own is the user's to close."""
    if _started and dist.is_initialized():
        dist.destroy_process_group()
