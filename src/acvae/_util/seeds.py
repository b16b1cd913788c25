"""One seed from the user, an independent stream of random numbers for each purpose."""

import zlib

import numpy as np

__all__ = ["stream_seed"]


def stream_seed(seed: int, purpose: str, *numbers: int) -> int:
    """A seed below 2⁶³ for one purpose; different purposes and different seeds give unrelated streams.

    Positive `numbers` tell apart streams of the same purpose, such as those of several processes.
    """
    sequence = np.random.SeedSequence([int(seed), zlib.crc32(purpose.encode()), *numbers])
    return int(sequence.generate_state(1, np.uint64)[0] >> np.uint64(1))
