"""Ways to spoil a file, by what it is made of; each mutant is the function of a random generator alone.

    data, mended = mutate("arrays", valid, random.Random(7))

`mended` says that whatever checksum the file carries was made to fit again, as one who means harm would do.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from mutations import arrays, numpy_files, packed, raw, text

__all__ = ["FORMS", "mutate"]

Mutator = Callable[[bytes, random.Random], tuple[bytes, bool]]

# Forms of files, each with its own ways; bytes can be spoilt in all of them.
FORMS: dict[str, Mutator] = {
    "arrays": arrays.mutate,
    "json": text.mutate_json,
    "lines": text.mutate_lines,
    "npy": numpy_files.mutate_npy,
    "npz": numpy_files.mutate_npz,
    "packed": packed.mutate_packed,
    "tar": packed.mutate_tar,
    "bytes": raw.mutate,
}


def mutate(form: str, data: bytes, rng: random.Random) -> tuple[bytes, bool]:
    """One mutant of a valid file of that form: of its bytes in one case of three, else of its meaning."""
    return (raw.mutate if rng.random() < 1 / 3 else FORMS[form])(data, rng)
