import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from acvae.forests.radix import sort_by_key

int64 = st.integers(-(2**63), 2**63 - 1)


@given(st.lists(int64 | st.integers(-3, 3), max_size=60), st.randoms(use_true_random=False))
def test_as_a_stable_sort(drawn, random):
    keys = np.array(drawn, dtype=np.int64)
    numbers = np.array(random.sample(range(len(drawn)), len(drawn) // 2), dtype=np.int32)
    given_numbers = numbers.copy()
    found = sort_by_key(numbers, keys)
    assert found.tolist() == sorted(numbers.tolist(), key=lambda number: drawn[number])
    assert found.dtype == np.int32
    assert np.array_equal(numbers, given_numbers)  # a sorted copy


def test_keys_of_one_value():
    keys = np.full(2000, -7)
    assert sort_by_key(np.arange(2000), keys).tolist() == list(range(2000))
