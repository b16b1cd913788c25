import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from acvae._util.reused_memory import LEAST_BYTES, ReusedMemory

SHAPE = (1024, 1024)


def address(array):
    return array.__array_interface__["data"][0]


def test_memory_that_nobody_holds_is_used_again():
    memory = ReusedMemory(64 << 20)
    first = address(memory.empty(SHAPE, np.float32))
    again = memory.empty((512, 2048), np.float32)
    assert address(again) == first
    assert again.shape == (512, 2048)
    assert again.dtype == np.float32


def test_memory_that_any_view_holds_is_not():
    memory = ReusedMemory(64 << 20)
    for keep in (lambda a: a, lambda a: a[5], lambda a: a.T[3:4, ::2], lambda a: memoryview(a)):
        held = keep(memory.empty(SHAPE, np.float32))
        other = memory.empty(SHAPE, np.float32)
        assert not np.shares_memory(np.asarray(held), other)
        del held, other


def test_results_stay_what_they_were_while_many_threads_ask():
    memory = ReusedMemory(64 << 20)

    def ask(number):
        held = []
        for _ in range(20):
            out = memory.empty((600, 512), np.float32)
            out[:] = number
            held.append(out)
            held = held[-2:]
            assert all((block == number).all() for block in held)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(ask, range(8)))


def test_what_is_small_or_too_large_is_left_to_the_allocator():
    memory = ReusedMemory(2 * LEAST_BYTES)
    for size in (LEAST_BYTES // 4, 3 * LEAST_BYTES):
        memory.empty((size,), np.uint8)
        assert memory._kept == []
    memory.empty((2 * LEAST_BYTES,), np.uint8)
    small = memory.empty((LEAST_BYTES - 1,), np.uint8)
    assert small.base is None
    del small
    fitting = memory.empty((LEAST_BYTES,), np.uint8)
    assert fitting.base.nbytes <= 2 * LEAST_BYTES


def test_copies_go_without_it():
    memory = ReusedMemory(64 << 20)
    memory.empty(SHAPE, np.float64)
    for other in (copy.deepcopy(memory), pickle.loads(pickle.dumps(memory))):
        assert other._kept == []
        assert other.empty(SHAPE, np.float32).shape == SHAPE
    assert len(pickle.dumps(memory)) < 200
