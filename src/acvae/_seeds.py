"""One seed from the user, an independent stream of random numbers for each purpose."""

import zlib

import numpy as np

__all__ = ["stream_seed"]


def stream_seed(seed: int, purpose: str) -> int:
    """A seed below 2⁶³ for one purpose; different purposes and different seeds give unrelated streams."""
    sequence = np.random.SeedSequence([int(seed), zlib.crc32(purpose.encode())])
    return int(sequence.generate_state(1, np.uint64)[0] >> np.uint64(1))
