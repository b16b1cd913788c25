"""Threads for compiled loops that release the interpreter's lock.

numba's own parallel loops are not used: its OpenMP layer changes the thread count of every other OpenMP
user in the process, PyTorch's small training steps among them.
"""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from typing import Any

__all__ = ["limit_libraries", "n_threads", "one_blas_thread", "over_ranges", "processes_here", "run_tasks"]


def n_threads() -> int:
    """Threads to use: OMP_NUM_THREADS where it is set, else this process's share of the cores."""
    wish = _whole_number("OMP_NUM_THREADS")
    if wish:
        return wish
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores // processes_here())


def processes_here() -> int:
    """Processes of the same training on this machine, as torchrun tells them."""
    return _whole_number("LOCAL_WORLD_SIZE") or 1


def limit_libraries() -> None:
    """Hold PyTorch and BLAS to `n_threads` too, where no variable has done so already."""
    if _whole_number("OMP_NUM_THREADS"):
        return
    import torch
    from threadpoolctl import threadpool_limits

    torch.set_num_threads(n_threads())
    threadpool_limits(n_threads())


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold BLAS to the calling thread, for products that our own threads share out among themselves.

    A thread of BLAS that has nothing left to do goes on spinning for a while, on a core we need.
    """
    with _libraries().limit(limits=1, user_api="blas"):
        yield


@cache
def _libraries() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _whole_number(variable: str) -> int:
    """The value of an environment variable, or 0 if it is no positive number."""
    text = os.environ.get(variable, "")
    return int(text) if text.isdecimal() else 0


def over_ranges(
    work: Callable[[int, int], object], count: int, *, at_least: int = 1, uneven: bool = False
) -> None:
    """Call `work(start, stop)` over a partition of 0 … count, on several threads if it is worth it.

    `uneven` says that some items cost far more than others: ranges are then many, for whichever thread is
    free.
    """
    threads = min(n_threads(), max(1, count // at_least))
    if threads == 1:
        work(0, count)
        return
    if uneven:
        parts = min(8 * threads, count)
        edges = pairwise(count * t // parts for t in range(parts + 1))
        run_tasks([lambda slot, a=a, b=b: work(a, b) for a, b in edges], threads)  # type: ignore[misc]
        return
    bounds = [count * t // threads for t in range(threads + 1)]
    *others, (first, last) = pairwise(bounds)
    futures = [_pool(os.getpid()).submit(work, a, b) for a, b in others]
    try:
        work(first, last)  # one share is the caller's own: waking a thread costs as much as a small task
    finally:
        for future in futures:
            future.result()


def run_tasks(tasks: Sequence[Callable[[int], object]], threads: int) -> None:
    """Call every task once, on up to `threads` threads; each is given the number of the thread it runs on.

    Tasks are started in their order, whichever thread is free takes the next.
    """
    if min(threads, len(tasks)) < 2:
        for task in tasks:
            task(0)
        return
    waiting = deque(tasks)

    def work(slot: int) -> None:
        while True:
            try:
                task = waiting.popleft()
            except IndexError:
                return
            task(slot)

    others = min(threads, len(tasks)) - 1
    futures = [_pool(os.getpid()).submit(work, slot + 1) for slot in range(others)]
    try:
        work(0)
    finally:
        waiting.clear()  # after an error nothing new is begun
        for future in futures:
            future.result()


@cache
def _pool(process: int) -> ThreadPoolExecutor:
    """One pool per process: threads do not survive a fork."""
    return ThreadPoolExecutor(max_workers=n_threads(), thread_name_prefix="acvae")
