"""A stable sort of edge numbers by whole-number keys, one byte of the key at a time."""

from typing import Any

import numba
import numpy as np

__all__ = ["sort_by_key"]

BYTES = 8
VALUES = 256


@numba.njit(cache=True, nogil=True)
def sort_by_key(numbers: Any, keys: Any) -> Any:
    """`numbers` (k,) in ascending order of int64 `keys[numbers]`; equal keys keep their order."""
    count = len(numbers)
    sign = np.uint64(1) << np.uint64(63)
    low = np.uint64(VALUES - 1)
    place = np.zeros((BYTES, VALUES), dtype=np.int64)  # first a count per byte and value, then where to write
    key, number = np.empty(count, dtype=np.uint64), numbers.copy()
    for i in range(count):
        key[i] = np.uint64(keys[numbers[i]]) ^ sign  # negative numbers first
        for byte in range(BYTES):
            place[byte, (key[i] >> np.uint64(8 * byte)) & low] += 1
    other_key, other_number = np.empty_like(key), np.empty_like(number)
    for byte in range(BYTES):
        at = place[byte]
        if at.max() == count:
            continue  # all keys share this byte
        total = 0
        for value in range(VALUES):
            at[value], total = total, total + at[value]
        shift = np.uint64(8 * byte)
        for i in range(count):
            value = (key[i] >> shift) & low
            to = at[value]
            at[value] = to + 1
            other_key[to], other_number[to] = key[i], number[i]
        key, other_key = other_key, key
        number, other_number = other_number, number
    return number
