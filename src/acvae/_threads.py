"""Threads for compiled loops that release the interpreter's lock.

numba's own parallel loops are not used: its OpenMP layer changes the thread count of every other OpenMP
user in the process, PyTorch's small training steps among them.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise

__all__ = ["n_threads", "over_ranges"]


def n_threads() -> int:
    """Threads to use: OMP_NUM_THREADS where it is set, else the cores this process may run on."""
    wish = os.environ.get("OMP_NUM_THREADS", "")
    if wish.isdecimal() and int(wish) > 0:
        return int(wish)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def over_ranges(work: Callable[[int, int], object], count: int, *, at_least: int = 1) -> None:
    """Call `work(start, stop)` over a partition of 0 … count, on several threads if it is worth it."""
    threads = min(n_threads(), max(1, count // at_least))
    if threads == 1:
        work(0, count)
        return
    bounds = [count * t // threads for t in range(threads + 1)]
    futures = [_pool(os.getpid()).submit(work, a, b) for a, b in pairwise(bounds)]
    for future in futures:
        future.result()


@cache
def _pool(process: int) -> ThreadPoolExecutor:
    """One pool per process: threads do not survive a fork."""
    return ThreadPoolExecutor(max_workers=n_threads(), thread_name_prefix="acvae")
