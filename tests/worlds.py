"""Several processes that share their work, as threads of one: what they say goes through a list."""

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import reduce

from acvae.engine.distributed import World


class Together(World):
    """One of `size` members; everyone has to take part in every exchange."""

    def __init__(self, rank, size, said, barrier):
        self.rank, self.size = rank, size
        self._said, self._barrier = said, barrier

    def _all(self, value):
        self._said[self.rank] = value
        self._barrier.wait(timeout=60)
        values = list(self._said)
        self._barrier.wait(timeout=60)
        return values

    def total(self, values):
        return sum(self._all(values))

    def combine(self, value, merge):
        return reduce(merge, self._all(value))


def together(size, work):
    """[work(world) of each member]."""
    said, barrier = [None] * size, threading.Barrier(size)
    with ThreadPoolExecutor(size) as pool:
        members = [pool.submit(work, Together(rank, size, said, barrier)) for rank in range(size)]
        return [member.result() for member in members]
